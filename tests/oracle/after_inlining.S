/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The oracle's own hooks for code that gcc instrumented after inlining: the entry is counted, the
 * return is not.  Every register stays as it is; with ORACLE_BESIDE both go on to libfc's hooks
 * by a jump, as if those had been called.
 */
#define COMPONENTS 0xe7
#define BYTES 2688 /* at most, of these components */
#define HEADER 512

    .text
    .globl oracle_hook_fentry
    .type oracle_hook_fentry, @function
oracle_hook_fentry:
    .cfi_startproc
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
    push %\register
    .endr
    sub $BYTES, %rsp
    and $-64, %rsp
    xor %edx, %edx
    .irp at, 0, 8, 16, 24, 32, 40, 48, 56
    mov %rdx, HEADER+\at(%rsp)
    .endr
    mov $COMPONENTS, %eax
    xsave64 (%rsp)
    mov 8(%rbp), %rdi
    lea 16(%rbp), %rsi
    call oracle_fentry
    mov $COMPONENTS, %eax
    xor %edx, %edx
    xrstor64 (%rsp)
    lea -72(%rbp), %rsp
    .irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax, rbp
    pop %\register
    .endr
    .cfi_def_cfa %rsp, 8
    cmpq $0, oracle_next_fentry(%rip)
    je 1f
    jmp *oracle_next_fentry(%rip)
1:  ret
    .cfi_endproc
    .size oracle_hook_fentry, .-oracle_hook_fentry

    .globl oracle_hook_return
    .type oracle_hook_return, @function
oracle_hook_return:
    .cfi_startproc
    cmpq $0, oracle_next_return(%rip)
    je 1f
    jmp *oracle_next_return(%rip)
1:  ret
    .cfi_endproc
    .size oracle_hook_return, .-oracle_hook_return

    .globl __functioncheck_fentry, __functioncheck_fentry_refill, __functioncheck_return
    .set __functioncheck_fentry, oracle_hook_fentry
    .set __functioncheck_fentry_refill, oracle_hook_fentry
    .set __functioncheck_return, oracle_hook_return
    .symver oracle_hook_fentry, __fentry__@@FC_4
    .globl oracle_hook_fentry_of_libc
    .set oracle_hook_fentry_of_libc, oracle_hook_fentry
    .symver oracle_hook_fentry_of_libc, __fentry__@GLIBC_2.13
    .symver oracle_hook_return, __return__@@FC_4
    .section .note.GNU-stack, "", @progbits
