/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortens names by their text alone; see shorten.h.
 */
#include "symbols/shorten.h"

#include <string.h>

/* A name that is longer, or has more brackets in each other, stays as it is. */
enum
{
    NAME_BYTES_MAX = 16 * 1024,
    DEPTH_MAX = 100,
};

typedef struct
{
    const char *start;
    const char *end;
} Span;

static gboolean is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || (c & 0x80) != 0;
}

/* ---- Brackets and scopes ---------------------------------------------------------------- */

/* Whether there stands "operator" as a word. */
static gboolean is_operator(const char *name, const char *at)
{
    return g_str_has_prefix(at, "operator") && (at == name || !is_word(at[-1])) &&
           !is_word(at[strlen("operator")]);
}

/* Behind the bracket that closes the one at `open`; the end of the text if none does.  What is
 * open can't be more than DEPTH_MAX brackets: see is_readable. */
static const char *behind_bracket(const char *open)
{
    char stack[DEPTH_MAX + 1];
    guint depth = 0;
    for (const char *p = open; *p != '\0'; p++)
    {
        if (strchr("<([{", *p) && depth < DEPTH_MAX)
            stack[depth++] = *p;
        else if (*p == '>' && p[-1] != '-' && depth > 0 && stack[depth - 1] == '<')
            depth--;
        else if (strchr(")]}", *p))
        {
            const char opened = *p == ')' ? '(' : *p == ']' ? '[' : '{';
            while (depth > 0 && stack[depth - 1] != opened)
                depth--;
            depth -= depth > 0;
        }
        if (depth == 0)
            return p + 1;
    }
    return open + strlen(open);
}

static gboolean is_readable(const char *name)
{
    guint depth = 0;
    gsize length = 0;
    for (const char *p = name; *p != '\0'; p++, length++)
    {
        if (strchr("<([{", *p))
            depth++;
        if (depth > DEPTH_MAX || length > NAME_BYTES_MAX)
            return FALSE;
        if (strchr(">)]}", *p) && depth > 0)
            depth--;
    }
    return TRUE;
}

/* Behind the operator's own name: "operator<<", "operator()", "operator unsigned int". */
static const char *behind_operator(const char *at)
{
    static const char *const signs[] = {
        "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=",   "&&", "||",
        "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "^=", "&=", "|=", "->", "\"\"", "<",  ">",
        "=",   "!",   "+",   "-",   "*",  "/",  "%",  "^",  "&",  "|",  "~",  ",",
    };
    const char *p = at + strlen("operator");
    for (guint i = 0; i < G_N_ELEMENTS(signs); i++)
        if (g_str_has_prefix(p, signs[i]))
            return p + strlen(signs[i]);
    if (*p != ' ')
        return p;
    if (p[1] == '<') /* arguments of an operator that was left out */
        return p;
    for (p++; *p != '\0' && *p != '(' && !g_str_has_prefix(p, " [clone");)
        p = strchr("<[{", *p) ? behind_bracket(p) : p + 1;
    return p;
}

/* The parts of the name between "::" that are in no bracket. */
static GArray *split(const char *name)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(Span));
    Span part = {name, name};
    for (const char *p = name; *p != '\0';)
    {
        if (is_operator(name, p))
            p = behind_operator(p);
        else if (strchr("<([{", *p))
            p = behind_bracket(p);
        else if (g_str_has_prefix(p, "::"))
        {
            part.end = p;
            g_array_append_val(parts, part);
            p += 2;
            part.start = p;
        }
        else
            p++;
        part.end = p;
    }
    g_array_append_val(parts, part);
    return parts;
}

static Span part_at(const GArray *parts, guint index)
{
    return g_array_index(parts, Span, index);
}

static gboolean starts_with(Span part, const char *prefix)
{
    const gsize length = strlen(prefix);
    return (gsize)(part.end - part.start) >= length && strncmp(part.start, prefix, length) == 0;
}

static gboolean equals(Span part, const char *text)
{
    return starts_with(part, text) && (gsize)(part.end - part.start) == strlen(text);
}

/* ---- Template arguments ----------------------------------------------------------------- */

/* Whether that is what a template of the standard library, or of Rust's, takes by default behind
 * `first`: "std::less<K>", "std::allocator<std::pair<K const, V> >". */
static gboolean is_default(const char *argument, const char *first)
{
    static const char *const defaults[] = {"std::allocator<", "std::char_traits<",
                                           "std::less<",      "std::hash<",
                                           "std::equal_to<",  "std::default_delete<"};
    if (strcmp(argument, "alloc::alloc::Global") == 0)
        return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(defaults); i++)
    {
        if (!g_str_has_prefix(argument, defaults[i]))
            continue;
        const char *inner = argument + strlen(defaults[i]);
        const gboolean is_pair = g_str_has_prefix(inner, "std::pair<");
        inner += is_pair ? strlen("std::pair<") : 0;
        return g_str_has_prefix(inner, first) &&
               (is_pair || strcmp(inner + strlen(first), ">") == 0);
    }
    return FALSE;
}

static void append_type(GString *text, Span type, const FcShorten *how);

/* The arguments in a list, without those at its end that are defaults. */
static GPtrArray *clean_list(Span list, const FcShorten *how)
{
    GPtrArray *items = g_ptr_array_new_with_free_func(g_free);
    Span item = {list.start, list.start};
    while (item.start < list.end)
    {
        const char *p = item.start += strspn(item.start, " ");
        while (p < list.end && *p != ',')
            p = strchr("<([{", *p) ? behind_bracket(p) : p + 1;
        item.end = MIN(p, list.end);
        GString *text = g_string_new(NULL);
        append_type(text, item, how);
        g_ptr_array_add(items, g_string_free(text, FALSE));
        item.start = item.end + 1;
    }
    while (items->len > 1 && is_default(items->pdata[items->len - 1], items->pdata[0]))
        g_ptr_array_set_size(items, (gint)items->len - 1);
    return items;
}

static void append_list(GString *text, Span list, const FcShorten *how)
{
    g_autoptr(GPtrArray) items = clean_list(list, how);
    for (guint i = 0; i < items->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", (const char *)items->pdata[i]);
}

/* A type or value: lists in it are cleaned, the program's own namespace goes. */
static void append_type(GString *text, Span type, const FcShorten *how)
{
    const gsize home = how->home ? strlen(how->home) : 0;
    for (const char *p = type.start; p < type.end;)
    {
        const char *close = strchr("<([{", *p) ? behind_bracket(p) : NULL;
        if (home > 0 && strncmp(p, how->home, home) == 0 && g_str_has_prefix(p + home, "::") &&
            (p == type.start || (!is_word(p[-1]) && p[-1] != ':')))
            p += home + 2;
        else if (close && close <= type.end &&
                 close[-1] == (*p == '<'   ? '>'
                               : *p == '(' ? ')'
                               : *p == '[' ? ']'
                                           : '}'))
        {
            g_string_append_c(text, *p);
            append_list(text, (Span){p + 1, close - 1}, how);
            g_string_append_c(text, close[-1]);
            p = close;
        }
        else
            g_string_append_c(text, *p++);
    }
    while (text->len > 0 && text->str[text->len - 1] == ' ')
        g_string_truncate(text, text->len - 1);
}

/* "<int>", or what says that something is left out. */
static void append_arguments(GString *text, Span list, const FcShorten *how)
{
    g_autoptr(GString) inner = g_string_new(NULL);
    append_list(inner, list, how);
    if ((guint)g_utf8_strlen(inner->str, -1) <= how->arguments &&
        (how->arguments > FC_SHORTEN_ARGUMENTS || !strpbrk(inner->str, "({")))
        g_string_append_printf(text, "<%s>", inner->str);
    else
        g_string_append(text, how->ascii ? "<...>" : "‹…›");
}

/* ---- Parts ------------------------------------------------------------------------------ */

static gboolean is_lambda(Span part)
{
    return starts_with(part, "{lambda(") || starts_with(part, "{lambda<") ||
           starts_with(part, "'lambda") || starts_with(part, "{closure") ||
           starts_with(part, "{{closure}}") ||
           (starts_with(part, "$_") && g_ascii_isdigit(part.start[2]));
}

/* Returns what follows the return type.  Templates have one if they contain something else. */
static const char *skip_result(Span part)
{
    const char *start = part.start;
    for (const char *p = part.start; p < part.end && *p != '(';)
    {
        if (is_operator(part.start, p))
            break;
        if (*p == ' ' && p + 1 < part.end && (is_word(p[1]) || p[1] == '~') &&
            !g_str_has_prefix(p + 1, "const") && !g_str_has_prefix(p + 1, "as "))
            start = p + 1;
        p = strchr("<[{", *p) ? behind_bracket(p) : p + 1;
    }
    return start;
}

/* A type of Rust, of each path its last name. */
static void append_rust_type(GString *text, Span type, const FcShorten *how)
{
    for (const char *p = type.start; p < type.end;)
    {
        const char *end = p;
        while (end < type.end && (is_word(*end) || g_str_has_prefix(end, "::")))
            end += *end == ':' ? 2 : 1;
        const gboolean is_generic = end < type.end && *end == '<' && end > p;
        const char *behind = end;
        if (is_generic && end[-1] == ':') /* "sort::<i32>" */
            end -= 2;
        const char *last = end;
        while (last > p && last[-1] != ':')
            last--;
        g_string_append_len(text, last, end - last);
        p = behind;
        if (p >= type.end)
            break;
        if (*p != '<')
            g_string_append_c(text, *p++);
        else
        {
            const char *close = MIN(behind_bracket(p), type.end);
            if (is_generic)
                append_arguments(text, (Span){p + 1, close - 1}, how);
            else
                append_rust_type(text, (Span){p + 1, close - 1}, how);
            p = close;
        }
    }
}

/* "<alloc::string::String>", "<T as Trait>", "<impl Trait for T>" */
static void append_rust_scope(GString *text, Span part, const FcShorten *how)
{
    const Span type = {part.start + 1, part.end - 1};
    const gboolean is_trait = starts_with(part, "<impl ") ||
                              memmem(part.start, (gsize)(part.end - part.start), " as ", 4);
    if (is_trait)
        g_string_append_c(text, '<');
    append_rust_type(text, type, how);
    if (is_trait)
        g_string_append_c(text, '>');
}

/* A scope or function, its parameters left out. */
static void append_part(GString *text, Span part, const FcShorten *how)
{
    const char *p = skip_result(part);
    if (*p == '<')
    {
        append_rust_scope(text, part, how);
        return;
    }
    const gsize before = text->len;
    if (is_operator(part.start, p))
    {
        const char *end = MIN(behind_operator(p), part.end);
        append_type(text, (Span){p, end}, how);
        p = end + (*end == ' '); /* " <int>": the operator says enough */
        p = *p == '<' ? behind_bracket(p) : p;
    }
    while (p < part.end && *p != '(')
    {
        if (*p == '<')
        {
            const char *close = MIN(behind_bracket(p), part.end);
            append_arguments(text, (Span){p + 1, close - 1}, how);
            p = close;
        }
        else
            g_string_append_c(text, *p++);
    }
    if (text->len == before) /* "(anonymous class)": no parameters */
        g_string_append_len(text, part.start, part.end - part.start);
}

/* Whether it is a function that something is in: it has parameters. */
static gboolean has_parameters(Span part)
{
    for (const char *p = part.start; p < part.end;)
    {
        if (is_operator(part.start, p))
            p = behind_operator(p);
        else if (*p == '(')
            return p > part.start;
        else
            p = strchr("<[{", *p) ? behind_bracket(p) : p + 1;
    }
    return FALSE;
}

/* ---- What is done before ---------------------------------------------------------------- */

/* Takes all `[clone ...]` away, and gcc's suffixes of C names; `clones` gets them.  clang names
 * OpenMP's regions with ".omp_outlined" behind their function since version 17, before it. */
static void take_clones(GString *name, GString *clones)
{
    static const char *const words[] = {
        ".isra.",       ".part.",    ".constprop.", ".localalias",   ".lto_priv.", ".llvm.",
        ".specialized", ".argprom",  ".actor",      ".destroy",      ".Frame",     ".resume",
        ".cleanup",     "._omp_fn.", ".cold",       ".omp_outlined",
    };
    for (char *at; (at = strstr(name->str, " [clone "));)
    {
        const char *end = strchr(at, ']');
        const gssize length = end ? end + 1 - at : (gssize)strlen(at);
        g_string_append_len(clones, at + strlen(" [clone "),
                            MAX(length - (gssize)strlen(" [clone ]"), 0));
        g_string_erase(name, at - name->str, length);
    }
    for (guint i = 0; i < G_N_ELEMENTS(words) && !strpbrk(name->str, ":<( "); i++)
    {
        const char *at = strstr(name->str, words[i]);
        if (!at || at == name->str)
            continue;
        g_string_prepend(clones, at);
        g_string_truncate(name, (gsize)(at - name->str));
        i = 0;
    }
}

static const char *name_clones(const char *clones)
{
    if (strstr(clones, ".destroy") || strstr(clones, ".cleanup"))
        return " (coroutine end)";
    if (strstr(clones, ".actor") || strstr(clones, ".resume"))
        return " (coroutine)";
    if (strstr(clones, "_omp_fn") || strstr(clones, ".omp_outlined"))
        return " (OpenMP)";
    return strstr(clones, ".cold") ? " (cold part)" : "";
}

/* Others say which of several versions it is: "avx2". */
static gboolean is_usual_clone(const char *clones)
{
    static const char *const usual[] = {".isra",     ".part",        ".constprop", ".localalias",
                                        ".lto_priv", ".llvm",        ".actor",     ".destroy",
                                        ".Frame",    ".resume",      ".cleanup",   "_omp_fn",
                                        ".cold",     ".specialized", ".argprom",   ".omp_outlined"};
    for (guint i = 0; i < G_N_ELEMENTS(usual); i++)
        if (strstr(clones, usual[i]))
            return TRUE;
    return *clones == '\0';
}

static void take_tags(GString *name)
{
    for (char *at; (at = strstr(name->str, "[abi:"));)
    {
        const char *end = strchr(at, ']');
        g_string_erase(name, at - name->str, end ? end + 1 - at : -1);
    }
}

/* Namespaces that say nothing: inline ones, those without a name. */
static void take_namespaces(GString *name)
{
    g_string_replace(name, "(anonymous namespace)::", "", 0);
    g_string_replace(name, "std::__cxx11::", "std::", 0);
    g_string_replace(name, "std::__1::", "std::", 0);
    g_string_replace(name, "std::__ndk1::", "std::", 0);
    g_string_replace(name, "std::_V2::", "std::", 0);
    g_string_replace(name, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                     "std::string", 0);
    g_string_replace(name, "std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
                     "std::string", 0);
    g_string_replace(name, "std::basic_string_view<char, std::char_traits<char> >",
                     "std::string_view", 0);
}

static const struct
{
    const char *start;
    const char *shown;
} prefixes[] = {
    {"non-virtual thunk to ", " (thunk)"},        {"virtual thunk to ", " (thunk)"},
    {"covariant return thunk to ", " (thunk)"},   {"TLS init function for ", " (thread's init)"},
    {"TLS wrapper function for ", " (thread's)"}, {"transaction clone for ", " (transactional)"}};

static const char *take_prefix(GString *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
    {
        if (!g_str_has_prefix(name->str, prefixes[i].start))
            continue;
        g_string_erase(name, 0, (gssize)strlen(prefixes[i].start));
        return prefixes[i].shown;
    }
    return "";
}

/* ---- Plumbing of the standard library --------------------------------------------------- */

static const struct
{
    const char *start;
    const char *end; /* what follows the arguments; NULL: anything */
    const char *shown;
} plumbing[] = {
    {"std::thread::_State_impl<", "::_M_run", "std::thread body"},
    {"std::thread::_State_impl<", "::~_State_impl", "std::thread end"},
    {"std::__thread_proxy<", "", "std::thread body"},
    {"std::__future_base::_Async_state_impl<", "::_M_run", "std::async body"},
    {"std::__future_base::_State_baseV2::_M_do_set", NULL, "std::promise set"},
    {"std::once_flag::_Prepare_execution::", NULL, "std::call_once"},
    {"std::_Function_handler<", "::_M_invoke", "std::function call"},
    {"std::_Function_handler<", "::_M_manager", "std::function copy"},
    {"std::__function::__func<", "::operator()", "std::function call"},
    {"_GLOBAL__sub_I_", NULL, "static initialisers"},
    {"_GLOBAL__sub_D_", NULL, "static destructors"},
    {"__static_initialization_and_destruction", NULL, "static initialisers' body"},
};

#define TUPLE "std::tuple<"

static void append_function(GString *text, const GArray *parts, guint first, guint end,
                            const FcShorten *how);

/* ": lambda in main", by the first lambda among the arguments. */
static void append_target(GString *text, const char *arguments, const FcShorten *how)
{
    const char *end = behind_bracket(arguments);
    const char *lambda = g_strstr_len(arguments, end - arguments, "::{lambda(");
    const char *start = lambda;
    guint depth = 0;
    for (; start && start > arguments; start--)
    {
        depth += strchr(")>]", start[-1]) != NULL && start[-2] != '-';
        if (depth == 0 && strchr("<,( ", start[-1]))
            break;
        depth -= depth > 0 && strchr("(<[", start[-1]);
    }
    if (!start)
        return;
    g_autofree char *outer = g_strndup(start, (gsize)(lambda - start));
    g_autoptr(GArray) parts = split(outer);
    const char *number = g_strrstr_len(lambda, behind_bracket(lambda + 2) - lambda, "#");
    g_string_append(text, ": lambda ");
    while (number && *number != '}' && *number != '\0' && how->ordinals)
        g_string_append_c(text, *number++);
    g_string_append(text, number && how->ordinals ? " in " : "in ");
    append_function(text, parts, 0, parts->len, how);
}

/* ": void (*)(Log&)", by the type of what a thread runs, which is the first in a tuple.  FALSE:
 * there is none, or it is too long. */
static gboolean append_run(GString *text, const char *arguments, const FcShorten *how)
{
    const char *tuple = g_strstr_len(arguments, behind_bracket(arguments) - arguments, TUPLE);
    const char *start = tuple ? tuple + strlen(TUPLE) : NULL;
    const char *end = start;
    while (end && *end != '\0' && *end != ',' && *end != '>')
        end = strchr("(<[{", *end) ? behind_bracket(end) : end + 1;
    if (!end || end == start || end - start > (gssize)how->arguments ||
        g_strstr_len(start, end - start, "{lambda("))
        return FALSE;
    g_string_append_printf(text, ": %.*s", (int)(end - start), start);
    return TRUE;
}

static char *name_plumbing(const char *name, const FcShorten *how)
{
    const gboolean is_long = how->arguments > FC_SHORTEN_ARGUMENTS; /* another one looks like it */
    for (guint i = 0; i < G_N_ELEMENTS(plumbing); i++)
    {
        if (!g_str_has_prefix(name, plumbing[i].start))
            continue;
        const char *arguments = name + strlen(plumbing[i].start) - 1;
        if (!plumbing[i].end)
            return is_long ? NULL : g_strdup(plumbing[i].shown);
        if (!g_str_has_prefix(behind_bracket(arguments), plumbing[i].end))
            continue;
        g_autoptr(GString) text = g_string_new(plumbing[i].shown);
        if (is_long && !append_run(text, arguments, how))
            return NULL;
        if (!is_long)
            append_target(text, arguments, how);
        return g_strdup(text->str);
    }
    return NULL;
}

/* ---- Names ------------------------------------------------------------------------------ */

/* Whether a scope looks like a class. */
static gboolean is_class(Span part)
{
    return part.end > part.start && (g_ascii_isupper(*part.start) || part.end[-1] == '>' ||
                                     *part.start == '<' || *part.start == '{');
}

/* "<i32>" behind a name of Rust: its arguments. */
static gboolean is_turbofish(const GArray *parts, guint index)
{
    const Span part = part_at(parts, index);
    return index > 0 && starts_with(part, "<") && part.end - part.start > 1 &&
           !starts_with(part, "<impl ") &&
           !memmem(part.start, (gsize)(part.end - part.start), " as ", 4);
}

static void append_parts(GString *text, const GArray *parts, guint first, guint end,
                         const FcShorten *how)
{
    for (guint i = first; i < end; i++)
    {
        const Span part = part_at(parts, i);
        if (is_turbofish(parts, i))
        {
            append_arguments(text, (Span){part.start + 1, part.end - 1}, how);
            continue;
        }
        if (i > first)
            g_string_append(text, "::");
        append_part(text, part, how);
    }
}

/* The parts up to `end`, of which the last is a function: from its outermost class on. */
static void append_function(GString *text, const GArray *parts, guint first, guint end,
                            const FcShorten *how)
{
    guint last = end - 1; /* the function */
    while (last > first && is_turbofish(parts, last))
        last--;
    guint class = first;
    while (class < last && !is_class(part_at(parts, class)))
        class ++;
    if (class == last && last > first) /* no class: the innermost namespace */
        class = last - 1;
    if (how->scopes || end == first)
        class = first;
    const Span outermost = part_at(parts, first);
    if (class > first && (equals(outermost, "std")))
    {
        g_string_append(text, "std::");
        class = MAX(class, last > first + 1 ? last - 1 : first + 1);
    }
    append_parts(text, parts, class, end, how);
}

static void append_location(GString *text, Span lambda, const FcShorten *how)
{
    if (how->location)
        g_string_append_printf(text, " at %s", how->location);
    const char *number = g_strrstr_len(lambda.start, lambda.end - lambda.start, "#");
    number = number ? number + 1 : *lambda.start == '$' ? lambda.start + 2 : NULL;
    if (!number || (how->location && !how->ordinals))
        return;
    g_string_append(text, " #");
    for (; g_ascii_isdigit(*number); number++)
        g_string_append_c(text, *number);
}

/* Appends what is inside of a function, part `outer`: a lambda, or a local class. */
static void append_inner(GString *text, const GArray *parts, guint outer, const FcShorten *how)
{
    const guint last = parts->len - 1;
    guint lambda = last + 1; /* the innermost one */
    for (guint i = outer; i <= last; i++)
        if (is_lambda(part_at(parts, i)))
            lambda = i;
    g_string_append(text, how->ascii ? " > " : " › ");
    if (lambda > last)
    {
        append_parts(text, parts, outer, parts->len, how);
        return;
    }
    const Span part = part_at(parts, lambda);
    const Span own = part_at(parts, last);
    const gboolean is_closure = starts_with(part, "{closure") || starts_with(part, "{{closure}}");
    if (starts_with(own, "~"))
        g_string_append_c(text, '~');
    g_string_append(text, is_closure ? "closure" : "lambda");
    append_location(text, part, how);
    if (starts_with(own, "_FUN") || starts_with(own, "__invoke"))
        g_string_append(text, " (as function)");
}

/* The part behind the innermost function that contains something; the number of parts: there is
 * none. */
static guint find_inner(const GArray *parts)
{
    for (guint i = 0; i < parts->len; i++)
        if (is_lambda(part_at(parts, i)) ||
            (i + 1 < parts->len && has_parameters(part_at(parts, i))))
            return is_lambda(part_at(parts, i)) ? i : i + 1;
    return parts->len;
}

static void append_name(GString *text, const char *name, const FcShorten *how)
{
    g_autoptr(GArray) parts = split(name);
    const guint first = how->home && parts->len > 1 && equals(part_at(parts, 0), how->home);
    const guint inner = MAX(find_inner(parts), first);
    if (inner > first)
        append_function(text, parts, first, inner, how);
    if (inner < parts->len)
        append_inner(text, parts, inner, how);
}

char *fc_shorten_name(const char *name, const FcShorten *how)
{
    const char *offset = strstr(name, ".so") ? strstr(name, "+0x") : NULL;
    if (!is_readable(name) || *name == '\0')
        return g_strdup(name);
    if (offset && !how->clones && !how->scopes)
        return g_strndup(name, (gsize)(offset - name));
    g_autoptr(GString) plain = g_string_new(name);
    g_autoptr(GString) clones = g_string_new(NULL);
    take_clones(plain, clones);
    if (!how->clones)
        take_tags(plain);
    take_namespaces(plain);
    char *shown = name_plumbing(plain->str, how);
    if (shown)
        return shown;
    const char *kind = take_prefix(plain);
    GString *text = g_string_new(NULL);
    if (strpbrk(plain->str, ":<({ "))
        append_name(text, plain->str, how);
    else
        g_string_append(text, plain->str);
    g_string_append(text, kind);
    g_string_append(text, name_clones(clones->str));
    if (clones->len > 0 && (how->clones || !is_usual_clone(clones->str)))
        g_string_append_printf(text, " (%s)", clones->str + (clones->str[0] == '.'));
    return g_string_free(text, FALSE);
}

/* ---- Others ----------------------------------------------------------------------------- */

char *fc_shorten_parameters(const char *name, const FcShorten *how)
{
    if (!is_readable(name))
        return NULL;
    g_autoptr(GString) plain = g_string_new(name);
    g_autoptr(GString) clones = g_string_new(NULL);
    take_clones(plain, clones);
    take_tags(plain);
    take_namespaces(plain);
    g_autoptr(GArray) parts = split(plain->str);
    const Span part = part_at(parts, parts->len - 1);
    const char *p = skip_result(part);
    if (is_operator(part.start, p))
        p = behind_operator(p);
    while (p < part.end && *p != '(')
        p = strchr("<[{", *p) ? behind_bracket(p) : p + 1;
    if (p >= part.end || p == part.start)
        return NULL;
    const char *close = behind_bracket(p);
    GString *text = g_string_new("(");
    append_list(text, (Span){p + 1, close - 1}, how);
    g_string_append_printf(text, ")%.*s", (int)(part.end - close), close);
    return g_string_free(text, FALSE);
}

char *fc_shorten_bare(const char *name)
{
    if (!is_readable(name))
        return g_strdup(name);
    g_autoptr(GString) plain = g_string_new(name);
    g_autoptr(GString) clones = g_string_new(NULL);
    take_clones(plain, clones);
    take_tags(plain);
    take_namespaces(plain);
    g_autoptr(GArray) parts = split(plain->str);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < parts->len; i++)
    {
        const Span part = part_at(parts, i);
        const char *p = skip_result(part);
        if (is_turbofish(parts, i))
            continue;
        if (i > 0)
            g_string_append(text, "::");
        if (is_operator(part.start, p))
        {
            const char *end = MIN(behind_operator(p), part.end);
            g_string_append_len(text, p, end - p);
            continue;
        }
        const gsize length = strcspn(p, "<(");
        g_string_append_len(text, p, MIN((gssize)length, part.end - p));
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *fc_shorten_outermost(const char *name, gboolean *is_nested)
{
    if (!is_readable(name) || !strstr(name, "::"))
        return NULL;
    g_autoptr(GString) plain = g_string_new(name);
    take_namespaces(plain);
    g_autoptr(GArray) parts = split(plain->str);
    const Span first = part_at(parts, 0);
    for (const char *p = first.start; p < first.end; p++)
        if (!is_word(*p))
            return NULL;
    if (parts->len < 2 || first.start == first.end)
        return NULL;
    if (is_nested)
        *is_nested = parts->len > 2;
    return g_strndup(first.start, (gsize)(first.end - first.start));
}

const char *fc_shorten_behind_scope(const char *name)
{
    static const char *const separators[] = {"::", " > ", " › "};
    if (!is_readable(name))
        return NULL;
    for (const char *p = name; *p != '\0';)
    {
        if (g_str_has_prefix(p, " at ") || g_str_has_prefix(p, ": ")) /* a location, a target */
            return NULL;
        for (guint i = 0; i < G_N_ELEMENTS(separators); i++)
            if (g_str_has_prefix(p, separators[i]))
                return p + strlen(separators[i]);
        p = is_operator(name, p) ? behind_operator(p)
            : strchr("<([{", *p) ? behind_bracket(p)
                                 : p + 1;
    }
    return NULL;
}

/* The bracket of its parameters: the last one that stands right behind a name.  NULL: there is
 * none. */
static const char *find_parameters(const char *name)
{
    const char *found = NULL;
    for (const char *p = name; *p != '\0';)
        if (is_operator(name, p))
            p = behind_operator(p);
        else if (strchr("<([{", *p))
        {
            if (*p == '(' && p > name && p[-1] != ' ' && p[-1] != ':')
                found = p;
            p = behind_bracket(p);
        }
        else
            p++;
    return found;
}

gboolean fc_shorten_has_parameters(const char *name)
{
    const char *own = name;
    for (const char *p = name; (p = fc_shorten_behind_scope(p));)
        own = p;
    return is_readable(own) && find_parameters(own) != NULL;
}

char *fc_shorten_fewer_parameters(const char *name, guint count, const char *ellipsis)
{
    const char *open = is_readable(name) ? find_parameters(name) : NULL;
    if (!open)
        return NULL;
    const char *behind = behind_bracket(open);
    const char *close = behind - 1;
    if (*close != ')' || close == open + 1)
        return NULL;
    const char *end = open + 1; /* of those that stay */
    for (guint i = 0; i < count; i++)
    {
        const char *p = i == 0 ? end : end + 1; /* behind the comma */
        while (p < close && *p != ',')
            p = strchr("<([{", *p) ? behind_bracket(p) : p + 1;
        if (p >= close)
            return NULL;
        end = p;
    }
    return g_strdup_printf("%.*s%s%s%s", (int)(end - name), name, count > 0 ? ", " : "", ellipsis,
                           close);
}

char *fc_shorten_without_arguments(const char *name, const char *mark)
{
    if (!is_readable(name))
        return NULL;
    for (const char *p = name; *p != '\0';)
        if (is_operator(name, p))
            p = behind_operator(p);
        else if (*p == '<' && p > name)
        {
            const char *behind = behind_bracket(p);
            return behind[-1] == '>' && behind - p > g_utf8_strlen(mark, -1)
                       ? g_strdup_printf("%.*s%s%s", (int)(p - name), name, mark, behind)
                       : NULL;
        }
        else if (strchr("([{", *p))
            return NULL;
        else
            p++;
    return NULL;
}

gboolean fc_shorten_is_lambda(const char *name)
{
    return strstr(name, "{lambda") || strstr(name, "::$_") || strstr(name, "{closure") ||
           strstr(name, "{{closure}}") || strstr(name, "_omp_fn");
}
