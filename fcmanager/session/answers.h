/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the profiled processes are told: the greeting, what they print when they end, and the list
 * of live blocks.  Used by session.c, which says when.
 */
#pragma once

#include "fcmanager/session/files.h"
#include "fcmanager/stream/shared.h"

typedef struct FcAnswers FcAnswers;

/* What is on the reply pipe any process may take.  This tells process `key` in a way of its own
 * that its end was answered there; or whether it can be told so.  FALSE: it can't. */
typedef gboolean (*FcAnswersSignal)(guint64 key, gboolean is_to_be_signalled, gpointer data);

/* Never fails.  `reply_fd` becomes the answers'; -1: there is shared memory to answer in. `shared`,
 * which may be NULL, and `files` must outlive them.  `tell`, which may be NULL, gets `data`. */
FcAnswers *fc_answers_new(int reply_fd, FcSharedMap *shared, FcFiles *files, gboolean quiet,
                          FcAnswersSignal signal, gpointer data);
void fc_answers_free(FcAnswers *answers);

/* Which libfc waits for; `tell`: it says who we are, too; `trouble`, unless NULL: which setting
 * can't be used. */
void fc_answers_greet(FcAnswers *answers, gboolean prints, const char *trouble);

/* To be told when a process ends, also with FC_QUIET; once, though each process of a tree may meet
 * the same. */
void fc_answers_remember(FcAnswers *answers, const char *trouble);

/* What was remembered and no process was told, a line each.  Valid until the next call. */
const char *fc_answers_unreported(const FcAnswers *answers);

/* Puts `text` into chunk `index`, in which process `key` waits; FALSE where it is not its own. */
gboolean fc_answers_give(FcAnswers *answers, guint64 key, guint32 index, const char *text);

/* Process `key` has quit and waits, in chunk `index`, 0: at the reply pipe. */
void fc_answers_add_quit(FcAnswers *answers, guint64 key, gboolean is_root, guint32 index);
/* It is dead and waits no more. */
void fc_answers_forget(FcAnswers *answers, guint64 key);

/* How many have quit and wait; and answers the first `count` of them. */
guint fc_answers_count_quits(const FcAnswers *answers);
void fc_answers_answer_quits(FcAnswers *answers, guint count);
