/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * As module-hooks.c, for code that gcc instruments after inlining: counts what is counted at its
 * entry, and returns from an exit that is of a counted call.  All else is libfc's, by a jump, as if its
 * hook had been called (after-inlining.c, of which this is the short way through find_way).
 * Every register is kept but the flags, in which nothing is passed.  The stack below may be written: gcc's
 * specs see to it that there is no red zone.
 *
 * The layouts are those of struct FcPair (filter.h) and struct FcRecorded (recorded.h), which
 * counters.c and recorded.c check.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

/* costs-after-inlining.S has other names, and what follows the text is not for it. */
#if !defined(FC_HOOK_FENTRY)
#define FC_OF_MODULE
#define FC_HOOK_FENTRY __fentry__
#define FC_HOOK_RETURN __return__
#define FC_FILTER __functioncheck_filter_1
#define FC_RECORDED __functioncheck_recorded_1
#define FC_BEACON __functioncheck_beacon_1
#define FC_GO_ON_FENTRY jmp *__functioncheck_fentry@GOTPCREL(%rip)
#define FC_GO_ON_RETURN jmp *__functioncheck_return@GOTPCREL(%rip)
#endif

    .macro KEEP register
    push %\register
    .cfi_adjust_cfa_offset 8
    .endm
    .macro GIVE_BACK register
    pop %\register
    .cfi_adjust_cfa_offset -8
    .endm

    .text
    .p2align 4
    .weak FC_HOOK_FENTRY
    .hidden FC_HOOK_FENTRY
    .type FC_HOOK_FENTRY, @function
FC_HOOK_FENTRY:
    .cfi_startproc
    _CET_ENDBR
    KEEP rax
    KEEP rcx
    KEEP rdx
    KEEP rsi
    /* does the thread count such functions, and is this its own stack? */
    mov FC_RECORDED@gottpoff(%rip), %rax
    mov %fs:(%rax), %rax
    test %rax, %rax
    jz 3f
    mov FC_BEACON@gottpoff(%rip), %rcx
    mov %fs:(%rcx), %rcx
    movq $0, (%rcx) /* FC_BEACON_HOOK */
    lea 40(%rsp), %rcx /* where the function's return address is */
    sub (%rax), %rcx
    cmp 8(%rax), %rcx
    jae 3f
    cmpq $16384, 16(%rax) /* is it full? */
    je 3f
    /* the function, by the call that led here: start_of in after-inlining.c */
    mov 32(%rsp), %rcx
    cmpw $0x5a41, (%rcx) /* of a nested one: pop %r10 */
    je 3f
    lea -5(%rcx), %edx
    and $4095, %edx
    cmp $7, %edx
    jb 3f
    lea -6(%rcx), %rdx
    cmpb $0xe8, -5(%rcx)
    jne 1f
    cmpb $0x67, -6(%rcx)
    je 1f
    inc %rdx
1:  cmpl $0xfa1e0ff3, -4(%rdx) /* endbr64 */
    jne 2f
    sub $4, %rdx
2:  bts $63, %rdx /* FC_FUNCTION_AFTER_INLINING */
    /* its pair: fc_filter_pair */
    mov FC_FILTER@gottpoff(%rip), %rax
    mov %fs:(%rax), %rax
    test %rax, %rax
    jz 3f
    mov 40(%rsp), %rcx
    lea (%rcx,%rcx,4), %rsi
    shl $3, %rsi
    lea (%rsi,%rdx,2), %rsi
    and $0x1ffe0, %esi
    add %rsi, %rax
    mov 16(%rax), %rsi /* first: see fc_filter_enter */
    cmp %rdx, (%rax)
    jne 3f
    cmp %rcx, 8(%rax)
    jne 3f
    /* what uses the counter up is libfc's; a handler may have done so in between, and refilled it */
    cmpw $1, (%rsi)
    jle 3f
    decw (%rsi)
    /* fc_beacon_entered */
    shl $49, %rcx
    shr $1, %rcx
    shl $16, %rdx
    shr $16, %rdx
    or %rdx, %rcx
    mov FC_BEACON@gottpoff(%rip), %rax
    mov %fs:(%rax), %rax
    mov %rcx, (%rax)
    .cfi_remember_state
    GIVE_BACK rsi
    GIVE_BACK rdx
    GIVE_BACK rcx
    GIVE_BACK rax
    ret
    .cfi_restore_state
3:  GIVE_BACK rsi
    GIVE_BACK rdx
    GIVE_BACK rcx
    GIVE_BACK rax
    FC_GO_ON_FENTRY
    .cfi_endproc
    .size FC_HOOK_FENTRY, .-FC_HOOK_FENTRY

    .p2align 4
    .weak FC_HOOK_RETURN
    .hidden FC_HOOK_RETURN
    .type FC_HOOK_RETURN, @function
FC_HOOK_RETURN:
    .cfi_startproc
    _CET_ENDBR
    KEEP rax
    KEEP rcx
    mov FC_RECORDED@gottpoff(%rip), %rax
    mov %fs:(%rax), %rax
    test %rax, %rax
    jz 1f
    mov FC_BEACON@gottpoff(%rip), %rcx
    mov %fs:(%rcx), %rcx
    movq $0, (%rcx)
    lea 24(%rsp), %rcx
    sub (%rax), %rcx
    cmp 8(%rax), %rcx
    jae 1f
    /* is the innermost call that may have made a record further up? */
    mov 16(%rax), %rcx
    cmp $16384, %rcx /* it is full */
    je 1f
    lea (%rcx,%rcx,2), %rcx
    mov 32(%rax,%rcx,8), %rax
    lea 24(%rsp), %rcx
    cmp %rcx, %rax
    jbe 1f
    mov 24(%rsp), %rcx /* the call site: fc_beacon_left_to */
    bts $63, %rcx
    mov FC_BEACON@gottpoff(%rip), %rax
    mov %fs:(%rax), %rax
    mov %rcx, (%rax)
    .cfi_remember_state
    GIVE_BACK rcx
    GIVE_BACK rax
    ret
    .cfi_restore_state
1:  GIVE_BACK rcx
    GIVE_BACK rax
    FC_GO_ON_RETURN
    .cfi_endproc
    .size FC_HOOK_RETURN, .-FC_HOOK_RETURN

#if defined(FC_OF_MODULE)
    /* for symbols/hooked.c, as in module-hooks.c */
    .section .note.functioncheck, "a", @note
    .balign 4
    .4byte 14, 8, 1
    .asciz "FunctionCheck"
    .balign 4
    .8byte __fentry__ - .
#endif
    .section .note.GNU-stack, "", @progbits
