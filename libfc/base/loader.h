/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who may ask the loader for its list of objects, without waiting for the program: the loader holds
 * a lock of its own while dl_iterate_phdr calls the program's function, and that may wait for any
 * thread.  So libfc interposes dl_iterate_phdr, tells of what is in the list before the
 * program's function is called, and asks no more until that has come back: nobody else can change
 * the list meanwhile.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Finds what the interposer calls; `tell` is to tell of what is loaded, signals blocked.  Once, at
 * start. */
void fc_loader_setup(void (*report)(void));

/* From where to where an object is mapped; `end` is 0 where nothing is. */
void fc_loader_read_bounds(const struct dl_phdr_info *object, uint64_t *start, uint64_t *end);

/* The same of the loaded object that holds `address`.  False: there is none. */
bool fc_loader_find_bounds(const void *address, uintptr_t *start, uintptr_t *end);

/* False: the loader is not to be asked now.  It could not answer, and what is in the list was told
 * when the program's function was called; or the process is just being forked.  True: it may be
 * until fc_loader_end.  Signals blocked. */
bool fc_loader_begin(void);
void fc_loader_end(void);

/* The same for what is done at any time and can be left out: false also where another thread waits
 * for those who ask.  Until fc_loader_end, too. */
bool fc_loader_begin_often(void);

/* No other thread is to have the loader's lock on our behalf when the process is forked: in the
 * child nobody would release it.  In the parent, around the fork. */
void fc_loader_before_fork(void);
void fc_loader_after_fork(void);
void fc_loader_after_fork_in_child(void);

/* The interposer, by a name that is ours alone. */
int fc_loader_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
    __attribute__((visibility("hidden")));
