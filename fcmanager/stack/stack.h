/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One thread's stack of open frames: turns its records into figures of its counts,
 * and repairs what jumps, throws and missing exits do to the stack.  Called by
 * thread.c; knows nothing of chunks, pipes or files.
 *
 * Times are ticks; a thread's times never run backwards here (clamped).
 */
#pragma once

#include "fcmanager/base/regions.h"
#include "fcmanager/counts/trace.h"
#include "fcmanager/estimate/counted.h"
#include "fcmanager/heap/records.h"
#include "libfc/fc-format.h"

/* What an FcOpenFrame is of.  A paused stack is described by the context that it was called from,
 * if any, then its frames. */
typedef enum
{
    FC_OPEN_ACTIVE,
    FC_OPEN_CONTEXT,      /* outermost first; without an address */
    FC_OPEN_PAUSED_FIRST, /* the outermost frame of a stack that was switched from */
    FC_OPEN_PAUSED,
} FcOpenPart;

/* An open frame as it is handed to a forked child. */
typedef struct
{
    guint64 function;
    guint64 site;
    guint64 address;
    guint16 return_bits;
    guint8 part; /* FcOpenPart */
} FcOpenFrame;

typedef struct FcStack FcStack;

/* Ticks of a thread in all. */
typedef struct
{
    guint64 off;       /* the CPU, */
    guint64 preempted; /* of which not of its own accord */
    guint64 paused;    /* libfc was at work, or waited for the manager */
    guint64 unplaced;  /* of `off`, what is in no function's time */
    FcWaits seen;
} FcStackOff;

/* Adds to `counts`, which stays the caller's and must outlive the stack.  `multiplier`: ns in a
 * tick, times 2^32. */
FcStack *fc_stack_new(FcCounts *counts, guint64 multiplier, guint32 frames);
void fc_stack_free(FcStack *stack);
void fc_stack_set_multiplier(FcStack *stack, guint64 multiplier);

/* The thread's own stack is [start, end); by default all memory that is in no region. */
void fc_stack_set_bounds(FcStack *stack, guint64 start, guint64 end);
/* It is where that of `from` is, as in a forked child. */
void fc_stack_copy_bounds(FcStack *stack, const FcStack *from);
/* Other stacks that the thread may run on; to be called again when there are more.  `regions`
 * must outlive the stack. */
void fc_stack_set_regions(FcStack *stack, const FcRegions *regions);

/* Where records of memory go, with the context that the stack has then; NULL: nowhere. */
void fc_stack_set_heap(FcStack *stack, FcHeapThread *heap);

/* Keeps the last records there from now on; the stack owns it.  And what was kept, with the frames
 * that are open: the caller's; NULL: nothing was. */
void fc_stack_set_trace(FcStack *stack, FcTrace *trace);
FcTrace *fc_stack_take_trace(FcStack *stack);

/* What is known of calls that were counted, and whether anything is; the stack's own. */
FcCounted *fc_stack_counted(FcStack *stack);
gboolean fc_stack_has_counted(const FcStack *stack);

/* What it adds is in the counts after fc_counts_flush_sums() or fc_stack_close().
 *
 * Takes the valid records that begin in `units`[from, to), behind which there is another unit:
 * returns where the first begins that is not there (its generation is not `generation`), or where
 * the next one would, which is `to` or one behind it.  The memory may change meanwhile. */
guint32 fc_stack_feed(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                      guint32 generation);

/* Short records come from here on: FC_MSG_CALL_SITES. */
void fc_stack_set_sites(FcStack *stack, guint64 low, const struct FcCallSite *sites, gsize count);
/* Reads only the call-site numbers that these units give, where the records themselves are not to
 * be fed: later records use the numbers. */
void fc_stack_learn_sites(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                          guint32 generation);

/* Opens frames that a fork inherited, outermost first: they add time from `time` on but no
 * calls, and no minimum, maximum or histogram. */
void fc_stack_inherit(FcStack *stack, const FcOpenFrame *frames, guint count, guint64 time);

/* The open frames: those of stacks that were switched from, then the active ones, outermost first.
 * The caller unrefs the array of FcOpenFrame. */
GArray *fc_stack_open_frames(const FcStack *stack);
/* Changes them to what they will be when these records, units as of fc_stack_feed, are taken, which
 * they are not: of some of them it may be that they are not there yet. */
void fc_stack_open_ahead(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                         guint32 generation, GArray *open);
/* By function, guint64: the ticks on the CPU that its local time has so far, of what is open on the
 * current stack up to the last record.  The caller unrefs it. */
GArray *fc_stack_busy_so_far(const FcStack *stack);
/* Adds to `out` an FcProfileFrame for up to `most` open frames, outermost first, with the
 * counts' own function numbers; the sites' modules are filled in. */
void fc_stack_final_frames(const FcStack *stack, guint most, GArray *out);

/* The thread waits, and made no record since it began to; its process ends at `time`.  `ahead_ns`
 * is what an FC_OFF_SEEN of that time would tell. */
void fc_stack_take_last_wait(FcStack *stack, guint64 ahead_ns, guint64 time);

/* The thread was killed, it is not known at which time; what it waited since it was last told, or
 * looked at, is not known either. */
void fc_stack_end_unseen(FcStack *stack);

/* Closes all frames as of `time`, or as of the last record if that is later. */
void fc_stack_close(FcStack *stack, guint64 time);

/* No record comes any more, and no frame is open: what the thread did behind its last function is
 * no part of its run. */
void fc_stack_end_outside(FcStack *stack);

/* Open frames, of paused stacks too. */
guint fc_stack_depth(const FcStack *stack);
guint64 fc_stack_last_time(const FcStack *stack);
/* Before the first record: FC_STACK_NO_TIME, as a clock of a thread's own begins at 0. */
#define FC_STACK_NO_TIME G_MAXUINT64
guint64 fc_stack_first_time(const FcStack *stack);
void fc_stack_get_off(const FcStack *stack, FcStackOff *off);

/* To be called when the list of modules grew: the next record looks at the changes. */
void fc_stack_modules_changed(FcStack *stack);
