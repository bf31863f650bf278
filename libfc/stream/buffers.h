/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A thread's private buffers.  For chunks.c, and for exit.c at the end of the process.  Signals
 * blocked throughout.
 */
#pragma once

#include "libfc/base/thread.h"
#include "libfc/fc-format.h"

#include <stdbool.h>

/* The unit where a private buffer's records begin: so many units follow as fit in one message,
 * and the message's headers fit in before them. */
#define FC_BUFFER_FIRST (FC_UNITS - FC_DATA_UNITS)

/* Begins a new use of the chunk.  Returns its generation. */
static inline uint32_t fc_chunk_next_generation(struct FcChunk *chunk)
{
    uint32_t next = (chunk->generation + 1) & 0xffff;
    if (next <= FC_GENERATION_LONG || next > FC_GENERATION_LAST)
        next = FC_GENERATION_LONG | 1; /* 0 is what untouched memory holds */
    chunk->generation = next;
    return next;
}

/* A buffer for the calling thread, which becomes its private_chunk.  NULL: there is no memory
 * (then profiling is off), or the process is ending.  `announce`: tells fcmanager about it.
 * *generation is that of the buffer's new use. */
struct FcChunk *fc_buffers_claim(bool announce, uint32_t *generation);

/* Gives up `chunk`, the thread's private_chunk, and leaves no cursor.  Sends what can be sent. */
void fc_buffers_flush(struct FcChunk *chunk);

/* Sends the buffers that the calling thread gave up, even if records are missing in them. */
void fc_buffers_send_parked(void);

/* Sends the buffers of the other threads, which send nothing any more: profiling is off for all
 * but the calling thread. */
void fc_buffers_send_others(void);

/* The calling thread ends without sending its buffers: takes them from the list by which other
 * threads would send them. */
void fc_buffers_leave(void);

/* The calling thread ends: sends and unmaps its buffers. */
void fc_buffers_free(void);

/* In a forked child: there are no buffers. */
void fc_buffers_after_fork(void);
