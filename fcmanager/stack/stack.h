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
#include "fcmanager/counts/lanes.h"
#include "fcmanager/counts/trace.h"
#include "fcmanager/estimate/counted.h"
#include "fcmanager/heap/records.h"
#include "fcmanager/stack/wait.h"
#include "libfc/fc-format.h"

/* What an FcOpenFrame describes.  For a paused stack there is first the context that called it, if
 * any, then its frames. */
typedef enum
{
    FC_OPEN_ACTIVE,
    FC_OPEN_CONTEXT,      /* a function of that context, outermost first; has no address */
    FC_OPEN_PAUSED_FIRST, /* the outermost frame of a stack that is paused */
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
/* Sets the same bounds as `from` has, as in a forked child. */
void fc_stack_copy_bounds(FcStack *stack, const FcStack *from);
/* Other stacks that the thread may run on.  To be called again when there are more.  `regions`
 * must outlive the stack. */
void fc_stack_set_regions(FcStack *stack, const FcRegions *regions);

/* Sets where records of memory go, with the context of each; NULL: nowhere.  `heap` stays the
 * caller's. */
void fc_stack_set_heap(FcStack *stack, FcHeapThread *heap);

/* Keeps the last records in `trace`, which the stack owns from now on.  The second adds the open
 * frames and gives the trace to the caller; NULL: there is none. */
void fc_stack_set_trace(FcStack *stack, FcTrace *trace);
FcTrace *fc_stack_take_trace(FcStack *stack);

/* The data of counted calls, made if there are none.  The stack owns them.  The second says whether
 * there are any. */
FcCounted *fc_stack_counted(FcStack *stack);
gboolean fc_stack_has_counted(const FcStack *stack);

/* Takes the records that begin in `units`[from, to), up to the first that is not there: one whose
 * generation is not `generation`.  One more unit can be read after them.  Returns the index of that
 * record or, if all were there, of the one after them, which is `to` or `to` + 1.  The memory may
 * change meanwhile.  The counts are complete after fc_counts_flush_sums() or fc_stack_close(). */
guint32 fc_stack_feed(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                      guint32 generation);

/* Takes the call sites of FC_MSG_CALL_SITES, which comes before the first short record. */
void fc_stack_set_sites(FcStack *stack, guint64 low, const struct FcCallSite *sites, gsize count);
/* Takes only the call-site numbers that these records give, not the records.  Later records use the
 * numbers. */
void fc_stack_learn_sites(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                          guint32 generation);

/* Opens frames that a fork inherited, outermost first.  They add time from `time` on, but no
 * calls, and no minimum, maximum or histogram. */
void fc_stack_inherit(FcStack *stack, const FcOpenFrame *frames, guint count, guint64 time);

/* The open frames: those of paused stacks, then the active ones, outermost first.  The caller
 * unrefs the array of FcOpenFrame. */
GArray *fc_stack_open_frames(const FcStack *stack);
/* Changes `open` to the open frames after these records, without taking them.  The units are as in
 * fc_stack_feed; records that are not there yet are left out. */
void fc_stack_open_ahead(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                         guint32 generation, GArray *open);
/* For each function the local ticks on the CPU up to the last record (guint64), with those of
 * frames that are open on the current stack.  The caller unrefs the array. */
GArray *fc_stack_busy_so_far(const FcStack *stack);
/* Adds to `out` an FcProfileFrame for each of up to `most` open frames, outermost first, with
 * the counts' own numbers of functions.  The sites' modules are set. */
void fc_stack_final_frames(const FcStack *stack, guint most, GArray *out);

/* Takes a sample, of the last wait or of another.  Copies the frames of another one.  The wait is
 * added to a function when a record reports it. */
void fc_stack_note_wait(FcStack *stack, const FcStackWait *sample);
/* Whether it is a sample of the last wait. */
gboolean fc_stack_is_last_wait(const FcStack *stack, const FcStackWait *sample);

/* Adds a wait that has made no record when the process ends at `time`.  `ahead_ns` is the value
 * that an FC_OFF_SEEN at that time would have. */
void fc_stack_take_last_wait(FcStack *stack, guint64 ahead_ns, guint64 time);

/* The thread was killed at an unknown time, so it is not known how long it waited since the last
 * report or sample. */
void fc_stack_end_unseen(FcStack *stack);

/* Closes all frames as of `time`, or of the last record if that is later. */
void fc_stack_close(FcStack *stack, guint64 time);

/* To be called when no record comes any more and no frame is open.  Removes what the thread did
 * after its last function from its run. */
void fc_stack_end_outside(FcStack *stack);

/* The number of open frames, including those of paused stacks. */
guint fc_stack_depth(const FcStack *stack);
guint64 fc_stack_last_time(const FcStack *stack);
/* FC_STACK_NO_TIME before the first record, since a thread's own clock begins at 0. */
#define FC_STACK_NO_TIME G_MAXUINT64
guint64 fc_stack_first_time(const FcStack *stack);
void fc_stack_get_off(const FcStack *stack, FcStackOff *off);
/* When the thread, which ran until `time`, was off the CPU.  The caller owns the result.  NULL: it
 * is not known how long it was. */
FcLanes *fc_stack_take_lanes(FcStack *stack, guint64 time);

/* To be called when the list of modules grew: the next record applies the changes. */
void fc_stack_modules_changed(FcStack *stack);
