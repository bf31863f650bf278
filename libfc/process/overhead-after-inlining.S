/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An empty function as gcc instruments it after inlining, with a copy of the modules' hooks.
 * overhead.c measures what a call of it costs.
 */
#if !defined(FC_TEST_CLOCK) /* where nothing is measured */
#define FC_HOOK_FENTRY fc_overhead_fentry
#define FC_HOOK_RETURN fc_overhead_return
#define FC_HOOKS fc_hooks
#define FC_GO_ON_FENTRY jmp *fc_overhead_next_fentry(%rip)
#define FC_GO_ON_REFILL jmp *fc_overhead_next_refill(%rip)
#define FC_GO_ON_RETURN jmp *fc_overhead_next_return(%rip)
#include "libfc/hooks/module-after-inlining.S"

    .text
    .p2align 4
    .globl fc_overhead_after_inlining
    .hidden fc_overhead_after_inlining
    .type fc_overhead_after_inlining, @function
fc_overhead_after_inlining:
    .cfi_startproc
    call fc_overhead_fentry
    mov %edi, %eax
    call fc_overhead_return
    ret
    .cfi_endproc
    .size fc_overhead_after_inlining, .-fc_overhead_after_inlining
#else
    .section .note.GNU-stack, "", @progbits
#endif
