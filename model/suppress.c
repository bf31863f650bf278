/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Suppressions; see suppress.h.
 */
#include "model/suppress.h"

#include <string.h>

struct FcSuppressions
{
    GPtrArray *rules;   /* FcSuppression */
    GPtrArray *sources; /* char * */
};

static const char *const kind_names[] = {[FC_SUPPRESS_LEAK] = "leak",
                                         [FC_SUPPRESS_DIRECT] = "direct",
                                         [FC_SUPPRESS_EARLY] = "early",
                                         [FC_SUPPRESS_FREE] = "free"};

const char *fc_suppress_kind_name(FcSuppressKind kind)
{
    return kind_names[kind];
}

/* Rules for what the libraries keep to the end of the process, which is no mistake of the program:
 * the dynamic loader's tables, buffers of the standard streams, lists of handlers, caches of
 * locales, time zones and users, the memory that libstdc++ reserves for exceptions.  The rules fit
 * within these libraries alone.  So the start of a name may stand for several functions. */
static const char *const built_in_rules[] = {
    "early:libstdc++.so",
    "early:libc++abi.so",
    "direct:/ld-linux",
    "direct:/ld-musl",
    "direct:^_dl_",
    "direct:^_dlerror_run$",
    "direct:^_IO_file_doallocate$",
    "direct:^_IO_wfile_doallocate$",
    "direct:^__new_exitfn$",
    "direct:^__cxa_thread_atexit_impl$",
    "direct:^_nl_",
    "direct:^read_alias_file$",
    "direct:^new_composite_name$",
    "direct:^__tz",
    "direct:^getpw",
    "direct:^getgr",
    "direct:^getserv",
    "direct:^gethost",
    "direct:^__nss_",
    "direct:^global_state_allocate$",
    "direct:^get_locked_global$",
    "direct:^__check_pf$",
    "leak:^setlocale$",
    "leak:^tzset",
    "leak:^localtime",
    "leak:^mktime",
    "leak:^strftime",
    "leak:^wcsftime",
    "leak:^setenv$",
    "leak:^putenv$",
    "leak:^__add_to_environ$",
    "leak:^bindtextdomain$",
    "leak:^set_binding_values",
    "leak:^textdomain$",
    "leak:^__dcigettext$",
    "leak:^dcgettext$",
    "leak:^getpw",
    "leak:^getgr",
    "leak:^getserv",
    "leak:^getproto",
    "leak:^gethostby",
    "leak:^__nss_",
    "leak:^__resolv_",
    "leak:^__cxa_get_globals$",
};

static void rule_free(gpointer data)
{
    FcSuppression *rule = data;
    g_free(rule->pattern);
    g_free(rule);
}

/* Adds and returns the rule of the line; NULL: the line is not a kind, a colon and a pattern.
 * `suppressions` owns the result. */
static FcSuppression *add_line(FcSuppressions *suppressions, const char *line, const char *source)
{
    for (guint kind = 0; kind < G_N_ELEMENTS(kind_names); kind++)
    {
        gsize length = strlen(kind_names[kind]);
        if (strncmp(line, kind_names[kind], length) != 0 || line[length] != ':')
            continue;
        const char *pattern = line + length + 1;
        if (*pattern == '\0')
            return NULL;
        FcSuppression *rule = g_new0(FcSuppression, 1);
        rule->kind = (FcSuppressKind)kind;
        rule->pattern = g_strdup(pattern);
        rule->source = source;
        g_ptr_array_add(suppressions->rules, rule);
        return rule;
    }
    return NULL;
}

FcSuppressions *fc_suppressions_new(gboolean built_in)
{
    FcSuppressions *suppressions = g_new0(FcSuppressions, 1);
    suppressions->rules = g_ptr_array_new_with_free_func(rule_free);
    suppressions->sources = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; built_in && i < G_N_ELEMENTS(built_in_rules); i++)
        add_line(suppressions, built_in_rules[i], "built in")->of_libraries = TRUE;
    return suppressions;
}

void fc_suppressions_free(FcSuppressions *suppressions)
{
    if (!suppressions)
        return;
    g_ptr_array_unref(suppressions->rules);
    g_ptr_array_unref(suppressions->sources);
    g_free(suppressions);
}

gboolean fc_suppressions_load(FcSuppressions *suppressions, const char *path, GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) reason = NULL;
    if (!g_file_get_contents(path, &text, NULL, &reason))
    {
        /* glib's message is "... PATH ...: REASON": the reason alone */
        const char *end = strrchr(reason->message, ':');
        g_set_error(error, reason->domain, reason->code, "%s:%s", path,
                    end ? end + 1 : reason->message);
        return FALSE;
    }
    g_ptr_array_add(suppressions->sources, g_strdup(path));
    const char *source = suppressions->sources->pdata[suppressions->sources->len - 1];
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++)
    {
        const char *line = g_strstrip(lines[i]);
        if (*line == '\0' || *line == '#' || add_line(suppressions, line, source))
            continue;
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s: line %u: neither leak:, direct:, early: nor free: and a pattern", path,
                    i + 1);
        return FALSE;
    }
    return TRUE;
}

/* ---- Patterns ---------------------------------------------------------------------- */

/* Where `piece` of `length` bytes stands in `text`; NULL: nowhere. */
static const char *find_piece(const char *text, const char *piece, gsize length)
{
    for (; strlen(text) >= length; text++)
        if (memcmp(text, piece, length) == 0)
            return text;
    return NULL;
}

gboolean fc_suppress_fits(const char *pattern, const char *text)
{
    gboolean at_start = *pattern == '^';
    const char *whole = text;
    pattern += at_start;
    for (;;)
    {
        gboolean is_last = strchr(pattern, '*') == NULL;
        gsize length = strcspn(pattern, "*");
        gboolean at_end = is_last && length > 0 && pattern[length - 1] == '$';
        length -= at_end;
        const char *found = NULL;
        if (at_end)
        {
            gsize rest = strlen(text);
            if (rest >= length && memcmp(text + rest - length, pattern, length) == 0)
                found = text + rest - length;
        }
        else
            found = find_piece(text, pattern, length);
        if (!found || (at_start && found != whole))
            return FALSE;
        if (is_last)
            return TRUE;
        at_start = FALSE;
        text = found + length;
        pattern += length + 1;
    }
}

FcSuppression *fc_suppressions_find(FcSuppressions *suppressions, FcSuppressKind kind,
                                    const char *const *names, const char *const *library_names)
{
    for (guint i = 0; i < suppressions->rules->len; i++)
    {
        FcSuppression *rule = suppressions->rules->pdata[i];
        const char *const *those = rule->of_libraries ? library_names : names;
        for (guint n = 0; rule->kind == kind && those[n]; n++)
            if (fc_suppress_fits(rule->pattern, those[n]))
                return rule;
    }
    return NULL;
}

const GPtrArray *fc_suppressions_rules(const FcSuppressions *suppressions)
{
    return suppressions->rules;
}
