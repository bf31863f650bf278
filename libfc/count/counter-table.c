/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See counter-table.h.
 */
#include "libfc/count/counter-table.h"

#include <string.h>

#if defined(FC_AFTER_INLINING)
#define ENDBR64 0xfa1e0ff3u
#define PUSH_R10 0x5241u
#define CALL 0xe8

/* Where the call of __fentry__ returns to.  A nested function has its static chain on the stack
 * meanwhile: the hooks in modules are not to find it. */
static uint64_t key_after_inlining(uint64_t function)
{
    uint64_t at = function & FC_POINTER_MASK;
    uint32_t first;
    memcpy(&first, (const void *)at, sizeof first);
    at += first == ENDBR64 ? 4 : 0;
    uint16_t next;
    memcpy(&next, (const void *)at, sizeof next);
    if (next == PUSH_R10)
        return function & ~FC_FUNCTION_AFTER_INLINING;
    return (at + ((next & 0xff) == CALL ? 5 : 6)) | FC_FUNCTION_AFTER_INLINING;
}
#endif

uint64_t fc_counter_table_key(uint64_t function)
{
#if defined(FC_AFTER_INLINING)
    if ((function & FC_FUNCTION_AFTER_INLINING) != 0 && (function & FC_COUNT_DEEP) == 0)
        return key_after_inlining(function);
#endif
    return function;
}
