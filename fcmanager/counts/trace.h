/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last records of a thread, with FC_TRACE: calls and returns as they are after all repairs,
 * in a ring that grows to the length that is wanted as long as all rings together have room.
 *
 * Called by stack-frames.h for each call and return where there is a trace; read by output.c.
 */
#pragma once

#include "profile/fc-profile.h"

/* Of all rings of a session together; past it they grow no more. */
#define FC_TRACE_BYTES_MAX (256u << 20)

/* What those of a session share. */
typedef struct
{
    guint32 length; /* records that are kept of a thread; 0: none are */
    gsize bytes;    /* in use */
    gsize limit;
} FcTraceRoom;

/* Times are ticks. */
typedef struct
{
    guint64 time;
    guint64 begun; /* when the call was made; FC_TRACE_UNKNOWN */
    guint32 function;
    guint32 stack;
    guint32 depth;
    guint32 kind; /* FcTraceKind */
} FcTraceRecord;

typedef struct
{
    FcTraceRecord *records; /* a ring: once it is full, [next] is the oldest */
    guint32 next;
    guint32 room;
    guint64 all;  /* so many there were */
    GArray *open; /* FcTraceRecord: calls that had not returned in the end; NULL: none */
    FcTraceRoom *shared;
} FcTrace;

/* `shared` must outlive it. */
FcTrace *fc_trace_new(FcTraceRoom *shared);
void fc_trace_free(FcTrace *trace);

/* Makes room where the ring is full and may grow; else begins again with the oldest. */
void fc_trace_turn(FcTrace *trace);

static inline void fc_trace_add(FcTrace *trace, const FcTraceRecord *record)
{
    trace->all++;
    if (G_UNLIKELY(trace->next == trace->room))
        fc_trace_turn(trace);
    if (G_LIKELY(trace->room > 0))
        trace->records[trace->next++] = *record;
}

/* At the end: a call that had not returned. */
void fc_trace_add_open(FcTrace *trace, const FcTraceRecord *record);

/* Nothing is added any more: puts the records in order, in no more memory than they take, with the
 * numbers that `functions` gives their functions (NULL: their own). */
void fc_trace_finish(FcTrace *trace, const guint32 *functions);
