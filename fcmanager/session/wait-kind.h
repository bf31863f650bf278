/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a waiting thread waits for, by what /proc says of it.  Called by proc-thread.c.
 */
#pragma once

#include "profile/fc-profile.h"

/* `state`: its letter in stat.  `call`: the text of its file "syscall", which may be NULL: reading
 * that takes the right to trace the process.  `where`: of "wchan", the name of the kernel's
 * function that it waits in; NULL or "0": not known.  A lock is known by `call` only. */
FcWaitKind fc_wait_kind_of(char state, const char *call, const char *where);
