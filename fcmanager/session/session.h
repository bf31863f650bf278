/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profiled processes of one session, from the first hello to the last file.  Gets messages and
 * deaths from source.c; writes files through files.c, and answers on the reply pipe or in shared
 * memory.
 */
#pragma once

#include "fcmanager/session/answers.h"
#include "fcmanager/session/files.h"
#include "fcmanager/session/process.h"
#include "fcmanager/stack/user-filter.h"

/* A process said hello and is to be followed until it dies.  Returns the key of the image that
 * this process was before it executed another one; 0: none is known. */
typedef guint64 (*FcSessionJoined)(guint64 key, const struct FcHello *hello, gpointer data);
/* This process was replaced by another image, which has said hello. */
typedef void (*FcSessionLeft)(guint64 key, gpointer data);

/* Returns the key of the newest image of process `pid`, as the manager knows it; 0: none. */
typedef guint64 (*FcSessionFind)(gint pid, gpointer data);
/* Called in a child that was forked to write a snapshot. */
typedef void (*FcSessionForked)(gpointer data);

typedef struct
{
    FcFiles *files;               /* the session takes it over */
    FcSharedMap *shared;          /* likewise; may be NULL */
    FcManagerFilter *user_filter; /* likewise */
    FcObserver *observer;         /* stays the caller's; may be NULL */
    FcPcSampler *pc_sampler;      /* likewise */
    const char *filter;           /* FC_FILTER, where it is in use; else NULL */
    const FcProfileJob *job;      /* stays the caller's */
    const FcAffinity *may_use;    /* as that of FcProcessSetup */
    const char *trouble;          /* printed with the greeting; NULL: none */
    int reply_fd;                 /* stays the caller's; -1: answers go into shared memory only */
    enum FcTimeMode time_mode;
    enum FcProfileMode profile_mode;
    FcCountsSizes sizes;
    gboolean memory;  /* memory is profiled */
    gboolean latency; /* latencies are kept by arc */
    guint32 slowest;  /* slowest calls to keep of each function */
    guint32 depth;    /* FC_DEPTH; 0: not set */
    guint32 trace;    /* records to keep of each thread */
    guint32 contexts; /* of all processes; 0: the default */
    guint32 memory_blocks;
    guint32 memory_frames;
    guint32 every_ms;   /* a snapshot is written every so many ms; 0: never */
    guint32 every_keep; /* how many of these snapshots stay */
    gboolean recovery;  /* see recovery.h */
    enum FcChildrenMode children;
    gboolean paused; /* processes begin paused; see pauses.h */
    int notice_fd;   /* where a notice goes if the end takes long; see notice.h */
    gboolean quiet;
    gboolean brief; /* nothing is printed where all goes well */
    gboolean debug; /* log to standard error */
    FcSessionJoined joined;
    FcSessionLeft left;
    FcSessionFind find;
    FcSessionForked forked;
    FcAnswersSignal answered;
    gpointer data;
} FcSessionSetup;

typedef struct FcSession FcSession;

/* Never fails.  Takes over what `setup` says it does.  The caller frees the result. */
FcSession *fc_session_new(const FcSessionSetup *setup);
/* Frees the session; writes nothing. */
void fc_session_free(FcSession *session);

/* Sends the greeting, for which libfc waits. */
void fc_session_greet(FcSession *session);

/* Handles a message of any process, in the order of the pipe.  The message is not trusted. */
void fc_session_message(FcSession *session, const FcWireMessage *message);

/* How many processes have quit and wait for an answer.  The second answers the first `count` of
 * them; the deaths before their quits must have been reported. */
guint fc_session_count_quits(const FcSession *session);
void fc_session_answer_quits(FcSession *session, guint count);

/* Whether something is asked from outside.  The second answers; the pipe must have been read since
 * the first said so. */
gboolean fc_session_is_asked(const FcSession *session);
void fc_session_answer_asked(FcSession *session);

/* The process is dead and all its messages were passed.  `end`: how it ended, if known. */
void fc_session_died(FcSession *session, guint64 key, FcProfileEnd end, gint value);

/* Nothing can write to the pipe any more: processes that were about to exec have done so. */
void fc_session_pipe_closed(FcSession *session);

/* To be called when the pipe was read as far as possible.  Returns whether threads waited for
 * chunks. */
gboolean fc_session_batch_done(FcSession *session);

/* As fc_shared_is_streamed(); FALSE if there is no shared memory. */
gboolean fc_session_is_streamed(const FcSession *session);

/* To be called often: samples threads that wait, if it is time.  Returns in how many ms to call it
 * again. */
guint fc_session_sample_waits(FcSession *session);

/* To be called about ten times a second: improves the estimate of a tick's length, and checks
 * records that wait for gaps. */
void fc_session_round(FcSession *session);

/* Counts bytes on the pipe that were no messages, as losses of the first process. */
void fc_session_malformed(FcSession *session, guint64 count);

/* No more messages will come: finishes the remaining processes, and gives the files their final
 * names. */
void fc_session_end(FcSession *session);

/* Returns the texts that the user must see, even with FC_QUIET, and that no process has printed; a
 * line each. */
const char *fc_session_unreported(const FcSession *session);
