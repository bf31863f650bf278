/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What profiled processes get back from the manager: the greeting, what they print when they end,
 * and the list of live blocks.  Used by session.c, which decides when.
 */
#pragma once

#include "fcmanager/session/files.h"
#include "fcmanager/stream/shared.h"

typedef struct FcAnswers FcAnswers;

/* Any process may read what is on the reply pipe.  This function signals to process `key` alone
 * that its end was answered there.  Without `is_to_be_signalled` it only says whether it can do so.
 * FALSE: it can't. */
typedef gboolean (*FcAnswersSignal)(guint64 key, gboolean is_to_be_signalled, gpointer data);

/* Never fails.  `reply_fd` becomes the result's; -1: answers go into shared memory.  `shared`,
 * which may be NULL, and `files` must outlive the result.  With `brief` nothing is
 * said where all goes well, with `quiet` only what is remembered.  `signal`, which may be NULL,
 * gets `data`. */
FcAnswers *fc_answers_new(int reply_fd, FcSharedMap *shared, FcFiles *files, gboolean quiet,
                          gboolean brief, FcAnswersSignal signal, gpointer data);
void fc_answers_free(FcAnswers *answers);

/* Sends the greeting, for which libfc waits.  `trouble`, unless NULL, says which setting can't be
 * used. */
void fc_answers_greet(FcAnswers *answers, const char *trouble);

/* A text to be printed when a process ends, even with FC_QUIET.  Each text is printed once,
 * though several processes of a tree may cause it. */
void fc_answers_remember(FcAnswers *answers, const char *trouble);

/* The texts that no process has printed, a line each.  Valid until the next call. */
const char *fc_answers_unreported(const FcAnswers *answers);

/* Writes `text` to chunk `index`, where process `key` waits.  FALSE: the chunk is not its own. */
gboolean fc_answers_give(FcAnswers *answers, guint64 key, guint32 index, const char *text);

/* Process `key` has quit and waits at chunk `index`; 0: at the reply pipe. */
void fc_answers_add_quit(FcAnswers *answers, guint64 key, gboolean is_root, guint32 index);
/* The process is dead and does not wait any more. */
void fc_answers_forget(FcAnswers *answers, guint64 key);

/* How many have quit and wait.  The second answers the first `count` of them. */
guint fc_answers_count_quits(const FcAnswers *answers);
void fc_answers_answer_quits(FcAnswers *answers, guint count);
