/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PID namespaces.  A process has a number in its own namespace and in each one around it. /proc
 * shows the numbers of the namespace that it was mounted in, which may be another one.  Used where
 * processes are looked up in /proc, and where it matters whether fcmanager is in this process's
 * namespace.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The kernel's name for the PID namespace of this process; 0: not known, as /proc is not there. */
uint64_t fc_namespace_own(void);

/* Whether new children would be in another PID namespace (unshare, setns). */
bool fc_namespace_changes(void);

/* The number of this process, and that of the parent of the process whose folder in /proc is
 * open as `process`, according to /proc; 0: it is not there. */
int fc_namespace_self_in_proc(void);
int fc_namespace_parent_in_proc(int process);
