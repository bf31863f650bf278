/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all who make records call when the thread's chunk has no room, or there is none.  It is in
 * slow.c: the one way from the stream up to what starts profiling and knows processes and threads.
 */
#pragma once

#include "libfc/fc-records.h"

#include <stdint.h>

/* Stores a long record in a new chunk, waiting for one if need be, or drops it when profiling is
 * off.  Async-signal-safe; errno is kept. */
void fc_record_slow(uint64_t time, void *function, void *site, uint64_t where);

/* An FC_RECORD_OFF of a thread that has no chunk and may never need one: sends it by itself.
 * Signals blocked. */
void fc_record_send_off(const struct FcRecord *record);
