/* SPDX-License-Identifier: 0BSD
 *
 * System calls as libfc makes them: never a cancellation point, the program's errno untouched,
 * failure returned as -errno.  For every file of libfc; async-signal-safe and thread-safe
 * throughout.
 */
#pragma once

#if !(defined(__x86_64__) && defined(__LP64__)) &&                                                 \
    !(defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__))
#error "libfc is written for x86-64 and arm64 (little-endian, 64 bits) alone"
#endif

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Marks the few functions that the program and its compiler are to find; libfc.map.in has their
 * versions. */
#define FC_EXPORT __attribute__((visibility("default")))

/* Marks an interposer that ends by a jump to libc's function, so that this function sees the
 * interposer's caller as its own.  Used as `FC_JUMP real(arguments);` in a function marked
 * FC_JUMPING. */
#if defined(__clang__)
#define FC_JUMP __attribute__((musttail)) return
#define FC_JUMPING
#else
#define FC_JUMP return
#define FC_JUMPING __attribute__((optimize("O2,optimize-sibling-calls,omit-frame-pointer")))
#endif

/* Realigns the stack in what hooks call beyond their own instructions: assembly may have called
 * the program's function with a stack that is aligned well enough for that function only. */
#if defined(__x86_64__)
#define FC_REALIGN __attribute__((force_align_arg_pointer))
#else
#define FC_REALIGN
#endif

#define fc_likely(x) __builtin_expect(!!(x), 1)
#define fc_unlikely(x) __builtin_expect(!!(x), 0)

/* Where the calling thread lets the kernel hand its system calls to a SIGSYS handler (prctl.c):
 * the byte that lets them pass, as libfc's have to.  NULL: it does not. */
extern __thread volatile char *fc_sys_dispatch
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define FC_SYS_DISPATCH_ALLOW 0

/* One system call by the kernel's own entry. libc's functions may be the program's, and some are
 * cancellation points.  Returns -errno on failure. */
#if !defined(fc_syscall)
static inline long fc_syscall_bare(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result = number;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long which __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    register long sixth __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(first)
                     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "memory");
    return first;
#endif
}

static inline long fc_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    volatile char *dispatch = fc_sys_dispatch;
    if (fc_likely(!dispatch))
        return fc_syscall_bare(number, a, b, c, d, e, f);
    const char was = *dispatch;
    *dispatch = FC_SYS_DISPATCH_ALLOW;
    const long result = fc_syscall_bare(number, a, b, c, d, e, f);
    *dispatch = was;
    return result;
}
#endif

/* The same with arguments of any type; missing ones are 0. */
#define fc_sys(...) FC_SYS_PAD(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#if defined(__clang_analyzer__) /* it does not see that the kernel writes there */
long fc_syscall_seen(long number, ...);
#define FC_SYS_PAD(number, a, b, c, d, e, f, ...) fc_syscall_seen(number, a, b, c, d, e, f)
#else
#define FC_SYS_PAD(number, a, b, c, d, e, f, ...)                                                  \
    fc_syscall(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#endif

/* Private zeroed memory; NULL: there is none. */
static inline void *fc_map(size_t bytes)
{
    long at = fc_sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

static inline void fc_unmap(const void *at, size_t bytes)
{
    fc_sys(SYS_munmap, at, bytes);
}

/* A lock for the rare paths: 0 free, 1 held, 2 held and others may sleep.  A signal handler must
 * not wait for a lock of its own thread, so all signals are blocked while a lock is held (except
 * that of early.c, which handlers do not call).  A waiting thread soon sleeps: if it only
 * yielded, one with real-time priority would keep the owner from running.  It sleeps until it is
 * woken: thousands that poll would keep the owner from running as well. */
static inline void fc_lock(uint32_t *lock)
{
    /* if futex is denied, sleep for a fixed time */
    const struct timespec delay = {0, 1000000};
    uint32_t unlocked = 0;
    if (__atomic_compare_exchange_n(lock, &unlocked, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return; /* pairs with fc_unlock, as the exchange below */
    fc_sys(SYS_sched_yield);
    while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0)
    {
        long result = fc_sys(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        if (result != 0 && result != -EAGAIN && result != -EINTR)
            fc_sys(SYS_nanosleep, &delay, NULL);
    }
}

static inline void fc_unlock(uint32_t *lock)
{
    if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
        fc_sys(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
