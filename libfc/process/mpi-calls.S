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

/* Below the frame pointer: rdx of the result, an FcMpiCall, the function, rax of the call. */
#define RESULT_HIGH -8
#define CALL (RESULT_HIGH - FC_MPI_CALL_BYTES)
#define FUNCTION (CALL - 8)
#define VECTORS (CALL - 16)
#define FRAME (8 * FC_MPI_STACK_WORDS - VECTORS)
#define ARGUMENT(i) CALL + 8 * i

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
    mov %rdi, ARGUMENT(0)(%rbp)
    mov %rsi, ARGUMENT(1)(%rbp)
    mov %rdx, ARGUMENT(2)(%rbp)
    mov %rcx, ARGUMENT(3)(%rbp)
    mov %r8, ARGUMENT(4)(%rbp)
    mov %r9, ARGUMENT(5)(%rbp)
    mov %rax, VECTORS(%rbp)
    mov %r11, CALL + FC_MPI_CALL_NUMBER(%rbp)
    mov %rsp, CALL + FC_MPI_CALL_STACK(%rbp)
    lea fc_mpi_functions(%rip), %rax
    mov (%rax,%r11,8), %rdi
    mov %rdi, FUNCTION(%rbp)
    mov 8(%rbp), %rsi
    mov %rsi, CALL + FC_MPI_CALL_SITE(%rbp)
    call fc_hook_enter
    lea 16(%rbp), %rsi
    mov %rsp, %rdi
    mov $FC_MPI_STACK_WORDS, %ecx
    rep movsq
    mov CALL + FC_MPI_CALL_NUMBER(%rbp), %rcx
    lea fc_mpi_kinds(%rip), %rax
    cmpb $0, (%rax,%rcx)
    je 1f
    lea CALL(%rbp), %rdi
    call fc_mpi_before
1:  mov ARGUMENT(0)(%rbp), %rdi
    mov ARGUMENT(1)(%rbp), %rsi
    mov ARGUMENT(2)(%rbp), %rdx
    mov ARGUMENT(3)(%rbp), %rcx
    mov ARGUMENT(4)(%rbp), %r8
    mov ARGUMENT(5)(%rbp), %r9
    mov VECTORS(%rbp), %rax
    call *FUNCTION(%rbp)
    mov %rax, CALL + FC_MPI_CALL_RESULT(%rbp)
    mov %rdx, RESULT_HIGH(%rbp)
    mov CALL + FC_MPI_CALL_NUMBER(%rbp), %rcx
    lea fc_mpi_kinds(%rip), %rax
    cmpb $0, (%rax,%rcx)
    je 2f
    lea CALL(%rbp), %rdi
    call fc_mpi_after
2:  mov FUNCTION(%rbp), %rdi
    mov 8(%rbp), %rsi
    call fc_hook_exit
    mov CALL + FC_MPI_CALL_RESULT(%rbp), %rax
    mov RESULT_HIGH(%rbp), %rdx
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size fc_mpi_stubs, . - fc_mpi_stubs

/* MPI_Pcontrol has any number of arguments, of any type: all registers are as they were when the
 * library's own is jumped to. */
    .macro control name, real, handler
    .p2align 4
    .hidden \name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    _CET_ENDBR
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $192, %rsp
    mov %rdi, (%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    mov %rax, 48(%rsp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups %xmm\n, 64 + 16 * \n(%rsp)
    .endr
    call \handler
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movups 64 + 16 * \n(%rsp), %xmm\n
    .endr
    mov (%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    mov 24(%rsp), %rcx
    mov 32(%rsp), %r8
    mov 40(%rsp), %r9
    mov 48(%rsp), %rax
    leave
    .cfi_def_cfa %rsp, 8
    jmp *\real(%rip)
    .cfi_endproc
    .size \name, . - \name
    .endm
    control fc_mpi_control_stub, fc_mpi_control, fc_mpi_controlled
    control fc_mpi_control_stub_fortran, fc_mpi_control_fortran, fc_mpi_controlled_fortran

    .section .note.GNU-stack, "", @progbits
