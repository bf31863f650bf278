/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counters of function entries (fc-entries.h): where each thread has its own, and that fcmanager
 * can read them whatever becomes of the process.
 */
#pragma once

#include "libfc/fc-entries.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a module has such counters. */
bool fc_entries_are_used(void);

/* The counters of a module that was loaded, before any other code of it runs.  The module is
 * announced; so is the calling thread, unless profiling is off.  Signals blocked. */
void fc_entries_add(const struct FcEntrySections *sections);

/* The calling thread, which is new and has its maker's counters, gets its own.  Signals blocked. */
void fc_entries_begin_thread(void);
/* The calling thread's counters are complete: what it counts from here on goes to the modules' own.
 * Signals blocked. */
void fc_entries_end_thread(void);

/* The modules at addresses [start, end) are unloaded.  Signals blocked. */
void fc_entries_forget(uint64_t start, uint64_t end);

/* In a forked child, first: it leaves its parent's counters.  Then, once its first thread is
 * announced: what it counts can be read. Signals blocked. */
void fc_entries_leave(void);
void fc_entries_after_fork(void);
