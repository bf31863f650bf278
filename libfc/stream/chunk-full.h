/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Called where the thread's chunk has no room, or there is none.  Defined in slow.c: this is the
 * only way up from here to the code that starts profiling and knows processes and threads.
 */
#pragma once

#include "libfc/fc-records.h"

#include <stdint.h>

/* Stores a long record in a new chunk, after waiting for one if need be.  Drops it if profiling
 * is off.  Async-signal-safe; keeps errno. */
void fc_record_slow(uint64_t time, void *function, void *site, uint64_t where);

/* Sends an FC_RECORD_OFF by itself, of a thread that has no chunk and may never need one.
 * Signals blocked. */
void fc_record_send_off(const struct FcRecord *record);
