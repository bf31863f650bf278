/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interposes functions that leave frames without calling their exit hooks: longjmp and its
 * variants, and the C++ runtime's personality routine, which decides where an exception is caught.
 * Each interposer records the frame to which the stack is cut back, and the time.  Without this
 * record fcmanager would take the next call of the catching frame for a call of a frame that is
 * gone.
 */
#include "libfc/hooks/jumps.h"

#include "libfc/base/libc.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/hooks/stacks.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unwind.h>

typedef void JumpFunction(jmp_buf, int);

enum Jump
{
    LONGJMP,
    UNDERSCORE_LONGJMP,
    SIGLONGJMP,
    CHECKED_LONGJMP,
};

static struct
{
    const char *name;
    JumpFunction *real;
} jumps[] = {
    [LONGJMP] = {"longjmp", NULL},
    [UNDERSCORE_LONGJMP] = {"_longjmp", NULL},
    [SIGLONGJMP] = {"siglongjmp", NULL},
    [CHECKED_LONGJMP] = {"__longjmp_chk", NULL},
};

#if defined(__aarch64__) && defined(__GLIBC__)
/* glibc's pointer guard is in a private variable of the loader.  libfc computes it from a
 * jmp_buf of its own. */
static uint64_t guard;

static __attribute__((noinline)) void learn_guard(void)
{
    jmp_buf own;
    uint64_t stack;
    __asm__ volatile("mov %0, sp" : "=r"(stack));
    if (_setjmp(own) == 0)
        guard = (uint64_t)own[0].__jmpbuf[13] ^ stack;
}
#endif

void fc_jumps_setup(void)
{
#if defined(__aarch64__) && defined(__GLIBC__)
    learn_guard();
#endif
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        jumps[i].real = (JumpFunction *)fc_libc()->dlsym(RTLD_NEXT, jumps[i].name);
}

/* Returns the stack pointer that setjmp has saved; 0: not known.  glibc mangles it with the
 * pointer guard (sysdeps/unix/sysv/linux/x86_64/pointer_guard.h and aarch64/pointer_guard.h in
 * its sources). */
static uint64_t saved_stack_pointer(const jmp_buf buffer)
{
#if defined(__x86_64__) && defined(__GLIBC__)
    uint64_t scrambled = (uint64_t)buffer[0].__jmpbuf[6];
    uint64_t guard;
    __asm__("mov %%fs:0x30, %0" : "=r"(guard));
    return (scrambled >> 17 | scrambled << 47) ^ guard;
#elif defined(__aarch64__) && defined(__GLIBC__)
    return (uint64_t)buffer[0].__jmpbuf[13] ^ guard;
#else
    (void)buffer;
    return 0;
#endif
}

static JumpFunction *prepare(enum Jump which, const jmp_buf buffer)
{
    if (!jumps[which].real)
        fc_jumps_setup();
    uint64_t address = saved_stack_pointer(buffer);
    if (address % 8 == 0 && address >> 48 == 0)
        fc_stacks_record_jump(address);
    return jumps[which].real;
}

FC_EXPORT void longjmp(jmp_buf buffer, int value)
{
    prepare(LONGJMP, buffer)(buffer, value);
    __builtin_unreachable();
}

FC_EXPORT void _longjmp(jmp_buf buffer, int value)
{
    prepare(UNDERSCORE_LONGJMP, buffer)(buffer, value);
    __builtin_unreachable();
}

FC_EXPORT void siglongjmp(jmp_buf buffer, int value)
{
    prepare(SIGLONGJMP, buffer)(buffer, value);
    __builtin_unreachable();
}

/* longjmp in programs that are compiled with _FORTIFY_SOURCE. */
void __longjmp_chk(jmp_buf buffer, int value) __attribute__((noreturn));

FC_EXPORT void __longjmp_chk(jmp_buf buffer, int value)
{
    prepare(CHECKED_LONGJMP, buffer)(buffer, value);
    __builtin_unreachable();
}

/* ---- Exceptions ------------------------------------------------------------------- */

typedef _Unwind_Reason_Code Personality(int version, _Unwind_Action actions,
                                        _Unwind_Exception_Class class,
                                        struct _Unwind_Exception *exception,
                                        struct _Unwind_Context *context);
typedef _Unwind_Word GetWord(struct _Unwind_Context *context);

static Personality *real_personality; /* both atomic */
static GetWord *get_stack_pointer;

#define PERSONALITY "__gxx_personality_v0"
#define RUNTIME_VERSION "CXXABI_1.3"

/* Finds the C++ runtime, with which libfc is not linked, at the first exception.  Searches after
 * libfc in the order of look-up.  If that fails, because a plug-in loaded the runtime, searches
 * from the module of the code that the unwinder has reached.  The loader allocates memory for
 * this, which is not the program's allocation.  The second dlerror makes the loader free its
 * error message here, not in the program's own next call of dlsym. */
static void find_runtime(const void *unwinder, struct _Unwind_Context *context)
{
    const bool was_looking_up = fc_thread.is_looking_up;
    fc_thread.is_looking_up = true;
    Personality *real = (Personality *)fc_libc()->dlvsym(RTLD_NEXT, PERSONALITY, RUNTIME_VERSION);
    GetWord *get_address = (GetWord *)fc_libc_find_near(unwinder, "_Unwind_GetIP");
    if (!real && get_address)
        real = (Personality *)fc_libc_find_near((const void *)get_address(context), PERSONALITY);
    GetWord *get_pointer = (GetWord *)fc_libc_find_near(unwinder, "_Unwind_GetCFA");
    (void)fc_libc()->dlerror();
    (void)fc_libc()->dlerror();
    fc_thread.is_looking_up = was_looking_up;
    if (!real)
        return; /* another thread may have found it */
    __atomic_store_n(&get_stack_pointer, get_pointer, __ATOMIC_RELAXED);
    /* release: a thread that sees this pointer also sees the other */
    __atomic_store_n(&real_personality, real, __ATOMIC_RELEASE);
}

FC_EXPORT Personality fc_jumps_personality;

/* The unwinder calls this for each C++ frame, to learn whether the frame catches the exception
 * or has destructors to run.  _Unwind_GetCFA returns the frame's stack pointer. */
_Unwind_Reason_Code fc_jumps_personality(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class class,
                                         struct _Unwind_Exception *exception,
                                         struct _Unwind_Context *context)
{
    if (!__atomic_load_n(&real_personality, __ATOMIC_ACQUIRE))
        find_runtime(__builtin_return_address(0), context);
    Personality *real = __atomic_load_n(&real_personality, __ATOMIC_ACQUIRE);
    if (!real)
        return _URC_FATAL_PHASE1_ERROR; /* there is no C++ runtime: nothing can have been thrown */
    _Unwind_Reason_Code verdict = real(version, actions, class, exception, context);
    GetWord *stack_pointer = __atomic_load_n(&get_stack_pointer, __ATOMIC_RELAXED);
    if (verdict == _URC_INSTALL_CONTEXT && stack_pointer)
        fc_stacks_record_jump(stack_pointer(context));
    return verdict;
}

/* Only code that was linked with the shared libstdc++ asks for this version.  It is not the
 * default version, so that the linker does not take libfc's function if the runtime is linked
 * statically. */
__asm__(".symver fc_jumps_personality," PERSONALITY "@" RUNTIME_VERSION);
