/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two hooks of code that gcc instruments after inlining (`fc-config --after-inlining`).  gcc
 * calls __fentry__ at the very start of a function, before it has a frame, and __return__ at its
 * very end, after the frame is gone.  The records are made as in hooks.c.
 *
 * Registers hold arguments, results, the static chain or the count of vector arguments at these
 * points.  So both hooks preserve every register.  FC_KEEPS_REGISTERS preserves the general ones.
 * The others are not used, since libfc is compiled with -mgeneral-regs-only.  The uncommon cases go
 * through after-inlining.S, which saves the registers.
 *
 * Nothing here may call into libc, touch errno or allocate.
 */
#include "libfc/hooks/after-inlining.h"

#include "libfc/base/clock.h"
#include "libfc/count/counter-table.h"
#include "libfc/count/depth.h"
#include "libfc/count/recorded.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

#include <cpuid.h>
#include <string.h>

#define ENDBR64 0xfa1e0ff3u
#define POP_R10 0x5a41u
#define CALL 0xe8
#define PREFIX 0x67
#define REX 0x40
#define NOP 0x90
#define PAGE 4096u

/* Whether `back` is in a nested function: gcc saves its static chain (r10) on the stack during
 * the call. */
static inline __attribute__((always_inline)) bool is_nested(const uint8_t *back)
{
    uint16_t next;
    memcpy(&next, back, sizeof next);
    return fc_unlikely(next == POP_R10);
}

/* Whether the byte before a call of five bytes belongs to the call, because the linker has
 * replaced a six-byte call through the offset table: by a prefix (bfd, gold, lld; another prefix
 * with mold 2.37) or a nop (mold 1.10) before the call.  A padding nop is followed by a function
 * at an even address. */
static inline __attribute__((always_inline)) bool is_made_call(const uint8_t *back)
{
    return back[-6] == PREFIX || back[-6] == REX || (back[-6] == NOP && (uintptr_t)back % 2 == 0);
}

/* start_of for a call near the start of its page.  Checks before each read that it stays within
 * the page. */
FC_KEEPS_REGISTERS __attribute__((noinline, cold)) static uintptr_t
start_in_page(const uint8_t *back)
{
    const bool is_short = back[-5] == CALL;
    uintptr_t start = (uintptr_t)back - (is_short ? 5 : 6);
    if (is_short && start % PAGE >= 1 && is_made_call(back))
        start--;
    if (start % PAGE >= 2 && is_nested(back))
        start -= 2;
    if (start % PAGE < 4)
        return start;
    uint32_t before;
    memcpy(&before, (const void *)(start - 4), sizeof before);
    return before == ENDBR64 ? start - 4 : start;
}

/* Returns the start of the function that contains `back`, the return address of __fentry__.  The
 * call before `back` has five bytes, or six if it goes through the offset table or the linker
 * has replaced such a call.  A nested function has a push before the call.  With -fcf-protection
 * an endbr64 comes first.  Does not read before the page of the call, which may not be mapped.
 * If an unaligned function begins in the page before, only the bytes in the call's page are
 * checked. */
static inline __attribute__((always_inline)) uintptr_t start_of(const uint8_t *back)
{
    uintptr_t start = (uintptr_t)back - 6;
    if (fc_unlikely((start + 1) % PAGE < 7))
        return start_in_page(back);
    start += back[-5] == CALL && !is_made_call(back);
    start -= is_nested(back) ? 2 : 0;
    uint32_t before;
    memcpy(&before, (const void *)(start - 4), sizeof before);
    return before == ENDBR64 ? start - 4 : start;
}

/* Handles FC_DEPTH and skipped functions at an entry or exit, in a thread that checks all calls.
 * True: nothing else is to be done.  The functions that it calls preserve the registers like
 * those of this file. */
FC_KEEPS_REGISTERS __attribute__((noinline, cold)) static bool
handles(uint64_t function, uint64_t site, uint64_t where)
{
    struct FcCounted *counted = fc_thread.counted;
    if (!counted)
        return false;
    if ((where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER)
        return fc_depth_handles_entry(counted, function, site, where);
    return fc_depth_handles_exit(site, where);
}

enum Way
{
    WAY_RECORD,
    WAY_DONE,   /* a counted call */
    WAY_CHECK,  /* counted.c decides */
    WAY_REFILL, /* a counted call that used up its counter */
    WAY_OTHER,  /* a call that recorded.h does not track */
};

/* Decides what to do in a thread that counts or skips functions that are instrumented after
 * inlining.  `key` is fc_counter_table_key of the function. */
static inline __attribute__((always_inline)) enum Way find_way(enum FcRecordKind kind,
                                                               uint64_t function, uint64_t key,
                                                               uint64_t site,
                                                               uint64_t frame_address)
{
    struct FcRecorded *recorded = fc_hooks.recorded;
    struct FcCounterTable *table = fc_hooks.table;
    if (fc_unlikely(!fc_recorded_watches(recorded, frame_address) ||
                    fc_recorded_is_within(recorded, site, frame_address)))
        return WAY_OTHER;
    if (kind == FC_RECORD_ENTER)
    {
        uint64_t word;
        const enum FcEntry entry =
            table ? fc_counter_table_enter(table, key, site, &word) : FC_ENTRY_UNKNOWN;
        if (fc_likely(entry == FC_ENTRY_COUNTED))
            return WAY_DONE;
        fc_recorded_push(recorded, function, site, frame_address);
        if (entry == FC_ENTRY_USED_UP)
            return WAY_REFILL;
        return table && fc_counter_table_may_count(table, function) ? WAY_CHECK : WAY_RECORD;
    }
    const struct FcRecordedCall *call = fc_recorded_find(recorded, site, frame_address);
    if (fc_likely(!call))
        return WAY_DONE;
    if ((table && fc_counter_table_may_count(table, call->function)) ||
        (recorded->count > 1 && call[-1].frame_address == frame_address)) /* it was tail-called */
        return WAY_CHECK;
    fc_recorded_pop(recorded);
    return WAY_RECORD;
}

static inline __attribute__((always_inline)) uint64_t where_of(enum FcRecordKind kind,
                                                               uint64_t frame_address)
{
    return kind | (frame_address & FC_WHERE_ADDRESS_MASK) | frame_address << FC_WHERE_RETURN_SHIFT;
}

/* `kept` points to the return address of the instrumented function.  It is the same at the entry
 * and at the exit of one call. */
static inline __attribute__((always_inline)) void
count_or_record(enum FcRecordKind kind, uintptr_t function, uint64_t key, uint64_t *kept)
{
    void *code = (void *)(function | FC_FUNCTION_AFTER_INLINING);
    void *site = (void *)*kept;
    uint64_t frame_address = (uintptr_t)kept;
    uint64_t where = where_of(kind, frame_address);
    uint64_t time = 0;
    bool is_checked = false;
    if (fc_unlikely(!fc_clock_is_fast()))
    {
        __asm__ volatile("" : : : "memory"); /* as in hooks.c */
        if (fc_clock_get_mode() == FC_CLOCK_OFF)
        {
            fc_hooks.table = NULL; /* as in fc_counters_have_stopped, which is not inline */
            return;
        }
    }
    if (fc_hooks.recorded)
    {
        switch (find_way(kind, (uintptr_t)code, key, (uintptr_t)site, frame_address))
        {
        case WAY_DONE:
            return;
        case WAY_CHECK:
            fc_after_inlining_slow(FC_AFTER_INLINING_CHECK, code, site, where);
            return;
        case WAY_REFILL:
            fc_after_inlining_slow(FC_AFTER_INLINING_REFILL, code, site, where);
            return;
        case WAY_RECORD:
            is_checked = true;
            break;
        case WAY_OTHER:
            break;
        }
    }
    if (fc_unlikely(!is_checked && fc_thread.checks_all_calls))
    {
        if (handles((uintptr_t)code, (uintptr_t)site, where))
            return;
    }
    else if (fc_clock_is_fast())
    {
        time = fc_clock_read_fast();
        uint64_t generation;
        struct FcRecord *slot =
            fc_switches_any() && !fc_switches_is_soon(time) ? NULL : fc_record_reserve(&generation);
        if (fc_likely(slot))
        {
            fc_record_store(slot, generation, time, code, site, where);
            if (kind == FC_RECORD_ENTER && !is_checked)
                fc_recorded_complete(fc_hooks.recorded, (uintptr_t)code, (uintptr_t)site,
                                     frame_address);
            return;
        }
    }
    fc_after_inlining_slow(time, code, site, where);
}

static inline __attribute__((always_inline)) void record(enum FcRecordKind kind, uintptr_t function,
                                                         uint64_t key, uint64_t *kept)
{
    if (fc_hooks.current_word)
        fc_current_set(fc_hooks.current_word, FC_CURRENT_HOOK);
    count_or_record(kind, function, key, kept);
    if (fc_hooks.current_word)
        fc_current_set(fc_hooks.current_word, kind == FC_RECORD_ENTER
                                                  ? fc_current_entered(function, *kept)
                                                  : fc_current_left_to(*kept));
}

/* Symbol versions as in hooks.c.  The C library has __fentry__, but not __return__. */
#define VERSION(name, hook, version) __asm__(".symver " #hook "," name version)

/* Defines `hook`, which returns at once if profiling is off, and jumps to `goes_on` otherwise.
 * It is naked, so it saves no registers when profiling is off. */
#define UNLESS_OFF(hook, goes_on)                                                                  \
    FC_KEEPS_REGISTERS void goes_on(void) __attribute__((visibility("hidden")));                   \
    FC_EXPORT __attribute__((naked)) void hook(void);                                              \
    void hook(void)                                                                                \
    {                                                                                              \
        __asm__("cmpl $0, fc_clock_mode(%rip)\n\t" /* FC_CLOCK_OFF */                              \
                "je 1f\n\t"                                                                        \
                "jmp " #goes_on "\n"                                                               \
                "1:\tret");                                                                        \
    }
UNLESS_OFF(fc_hook_fentry, fc_after_inlining_enter)
UNLESS_OFF(fc_hook_return, fc_after_inlining_leave)
_Static_assert(FC_CLOCK_OFF == 0, "compared above");

FC_KEEPS_REGISTERS void fc_after_inlining_enter(void)
{
    const uint8_t *back = __builtin_return_address(0);
    uint64_t *kept = __builtin_dwarf_cfa();
    const uintptr_t function = start_of(back);
    if (is_nested(back))
        record(FC_RECORD_ENTER, function, function, kept + 1);
    else
        record(FC_RECORD_ENTER, function, (uintptr_t)back | FC_FUNCTION_AFTER_INLINING, kept);
}

FC_KEEPS_REGISTERS void fc_after_inlining_leave(void)
{
    record(FC_RECORD_EXIT, 0, 0, __builtin_dwarf_cfa());
}

/* Called by a module's hook that has counted the call and used up the counter.  Not called for
 * nested functions, which that hook does not count. */
FC_KEEPS_REGISTERS void fc_hook_fentry_refill(void);
FC_KEEPS_REGISTERS void fc_hook_fentry_refill(void)
{
    const uint64_t *kept = __builtin_dwarf_cfa();
    const uint64_t frame_address = (uintptr_t)kept;
    const uintptr_t function = start_of(__builtin_return_address(0));
    const uint64_t code = function | FC_FUNCTION_AFTER_INLINING;
    fc_recorded_push(fc_hooks.recorded, code, *kept, frame_address);
    fc_after_inlining_slow(FC_AFTER_INLINING_REFILL, (void *)code, (void *)*kept,
                           where_of(FC_RECORD_ENTER, frame_address));
    fc_current_set(fc_hooks.current_word, fc_current_entered(function, *kept));
}

extern __typeof(fc_hook_fentry) fc_hook_fentry_of_libc
    __attribute__((alias("fc_hook_fentry"), visibility("default")));
VERSION("__fentry__", fc_hook_fentry, "@@FC_4");
VERSION("__fentry__", fc_hook_fentry_of_libc, "@GLIBC_2.13");
VERSION("__return__", fc_hook_return, "@@FC_4");

/* The hooks in modules jump to these names, so the stack is the same as after a call. */
extern __typeof(fc_hook_fentry) fc_module_fentry __asm__(FC_MODULE_FENTRY)
    __attribute__((alias("fc_hook_fentry"), visibility("default")));
extern __typeof(fc_hook_fentry_refill) fc_module_fentry_refill __asm__(FC_MODULE_FENTRY_REFILL)
    __attribute__((alias("fc_hook_fentry_refill"), visibility("default")));
extern __typeof(fc_hook_return) fc_module_return __asm__(FC_MODULE_RETURN)
    __attribute__((alias("fc_hook_return"), visibility("default")));

/* cpuid is slow under a hypervisor, so it is executed only once. */
bool fc_after_inlining_has_xsave(void)
{
    static int8_t known; /* 1: xsave is there, -1: it is not; atomic */
    int8_t answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0)
    {
        unsigned a = 0, b = 0, c = 0, d = 0;
        answer = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) ? 1 : -1;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer > 0;
}
