/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcfilter: tells fcmanager, which starts it, what FC_FILTER means for the functions of a file; of
 * no use by hand.  What goes through its standard input and output is in libfc/fc-format.h
 * (struct FcFilterReply).  Ends when fcmanager does.
 */
#include "fcfilter/words.h"

#include "libfc/fc-choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_USAGE 2

/* Alignment fills up to so many bytes between functions; in more there may be one without a name.
 */
#define GAP_BYTES 32

typedef struct
{
    FcWords *words;
    const char *path;
    GArray *ranges; /* struct FcFilterRange */
    guint rest;     /* the action where there is no function */
    guint64 end;    /* of the last function */
} Module;

static void add_range(Module *module, guint64 start, guint action)
{
    struct FcFilterRange range = {start, action};
    guint64 now =
        module->ranges->len > 0
            ? g_array_index(module->ranges, struct FcFilterRange, module->ranges->len - 1).action
            : 0;
    if (action != now)
        g_array_append_val(module->ranges, range);
}

static void take_function(const FcFunctionName *function, gpointer data)
{
    Module *module = data;
    if (module->end != 0 && function->start > module->end + GAP_BYTES)
        add_range(module, module->end, module->rest);
    add_range(module, function->start, fc_words_choose(module->words, module->path, function));
    module->end = MAX(module->end, function->end);
}

static void reply(const GArray *ranges, const char *text)
{
    gsize bytes = text ? MIN(strlen(text), FC_FILTER_TEXT_MAX) : 0;
    struct FcFilterReply head = {FC_FILTER_MAGIC, 0, ranges ? ranges->len : 0, (guint32)bytes};
    fwrite(&head, sizeof head, 1, stdout);
    if (ranges)
        fwrite(ranges->data, sizeof(struct FcFilterRange), ranges->len, stdout);
    if (text)
        fwrite(text, 1, bytes, stdout);
    if (fflush(stdout) != 0)
        exit(EXIT_FAILURE);
}

static void answer(FcWords *words, const char *path, const char *build_id)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(struct FcFilterRange));
    Module module = {words, path, ranges, fc_words_choose_module(words, path), 0};
    g_autofree char *text = NULL;
    add_range(&module, 0, module.rest);
    if (fc_functions_visit(path, build_id, fc_words_need_files(words), take_function, &module,
                           &error))
        add_range(&module, module.end, module.rest);
    else
        text =
            g_strdup_printf("FC_FILTER: %s: %s, its functions are not known", path, error->message);
    reply(ranges, text);
}

static void tell_unused(const FcWords *words)
{
    const char *unused = fc_words_unused(words);
    g_autofree char *text = unused ? g_strdup_printf("FC_FILTER: nothing fits '%s'", unused) : NULL;
    reply(NULL, text);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    if (argc != 2 || isatty(STDIN_FILENO))
    {
        fputs("fcfilter: started by fcmanager; of no use by hand\n", stderr);
        return STATUS_USAGE;
    }
    g_autoptr(FcWords) words = fc_words_parse(argv[1], &error);
    reply(NULL, error ? error->message : NULL);
    char *path = NULL;
    char *build_id = NULL;
    size_t room[2] = {0, 0};
    while (words && getdelim(&path, &room[0], '\0', stdin) > 0 &&
           getdelim(&build_id, &room[1], '\0', stdin) > 0)
        if (path[0] != '\0')
            answer(words, path, build_id);
        else
            tell_unused(words);
    free(path);
    free(build_id);
    return EXIT_SUCCESS;
}
