/* SPDX-License-Identifier: 0BSD
 *
 * What a thread's hooks read first.  Modules that were linked with the hooks contain this layout:
 * if it changes, the names in counter-table.h change as well.
 */
#pragma once

#include <stdint.h>

/* Its name in the modules.  In a library for tests, whose tables have another layout than
 * modules expect, that name belongs to a structure of zeros. */
#define FC_MODULE_HOOKS "__functioncheck_hooks_4"

struct FcCounterTable;
struct FcRecorded;

struct FcHooks
{
    struct FcCounterTable *table; /* NULL: nothing is counted in this thread */
    /* Non-NULL whenever `table` is; otherwise NULL or a dummy.  Kept once the thread has counted.
     */
    uint64_t *current_word;
    /* Of code that gcc instrumented after inlining: a return address on the stack within `room`
       bytes above `stack_start` belongs to a call without an entry record, or to one that is being
       entered.  Nothing is known of other addresses (recorded.h). */
    uint64_t stack_start;
    uint64_t room;
    struct FcRecorded *recorded;
};
extern __thread struct FcHooks fc_hooks
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
