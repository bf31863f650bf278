/* SPDX-License-Identifier: 0BSD
 *
 * The two hooks as `fc-config --libs` links them into each program and library: hidden, so that
 * they are called directly.  A jump through memory would cost time, and make the processor forget
 * where the program's own calls through pointers lead.  What is counted is counted here
 * (counter-table.h); with all else they go on to libfc by a jump, which finds the stack as if its
 * hook had been called.
 *
 * What they know of libfc's tables is in the name of the one variable that they read.  A libfc with
 * other tables has nothing in it, and does everything itself.
 *
 * Weak, as the flags may come twice in a command, and a program that has hooks of its own keeps
 * those. The build compiles this file with -O2, without which calls would not be jumps.
 *
 * Its licence asks nothing of the programs that it becomes a part of; so must those of all that it
 * includes (tests/style/licences.py).
 */
#include "libfc/count/counter-table.h"

#define OF_MODULE __attribute__((weak, visibility("hidden")))
#define OF_LIBFC __attribute__((visibility("default")))

extern OF_LIBFC __thread struct FcHooks fc_module __asm__(FC_MODULE_HOOKS)
    __attribute__((tls_model("initial-exec")));
/* Found when the module is loaded, as the way by the PLT is another jump. */
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

/* By this fcdump finds out whether anything calls them (symbols/hooked.c): how far the first one is
 * from here. */
__asm__(".pushsection .note.functioncheck, \"a\", %note\n"
        ".balign 4\n"
        ".4byte 14, 8, 1\n"
        ".asciz \"FunctionCheck\"\n"
        ".balign 4\n"
        ".8byte __cyg_profile_func_enter - .\n"
        ".popsection");
