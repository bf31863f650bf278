/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Included before all else where libfc is compiled for tests/race: what ThreadSanitizer has to
 * see or wants otherwise.
 */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

/* It has done with a thread in the last round of its keys' destructors: so libfc must have
 * in the one before. */
#undef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 3

/* Calls libc's function where the system call orders what threads do. */
long race_syscall(long number, long a, long b, long c, long d, long e, long f)
    __attribute__((visibility("hidden")));
#define fc_syscall race_syscall

/* Its hooks are not compiled for this. */
#undef FC_AFTER_INLINING
