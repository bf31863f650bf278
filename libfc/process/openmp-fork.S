/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is called in place of __kmpc_fork_call(location, count, function, ...), where `count` machine words
 * follow (openmp.c): the entry hook, that function with the same arguments, the exit hook.
 */
#if defined(__x86_64__)
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

    .text
    .p2align 4
    .hidden fc_openmp_fork
    .globl fc_openmp_fork
    .type fc_openmp_fork, @function
fc_openmp_fork:
    .cfi_startproc
    _CET_ENDBR
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $48, %rsp
    mov %rdi, -8(%rbp)
    mov %rsi, -16(%rbp)
    mov %rdx, -24(%rbp)
    mov %rcx, -32(%rbp)
    mov %r8, -40(%rbp)
    mov %r9, -48(%rbp)
    mov fc_openmp_real_fork(%rip), %rdi
    mov 8(%rbp), %rsi
    call fc_hook_enter
    movslq -16(%rbp), %rcx
    sub $3, %rcx /* three of them are in registers */
    jle 1f
    lea 1(%rcx), %rax
    and $-2, %rax
    shl $3, %rax
    sub %rax, %rsp
    lea 16(%rbp), %rsi
    mov %rsp, %rdi
    rep movsq
1:  mov -8(%rbp), %rdi
    mov -16(%rbp), %rsi
    mov -24(%rbp), %rdx
    mov -32(%rbp), %rcx
    mov -40(%rbp), %r8
    mov -48(%rbp), %r9
    xor %eax, %eax
    call *fc_openmp_real_fork(%rip)
    lea -48(%rbp), %rsp
    mov fc_openmp_real_fork(%rip), %rdi
    mov 8(%rbp), %rsi
    call fc_hook_exit
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size fc_openmp_fork, . - fc_openmp_fork
#endif

    .section .note.GNU-stack, "", @progbits
