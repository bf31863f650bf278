/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See recorded.h.
 */
#include "libfc/count/recorded.h"

#include "libfc/base/frame-address.h"
#include "libfc/base/thread.h"
#include "libfc/count/detail.h"

#include <stddef.h>

#if !defined(FC_TEST_EAGER)
/* The layout that module-after-inlining.S assumes. */
_Static_assert(sizeof(struct FcPair) == 32 && FC_COUNTER_PAIRS == 4096, "");
_Static_assert(offsetof(struct FcPair, key) == 0 && offsetof(struct FcCounterTable, pairs) == 0,
               "");
_Static_assert(offsetof(struct FcPair, site) == 8 && offsetof(struct FcPair, counter) == 16, "");
_Static_assert(offsetof(struct FcPair, current_word) == 24, "");
_Static_assert(offsetof(struct FcCount, word) == 0, "and fc_counter_table_count");
_Static_assert(offsetof(struct FcHooks, table) == 0 && offsetof(struct FcHooks, current_word) == 8,
               "");
_Static_assert(offsetof(struct FcHooks, stack_start) == 16, "");
_Static_assert(offsetof(struct FcHooks, room) == 24, "");
#endif

void fc_recorded_use(struct FcRecorded *recorded, uint64_t stack_start, uint64_t stack_bytes)
{
    recorded->stack_start = stack_start;
    recorded->stack_bytes = stack_bytes;
    fc_hooks.recorded = recorded;
    fc_hooks.stack_start = stack_start;
    fc_recorded_publish(recorded);
}

bool fc_recorded_begin(void)
{
    if (fc_hooks.recorded)
        return true;
    struct FcRecorded *recorded = fc_map(sizeof *recorded);
    if (!recorded)
        return false;
    fc_recorded_use(recorded, fc_thread.own_stack.start,
                    fc_thread.own_stack.end - fc_thread.own_stack.start);
    uint32_t count;
    const struct FcOpen *open = fc_detail_get_open(&count);
    for (uint32_t i = 0; i < count; i++)
        if (open[i].function & FC_FUNCTION_AFTER_INLINING)
            fc_recorded_push(recorded, open[i].function, open[i].site,
                             fc_frame_address(open[i].function, open[i].where));
    return true;
}

void fc_recorded_end(void)
{
    fc_hooks.room = 0;
    if (fc_hooks.recorded)
        fc_unmap(fc_hooks.recorded, sizeof *fc_hooks.recorded);
    fc_hooks.recorded = NULL;
}
