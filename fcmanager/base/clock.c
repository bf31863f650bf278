/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calibration of the time-stamp counter against CLOCK_MONOTONIC: see clock.h.
 */
#include "fcmanager/base/clock.h"

#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* If a process's first reading is further than this from the manager's, its clock is another
 * one. */
#define PLAUSIBLE_SECONDS 600.0
#define LEAST_HZ 1e6
#define MOST_HZ 2e10

static guint64 read_counter(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    guint64 value;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

static guint64 read_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (guint64)now.tv_sec * 1000000000u + (guint64)now.tv_nsec;
}

/* Reads both clocks at the same moment: the best of five tries, which is the one in which the
 * counter advanced least. */
static void read_pair(guint64 *ticks, guint64 *ns)
{
    guint64 best = G_MAXUINT64;
    for (int i = 0; i < 5; i++)
    {
        guint64 before = read_counter();
        guint64 now_ns = read_monotonic_ns();
        guint64 after = read_counter();
        if (after - before >= best)
            continue;
        best = after - before;
        *ticks = before + best / 2;
        *ns = now_ns;
    }
}

gboolean fc_clock_is_common(const FcClock *clock)
{
    return clock->mode == FC_TIME_TSC || clock->mode == FC_TIME_EXT;
}

void fc_clock_start(FcClock *clock, enum FcTimeMode mode)
{
    *clock = (FcClock){.mode = mode, .ns_per_tick = 1.0};
    clock->readable = fc_clock_is_common(clock);
    read_pair(&clock->first_ticks, &clock->first_ns);
}

void fc_clock_refresh(FcClock *clock)
{
    guint64 ticks = 0;
    guint64 ns = 0;
    if (clock->mode != FC_TIME_TSC || !clock->readable ||
        read_monotonic_ns() - clock->first_ns < clock->span_ns + clock->span_ns / 8)
        return;
    read_pair(&ticks, &ns);
    if (ticks <= clock->first_ticks || ns <= clock->first_ns)
        return;
    clock->span_ns = ns - clock->first_ns;
    clock->ns_per_tick = (double)clock->span_ns / (double)(ticks - clock->first_ticks);
}

void fc_clock_check(FcClock *clock, guint64 ticks, guint64 monotonic_ns)
{
    if (clock->checked)
        return;
    clock->checked = TRUE;
    if (!clock->readable)
        return;
    fc_clock_refresh(clock);
    guint64 ours = clock->mode == FC_TIME_TSC ? clock->first_ticks : clock->first_ns;
    double seconds = ((double)ticks - (double)ours) * clock->ns_per_tick / 1e9 -
                     ((double)monotonic_ns - (double)clock->first_ns) / 1e9;
    double hz = 1e9 / clock->ns_per_tick;
    if (seconds > -PLAUSIBLE_SECONDS && seconds < PLAUSIBLE_SECONDS &&
        (clock->mode == FC_TIME_EXT || (hz > LEAST_HZ && hz < MOST_HZ)))
        return;
    clock->readable = FALSE;
    clock->ns_per_tick = 1.0;
}

guint64 fc_clock_multiplier(const FcClock *clock)
{
    return (guint64)(clock->ns_per_tick * 4294967296.0 + 0.5);
}

guint64 fc_clock_to_ns(const FcClock *clock, guint64 ticks)
{
    return (guint64)(((unsigned __int128)ticks * fc_clock_multiplier(clock)) >> 32);
}

gboolean fc_clock_now(const FcClock *clock, guint64 *ticks)
{
    if (!clock->readable)
        return FALSE;
    *ticks = clock->mode == FC_TIME_TSC ? read_counter() : read_monotonic_ns();
    return TRUE;
}
