/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A child by the bare system call: libc's clone may be the program's own, or a sanitizer's, which
 * prepares the child's memory for its new life; with CLONE_VM that memory is the program's as well.
 */
#pragma once

/* Makes a child that runs `run` with `data` on the stack that ends at `stack` (a multiple of 16),
 * and ends with what that returns for its status.  `flags` as for clone(2), none of those that
 * take further arguments.  Returns the child's pid, or -errno. */
int fc_clone(int (*run)(void *), void *stack, int flags, void *data);
