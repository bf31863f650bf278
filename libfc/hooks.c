/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two hooks, which the compiler calls at each entry and exit: the hot path of recording.  A
 * module may be linked with hooks of its own (module-hooks.c).  These count calls in the module and
 * pass the rest on to here.  All calls of other modules come here.
 *
 *     instrumented function
 *        |  __cyg_profile_func_enter(function, call site)
 *        v
 *     read the clock ............... rdtsc, one predicted branch (off: one before it, and back)
 *     was the thread off the CPU? .. one comparison (switches.h)
 *     is the call site interned? ... where all calls are recorded; one look-up (call-sites.h)
 *     take one unit or two ......... one xadd on a thread-local word
 *        |                    \
 *        | (1 in 1,900)        v
 *        |                  store 16 bytes or 32; return
 *        v
 *     fc_record_slow: give the full chunk to fcmanager, take a free one
 *
 * The clock is read before the units are taken.  A signal handler that comes in between makes its
 * records first; their times are later than this one's.
 *
 * Nothing here may call into libc, touch errno or allocate.
 */
#include "libfc/base/clock.h"
#include "libfc/base/state.h"
#include "libfc/count/counted.h"
#include "libfc/count/counter-table.h"
#include "libfc/hooks/deferred.h"
#include "libfc/stream/call-sites.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

/* FcRecord.where of a record of this kind. */
static inline __attribute__((always_inline)) uint64_t
make_where(uint64_t stack_address, const void *return_address, enum FcRecordKind kind)
{
    return (stack_address & ~FC_WHERE_KIND_MASK) | kind |
           (uint64_t)(uintptr_t)return_address << FC_WHERE_RETURN_SHIFT;
}

/* In a thread that counts nothing, all uncommon cases are tail calls: the hook needs no frame. */
__attribute__((noinline, cold)) FC_REALIGN static void record_slow_clock(void *function, void *site,
                                                                         uint64_t where)
{
    if (fc_unlikely(fc_thread_is_early()))
        return;
    uint64_t time = fc_clock_now();
    if (fc_deferred_is_needed())
    {
        fc_deferred_record(time, function, site, where);
        return;
    }
    if (fc_switches_any() || fc_state_forked_unseen())
        fc_switches_check(time);
    fc_record_make(time, function, site, where);
}

/* The same with the fast clock, if there is no room or the thread may have been off the CPU. */
__attribute__((noinline, cold)) FC_REALIGN static void
record_without_room(uint64_t time, void *function, void *site, uint64_t where)
{
    if (fc_deferred_is_needed())
        fc_deferred_record(time, function, site, where);
    else if (fc_switches_any())
        fc_switches_record(time, function, site, where);
    else
        fc_record_slow(time, function, site, where);
}

#define WHERE(kind) make_where(FC_STACK_ADDRESS(), __builtin_return_address(0), kind)

/* In a thread that interns no call sites. */
static inline __attribute__((always_inline)) void record(void *function, void *site, uint64_t where)
{
    if (fc_unlikely(!fc_clock_is_fast()))
    {
        if (fc_clock_get_mode() != FC_CLOCK_OFF)
            record_slow_clock(function, site, where);
        return;
    }
    uint64_t time = fc_clock_read_fast();
    uint64_t generation;
    struct FcRecord *slot = fc_switches_any() ? NULL : fc_record_reserve(&generation);
    if (fc_likely(slot))
        fc_record_store(slot, generation, time, function, site, where);
    else
        record_without_room(time, function, site, where);
}

/* The same in a thread that counts nothing either.  It is reached by a jump, so that neither this
 * path nor that of threads with interned call sites has to save registers for the other. */
__attribute__((noinline)) static void record_long(void *function, void *site, uint64_t where)
{
    record(function, site, where);
}

/* The uncommon cases of a thread with interned call sites.  Its clock is the fast one, or none.
 * Reached by a jump as well. */
__attribute__((noinline)) static void record_otherwise(uint64_t time, void *function, void *site,
                                                       uint64_t where)
{
    if (fc_clock_get_mode() == FC_CLOCK_OFF)
        fc_thread.call_sites = NULL; /* from here on the hooks check the clock's mode */
    else if (fc_deferred_is_needed())
        fc_deferred_record(time, function, site, where);
    else if (fc_switches_any())
        fc_switches_record(time, function, site, where);
    else
        fc_call_sites_record(time, function, site, where);
}

/* gcc 12 would exchange their registers for no reason. */
#if defined(__x86_64__)
#define KEEP_ARGUMENTS(function, site) __asm__ volatile("" : : "D"(function), "S"(site))
#else
#define KEEP_ARGUMENTS(function, site) (void)0
#endif

/* Where every call is recorded this is all that a hook does, apart from the part in the module:
 * each instruction counts. */
#define RECORD(function_, site_, kind_)                                                            \
    do                                                                                             \
    {                                                                                              \
        struct FcCallSites *sites = fc_thread.call_sites;                                          \
        if (!sites)                                                                                \
        {                                                                                          \
            if (fc_clock_get_mode() != FC_CLOCK_OFF)                                               \
                record_long(function_, site_, WHERE(kind_));                                       \
            return;                                                                                \
        }                                                                                          \
        const struct FcHookCall call = {.time = fc_clock_read_halves(),                            \
                                        .function = (uint64_t)(uintptr_t)(function_),              \
                                        .site = (uint64_t)(uintptr_t)(site_),                      \
                                        .stack_address = FC_STACK_ADDRESS() & ~FC_WHERE_KIND_MASK, \
                                        .kind = (kind_)};                                          \
        KEEP_ARGUMENTS(function_, site_);                                                          \
        const struct FcSiteSlot *slot;                                                             \
        uint64_t generation;                                                                       \
        struct FcUnit *unit;                                                                       \
        if (fc_switches_any() || fc_unlikely(!(slot = fc_call_sites_find(sites, &call))) ||        \
            fc_unlikely(!(unit = fc_record_take(1, &generation))))                                 \
        {                                                                                          \
            record_otherwise(fc_clock_join(call.time), function_, site_, WHERE(kind_));            \
            return;                                                                                \
        }                                                                                          \
        fc_call_sites_store(unit, generation, sites, slot, &call,                                  \
                            (uint64_t)(uintptr_t)__builtin_return_address(0)                       \
                                << FC_WHERE_RETURN_SHIFT);                                         \
    } while (0)

/* The C library has empty functions of these names.  If it comes first, as in an unprofiled
 * program that loads a profiled plug-in, only a version of libfc's own leads here.  A module
 * that was linked without libfc asks for the C library's version, which libfc has as well, for
 * LD_PRELOAD.  libfc.map.in names both. */
#define VERSIONS(name, hook)                                                                       \
    extern __typeof(hook) hook##_of_libc __attribute__((alias(#hook), visibility("default")));     \
    __asm__(".symver " #hook "," name "@@FC_4\n"                                                   \
            ".symver " #hook "_of_libc," name "@" FC_LIBC_VERSION)

FC_EXPORT FcHook fc_hook_enter;
FC_EXPORT FcHook fc_hook_exit;

/* What the hooks do in threads that count is in separate functions, reached by a jump.  Inlined
 * it would need saved registers, also for each record of a thread that counts nothing. */
__attribute__((noinline)) static void enter_counting(struct FcCounterTable *table, void *function,
                                                     void *site, uint64_t where)
{
    const uint64_t address = (uint64_t)(uintptr_t)function;
    uint64_t word;
    fc_current_set(fc_counter_table_current_word(&fc_hooks), FC_CURRENT_HOOK);
    switch (fc_counter_table_enter(table, address, (uint64_t)(uintptr_t)site, &word))
    {
    case FC_ENTRY_COUNTED:
        break;
    case FC_ENTRY_USED_UP:
        if (!fc_deferred_is_needed()) /* otherwise the counter goes on below 0 */
            fc_counted_refill(function, site, where);
        break;
    case FC_ENTRY_UNKNOWN:
        if (fc_deferred_is_needed())
            fc_deferred_enter(table, address, (uint64_t)(uintptr_t)site, where);
        else if (fc_counter_table_may_count(table, address))
            fc_counted_enter(function, site, where);
        else
            record(function, site, where);
    }
    fc_current_set(fc_counter_table_current_word(&fc_hooks),
                   fc_current_entered(address, (uint64_t)(uintptr_t)site));
}

/* `stack_address` is that of the hook, with all bits. */
__attribute__((noinline)) static void leave_counting(struct FcCounterTable *table, void *function,
                                                     void *site, uint64_t where,
                                                     uint64_t stack_address)
{
    const uint64_t address = (uint64_t)(uintptr_t)function;
    fc_current_set(fc_counter_table_current_word(&fc_hooks), FC_CURRENT_HOOK);
    const struct FcSlot *slot = fc_counter_table_find_slot(table, address);
    if (fc_unlikely(!slot || stack_address >= slot->exit_limit))
    {
        if (fc_deferred_is_needed())
            fc_deferred_leave(table, address, (uint64_t)(uintptr_t)site, where);
        else if (slot || (table->is_slow &&
                          FC_LOAD_RELAXED(*fc_counter_table_recorded(table, address)) != address))
            fc_counted_exit(function, site, where);
        else
            record(function, site, where);
    }
    fc_current_set(fc_counter_table_current_word(&fc_hooks),
                   fc_current_left(address, (uint64_t)(uintptr_t)site));
}

/* For hooks in modules that have found that the thread counts nothing. */
FC_HOOK_ALIGNED FcHook fc_hook_record_entry;
FC_HOOK_ALIGNED FcHook fc_hook_record_exit;

void fc_hook_record_entry(void *function, void *site)
{
    RECORD(function, site, FC_RECORD_ENTER);
}

void fc_hook_record_exit(void *function, void *site)
{
    RECORD(function, site, FC_RECORD_EXIT);
}

void fc_hook_enter(void *function, void *site)
{
    struct FcCounterTable *table = fc_hooks.table;
    if (table)
        enter_counting(table, function, site, WHERE(FC_RECORD_ENTER));
    else
        RECORD(function, site, FC_RECORD_ENTER);
}

void fc_hook_exit(void *function, void *site)
{
    struct FcCounterTable *table = fc_hooks.table;
    if (table)
        leave_counting(table, function, site, WHERE(FC_RECORD_EXIT), FC_STACK_ADDRESS());
    else
        RECORD(function, site, FC_RECORD_EXIT);
}

/* For a hook that counted the call and used the counter up. */
FcHook fc_hook_refill;
void fc_hook_refill(void *function, void *site)
{
    if (!fc_deferred_is_needed())
        fc_counted_refill(function, site, WHERE(FC_RECORD_ENTER));
    fc_current_set(fc_counter_table_current_word(&fc_hooks),
                   fc_current_entered((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site));
}

VERSIONS("__cyg_profile_func_enter", fc_hook_enter);
VERSIONS("__cyg_profile_func_exit", fc_hook_exit);

/* The hooks in modules jump here: the stack is as if these functions had been called. */
extern FcHook fc_module_enter __asm__(FC_MODULE_ENTER)
    __attribute__((alias("fc_hook_enter"), visibility("default")));
extern FcHook fc_module_exit __asm__(FC_MODULE_EXIT)
    __attribute__((alias("fc_hook_exit"), visibility("default")));
extern FcHook fc_module_refill __asm__(FC_MODULE_REFILL)
    __attribute__((alias("fc_hook_refill"), visibility("default")));
#if defined(FC_TEST_EAGER) /* the hooks in modules know tables of another layout, and count        \
                              nothing */
#define RECORD_ENTRY "fc_hook_enter"
#define RECORD_EXIT "fc_hook_exit"
#else
#define RECORD_ENTRY "fc_hook_record_entry"
#define RECORD_EXIT "fc_hook_record_exit"
#endif
extern FcHook fc_module_record_entry __asm__(FC_MODULE_RECORD_ENTRY)
    __attribute__((alias(RECORD_ENTRY), visibility("default")));
extern FcHook fc_module_record_exit __asm__(FC_MODULE_RECORD_EXIT)
    __attribute__((alias(RECORD_EXIT), visibility("default")));
