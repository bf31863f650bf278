/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See words.h.
 */
#include "fcfilter/words.h"

#include <fnmatch.h>
#include <string.h>

typedef enum
{
    OF_FUNCTION,
    OF_FILE,
    OF_MODULE,
} Kind;

typedef struct
{
    char *text;
    const char *pattern; /* in it */
    Kind kind;
    enum FcFilterAction action;
    gboolean is_used;
} Word;

struct FcWords
{
    GArray *list;             /* Word */
    enum FcFilterAction rest; /* of what no word fits */
};

static void clear_word(gpointer word)
{
    g_free(((Word *)word)->text);
}

/* What a word may begin with, and what is done with the functions that it names.  The first row
 * that fits is taken: all words begin with the empty text of the last, those without an action. */
static const struct
{
    const char *text;
    enum FcFilterAction action;
} actions[] = {
    {"!", FC_FILTER_SKIP},     {"skip:", FC_FILTER_SKIP}, {"count:", FC_FILTER_COUNT},
    {"time:", FC_FILTER_TIME}, {"", FC_FILTER_AUTO},
};

static const char *const kinds[] = {[OF_FILE] = "file:", [OF_MODULE] = "module:"};

static gboolean fail(GError **error, const char *word, const char *reason)
{
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "'%s': %s", word, reason);
    return FALSE;
}

static gboolean has_open_bracket(const char *pattern)
{
    for (; *pattern != '\0'; pattern++)
    {
        if (*pattern == '\\' && pattern[1] != '\0')
            pattern++;
        else if (*pattern == '[' && !(pattern = strchr(pattern + (pattern[1] != '\0') + 1, ']')))
            return TRUE;
    }
    return FALSE;
}

/* A word before one colon, where C++ has two. */
static gboolean has_other_prefix(const char *pattern)
{
    gsize letters = strspn(pattern, "abcdefghijklmnopqrstuvwxyz");
    return pattern[letters] == ':' && pattern[letters + 1] != ':';
}

static gboolean parse_word(Word *word, GError **error)
{
    const char *at = word->text;
    for (gsize i = 0; i < G_N_ELEMENTS(actions); i++)
        if (g_str_has_prefix(at, actions[i].text))
        {
            at += strlen(actions[i].text);
            word->action = actions[i].action;
            break;
        }
    for (gsize i = OF_FILE; i < G_N_ELEMENTS(kinds); i++)
        if (g_str_has_prefix(at, kinds[i]))
        {
            at += strlen(kinds[i]);
            word->kind = (Kind)i;
            break;
        }
    word->pattern = at;
    if (*at == '\0')
        return fail(error, word->text, "lacks a pattern");
    if (*at == '!')
        return fail(error, word->text, "'!' goes with no other action");
    if (has_other_prefix(at))
        return fail(
            error, word->text,
            "one of skip: count: time:, then one of file: module:, may be before a pattern");
    if (has_open_bracket(at))
        return fail(error, word->text, "a '[' without a ']'");
    return TRUE;
}

FcWords *fc_words_parse(const char *text, GError **error)
{
    g_autoptr(FcWords) words = g_new0(FcWords, 1);
    words->list = g_array_new(FALSE, TRUE, sizeof(Word));
    g_array_set_clear_func(words->list, clear_word);
    g_auto(GStrv) pieces = g_strsplit(text, ";", -1);
    for (char **piece = pieces; *piece; piece++)
    {
        Word word = {.text = g_strdup(g_strstrip(*piece))};
        gboolean is_good = word.text[0] == '\0' || parse_word(&word, error);
        if (word.text[0] != '\0' && is_good && word.action == FC_FILTER_AUTO)
            words->rest = FC_FILTER_SKIP; /* only what is named is wanted */
        if (word.text[0] != '\0')
            g_array_append_val(words->list, word);
        else
            g_free(word.text);
        if (!is_good)
            return NULL;
    }
    return g_steal_pointer(&words);
}

void fc_words_free(FcWords *words)
{
    if (!words)
        return;
    g_array_unref(words->list);
    g_free(words);
}

gboolean fc_words_need_files(const FcWords *words)
{
    for (guint i = 0; i < words->list->len; i++)
        if (g_array_index(words->list, Word, i).kind == OF_FILE)
            return TRUE;
    return FALSE;
}

/* ---- What fits ----------------------------------------------------------------------- */

static gboolean fits(const char *pattern, const char *text)
{
    return text && (strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0);
}

/* The whole path, or where the pattern has no slash its last part; or one that ends so. */
static gboolean fits_path(const char *pattern, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    g_autofree char *below = g_strconcat("*/", pattern, NULL);
    return fits(pattern, path) || (slash && fits(pattern, slash + 1)) || fits(below, path);
}

/* What the compiler made of a function has its name and a suffix behind a dot. */
static gboolean fits_function(const char *pattern, const FcFunctionName *function)
{
    const char *dot = strchr(function->raw, '.');
    const char *clone = strstr(function->name, " [clone");
    g_autofree char *raw = dot ? g_strndup(function->raw, (gsize)(dot - function->raw)) : NULL;
    g_autofree char *name =
        clone ? g_strndup(function->name, (gsize)(clone - function->name)) : NULL;
    return fits(pattern, function->name) || fits(pattern, function->raw) ||
           fits(pattern, function->params) || fits(pattern, raw) || fits(pattern, name);
}

/* `function` NULL: all that is in the module. */
static gboolean fits_word(const Word *word, const char *path, const FcFunctionName *function)
{
    switch (word->kind)
    {
    case OF_MODULE:
        return fits_path(word->pattern, path);
    case OF_FILE:
        return function && fits_path(word->pattern, function->file);
    case OF_FUNCTION:
        break;
    }
    return function && fits_function(word->pattern, function);
}

enum FcFilterAction fc_words_choose(FcWords *words, const char *path,
                                    const FcFunctionName *function)
{
    enum FcFilterAction action = words->rest;
    for (guint i = 0; i < words->list->len; i++)
    {
        Word *word = &g_array_index(words->list, Word, i);
        if (!fits_word(word, path, function))
            continue;
        word->is_used = TRUE;
        action = word->action;
    }
    return action;
}

enum FcFilterAction fc_words_choose_module(FcWords *words, const char *path)
{
    return fc_words_choose(words, path, NULL);
}

const char *fc_words_unused(const FcWords *words)
{
    for (guint i = 0; i < words->list->len; i++)
        if (!g_array_index(words->list, Word, i).is_used)
            return g_array_index(words->list, Word, i).text;
    return NULL;
}
