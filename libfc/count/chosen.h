/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the user chose (choice.h), applied to the calls of a thread.  For counted.c and slow.c;
 * async-signal-safe.
 */
#pragma once

#include "libfc/count/counters.h"

enum FcChosenWay
{
    FC_CHOSEN_RECORD, /* or count, where it is counted already */
    FC_CHOSEN_SKIP,
    FC_CHOSEN_COUNT, /* from here on */
};

/* With a choice or a limit of depth: every call of this thread's is looked at from here on.  False
 * where that is so already, or can't be.  Signals blocked. */
bool fc_chosen_begin(void);

/* What is to be done with an entry or an exit.  Later calls of what is skipped or recorded the
 * hooks settle by themselves. */
enum FcChosenWay fc_chosen_enter(struct FcCounted *counted, uint64_t function, uint64_t site);
enum FcChosenWay fc_chosen_exit(struct FcCounted *counted, uint64_t function);

/* The thread goes on on another stack: where there are coroutines nothing is counted any more, as
 * detail.c has it, for what is open is not known. */
void fc_chosen_switch(struct FcCounted *counted);

/* Whether a record is to be dropped, of a thread that has no tables any more. */
bool fc_chosen_drops(uint64_t function);

/* Whether detail.c may have it counted. */
bool fc_chosen_leaves(uint64_t function);
