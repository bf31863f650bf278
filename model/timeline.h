/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last calls of each thread, from the records that FC_TRACE keeps: which were made, when and
 * for how long, as far as they are wanted.  Made by a report or an export; never prints.
 */
#pragma once

#include "model/model.h"

/* A call.  Times are since the start of the first process that is in the model. */
typedef struct
{
    guint thread;   /* of the profile */
    guint function; /* FcFunction */
    guint stack;    /* of the thread: 0 its own, others of coroutines and handlers */
    guint depth;    /* there: 1 is the outermost */
    guint level;    /* the same, of the calls that are wanted alone */
    guint64 begin_ns;
    guint64 end_ns; /* of one that is open: of all records */
    gint64 order;   /* of its beginning and its end among those of the thread */
    gint64 end_order;
    gboolean is_early; /* it was made before the first record that was kept, */
    gboolean is_begin_known;
    gboolean is_open; /* it had not returned when its thread or process ended */
} FcTimelineCall;

/* What is wanted beside functions that are shown; 0: all. */
typedef struct
{
    guint levels;
    guint64 min_ns;
    guint64 last_ns;
} FcTimelineFilter;

typedef struct
{
    GArray *calls;     /* FcTimelineCall that are wanted, by thread and beginning */
    guint64 *start_ns; /* of each thread of the profile: when its process began */
    const FcInput **input_of;
    guint64 end_ns;
    guint all;     /* calls */
    guint threads; /* that have records */
} FcTimeline;

/* `model` must outlive the result, which is the caller's. */
FcTimeline *fc_timeline_new(const FcModel *model, const FcTimelineFilter *filter);
void fc_timeline_free(FcTimeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcTimeline, fc_timeline_free)
