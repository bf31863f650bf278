/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Access to the loader's list of objects without waiting for the program.  The loader holds a lock
 * of its own while dl_iterate_phdr calls the program's function, and that function may wait for
 * any thread.  So libfc interposes dl_iterate_phdr: it reports what is in the list before it calls
 * the program's function, and does not ask the loader until that has returned.  Nobody else can
 * change the list meanwhile.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Finds what the interposer calls.  `report` is to report the loaded modules, signals blocked.
 * Called once, at start. */
void fc_loader_setup(void (*report)(void));

/* The addresses at which an object is mapped; *end is 0 if it is not mapped. */
void fc_loader_read_bounds(const struct dl_phdr_info *object, uint64_t *start, uint64_t *end);

/* The same for the loaded object that contains `address`.  False: there is none. */
bool fc_loader_find_bounds(const void *address, uintptr_t *start, uintptr_t *end);

/* True: the loader may be asked until fc_loader_end.  False: it may not.  Either the program's
 * function is being called, and the list was reported before, or the process is being forked.
 * Signals blocked. */
bool fc_loader_begin(void);
void fc_loader_end(void);

/* The same for what happens often and can be left out: also false while another thread waits for
 * those that ask.  Ended by fc_loader_end as well. */
bool fc_loader_begin_often(void);

/* To be called in the parent around a fork.  No other thread may have the loader's lock on
 * behalf of libfc then: nobody would release it in the child. */
void fc_loader_before_fork(void);
void fc_loader_after_fork(void);
void fc_loader_after_fork_in_child(void);

/* The interposer under a name that only libfc has. */
int fc_loader_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
    __attribute__((visibility("hidden")));
