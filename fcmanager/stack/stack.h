/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One thread's stack of open frames: turns its records into figures of its counts, and repairs
 * what jumps, throws and missing exits do to the stack.  Called by thread.c; knows nothing of
 * chunks, pipes or files.
 *
 * Times are ticks; a thread's times never run backwards here (they are clamped).
 */
#pragma once

#include "fcmanager/base/regions.h"
#include "fcmanager/counts/trace.h"
#include "fcmanager/estimate/counted.h"
#include "fcmanager/heap/records.h"
#include "libfc/fc-format.h"

/* What an FcOpenFrame describes.  A paused stack is described by the context that it was called
 * from, if any, followed by its frames. */
typedef enum
{
    FC_OPEN_ACTIVE,
    FC_OPEN_CONTEXT,      /* outermost first; without an address */
    FC_OPEN_PAUSED_FIRST, /* the outermost frame of a stack that was switched from */
    FC_OPEN_PAUSED,
} FcOpenPart;

/* An open frame as it is passed to a forked child. */
typedef struct
{
    guint64 function;
    guint64 site;
    guint64 address;
    guint16 return_bits;
    guint8 part; /* FcOpenPart */
} FcOpenFrame;

typedef struct FcStack FcStack;

/* Ticks of a whole thread. */
typedef struct
{
    guint64 off;       /* off the CPU */
    guint64 preempted; /* the part of it that was preemption */
    guint64 paused;    /* libfc was working, or waiting for the manager */
    guint64 unplaced;  /* the part of `off` that is in no function's time */
    FcWaits seen;
} FcStackOff;

/* Adds to `counts`, which stays the caller's and must outlive the stack.  `multiplier`: ns in a
 * tick, times 2^32. */
FcStack *fc_stack_new(FcCounts *counts, guint64 multiplier, guint32 frames);
void fc_stack_free(FcStack *stack);
void fc_stack_set_multiplier(FcStack *stack, guint64 multiplier);

/* The thread's own stack is [start, end).  The default is all memory that is in no region. */
void fc_stack_set_bounds(FcStack *stack, guint64 start, guint64 end);
/* The own stack is where that of `from` is, as in a forked child. */
void fc_stack_copy_bounds(FcStack *stack, const FcStack *from);
/* Other stacks that the thread may run on.  To be called again when there are more.  `regions`
 * must outlive the stack. */
void fc_stack_set_regions(FcStack *stack, const FcRegions *regions);

/* Where records of memory go, with the context at that time; NULL: nowhere. */
void fc_stack_set_heap(FcStack *stack, FcHeapThread *heap);

/* Keeps the last records in `trace` from now on; the stack owns it.  The second returns what was
 * kept, with the open frames, to the caller; NULL: nothing was. */
void fc_stack_set_trace(FcStack *stack, FcTrace *trace);
FcTrace *fc_stack_take_trace(FcStack *stack);

/* What is known of counted calls, owned by the stack; and whether there is any. */
FcCounted *fc_stack_counted(FcStack *stack);
gboolean fc_stack_has_counted(const FcStack *stack);

/* Takes the valid records that begin in `units`[from, to); one more unit can be read after them.
 * Returns where the first record begins that is not there (its generation is not `generation`),
 * or where the next one would, which is `to` or one more.  The memory may change meanwhile.
 * What this adds is in the counts after fc_counts_flush_sums() or fc_stack_close(). */
guint32 fc_stack_feed(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                      guint32 generation);

/* Short records follow: handles FC_MSG_CALL_SITES. */
void fc_stack_set_sites(FcStack *stack, guint64 low, const struct FcCallSite *sites, gsize count);
/* Reads only the call-site numbers that these units give, where the records themselves are not to
 * be fed: later records use the numbers. */
void fc_stack_learn_sites(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                          guint32 generation);

/* Opens frames that a fork inherited, outermost first.  They add time from `time` on, but no
 * calls, and no minimum, maximum or histogram. */
void fc_stack_inherit(FcStack *stack, const FcOpenFrame *frames, guint count, guint64 time);

/* The open frames: those of stacks that were switched from, then the active ones, outermost
 * first.  The caller unrefs the array of FcOpenFrame. */
GArray *fc_stack_open_frames(const FcStack *stack);
/* Changes `open` to what the open frames will be after these records (units as in
 * fc_stack_feed), without taking them.  Some of them may not be there yet. */
void fc_stack_open_ahead(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                         guint32 generation, GArray *open);
/* For each function (guint64) the ticks on the CPU in its local time so far, from what is open
 * on the current stack up to the last record.  The caller unrefs it. */
GArray *fc_stack_busy_so_far(const FcStack *stack);
/* Adds to `out` an FcProfileFrame for each of up to `most` open frames, outermost first, with
 * the counts' own numbers of functions.  The sites' modules are set. */
void fc_stack_final_frames(const FcStack *stack, guint most, GArray *out);

/* A sample of the thread at `time`: it waited, for that, since it had been given a CPU `turns`
 * times. The sample stands for `ns`.  It counts when a record tells where the wait was. */
void fc_stack_note_wait(FcStack *stack, guint64 time, FcWaitKind kind, guint64 turns, guint64 ns);

/* The thread waits and made no record since it began to; its process ends at `time`.  `ahead_ns`
 * is what an FC_OFF_SEEN of that time would say. */
void fc_stack_take_last_wait(FcStack *stack, guint64 ahead_ns, guint64 time);

/* The thread was killed at an unknown time.  What it waited since the last report or sample is
 * not known either. */
void fc_stack_end_unseen(FcStack *stack);

/* Closes all frames as of `time`, or of the last record if that is later. */
void fc_stack_close(FcStack *stack, guint64 time);

/* No record comes any more, and no frame is open: what the thread did after its last function is
 * no part of its run. */
void fc_stack_end_outside(FcStack *stack);

/* The number of open frames, including those of paused stacks. */
guint fc_stack_depth(const FcStack *stack);
guint64 fc_stack_last_time(const FcStack *stack);
/* FC_STACK_NO_TIME before the first record, since a thread's own clock begins at 0. */
#define FC_STACK_NO_TIME G_MAXUINT64
guint64 fc_stack_first_time(const FcStack *stack);
void fc_stack_get_off(const FcStack *stack, FcStackOff *off);

/* To be called when the list of modules grew: the next record applies the changes. */
void fc_stack_modules_changed(FcStack *stack);
