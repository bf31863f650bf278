/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the hooks of after-inlining.c do once every register is kept.
 */
#include "libfc/after-inlining.h"

#include "libfc/clock.h"
#include "libfc/record.h"

void fc_after_inlining_record(uint64_t time, void *function, void *site, uint64_t where)
{
    if (fc_likely(fc_clock_is_fast()))
        fc_record_slow(time, function, site, where);
    else if (fc_clock_get_mode() != FC_CLOCK_OFF)
        fc_record_make(fc_clock_now(), function, site, where);
}
