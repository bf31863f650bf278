/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns a linkage name into the name to show: C++ and Rust (both manglings).  Keeps suffixes that
 * compilers and linkers append, in a readable form; see demangle.h.
 */
#include "symbols/demangle.h"

#include "symbols/demangle-bound.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are not demangled. libiberty itself refuses longer C++ names, except when it is
 * asked for the kind of a constructor: then it needs stack in proportion to the name's length. */
#define RAW_CPLUS_BYTES_MAX 1024
#define RAW_RUST_BYTES_MAX (16 * 1024)
/* A longer readable form is not used.  Even a short name may have one that never ends. */
#define READABLE_BYTES_MAX (64 * 1024)
/* The most references to earlier parts in a name that can't be checked before it is printed.  With
 * three references in each part, the result has 3^(32/3) = 120,000 parts. */
#define REFERENCES_MAX 32
#define D_REFERENCES_MAX 16   /* each may double the name */
#define LIFETIME_DIGITS_MAX 2 /* of the number of those in a function's type */

/* libiberty would also take names of other languages' schemes, such as those of plain C
 * that merely look like them. */
static gboolean looks_mangled(const char *name)
{
    return g_str_has_prefix(name, "_Z") || g_str_has_prefix(name, "_R") ||
           g_str_has_prefix(name, "__Z");
}

typedef struct
{
    GString *text;
    jmp_buf too_long;
} RustName;

static void take_rust(const char *part, size_t bytes, void *data)
{
    RustName *name = data;
    if (name->text->len + bytes > READABLE_BYTES_MAX)
        longjmp(name->too_long, 1);
    g_string_append_len(name->text, part, (gssize)bytes);
}

/* "FG999999999_" is a function type with that many lifetimes. libiberty loops over all of them,
 * even if it prints none. */
static gboolean has_many_lifetimes(const char *raw)
{
    for (const char *at = g_str_has_prefix(raw, "_R") ? strchr(raw, 'G') : NULL; at;
         at = strchr(at + 1, 'G'))
    {
        gsize digits = 0;
        if (at == raw || (at[-1] != 'F' && at[-1] != 'D'))
            continue;
        while (g_ascii_isalnum(at[1 + digits]))
            digits++;
        if (digits > LIFETIME_DIGITS_MAX && at[1 + digits] == '_')
            return TRUE;
    }
    return FALSE;
}

/* libiberty's printing can't be cancelled, so the callback jumps out of it.  That leaks nothing, or
 * at most the letters of one identifier.  Returns 1: done, 0: not such a name, -1: too long. */
static int print_rust(const char *raw, int options, RustName *name)
{
    if (setjmp(name->too_long) != 0)
        return -1;
    return rust_demangle_callback(raw, options, take_rust, name) != 0;
}

/* NULL where it is no such name, or where *is_bounded becomes FALSE. */
static GString *demangle_rust(const char *raw, int options, gboolean *is_bounded)
{
    /* Link-time optimization appends ".llvm.NUMBER", which says nothing to anyone. */
    const char *llvm = strstr(raw, ".llvm.");
    g_autofree char *bare = llvm ? g_strndup(raw, (gsize)(llvm - raw)) : g_strdup(raw);
    RustName name = {.text = g_string_new(NULL)};
    const int done = strlen(bare) <= RAW_RUST_BYTES_MAX && !has_many_lifetimes(bare)
                         ? print_rust(bare, options, &name)
                         : -1;
    *is_bounded = done >= 0;
    if (done > 0)
        return name.text;
    g_string_free(name.text, TRUE);
    return NULL;
}

/* How many parts of it refer to others: "S1_", "T_". */
static guint count_references(const char *raw)
{
    guint count = 0;
    for (const char *at = raw; *at != '\0'; at++)
        if (*at == 'S' || *at == 'T')
            count += at[1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
    return count;
}

/* Some names ("sr" of clang before 12, and of gcc) libiberty reads only when it writes them at
 * once. */
static char *print_unread(const char *raw, int options, gboolean *is_bounded)
{
    if (!strstr(raw, "sr"))
        return NULL;
    *is_bounded = count_references(raw) <= REFERENCES_MAX;
    return *is_bounded ? cplus_demangle_v3(raw, options) : NULL;
}

/* Likewise. */
static GString *demangle_cplus(const char *raw, int options, gboolean *is_bounded)
{
    void *memory = NULL;
    size_t bytes = 0;
    if (strlen(raw) > RAW_CPLUS_BYTES_MAX)
        return NULL;
    struct demangle_component *tree = cplus_demangle_v3_components(raw, options, &memory);
    char *plain = NULL;
    if (!tree)
        plain = print_unread(raw, options, is_bounded);
    else if ((*is_bounded = fc_demangle_is_bounded(tree, READABLE_BYTES_MAX)))
        plain = cplus_demangle_print(options, tree, READABLE_BYTES_MAX / 64, &bytes);
    GString *text = plain ? g_string_new(plain) : NULL;
    free(plain);
    free(memory);
    return text;
}

gboolean fc_demangle_has_bounds(const char *raw)
{
    const int options = DMGL_ANSI | DMGL_PARAMS;
    gboolean is_bounded = TRUE;
    const char *start = raw + strspn(raw, ".$");
    g_autofree char *bare = g_strndup(start, strcspn(start, "@"));
    GString *text = demangle_rust(bare, options, &is_bounded);
    if (!text && is_bounded)
        text = demangle_cplus(bare, options | DMGL_GNU_V3, &is_bounded);
    if (text)
        g_string_free(text, TRUE);
    guint references = 0;
    for (const char *at = g_str_has_prefix(bare, "_D") ? strchr(bare, 'Q') : NULL; at;
         at = strchr(at + 1, 'Q'))
        references++;
    return is_bounded && references <= D_REFERENCES_MAX;
}

/* ".constprop.0.isra.1" becomes " [clone .constprop.0] [clone .isra.1]": a suffix is a
 * word and the numbers that follow it. */
static void append_clones(GString *text, const char *suffix)
{
    while (*suffix == '.')
    {
        gsize length = 1 + strcspn(suffix + 1, ".");

        while (suffix[length] == '.' && g_ascii_isdigit(suffix[length + 1]))
            length += 1 + strcspn(suffix + length + 1, ".");
        g_string_append_printf(text, " [clone %.*s]", (int)length, suffix);
        suffix += length;
    }
    g_string_append(text, suffix);
}

/* NULL where `raw`, which has no symbol version, is not mangled. */
static char *demangle_unversioned(const char *raw, int options)
{
    if (!looks_mangled(raw))
        return NULL;
    gboolean is_bounded;
    GString *text = demangle_rust(raw, options, &is_bounded);
    if (text)
        return g_string_free(text, FALSE);
    if (!is_bounded)
        return NULL;
    const char *dot = strchr(raw, '.');
    g_autofree char *bare = dot ? g_strndup(raw, (gsize)(dot - raw)) : g_strdup(raw);
    text = demangle_cplus(bare, options | DMGL_GNU_V3, &is_bounded);
    if (!text)
        return NULL;
    if (dot)
        append_clones(text, dot);
    return g_string_free(text, FALSE);
}

const char *fc_demangle_variant(const char *raw)
{
    if (!g_str_has_prefix(raw, "_Z") || strlen(raw) > RAW_CPLUS_BYTES_MAX)
        return NULL;
    enum gnu_v3_ctor_kinds constructor = is_gnu_v3_mangled_ctor(raw);
    if (constructor == gnu_v3_complete_object_ctor)
        return "complete";
    if (constructor == gnu_v3_base_object_ctor)
        return "base";
    enum gnu_v3_dtor_kinds destructor = is_gnu_v3_mangled_dtor(raw);
    if (destructor == gnu_v3_complete_object_dtor)
        return "complete";
    if (destructor == gnu_v3_base_object_dtor)
        return "base";
    return destructor == gnu_v3_deleting_dtor ? "deleting" : NULL;
}

char *fc_demangle_name(const char *raw, FcDemangle style)
{
    int options = DMGL_ANSI | (style == FC_DEMANGLE_PARAMS ? DMGL_PARAMS : 0);
    const char *at = strchr(raw, '@');
    g_autofree char *bare = at && at != raw ? g_strndup(raw, (gsize)(at - raw)) : g_strdup(raw);
    g_autofree char *name = NULL;

    if (style != FC_DEMANGLE_NONE)
        name = demangle_unversioned(bare, options);
    if (!name)
        name = g_steal_pointer(&bare);
    /* "name@@VERSION" is the one that everybody calls; "name@VERSION" stands beside it. */
    if (!at || at == raw || at[1] == '@')
        return g_steal_pointer(&name);
    return g_strconcat(name, at, NULL);
}
