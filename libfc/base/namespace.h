/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PID namespaces: a process has a number in its own and in each one around it, and /proc shows
 * the numbers of that which it was mounted in, which may be another one than ours.  Used where
 * processes are looked up in /proc, and where it matters whether fcmanager is in ours.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the kernel calls the PID namespace of this process; 0: not known, /proc is not there. */
uint64_t fc_namespace_own(void);

/* Whether children that are made now would be in another one (unshare, setns). */
bool fc_namespace_changes(void);

/* The number of this process, and of the parent of the process whose folder in /proc is open as
 * `process`, as /proc has it; 0: it is not there. */
int fc_namespace_self_in_proc(void);
int fc_namespace_parent_in_proc(int process);
