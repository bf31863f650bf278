/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The least that a runtime which records each call must do: read the time-stamp
 * counter and store 24 bytes in a buffer of the thread.  It takes libfc's place in
 * the benchmarks (LD_LIBRARY_PATH) and is what libfc is measured against; it
 * records into the same buffer over and over and must never do anything else.
 */
#include "tests/support/stand_in.h"

#include <stdint.h>
#include <time.h>

#define RECORDS 2048u

struct record
{
    uint64_t time;
    uint64_t function;
    uint64_t site;
};

static __thread struct record records[RECORDS] __attribute__((tls_model("initial-exec")));
static __thread uint32_t next __attribute__((tls_model("initial-exec")));

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static inline void record(uint64_t function, uint64_t site)
{
    struct record *slot = &records[next++ % RECORDS];
    slot->time = ticks();
    slot->function = function;
    slot->site = site;
    /* Nobody reads them, which the compiler must not know: it would store nothing. */
    __asm__ volatile("" : : "r"(slot) : "memory");
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function, void *site)
{
    record((uintptr_t)function, (uintptr_t)site);
}

__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function, void *site)
{
    record((uintptr_t)function, (uintptr_t)site | 1);
}

STAND_IN(__cyg_profile_func_enter, __cyg_profile_func_exit);
void __functioncheck_fentry(void) __attribute__((visibility("default")));
void __functioncheck_fentry_refill(void) __attribute__((visibility("default")));
void __functioncheck_return(void) __attribute__((visibility("default")));
void __functioncheck_fentry(void)
{
}
void __functioncheck_fentry_refill(void)
{
}
void __functioncheck_return(void)
{
}
