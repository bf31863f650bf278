/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two wrappers that save registers, as the hooks after inlining must change none.
 * fc_after_inlining_slow saves the general registers and calls fc_after_inlining_record.
 * fc_after_inlining_keep_vectors saves the vector registers and calls a function that may use them.
 * See after-inlining.h.
 */
#include "libfc/hooks/after-inlining.h"
#include "libfc/base/vectors.h"
#if defined(__CET__)
#include <cet.h>
#endif

#define COMPONENTS 0xe7 /* x87, SSE, AVX and the three of AVX-512 */
#define HEADER 512      /* offset in an xsave area: 64 bytes, zero but for what xsave writes */

    .text
    .p2align 4
    .globl fc_after_inlining_slow
    .hidden fc_after_inlining_slow
    .type fc_after_inlining_slow, @function
fc_after_inlining_slow:
    .cfi_startproc
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %rax
    push %r8
    push %r9
    push %r10
    push %r11
    .cfi_rel_offset %rdi, -8
    .cfi_rel_offset %rsi, -16
    .cfi_rel_offset %rdx, -24
    .cfi_rel_offset %rcx, -32
    .cfi_rel_offset %rax, -40
    .cfi_rel_offset %r8, -48
    .cfi_rel_offset %r9, -56
    .cfi_rel_offset %r10, -64
    .cfi_rel_offset %r11, -72
    and $-16, %rsp
    call fc_after_inlining_record
    lea -72(%rbp), %rsp
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rax
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size fc_after_inlining_slow, .-fc_after_inlining_slow

    /* Saves the vector registers on the stack, as the dynamic loader does when it resolves a call:
     * they may hold arguments of the function, or the result that it is about to return. */
    .p2align 4
    .globl fc_after_inlining_keep_vectors
    .hidden fc_after_inlining_keep_vectors
    .type fc_after_inlining_keep_vectors, @function
fc_after_inlining_keep_vectors:
    .cfi_startproc
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    sub $FC_REGISTERS_BYTES, %rsp
    and $-64, %rsp
    call fc_after_inlining_has_xsave
    test %al, %al
    jz 1f

    xor %edx, %edx
    .irp at, 0, 8, 16, 24, 32, 40, 48, 56
    mov %rdx, HEADER+\at(%rsp)
    .endr
    mov $COMPONENTS, %eax
    xsave64 (%rsp)
    call 3f
    mov $COMPONENTS, %eax
    xor %edx, %edx
    xrstor64 (%rsp)
    jmp 2f

1:  fxsave64 (%rsp)
    call 3f
    fxrstor64 (%rsp)

2:  mov %rbp, %rsp
    pop %rbp
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_restore_state

    /* Calls the function in the fifth argument with the first four.  It uses the frame above. */
3:  sub $8, %rsp
    mov -8(%rbp), %rdi
    mov -16(%rbp), %rsi
    mov -24(%rbp), %rdx
    mov -32(%rbp), %rcx
    call *-40(%rbp)
    add $8, %rsp
    ret
    .cfi_endproc
    .size fc_after_inlining_keep_vectors, .-fc_after_inlining_keep_vectors
    .section .note.GNU-stack, "", @progbits
