/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stubs that calls of MPI functions go through (mpi.c): the entry hook, the function with the same
 * arguments, the exit hook.
 */
#include "libfc/process/mpi-calls.h"
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define FRAME (8 * FC_MPI_STACK_WORDS + 80)

    .text
    .p2align 4
    .hidden fc_mpi_stubs
    .globl fc_mpi_stubs
    .type fc_mpi_stubs, @function
fc_mpi_stubs:
    .cfi_startproc
    .set number, 0
    .rept FC_MPI_MAX
    .p2align 4
    _CET_ENDBR
    movl $number, %r11d
    jmp call
    .set number, number + 1
    .endr
    .p2align 4
call:
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $FRAME, %rsp
    mov %rdi, -8(%rbp)
    mov %rsi, -16(%rbp)
    mov %rdx, -24(%rbp)
    mov %rcx, -32(%rbp)
    mov %r8, -40(%rbp)
    mov %r9, -48(%rbp)
    mov %rax, -56(%rbp)
    lea fc_mpi_functions(%rip), %rax
    mov (%rax,%r11,8), %rdi
    mov %rdi, -64(%rbp)
    mov 8(%rbp), %rsi
    call fc_hook_enter
    lea 16(%rbp), %rsi
    mov %rsp, %rdi
    mov $FC_MPI_STACK_WORDS, %ecx
    rep movsq
    mov -8(%rbp), %rdi
    mov -16(%rbp), %rsi
    mov -24(%rbp), %rdx
    mov -32(%rbp), %rcx
    mov -40(%rbp), %r8
    mov -48(%rbp), %r9
    mov -56(%rbp), %rax
    call *-64(%rbp)
    mov %rax, -8(%rbp)
    mov %rdx, -16(%rbp)
    mov -64(%rbp), %rdi
    mov 8(%rbp), %rsi
    call fc_hook_exit
    mov -8(%rbp), %rax
    mov -16(%rbp), %rdx
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size fc_mpi_stubs, . - fc_mpi_stubs

    .section .note.GNU-stack, "", @progbits
