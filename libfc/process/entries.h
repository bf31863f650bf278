/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counters of function entries (fc-entries.h).  Gives each thread its own counters, in shared
 * memory, so that fcmanager can read them even if the process is killed.
 */
#pragma once

#include "libfc/fc-entries.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether any loaded module has such counters. */
bool fc_entries_are_used(void);

/* Adds the counters of a module that was just loaded.  Called before any other code of the
 * module runs.  fcmanager must know the module and, unless profiling is off, the calling thread.
 * Signals blocked. */
void fc_entries_add(const struct FcEntrySections *sections);

/* Tells fcmanager where those calls lead that the loader has bound since the module was loaded.
 * Called at the end of the process.  Signals blocked. */
void fc_entries_send_bound(void);

/* Gives the calling thread, which is new and still has its creator's counters, its own.  Signals
 * blocked. */
void fc_entries_begin_thread(void);
/* Ends the calling thread's counters.  It counts in the modules' own counters from here on.
 * Signals blocked. */
void fc_entries_end_thread(void);

/* Forgets the modules at addresses [start, end), which were unloaded.  Signals blocked. */
void fc_entries_forget(uint64_t start, uint64_t end);

/* In a forked child: fc_entries_leave comes first, and unmaps the parent's counters.
 * fc_entries_after_fork gives the child shared ones, once its first thread is announced.
 * Signals blocked. */
void fc_entries_leave(void);
void fc_entries_after_fork(void);
