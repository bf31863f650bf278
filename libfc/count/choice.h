/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the user chose for functions with FC_FILTER: finds it out with each module that is loaded,
 * and knows it of each address.  Names are fcmanager's business.
 */
#pragma once

#include "libfc/fc-choices.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

struct FcChosen;

/* `tell` tells fcmanager which modules were loaded, and is called by fc_choice_tell_modules, which
 * wants signals blocked.  Once, at start. */
void fc_choice_setup(void (*tell)(void));
void fc_choice_tell_modules(void);

/* Makes the memory for the answers where the user chose something.  Returns its descriptor, which
 * fcmanager is to have; -1: there is nothing to choose, or no memory, which a notice says. */
int fc_choice_make(void);

/* Maps that of the session that is joined; `fd` stays the caller's. */
void fc_choice_map(int fd);

/* The manager did not start: nothing is chosen. */
void fc_choice_unmap(void);

/* Whether there is anything to be asked of functions. */
bool fc_choice_is_on(void);

/* The number of an answer to ask for, 0: there is nothing to be asked for.  Then waits for it; NULL
 * where the module, which `info` is of, can't be kept.  Signals blocked, one thread at a time. */
uint32_t fc_choice_ask(void);
struct FcChosen *fc_choice_take(uint32_t number, const struct FcModuleInfo *info);

/* The module of which that was told is gone; NULL: nothing was.  Signals blocked, one thread at a
 * time. */
void fc_choice_forget(struct FcChosen *chosen);

/* The choice (enum FcChoice) for the function at that address.  False where the module that
 * it is in is not known.  Async-signal-safe. */
bool fc_choice_find(uint64_t function, uint32_t *choice);
