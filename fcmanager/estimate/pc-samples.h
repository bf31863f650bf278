/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples of where a thread executes: by perf_event_open the kernel stores its registers and the
 * top of its stack each millisecond that the thread runs, and unwind.h finds the callers.  The
 * program has no part in it: no signal, no descriptor.
 *
 * Where the kernel does not allow that, timers of the program's threads send the same.
 *
 * A thread of the manager's own empties the kernel's buffers.  process-messages.c has threads
 * sampled, thread.c takes the samples.  The manager's main thread calls these.
 */
#pragma once

#include "fcmanager/estimate/unwind.h"
#include "libfc/fc-entries.h"

#include <glib.h>

typedef struct FcPcSampler FcPcSampler;
typedef struct FcPcSampled FcPcSampled;

/* Stacks are kept to this depth.  Of deeper ones the innermost part is kept. */
#define FC_PC_DEPTH_MAX 128u

/* One stack, and how often it was seen. */
typedef struct
{
    guint64 samples;
    double ns;       /* the CPU time that its samples stand for */
    double variance; /* variance of `ns`, as samples come by chance: the sum of the squares of what
                        each stands for */
    guint count;
    FcUnwindFrame frames[]; /* innermost first */
} FcPcStack;

/* What was seen of one thread. */
typedef struct
{
    GPtrArray *stacks; /* FcPcStack, each once; the caller unrefs it */
    guint64 samples;
    double ns;           /* what they stand for */
    guint64 lost;        /* samples that the kernel lost */
    gboolean is_timed;   /* the samples came from a timer of the thread's */
    gint64 unsampled_ns; /* time on the CPU that has no samples: in the kernel, which does not
                            allow to sample it.  Of a single thread it may be too much or too
                            little by a sample, and below 0 */
    guint64 wait_ns;     /* off the CPU, and the part of it in which the thread was preempted; */
    guint64 preempted_ns;
    gboolean has_waits; /* if this is known */
} FcPcSamples;

/* Returns a new sampler, whose thread begins with the first thread that is sampled.  NULL: no
 * descriptor can be had. */
FcPcSampler *fc_pc_sampler_new(void);
/* Frees the sampler.  Nothing may be sampled any more. */
void fc_pc_sampler_free(FcPcSampler *sampler);

/* Called before and after the manager forks.  Hold takes all samples so far, and nothing changes
 * until release.  The child has these samples.  It ends its copies without reading the kernel's
 * buffers, which are the parent's. */
void fc_pc_sampler_hold(FcPcSampler *sampler);
void fc_pc_sampler_release(FcPcSampler *sampler);

/* Samples thread `tid` of process `pid`, as the manager knows them, until fc_pc_sampler_end.  `key`
 * is the process's.  If the kernel has no memory for stacks, each sample has one place.  NULL:
 * there is no such thread any more; or, with *is_denied, the kernel does not allow it. */
FcPcSampled *fc_pc_sampler_watch(FcPcSampler *sampler, guint64 key, gint pid, gint64 tid,
                                 gboolean *is_denied);
/* The same for a thread whose timer sends samples. */
FcPcSampled *fc_pc_sampler_follow(FcPcSampler *sampler, guint64 key, gint pid);
/* Takes one of these samples: `bytes` of the stack from its stack pointer on. */
void fc_pc_sampler_take(FcPcSampled *sampled, const struct FcPlace *place, const guint8 *stack,
                        gsize bytes);

/* Ends the sampling.  Moves the samples to `seen`, unless that is NULL. */
void fc_pc_sampler_end(FcPcSampled *sampled, FcPcSamples *seen);
