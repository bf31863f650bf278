/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a running program did since it was asked last: its functions and threads, with names, from
 * the difference of two snapshots.  Used by main.c.  Never prints.
 */
#pragma once

#include <glib.h>

typedef struct
{
    char *name;       /* of the function, or of the thread */
    char *detail;     /* of a thread: the function that it was in most; NULL: none */
    guint64 cpu_ns;   /* on the CPU; of a function without its callees */
    guint64 total_ns; /* on the CPU; with them */
    guint64 wait_ns;  /* off the CPU; without its callees */
    guint64 calls;
} FcTopRow;

typedef struct
{
    gint pid;
    char *program;
    guint64 run_ns;  /* since the program started */
    guint64 span_ns; /* the time that the figures are of */
    guint64 cpu_ns;
    guint64 wait_ns;
    guint64 calls;
    gboolean has_heap;
    guint64 live_bytes;
    guint64 live_blocks;
    guint64 allocations; /* within the span */
    GArray *functions;   /* FcTopRow */
    GArray *threads;     /* FcTopRow */
} FcTopSample;

typedef struct FcTop FcTop;

FcTop *fc_top_new(gint pid);
void fc_top_free(FcTop *top);

/* Takes a snapshot.  Returns what was added since the one before; the first time, and after the
 * process has executed another program, what there is since the start.  The caller frees it.  NULL
 * and *error: the process can't be asked, as when it has ended. */
FcTopSample *fc_top_take(FcTop *top, GError **error);
void fc_top_sample_free(FcTopSample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcTop, fc_top_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcTopSample, fc_top_sample_free)
