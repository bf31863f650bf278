/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FC_TRACE: the last records of a thread, that is, calls and returns after all repairs.  They are
 * in a ring, which grows to the wanted length as long as all rings together have room.
 *
 * Called by frames.h for each call and return where there is a trace; read by output.c.
 */
#pragma once

#include "profile/fc-profile.h"

/* Bytes of all rings of a session together, at most. */
#define FC_TRACE_BYTES_MAX (256u << 20)

/* What the rings of a session share. */
typedef struct
{
    guint32 length; /* records to keep of a thread; 0: none */
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
    FcTraceRecord *records; /* a ring: when it is full, [next] is the oldest record */
    guint32 next;
    guint32 room;
    guint64 all;  /* how many records there were */
    GArray *open; /* FcTraceRecord: calls that had not returned at the end; NULL: none */
    FcTraceRoom *shared;
} FcTrace;

/* `shared` must outlive the trace. */
FcTrace *fc_trace_new(FcTraceRoom *shared);
void fc_trace_free(FcTrace *trace);

/* To be called when the ring is full: makes it larger or, at its limit, lets the next record
 * replace the oldest. */
void fc_trace_turn(FcTrace *trace);

static inline void fc_trace_add(FcTrace *trace, const FcTraceRecord *record)
{
    trace->all++;
    if (G_UNLIKELY(trace->next == trace->room))
        fc_trace_turn(trace);
    if (G_LIKELY(trace->room > 0))
        trace->records[trace->next++] = *record;
}

/* Adds a call that had not returned when the thread ended. */
void fc_trace_add_open(FcTrace *trace, const FcTraceRecord *record);

/* Puts the records in order and frees unused memory.  `functions` maps their functions to new
 * numbers; NULL: they keep theirs.  Nothing may be added after this. */
void fc_trace_finish(FcTrace *trace, const guint32 *functions);
