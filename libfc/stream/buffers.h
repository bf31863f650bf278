/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A thread's private buffers.  For chunks.c, and for exit.c at the end of the process.  Signals
 * blocked throughout.
 */
#pragma once

#include "libfc/base/thread.h"
#include "libfc/fc-format.h"

#include <stdbool.h>

/* The unit where a private buffer's records begin: such that as many follow as go in one message,
 * and its headers fit in before them. */
#define FC_BUFFER_FIRST (FC_UNITS - FC_DATA_UNITS)

/* Begins another use of the chunk; returns its generation. */
static inline uint32_t fc_chunk_next_generation(struct FcChunk *chunk)
{
    uint32_t next = (chunk->generation + 1) & 0xffff;
    if (next <= FC_GENERATION_LONG || next > FC_GENERATION_LAST)
        next = FC_GENERATION_LONG | 1; /* 0 is what untouched memory holds */
    chunk->generation = next;
    return next;
}

/* A buffer for the calling thread, which becomes its private_chunk; NULL where there is no memory
 * (profiling is off then) or the process ends.  `announce`: fcmanager has to be told.  `generation`
 * is that of the buffer's new use. */
struct FcChunk *fc_buffers_claim(bool announce, uint32_t *generation);

/* Gives up `chunk`, the thread's private_chunk; the cursor is none then.  Sends what can be sent.
 */
void fc_buffers_flush(struct FcChunk *chunk);

/* Sends what the calling thread gave up, also with records missing. */
void fc_buffers_send_parked(void);

/* Sends what other threads have; they send nothing any more, as profiling is off for all but the
 * calling thread. */
void fc_buffers_send_others(void);

/* The calling thread ends, and with it what the others know its buffers by: they are not sent. */
void fc_buffers_leave(void);

/* The calling thread ends: sends and unmaps its buffers. */
void fc_buffers_free(void);

/* In a forked child: there are none. */
void fc_buffers_after_fork(void);
