/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts for libfc to print, on the reply pipe or in shared memory: see answers.h.
 */
#include "fcmanager/session/answers.h"

#include "fcmanager/base/reply.h"
#include "profile/plain.h"

#include <unistd.h>

/* A process that waits until it may end. */
typedef struct
{
    guint64 key;
    gboolean is_root;
    gboolean is_dead; /* the process died and no longer waits */
    guint32 index;
} Quit;

struct FcAnswers
{
    int reply_fd;
    FcSharedMap *shared;
    FcFiles *files;
    gboolean quiet;
    gboolean brief;
    FcAnswersSignal signal;
    gpointer signal_data;
    gboolean has_answered_by_pipe_alone; /* some process could be answered only by the reply pipe */
    GArray *quits;                       /* Quit */
    GString *errors;                     /* texts not yet printed by a process */
    char *last_error;                    /* NULL: none yet */
};

FcAnswers *fc_answers_new(int reply_fd, FcSharedMap *shared, FcFiles *files, gboolean quiet,
                          gboolean brief, FcAnswersSignal signal, gpointer data)
{
    FcAnswers *answers = g_new0(FcAnswers, 1);
    answers->reply_fd = reply_fd;
    answers->shared = shared;
    answers->files = files;
    answers->quiet = quiet;
    answers->brief = brief;
    answers->signal = signal;
    answers->signal_data = data;
    answers->quits = g_array_new(FALSE, FALSE, sizeof(Quit));
    answers->errors = g_string_new(NULL);
    return answers;
}

void fc_answers_free(FcAnswers *answers)
{
    if (!answers)
        return;
    if (answers->reply_fd >= 0)
        close(answers->reply_fd);
    g_array_unref(answers->quits);
    g_string_free(answers->errors, TRUE);
    g_free(answers->last_error);
    g_free(answers);
}

static void append_line(GString *text, const char *line)
{
    g_autofree char *plain = fc_plain_text(line);
    g_string_append_printf(text, "FCMng: %s\n", plain);
}

void fc_answers_greet(FcAnswers *answers, const char *trouble)
{
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new(NULL);
    if (!fc_files_check(answers->files, &error) && !answers->quiet)
        append_line(text, error->message);
    if (trouble && !answers->quiet)
        append_line(text, trouble);
    if (!answers->brief && !answers->quiet)
        g_string_append_printf(text, "FCMng: Profile manager: running [%d]\n", (int)getpid());
    fc_reply_send(answers->reply_fd, 0, text->str);
    g_string_free(text, TRUE);
    if (answers->shared && answers->reply_fd >= 0)
    {
        close(answers->reply_fd);
        answers->reply_fd = -1;
    }
}

void fc_answers_remember(FcAnswers *answers, const char *trouble)
{
    if (g_strcmp0(answers->last_error, trouble) == 0)
        return;
    append_line(answers->errors, trouble);
    g_free(answers->last_error);
    answers->last_error = g_strdup(trouble);
}

const char *fc_answers_unreported(const FcAnswers *answers)
{
    return answers->errors->str;
}

gboolean fc_answers_give(FcAnswers *answers, guint64 key, guint32 index, const char *text)
{
    return answers->shared && fc_shared_answer(answers->shared, index, key, text);
}

/* ---- The end ------------------------------------------------------------------------- */

/* What libfc prints when the program ends: that it went well only where all is asked for. */
static char *farewell(FcAnswers *answers, gboolean is_root)
{
    GString *text = g_string_new(NULL);
    g_autofree char *path = fc_files_main_path(answers->files);
    const gboolean prints_all = is_root && !answers->quiet && !answers->brief;
    if (prints_all)
        g_string_append(text, "FCMng: communication pipe closed. end of profiled program.\n");
    g_string_append(text, answers->errors->str);
    g_string_truncate(answers->errors, 0);
    if (is_root && !answers->quiet && !path)
        append_line(text, "no profile was written");
    else if (prints_all)
    {
        g_autofree char *where = g_strdup_printf("Profile file is '%s'", path);
        append_line(text, where);
    }
    if (prints_all)
        g_string_append(text, "FCMng: Profile manager: exit\n");
    return g_string_free(text, FALSE);
}

void fc_answers_add_quit(FcAnswers *answers, guint64 key, gboolean is_root, guint32 index)
{
    const Quit quit = {key, is_root, FALSE, index};
    g_array_append_val(answers->quits, quit);
}

void fc_answers_forget(FcAnswers *answers, guint64 key)
{
    for (guint i = 0; i < answers->quits->len; i++)
        if (g_array_index(answers->quits, Quit, i).key == key)
            g_array_index(answers->quits, Quit, i).is_dead = TRUE;
}

guint fc_answers_count_quits(const FcAnswers *answers)
{
    return answers->quits->len;
}

/* The text is written first: a process that is signalled looks for the text at once. */
static void answer_by_pipe(FcAnswers *answers, guint64 key, const char *text)
{
    const gboolean can_signal =
        answers->signal && answers->signal(key, FALSE, answers->signal_data);
    fc_reply_send(answers->reply_fd, can_signal ? key : 0, text);
    if (can_signal && answers->signal(key, TRUE, answers->signal_data))
        return;
    answers->has_answered_by_pipe_alone = TRUE;
    if (can_signal)
        fc_reply_send(answers->reply_fd, 0, "");
}

void fc_answers_answer_quits(FcAnswers *answers, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        const Quit *quit = &g_array_index(answers->quits, Quit, i);
        /* A dead process may have been answered by the pipe: then another one took its text. */
        if (quit->is_dead && (quit->index != 0 || !answers->has_answered_by_pipe_alone))
            continue;
        g_autofree char *text = farewell(answers, quit->is_root);
        if (quit->index == 0)
            answer_by_pipe(answers, quit->key, text);
        else
            fc_answers_give(answers, quit->key, quit->index, text);
    }
    g_array_remove_range(answers->quits, 0, count);
}
