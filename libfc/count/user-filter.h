/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_FILTER inside the program: asks fcmanager about each module that is loaded, and says for an
 * address what the user wants done with the function there.  Only fcmanager knows names.
 */
#pragma once

#include "libfc/fc-choices.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

struct FcFilteredModule;

/* `report` is to send fcmanager the modules that were loaded, signals blocked.  Called
 * once, at start. fc_user_filter_report_modules calls it. */
void fc_user_filter_setup(void (*report)(void));
void fc_user_filter_report_modules(void);

/* Makes the memory for the answers if FC_FILTER is set.  Returns its descriptor, which is to be
 * given to fcmanager. -1: FC_FILTER is not set, or there is no memory, which a notice says. */
int fc_user_filter_make(void);

/* Maps the memory of the session that this process joins.  `fd` stays the caller's. */
void fc_user_filter_map(int fd);

/* The manager did not start: there is no filter. */
void fc_user_filter_unmap(void);

/* Whether there is a filter. */
bool fc_user_filter_is_on(void);

/* The number of the answer that is to be asked for; 0: there is no filter. fc_user_filter_take
 * waits for that answer and keeps it for the module `info`; NULL where there is no memory.
 * Signals blocked, one thread at a time. */
uint32_t fc_user_filter_ask(void);
struct FcFilteredModule *fc_user_filter_take(uint32_t number, const struct FcModuleInfo *info);

/* That module was unloaded.  NULL is allowed.  Signals blocked, one thread at a time. */
void fc_user_filter_forget(struct FcFilteredModule *module);

/* Sets *action (enum FcFilterAction) for the function at that address.  False: its module is not
 * known.  Async-signal-safe. */
bool fc_user_filter_find(uint64_t function, uint32_t *action);
