/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The manager's main loop: waits for messages on the pipe and for the deaths of the processes that
 * said hello, until neither can come any more.  Called by main.
 */
#pragma once

#include "fcmanager/session/session.h"

typedef struct FcSource FcSource;

/* Reads from `pipe_fd`, which becomes the source's.  Never fails; the caller frees the result. */
FcSource *fc_source_new(int pipe_fd, enum FcProfileMode mode);
void fc_source_free(FcSource *source);

/* Process `pid`, the only writer of the pipe, is going to say hello.  It is followed from here
 * on, so its end is known even if it dies before its hello is read. */
void fc_source_expect(FcSource *source, gint pid);

/* To be passed as the session's `joined`, `left` and `answered`, with the source as their data. */
/* And as its `find` and `forked`. */
guint64 fc_source_find(gint pid, gpointer source);
void fc_source_forked(gpointer source);
guint64 fc_source_follow(guint64 key, const struct FcHello *hello, gpointer source);
void fc_source_unfollow(guint64 key, gpointer source);
gboolean fc_source_signal_answered(guint64 key, gboolean is_to_be_signalled, gpointer source);

/* Returns when the session is over. */
void fc_source_run(FcSource *source, FcSession *session);
