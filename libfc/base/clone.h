/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes a child process by the bare system call. libc's clone may be the program's own, or a
 * sanitizer's, which prepares the child's memory for a new life; with CLONE_VM that is the
 * program's memory.
 */
#pragma once

/* Makes a child that calls `run` with `data` on the stack that ends at `stack` (a multiple of
 * 16) and exits with what it returns.  `flags` are those of clone(2) without further arguments.
 * Returns the child's pid, or -errno. */
int fc_clone(int (*run)(void *), void *stack, int flags, void *data);
