/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a thread's stack tells its trace, see trace.h: the part of stack.h and stack-frames.h that
 * runs with FC_TRACE alone.
 */
#include "fcmanager/stack.h"

#include "fcmanager/stack-frames.h"
#include "fcmanager/stack-segments.h"

void fc_stack_set_trace(FcStack *stack, FcTrace *trace)
{
    stack->trace = trace;
}

static FcTraceRecord record_of(const FcStack *stack, gint segment, guint32 depth, FcTraceKind kind,
                               guint64 time)
{
    const struct StackFrame *frames =
        segment == stack->current ? stack->frames : stack->segments[segment].frames;
    const struct StackFrame *frame = &frames[depth];
    /* when a stack that was switched to got its frames is not known any more */
    const gboolean is_known = frame->ran_before == 0 && frame->made != FRAME_INHERITED;
    return (FcTraceRecord){.time = time,
                           .begun = is_known ? frame->entered : FC_TRACE_UNKNOWN,
                           .function = stack->counts->nodes[frame->node].function,
                           .stack = (guint32)segment,
                           .depth = depth,
                           .kind = kind};
}

void fc_stack_trace(FcStack *stack, FcTraceKind kind, guint64 time)
{
    const FcTraceRecord record = record_of(stack, stack->current, stack->top, kind, time);
    fc_trace_add(stack->trace, &record);
}

void fc_stack_trace_leaf(FcStack *stack, guint32 node, guint64 time, guint64 elapsed)
{
    FcTraceRecord record = {.time = time,
                            .begun = time,
                            .function = stack->counts->nodes[node].function,
                            .stack = (guint32)stack->current,
                            .depth = stack->top + 1,
                            .kind = FC_TRACE_CALL};
    fc_trace_add(stack->trace, &record);
    record.time += elapsed;
    record.kind = FC_TRACE_RETURN;
    fc_trace_add(stack->trace, &record);
}

FcTrace *fc_stack_take_trace(FcStack *stack)
{
    FcTrace *trace = stack->trace;
    if (!trace)
        return NULL;
    fc_stack_save_current(stack);
    for (gint i = 0; i < stack->segment_count; i++)
        for (guint32 depth = 1; depth <= stack->segments[i].top; depth++)
        {
            const FcTraceRecord record = record_of(stack, i, depth, FC_TRACE_OPEN, stack->last);
            fc_trace_add_open(trace, &record);
        }
    stack->trace = NULL;
    return trace;
}
