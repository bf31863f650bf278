/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profiled processes of one session, from the first hello to the last file.  Is given
 * messages and deaths by source.c; writes files through files.c and answers on the reply
 * pipe or in shared memory.
 */
#pragma once

#include "fcmanager/session/answers.h"
#include "fcmanager/session/files.h"
#include "fcmanager/session/process.h"
#include "fcmanager/stack/user-filter.h"

/* A process said hello: it is to be followed until it dies.  Returns the key of the image that was
 * this process before it executed another, 0: none is known. */
typedef guint64 (*FcSessionJoined)(guint64 key, const struct FcHello *hello, gpointer data);
/* It is replaced by another image: the one that said hello is gone. */
typedef void (*FcSessionLeft)(guint64 key, gpointer data);

typedef struct
{
    FcFiles *files;               /* becomes the session's */
    FcSharedMap *shared;          /* likewise; may be NULL */
    FcManagerFilter *user_filter; /* likewise */
    FcObserver *observer;         /* stays the caller's; may be NULL */
    const char *filter;           /* FC_FILTER, where it is in use; else NULL */
    const char *trouble;          /* to be told in the greeting; NULL: none */
    int reply_fd;                 /* likewise; -1: answers go into shared memory only */
    enum FcTimeMode time_mode;
    enum FcProfileMode profile_mode;
    FcCountsSizes sizes;
    gboolean memory;  /* is profiled */
    gboolean latency; /* is kept by arc */
    guint32 slowest;  /* calls of each function that are kept */
    guint32 depth;    /* FC_DEPTH; 0: not set */
    guint32 trace;    /* records that are kept of each thread */
    guint32 contexts; /* of all processes; 0: the default */
    guint32 memory_blocks;
    guint32 memory_frames;
    int notice_fd; /* where it is said that the end takes long; see notice.h */
    gboolean quiet;
    gboolean brief; /* no greeting */
    gboolean debug; /* log to standard error */
    FcSessionJoined joined;
    FcSessionLeft left;
    FcAnswersSignal answered;
    gpointer data;
} FcSessionSetup;

typedef struct FcSession FcSession;

/* Never fails.  Takes over what `setup` says; the caller frees the result. */
FcSession *fc_session_new(const FcSessionSetup *setup);
/* Writes nothing any more. */
void fc_session_free(FcSession *session);

/* Sends the manager's greeting, which libfc waits for. */
void fc_session_greet(FcSession *session);

/* A message of any process, in the order of the pipe; not trusted. */
void fc_session_message(FcSession *session, const FcWireMessage *message);

/* How many processes said that they quit and wait for an answer; and answers the first `count` of
 * them, once the deaths were told that came before they said so. */
guint fc_session_count_quits(const FcSession *session);
void fc_session_answer_quits(FcSession *session, guint count);

/* The process is dead and all its messages were given.  `end`: how, if known. */
void fc_session_died(FcSession *session, guint64 key, FcProfileEnd end, gint value);

/* Nobody can write to the pipe any more: processes that were about to exec have done so. */
void fc_session_pipe_closed(FcSession *session);

/* To be called when what could be read was read.  Returns whether threads waited for chunks. */
gboolean fc_session_batch_done(FcSession *session);

/* As fc_shared_is_streamed(); FALSE where nothing is shared. */
gboolean fc_session_is_streamed(const FcSession *session);

/* To be called about ten times a second: improves the estimate of a tick's length, and looks at
 * records that wait behind gaps. */
void fc_session_round(FcSession *session);

/* Bytes on the pipe that were no messages; counted in the first process's losses. */
void fc_session_malformed(FcSession *session, guint64 count);

/* No more messages will come: finishes the processes that are left, and gives the files their
 * final names. */
void fc_session_end(FcSession *session);

/* What the user is to know, with FC_QUIET as well, and no process was told; a line each. */
const char *fc_session_unreported(const FcSession *session);
