/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples of where a thread executes: by perf_event_open the kernel stores its registers and the
 * top of its stack each millisecond that the thread runs, and unwind.h finds the callers.  The
 * program has no part in it: no signal, no descriptor.
 *
 * A thread of the manager's own empties the kernel's buffers.  process-messages.c has threads
 * sampled, thread.c takes the samples.  The manager's main thread calls these.
 */
#pragma once

#include <glib.h>

typedef struct FcPcSampler FcPcSampler;
typedef struct FcPcSampled FcPcSampled;

/* The deepest stack that is kept; of deeper ones it is the innermost part. */
#define FC_PC_DEPTH_MAX 128u

/* One stack and how often it was seen. */
typedef struct
{
    guint64 samples;
    double ns;       /* the time on the CPU that they stand for */
    double variance; /* of that, as they come by chance: the sum of the squares of what each stands
                        for */
    guint count;
    guint64 places[]; /* innermost first; those of callers are within the call */
} FcPcStack;

/* What was seen of one thread. */
typedef struct
{
    GPtrArray *stacks; /* FcPcStack, each once; the caller unrefs it */
    guint64 samples;
    guint64 lost; /* by the kernel */
} FcPcSamples;

/* NULL where there is no descriptor to be had.  Its thread begins with the first that is sampled.
 */
FcPcSampler *fc_pc_sampler_new(void);
/* Nothing may be sampled any more. */
void fc_pc_sampler_free(FcPcSampler *sampler);

/* Before and after the manager forks: takes all samples so far, and nothing changes meanwhile.  The
 * child has these, and ends its copies without a look at the kernel's buffers, which are the
 * parent's. */
void fc_pc_sampler_hold(FcPcSampler *sampler);
void fc_pc_sampler_release(FcPcSampler *sampler);

/* Samples thread `tid` of process `pid`, as the manager knows them, until fc_pc_sampler_end.  `key`
 * is the process's. Where the kernel has no memory for stacks, they have one place each.  NULL:
 * there is no such thread any more; or, with *is_denied, the kernel does not allow it. */
FcPcSampled *fc_pc_sampler_watch(FcPcSampler *sampler, guint64 key, gint pid, gint64 tid,
                                 gboolean *is_denied);
/* Ends that.  The samples go into `seen`, unless it is NULL. */
void fc_pc_sampler_end(FcPcSampled *sampled, FcPcSamples *seen);
