/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See depth.h.  An exit finds its call, and jumps are recognized, by the same rules as in
 * fcmanager/stack/stack.c: both must agree on which exit belongs to which call.
 */
#include "libfc/count/depth.h"

#include "libfc/base/config.h"
#include "libfc/base/frame-address.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"

/* With more open calls than this, calls are too deep whatever FC_DEPTH is, which is FC_DEPTH_MAX
 * at most. */
#define FRAMES_MAX 4096u
_Static_assert(FRAMES_MAX > FC_DEPTH_MAX, "too deep");

struct Frame
{
    uint64_t function;
    uint64_t site;
    uint64_t where; /* as in a record, with flags in place of the kind: */
};
#define IS_DEEP 1u

struct FcDepth
{
    uint32_t limit; /* NO_LIMIT: the thread was on another stack */
    uint32_t count;
    struct Frame frames[FRAMES_MAX];
};
#define NO_LIMIT UINT32_MAX

bool fc_depth_is_on(void)
{
    return fc_config.depth != 0;
}

void fc_depth_begin(void)
{
    if (fc_thread.depth)
        return; /* in a forked child: the parent's */
    struct FcDepth *depth = fc_map(sizeof *depth);
    if (!depth)
        return;
    depth->limit = fc_config.depth;
    fc_thread.depth = depth;
}

void fc_depth_end(void)
{
    if (fc_thread.depth)
        fc_unmap(fc_thread.depth, sizeof *fc_thread.depth);
    fc_thread.depth = NULL;
}

void fc_depth_set_limit(uint32_t limit)
{
    if (fc_thread.depth)
        fc_thread.depth->limit = limit;
}

void fc_depth_reset_limit(void)
{
    fc_depth_set_limit(fc_config.depth);
}

void fc_depth_stop(void)
{
    fc_depth_set_limit(NO_LIMIT);
}

/* ---- What is open -------------------------------------------------------------------- */

static uint64_t address_of(const struct Frame *frame)
{
    return fc_frame_address(frame->function, frame->where);
}

static bool is_within(const struct FcStackInfo *stack, uint64_t address)
{
    return address - 1 - stack->start < stack->end - stack->start;
}

/* overhead.c calls this before the stack is known. */
static bool is_on_own_stack(uint64_t address)
{
    return fc_thread.own_stack.end == 0 || is_within(&fc_thread.own_stack, address);
}

static bool is_elsewhere(uint64_t address)
{
    return !is_on_own_stack(address) && !is_within(&fc_thread.signal_stack, address);
}

/* Removes the calls below `address`, which were left.  If the stack goes on that a handler
 * interrupted, removes all calls of the handler. */
static void cut(struct FcDepth *depth, uint64_t address)
{
    const bool is_own = is_on_own_stack(address);
    while (depth->count > 0)
    {
        const uint64_t top = address_of(&depth->frames[depth->count - 1]);
        if (is_on_own_stack(top) == is_own ? top >= address : !is_own)
            return;
        depth->count--;
    }
}

/* Functions that are inlined into one another have the same address and call site; but the very
 * same call can't be made again before it has returned. */
static void cut_repeated(struct FcDepth *depth, uint64_t function, uint64_t site, uint64_t where)
{
    for (uint32_t i = depth->count; i > 0; i--)
    {
        const struct Frame *frame = &depth->frames[i - 1];
        if (address_of(frame) != fc_frame_address(function, where))
            return;
        if (frame->site != site ||
            (frame->function == function &&
             frame->where >> FC_WHERE_RETURN_SHIFT == where >> FC_WHERE_RETURN_SHIFT))
        {
            depth->count = i - 1;
            return;
        }
    }
}

bool fc_depth_enter(uint64_t function, uint64_t site, uint64_t where)
{
    struct FcDepth *depth = fc_thread.depth;
    const uint64_t address = fc_frame_address(function, where);
    if (is_elsewhere(address))
    {
        fc_depth_stop();
        return false;
    }
    cut(depth, address);
    cut_repeated(depth, function, site, where);
    const uint32_t at = depth->count;
    const bool is_deep = at >= depth->limit;
    if (at == FRAMES_MAX)
        return is_deep;
    const struct Frame frame = {function, site,
                                (where & ~FC_WHERE_KIND_MASK) | (is_deep ? IS_DEEP : 0)};
    depth->frames[at] = frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    depth->count = at + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    depth->frames[at] = frame; /* a handler in between may have used and left the entry */
    return is_deep;
}

/* The number of the open call that the exit belongs to, from 1 on; 0: no known one. */
static uint32_t find(const struct FcDepth *depth, uint64_t function, uint64_t address, bool is_tail)
{
    const bool is_own = is_on_own_stack(address);
    uint32_t innermost = 0;
    for (uint32_t i = depth->count; i > 0; i--)
    {
        const struct Frame *frame = &depth->frames[i - 1];
        const uint64_t at = address_of(frame);
        if (frame->function != function || is_on_own_stack(at) != is_own)
            continue;
        if (is_tail || at >= address)
            return i;
        if (innermost == 0)
            innermost = i; /* this call, whose function moved the stack pointer, unless another
                              call fits */
    }
    return innermost;
}

bool fc_depth_exit(uint64_t function, uint64_t site, uint64_t where)
{
    struct FcDepth *depth = fc_thread.depth;
    const uint64_t address = fc_frame_address(function, where);
    /* a hook that was tail-called runs on the stack of its function's caller */
    const bool is_tail = (function & FC_FUNCTION_AFTER_INLINING) == 0 &&
                         where >> FC_WHERE_RETURN_SHIFT == (site & 0xffff);
    if (is_elsewhere(address))
        return false;
    if (depth->count == FRAMES_MAX &&
        address - (is_tail ? 16 : 0) < address_of(&depth->frames[FRAMES_MAX - 1]))
        return depth->limit != NO_LIMIT; /* there was no room for the call, which was too deep */
    const uint32_t number = find(depth, function, address, is_tail);
    if (number == 0)
        return false;
    const bool is_deep = depth->frames[number - 1].where & IS_DEEP;
    depth->count = number - 1;
    return is_deep;
}

uint64_t fc_depth_find_at(uint64_t site, uint64_t where)
{
    struct FcDepth *depth = fc_thread.depth;
    const uint64_t address = fc_frame_address(FC_FUNCTION_AFTER_INLINING, where);
    if (!depth || is_elsewhere(address))
        return FC_DEPTH_UNKNOWN;
    if (depth->count == FRAMES_MAX && address < address_of(&depth->frames[FRAMES_MAX - 1]))
        return depth->limit == NO_LIMIT ? FC_DEPTH_UNKNOWN : FC_DEPTH_NONE;
    cut(depth, address);
    if (depth->count == 0)
        return FC_DEPTH_NONE;
    const struct Frame *top = &depth->frames[depth->count - 1];
    return (top->function & FC_FUNCTION_AFTER_INLINING) != 0 && top->site == site &&
                   address_of(top) == address
               ? top->function
               : FC_DEPTH_NONE;
}

void fc_depth_jump(uint64_t address)
{
    if (fc_thread.depth && !is_elsewhere(address))
        cut(fc_thread.depth, address);
}

/* ---- Counting ------------------------------------------------------------------------ */

static struct FcPair *make_pair(struct FcCounted *counted, uint64_t function, uint64_t site)
{
    if (fc_counters_are_full(counted))
        return NULL;
    uint64_t old = fc_block_signals();
    struct FcFunction *known = fc_counters_find(counted, function);
    if (!known)
    {
        known = fc_counters_add(counted, function);
        if (known)
            fc_counters_publish(counted, known, function);
    }
    struct FcPair *pair = known ? fc_counters_make_pair(counted, known, site, false) : NULL;
    fc_restore_signals(old);
    return pair;
}

/* Returns whether the counter had to be refilled. */
static bool count_in(struct FcCounted *counted, struct FcPair *pair)
{
    if (fc_counter_table_count(pair))
        return false;
    struct FcCount *count = fc_counter_table_counter(pair);
    if (count)
        fc_counters_refill(counted, count, 0);
    return count;
}

bool fc_depth_handles_entry(struct FcCounted *counted, uint64_t function, uint64_t site,
                            uint64_t where)
{
    struct FcPair *pair = fc_counters_pair(counted, function, site);
    if (pair && fc_counter_table_counter(pair) == &counted->skipped)
        return true;
    /* a function without a counter may be one to skip: that has to be found out first */
    pair = fc_counters_pair(counted, function | FC_COUNT_DEEP, site);
    if (!pair || !fc_thread.depth || !fc_depth_enter(function, site, where))
        return false;
    count_in(counted, pair); /* no record says that the counter was refilled */
    return true;
}

bool fc_depth_handles_exit(uint64_t site, uint64_t where)
{
    uint64_t function = fc_depth_find_at(site, where);
    if (function == FC_DEPTH_NONE)
        return true;
    if (function == FC_DEPTH_UNKNOWN)
        return false;
    struct FcDepth *depth = fc_thread.depth;
    const struct Frame *top = &depth->frames[depth->count - 1];
    const bool is_last =
        depth->count < 2 || depth->frames[depth->count - 2].site != site ||
        address_of(&depth->frames[depth->count - 2]) != fc_frame_address(function, where);
    if (!(top->where & IS_DEEP) || !is_last)
        return false;
    depth->count--;
    return true;
}

void fc_depth_count(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where)
{
    const uint64_t deep = function | FC_COUNT_DEEP;
    struct FcPair *pair = fc_counters_pair(counted, deep, site);
    /* otherwise the counter would be the parent's; the record reveals the fork */
    if (!pair && !fc_state_forked_unseen())
        pair = make_pair(counted, deep, site);
    if (!pair)
        fc_counters_record_counted(FC_COUNT_DEEP_ONE, function, site, where);
    else if (count_in(counted, pair))
        fc_counters_record_counted(FC_COUNT_DEEP_SEEN, function, site, where);
}
