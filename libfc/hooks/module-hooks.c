/* SPDX-License-Identifier: 0BSD
 *
 * The two hooks that `fc-config --libs` links into each program and library.  They are hidden, so
 * that they are called directly.  An indirect jump would take longer, and displace the processor's
 * predictions for the program's own indirect calls.  The hooks count calls themselves
 * (counter-table.h).  For all other calls they jump to libfc, which finds the stack as if its hook
 * had been called.
 *
 * The layout of libfc's tables is part of the name of the only variable that the hooks read.  In a
 * libfc with another layout that variable is zero, and libfc's own hooks do everything.
 *
 * The hooks are weak, since the flags may come twice in a command, and since a program may define
 * its own hooks.  This file is compiled with -O2, so that tail calls become jumps.
 *
 * The licence of this file, and of all files that it includes, puts no conditions on the programs
 * that it is linked into (tests/style/licences.py).
 */
#include "libfc/count/counter-table.h"

#define OF_MODULE __attribute__((weak, visibility("hidden")))
#define OF_LIBFC __attribute__((visibility("default")))

extern OF_LIBFC __thread struct FcHooks fc_module __asm__(FC_MODULE_HOOKS)
    __attribute__((tls_model("initial-exec")));
/* Resolved when the module is loaded, since a call through the PLT is one more jump. */
#define BY_JUMP __attribute__((noplt))
extern OF_LIBFC BY_JUMP FcHook fc_module_record_entry __asm__(FC_MODULE_RECORD_ENTRY);
extern OF_LIBFC BY_JUMP FcHook fc_module_record_exit __asm__(FC_MODULE_RECORD_EXIT);
extern OF_LIBFC FcHook fc_module_enter __asm__(FC_MODULE_ENTER);
extern OF_LIBFC FcHook fc_module_exit __asm__(FC_MODULE_EXIT);
extern OF_LIBFC FcHook fc_module_refill __asm__(FC_MODULE_REFILL);
#define WAYS                                                                                       \
    (&(const struct FcHookTargets){.record_entry = fc_module_record_entry,                         \
                                   .record_exit = fc_module_record_exit,                           \
                                   .enter = fc_module_enter,                                       \
                                   .exit = fc_module_exit,                                         \
                                   .refill = fc_module_refill})

OF_MODULE FC_HOOK_ALIGNED FcHook __cyg_profile_func_enter;
OF_MODULE FC_HOOK_ALIGNED FcHook __cyg_profile_func_exit;

void __cyg_profile_func_enter(void *function, void *site)
{
    fc_counter_table_hook_enter(&fc_module, function, site, WAYS);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    fc_counter_table_hook_exit(&fc_module, function, site, WAYS);
}

/* A note with the distance from here to the entry hook.  fcdump uses it to find out whether any
 * code calls the hooks (symbols/hooked.c). */
__asm__(".pushsection .note.functioncheck, \"a\", %note\n"
        ".balign 4\n"
        ".4byte 14, 8, 1\n"
        ".asciz \"FunctionCheck\"\n"
        ".balign 4\n"
        ".8byte __cyg_profile_func_enter - .\n"
        ".popsection");
