/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where and for what threads wait, which threads are idle, and how long threads were preempted.
 * Pure computation on a model; never prints.
 */
#pragma once

#include "model/model.h"

/* Whom threads that were ready waited for. */
typedef enum
{
    FC_PREEMPTION_UNKNOWN, /* or for nobody: it takes the kernel some time to run a thread */
    FC_PREEMPTION_OTHERS,  /* other programs: at least half of the time is due to them */
    FC_PREEMPTION_OWN,     /* one another, as above */
} FcPreemption;

/* The function with most waits of threads, and what they wait for. */
typedef struct
{
    gint function;    /* FC_NONE: there is none */
    guint threads;    /* so many do */
    guint64 wait_ns;  /* so long together */
    FcWaitKind kind;  /* that most of it is for; FC_WAIT_KINDS: not known */
    guint64 whole_ns; /* the time of all threads, that this is a part of */
} FcContentionPlace;

typedef struct
{
    guint threads;        /* whose times off the CPU are known */
    guint64 run_ns;       /* of them together */
    guint64 wait_ns;      /* of it: off the CPU, */
    guint64 preempted_ns; /* and of that: other threads ran, of any program */
    guint64 processors;   /* that they could use; 0: not known */
    double others;        /* processors in use by other programs meanwhile, in the mean */
    FcPreemption because; /* whom most of preempted_ns is due to */
    guint idle;           /* threads that waited nearly all of their time, and not for a lock */
    GPtrArray *names;     /* const char *, of some of these; the model's */
    /* Two threads or more that wait for one another: for a lock, or (if they are not idle) for a
     * signal from another thread; if no kinds are known, for anything.  whole_ns is the time of all
     * threads that are not idle. */
    FcContentionPlace contended;
    /* One thread or more that wait for something else: input, sleep, a disk. */
    FcContentionPlace waiting;
} FcContention;

#define FC_CONTENTION_IDLE 0.9 /* of an idle thread's time, at least, it waits */

/* Whether the thread is idle.  Its times off the CPU must be known. */
gboolean fc_contention_is_idle(const FcProfileThread *thread);

/* The parts of a function's own time off the CPU: preemption, and the kinds of waits in the
 * proportions of its samples.  The last element is waiting without samples.  Sums up to
 * local_wait_ns.  `known` may be NULL: nothing is known. */
typedef struct
{
    guint64 preempted_ns;
    guint64 kind_ns[FC_WAIT_KINDS + 1];
} FcContentionParts;

FcContentionParts fc_contention_parts(const FcProfileTimes *times, const FcProfileOff *known);

/* Returns the call in which the function waits itself most, for what `kind` says; FC_WAIT_KINDS:
 * for anything.  NULL: none is known. */
const FcProfileWaitSite *fc_contention_site(const FcModel *model, guint function, FcWaitKind kind);

/* Finds the line of that call: of inlined code, such as std::mutex::lock, the innermost line that
 * is not the system's, if there is one.  Returns its file; NULL: not known.  The file belongs to
 * the model. */
const char *fc_contention_site_line(const FcModel *model, const FcProfileWaitSite *site,
                                    guint *line);

/* Returns the part of it in the function's waits, as fc_contention_parts has them; FC_WAIT_KINDS:
 * of all kinds. */
guint64 fc_contention_site_ns(const FcModel *model, const FcProfileWaitSite *site, FcWaitKind kind);

/* Returns how long threads were preempted in functions of MPI and of OpenMP's runtime.  They poll
 * there, so they gave the CPU away in order to wait. */
guint64 fc_contention_polling_ns(const FcModel *model);

/* Whether there is a place with so large a part of `whole_ns` that a reader should know. */
gboolean fc_contention_is_notable(const FcContentionPlace *place);
/* Whether threads were preempted for so much of their time that a reader should know. */
gboolean fc_contention_is_preempted(const FcContention *contention);
/* Returns that as a sentence.  *reason: what may follow, or NULL.  The caller frees both. */
char *fc_contention_preemption(const FcContention *contention, char **reason);

/* The caller owns the result. */
FcContention *fc_contention_new(const FcModel *model);
void fc_contention_free(FcContention *contention);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcContention, fc_contention_free)
