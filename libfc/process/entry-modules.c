/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Registers the entry counters of a module.  Called by the constructor in each such module
 * (libfc/hooks/module-entries.c).
 */
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/thread.h"
#include "libfc/process/entries.h"
#include "libfc/process/modules.h"
#include "libfc/process/start.h"
#include "libfc/process/threads.h"

void fc_entries_register(const struct FcEntrySections *sections) __asm__(FC_ENTRIES_BEGIN)
    __attribute__((visibility("default")));

void fc_entries_register(const struct FcEntrySections *sections)
{
    /* after profiling has stopped, threads may still have their own counters */
    if (!fc_start() && !fc_entries_are_used())
        return;
    const uint64_t old = fc_block_signals();
    if (!fc_state_is_off())
    {
        if (fc_thread.number == 0)
            fc_threads_start();
        fc_modules_scan();
    }
    fc_entries_add(sections);
    fc_restore_signals(old);
}
