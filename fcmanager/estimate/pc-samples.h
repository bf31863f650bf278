/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples of where a thread executes: by perf_event_open the kernel stores the program counter each
 * millisecond that the thread runs.  The program has no part in it: no signal, no descriptor.
 *
 * A thread of the manager's own empties the kernel's buffers.  process-messages.c has threads
 * sampled, thread.c takes the samples.  Any thread may call these.
 */
#pragma once

#include <glib.h>

typedef struct FcPcSampler FcPcSampler;
typedef struct FcPcSampled FcPcSampled;

/* One place and how often it was seen. */
typedef struct
{
    guint64 address;
    guint64 samples;
} FcPcPlace;

/* What was seen of one thread. */
typedef struct
{
    GArray *places; /* FcPcPlace, each once; the caller unrefs it */
    guint64 samples;
    guint64 lost; /* by the kernel, and those that found no room here */
    double sample_ns;
} FcPcSamples;

/* NULL where there is no thread to be had. */
FcPcSampler *fc_pc_sampler_new(void);
/* Nothing may be sampled any more. */
void fc_pc_sampler_free(FcPcSampler *sampler);

/* Before and after the manager forks: takes all samples so far, and nothing changes meanwhile.  The
 * child has these, and ends its copies without a look at the kernel's buffers, which are the
 * parent's. */
void fc_pc_sampler_hold(FcPcSampler *sampler);
void fc_pc_sampler_release(FcPcSampler *sampler);

/* Samples thread `tid`, as the manager knows it, until fc_pc_sampler_end.  NULL: the kernel does
 * not allow it, or there is no such thread. */
FcPcSampled *fc_pc_sampler_watch(FcPcSampler *sampler, gint64 tid);
/* Ends that.  The samples go into `seen`, unless it is NULL. */
void fc_pc_sampler_end(FcPcSampled *sampled, FcPcSamples *seen);
