/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decides from /proc what a waiting thread waits for.  Called by proc-thread.c.
 */
#pragma once

#include "profile/fc-profile.h"

/* `state`: the thread's state letter in stat.  `call`: the text of its file "syscall", which may be
 * NULL: reading it takes the right to trace the process.  `where`: the text of "wchan", the kernel
 * function in which it waits; NULL or "0": not known.  A lock is known by `call` only. */
FcWaitKind fc_wait_kind_of(char state, const char *call, const char *where);
