/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See off.h.
 */
#include "fcmanager/stack/off.h"

#include "fcmanager/counts/wait-sites.h"
#include "libfc/fc-format.h"

/* The width of a bucket in the beginning. */
#define LANE_NS 1000000u

/* Two clocks that are read one after the other may differ by so many ticks. */
#define ROOM_SLACK 4096u

/* ---- Of frames ---------------------------------------------------------------------- */

static struct FrameAway *away_of(const FcStack *stack, guint index)
{
    return &g_array_index(stack->aways, struct FrameAway, index);
}

static void add(struct StackAway *to, const struct StackAway *more)
{
    to->off += more->off;
    to->preempted += more->preempted;
    to->paused += more->paused;
}

/* The frame's times, made if it has none.  NULL: too many frames have some. */
static struct FrameAway *get_away(FcStack *stack, struct StackFrame *frame)
{
    const struct FrameAway none = {0};
    if (frame->away != 0)
        return away_of(stack, frame->away);
    if (!stack->aways)
    {
        stack->aways = g_array_new(FALSE, TRUE, sizeof(struct FrameAway));
        g_array_set_size(stack->aways, 1);
    }
    guint free = away_of(stack, 0)->next;
    if (free != 0)
    {
        away_of(stack, 0)->next = away_of(stack, free)->next;
        *away_of(stack, free) = none;
    }
    else if (stack->aways->len <= G_MAXUINT16)
    {
        free = stack->aways->len;
        g_array_append_val(stack->aways, none);
    }
    else
        return NULL;
    frame->away = free;
    frame->exit_word |= FRAME_NO_EXIT_WORD;
    return away_of(stack, free);
}

static gboolean is_of_no_function(const struct StackFrame *frame)
{
    return frame->address == G_MAXUINT64;
}

void fc_stack_drop_away(FcStack *stack, struct StackFrame *frame)
{
    if (frame->away == 0)
        return;
    away_of(stack, frame->away)->next = away_of(stack, 0)->next;
    away_of(stack, 0)->next = frame->away;
    frame->away = 0;
}

guint64 fc_stack_off_of(const FcStack *stack, const struct StackFrame *frame)
{
    if (frame->away == 0)
        return 0;
    const struct FrameAway *away = away_of(stack, frame->away);
    return away->now.off + away->before.off;
}

static void add_preempted(FcCounts *counts, const struct StackFrame *frame, guint64 ticks)
{
    if (ticks != 0)
        fc_counts_make_off(counts, counts->nodes[frame->node].function)->preempted += ticks;
}

/* Moves `rest`, the time off the CPU beyond the whole time of the frame, to its caller's own. */
static void pass_rest(FcStack *stack, const struct StackFrame *frame,
                      const struct StackFrame *caller, guint64 rest)
{
    FcCounts *counts = stack->counts;
    struct StackAway *own = &away_of(stack, frame->away)->own;
    const struct StackAway more = {.off = MIN(rest, own->off),
                                   .preempted = MIN(rest, own->preempted)};
    own->off -= more.off;
    own->preempted -= more.preempted;
    add(&away_of(stack, caller->away)->own, &more);
    fc_counts_add_wait(&counts->node_waits, frame->node, (FcCountsCost){0, -more.off});
    fc_counts_add_wait(&counts->node_waits, caller->node, (FcCountsCost){0, more.off});
    add_preempted(counts, frame, -more.preempted);
    add_preempted(counts, caller, more.preempted);
}

guint64 fc_stack_stop_away(FcStack *stack, struct StackFrame *frame, struct StackFrame *caller,
                           guint64 elapsed)
{
    FcCounts *counts = stack->counts;
    struct FrameAway *away = away_of(stack, frame->away);
    const struct StackAway now = away->now;
    const FcCountsNode *node = &counts->nodes[frame->node];
    FcCountsFunction *function = &counts->functions[node->function];
    const guint64 callees = frame->callees - MIN(frame->callees, frame->ran_before);
    add(&away->before, &now);
    away->now = (struct StackAway){0};
    /* at least the time of its callees stays, even if the program reports longer pauses */
    elapsed = MAX(elapsed - MIN(now.paused, elapsed), MIN(callees, elapsed));
    const guint64 off = MIN(now.off, elapsed);
    const gboolean is_only = fc_counts_activations(function) == 1;
    if (is_only || node->active == 1)
        fc_counts_add_wait(&counts->node_waits, frame->node, (FcCountsCost){off, 0});
    if (is_only || counts->arcs[frame->arc].active == 1)
        fc_counts_add_wait(&counts->arc_waits, frame->arc, (FcCountsCost){off, 0});
    if (is_only)
        function->wait_total += off;
    struct FrameAway *callers = is_of_no_function(caller) ? NULL : get_away(stack, caller);
    if (!callers)
        return elapsed;
    add(&callers->now, &now);
    if (now.off > off)
        pass_rest(stack, frame, caller, now.off - off);
    return elapsed;
}

static guint64 less(guint64 ticks, guint64 taken)
{
    return ticks - MIN(taken, ticks);
}

/* A call's time without `taken`, its time off the CPU.  The clocks of the two are read one after
 * the other, so a short rest has an error of up to ROOM_SLACK.  If it can't be told apart from
 * `least`, the shortest call that was never off the CPU, the result is at least that.  A call that
 * waited may be unlike the shortest one, so for it ROOM_SLACK is a limit for this. */
static guint64 rest_of(guint64 time, const struct StackAway *away, guint64 taken, guint64 least)
{
    const guint64 rest = less(time, taken);
    if (taken == 0 || least == G_MAXUINT64 || rest >= least ||
        (rest >= ROOM_SLACK && least - rest >= ROOM_SLACK))
        return rest;
    least = MIN(least, time);
    return away->off > away->preempted ? MAX(MIN(least, ROOM_SLACK), rest) : least;
}

static void add_away_activation(FcStack *stack, const struct StackFrame *frame,
                                const struct FrameAway *away, guint64 total, guint64 local)
{
    FcCounts *counts = stack->counts;
    FcCountsFunction *function = &counts->functions[counts->nodes[frame->node].function];
    const FcCountsBounds *alone = &function->bounds;
    const struct StackAway *before = &away->before;
    const struct StackAway *own = &away->own;
    const guint64 own_cpu = rest_of(local, own, own->off, alone->local_min);
    const guint64 cpu = rest_of(total, before, before->off, alone->total_min);
    total = rest_of(total, before, before->preempted, alone->total_min);
    local = rest_of(local, own, own->preempted, alone->local_min);
    fc_counts_bound_call(&function->elapsed, total, local);
    fc_counts_bound_call(&function->on_cpu, cpu, own_cpu);
    const struct EndedCall call = {frame->node, frame->arc, frame->entered, total};
    add_duration(counts, function, &call, stack->multiplier);
}

void fc_stack_end_away(FcStack *stack, struct StackFrame *frame, guint64 total, guint64 local)
{
    const struct FrameAway away = *away_of(stack, frame->away);
    if (frame->made != FRAME_INHERITED)
        add_away_activation(stack, frame, &away, total, local);
    if (frame->made >= FRAME_SAMPLED)
        fc_stack_end_sample(stack, frame->made - FRAME_SAMPLED, less(total, away.before.off),
                            less(local, away.own.off));
    fc_stack_drop_away(stack, frame);
}

/* ---- What waits are for --------------------------------------------------------------- */

/* Returns the place behind the call in which the function waits: its own call, or (if its frame is
 * not known) the innermost one in its module.  0: there is none. */
static guint64 find_site(const FcCounts *counts, const FcCountsFunction *function, gint module,
                         const FcStackWait *wait)
{
    guint64 innermost = 0;
    for (guint i = 0; i < wait->depth; i++)
    {
        const FcUnwindFrame *frame = &wait->frames[i];
        const guint64 site = frame->place + (i > 0); /* that of a caller is within the call */
        if (frame->start == function->address)
            return site;
        if (innermost == 0 && fc_modules_find(counts->modules, site, wait->time) == module)
            innermost = site;
    }
    return innermost;
}

static void add_wait_site(FcCounts *counts, guint32 index, const FcStackWait *wait)
{
    const FcCountsFunction *function = &counts->functions[index];
    FcCountsWaitSite site = {.function = index,
                             .module = fc_counts_known_module(counts, function->module,
                                                              function->address, function->seen)};
    if (site.module == FC_NONE)
        return;
    site.address = find_site(counts, function, site.module, wait);
    site.kind_ns[wait->kind] = wait->ns;
    if (site.address != 0)
        fc_wait_sites_add(&counts->wait_sites, &site);
}

/* Adds the samples of waits between two records to the innermost frame.  Drops earlier ones, since
 * no record reported where these waits were. */
static void take_wait_samples(FcStack *stack, guint64 before, guint64 time)
{
    GArray *samples = stack->wait_samples;
    const struct StackFrame *frame =
        stack->top > 0 ? &stack->frames[stack->top] : caller_of_segment(stack);
    guint taken = 0;
    if (!samples)
        return;
    for (; taken < samples->len; taken++)
    {
        const FcStackWait *sample = &g_array_index(samples, FcStackWait, taken);
        if (sample->time > time)
            break;
        if (sample->time < before || is_of_no_function(frame))
            continue;
        const guint32 function = stack->counts->nodes[frame->node].function;
        FcCountsOff *off = fc_counts_make_off(stack->counts, function);
        off->kind_ns[sample->kind] += sample->ns;
        add_wait_site(stack->counts, function, sample);
    }
    if (taken > 0)
        g_array_remove_range(samples, 0, taken);
    if (samples->len == 0 && stack->wait_frames)
        g_hash_table_remove_all(stack->wait_frames);
}

/* ---- Records ------------------------------------------------------------------------- */

static void add_to_innermost(FcStack *stack, const struct StackAway *more)
{
    struct StackFrame *frame =
        stack->top > 0 ? &stack->frames[stack->top] : caller_of_segment(stack);
    stack->off.off += more->off;
    stack->off.preempted += more->preempted;
    stack->off.paused += more->paused;
    struct FrameAway *away = is_of_no_function(frame) ? NULL : get_away(stack, frame);
    if (!away)
        return;
    add(&away->now, more);
    add(&away->own, more);
    fc_counts_add_wait(&stack->counts->node_waits, frame->node, (FcCountsCost){0, more->off});
    add_preempted(stack->counts, frame, more->preempted);
}

static guint64 to_ticks(const FcStack *stack, guint64 ns)
{
    const unsigned __int128 ticks = ((unsigned __int128)ns << 32) / MAX(stack->multiplier, 1);
    return ticks < G_MAXINT64 ? (guint64)ticks : G_MAXINT64;
}

/* Whether `off` ticks fit into `elapsed`, with a tolerance: the length of a tick is an estimate,
 * and the two clocks are read one after the other. */
static gboolean has_room(guint64 off, guint64 elapsed)
{
    return off <= elapsed + elapsed / 256 + ROOM_SLACK;
}

/* When the time was: somewhere in [from, to). */
static void add_to_lanes(FcStack *stack, const struct StackAway *more, guint64 from, guint64 to)
{
    fc_lanes_add(stack->lanes, from, to, (FcLaneTimes){more->off, more->preempted});
}

/* `last`: time of the record before; `before` is later if a part of the time since then has been
 * taken. */
static void take_seen(FcStack *stack, guint64 value, guint32 waits, guint64 last, guint64 before,
                      guint64 time)
{
    /* modulo 2^63 */
    const gint64 grown = (gint64)((value - stack->off_base) << 1) >> 1;
    const gboolean is_first = stack->off_seen == 0;
    const gboolean is_preempted = waits == stack->waits;
    stack->waits = waits;
    if (is_first || grown > 0)
        stack->off_base = value;
    if (!stack->lanes)
        stack->lanes = fc_lanes_new(MIN(stack->first, time), MAX(to_ticks(stack, LANE_NS), 1));
    if (is_first || grown <= 0)
        return;
    struct StackAway more = {.off = to_ticks(stack, (guint64)grown)};
    const guint64 elapsed = time - before;
    if (!has_room(more.off, elapsed))
    {
        const guint64 rest = more.off - elapsed;
        stack->off_pending.off += rest;
        stack->off_pending.preempted += is_preempted ? rest : 0;
        stack->is_pending = TRUE;
    }
    more.off = MIN(more.off, elapsed);
    more.preempted = is_preempted ? more.off : 0;
    stack->off_taken += more.off;
    add_to_innermost(stack, &more);
    add_to_lanes(stack, &more, MIN(last, time - more.off), time);
}

static void take_pause(FcStack *stack, guint64 ticks, guint64 off_ns, guint64 before, guint64 time)
{
    const struct StackAway more = {.paused = MIN(ticks, time - before)};
    stack->off_base += off_ns;
    stack->off_since += more.paused;
    add_to_innermost(stack, &more);
}

void fc_stack_note_outside(FcStack *stack, guint64 before, guint64 time)
{
    if (stack->outside_from == before && stack->outside_to == time)
        return; /* this record was noted before */
    if (stack->outside_to != before || before == 0)
    {
        stack->outside_from = before;
        stack->off_outside = stack->off;
    }
    stack->outside_to = time;
}

/* Whether the last record, at `before`, was also an FC_RECORD_OFF of the same frame.  It is not if
 * a frame was entered or left after it at the same time. */
static gboolean is_continued(const FcStack *stack, guint64 before)
{
    return before == stack->off_time && before >= stack->off_since &&
           stack->top == stack->off_top && stack->current == stack->off_segment &&
           (stack->top == 0 || stack->frames[stack->top].entered < before);
}

void fc_stack_take_off(FcStack *stack, guint64 kind, guint64 value, guint64 site, guint64 before,
                       guint64 time)
{
    const guint64 last = before;
    if (!is_continued(stack, before))
    {
        stack->off_since = before;
        stack->off_taken = stack->off_placed_at == time ? stack->off_placed : 0;
    }
    stack->off_time = time;
    stack->off_top = stack->top;
    stack->off_segment = stack->current;
    before = stack->off_since;
    switch ((enum FcOffRecord)kind)
    {
    case FC_OFF_SEEN:
    case FC_OFF_COARSE:
        take_wait_samples(stack, stack->off_since, time);
        before = MIN(before + stack->off_taken, time);
        take_seen(stack, value, (guint32)(site & FC_OFF_WAITS_MASK), last, before, time);
        stack->off_seen =
            MAX(stack->off_seen, kind == FC_OFF_COARSE ? FC_WAITS_COARSE : FC_WAITS_SEEN);
        return;
    case FC_OFF_PAUSED:
        take_pause(stack, value, site, before, time);
        return;
    }
    stack->counts->repairs.bad_records++;
}

void fc_stack_take_pending(FcStack *stack, guint64 time)
{
    const struct StackAway more = stack->off_pending;
    stack->off_pending = (struct StackAway){0};
    stack->is_pending = FALSE;
    if (has_room(more.off, time - MIN(stack->last, time)))
    {
        stack->off_placed = MIN(more.off, time - MIN(stack->last, time));
        stack->off_placed_at = time;
        stack->off_taken += stack->off_placed;
        add_to_innermost(stack, &more);
        add_to_lanes(stack, &more, MIN(stack->last, time), time);
        return;
    }
    stack->off.off += more.off;
    stack->off.preempted += more.preempted;
    stack->off.unplaced += more.off;
    add_to_lanes(stack, &more, stack->lanes->start, time);
}
