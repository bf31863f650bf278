/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * As module-hooks.c, for code that gcc instruments after inlining: counts what is counted at its
 * entry, and returns from an exit that is of a counted call.  All else is libfc's, by a jump, as if its
 * hook had been called (after-inlining.c, of which this is the short way through find_way).
 * Every register is kept but the flags, in which nothing is passed.  The stack below may be written: gcc's
 * specs see to it that there is no red zone.
 *
 * The layouts are those of struct FcHooks and FcPair (filter.h) and struct FcRecorded (recorded.h),
 * which recorded.c checks.
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
#define FC_HOOKS __functioncheck_hooks_2
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
    mov FC_HOOKS@gottpoff(%rip), %rax
    mov %fs:16(%rax), %rcx
    test %rcx, %rcx
    jz 3f
    mov %fs:8(%rax), %rdx
    movq $0, (%rdx) /* FC_BEACON_HOOK */
    lea 40(%rsp), %rsi /* where the function's return address is */
    sub (%rcx), %rsi
    cmp 8(%rcx), %rsi
    jae 3f
    cmpq $16384, 16(%rcx) /* is it full? */
    je 3f
    mov %fs:0(%rax), %rax
    test %rax, %rax
    jz 3f
    /* the pair of where this returns to and the call site: fc_filter_pair */
    mov 40(%rsp), %rsi
    mov 32(%rsp), %rcx
    bts $63, %rcx /* FC_FUNCTION_AFTER_INLINING */
    lea (%rsi,%rsi,4), %rdx
    shl $3, %rdx
    lea (%rdx,%rcx,2), %rdx
    and $0x1ffe0, %edx
    add %rdx, %rax
    mov 16(%rax), %rdx /* first: see fc_filter_is */
    cmp %rcx, (%rax)
    jne 4f
    cmp %rsi, 8(%rax)
    jne 4f
2:  /* what uses the counter up is libfc's; a handler may have done so in between, and refilled it */
    cmpw $1, (%rdx)
    jle 3f
    decw (%rdx)
    mov 24(%rax), %rcx
    mov FC_HOOKS@gottpoff(%rip), %rax
    mov %fs:8(%rax), %rax
    mov %rcx, (%rax)
    .cfi_remember_state
    GIVE_BACK rsi
    GIVE_BACK rdx
    GIVE_BACK rcx
    GIVE_BACK rax
    ret
    .cfi_restore_state
4:  xor $32, %rax /* fc_filter_other */
    mov 16(%rax), %rdx
    cmp %rcx, (%rax)
    jne 3f
    cmp %rsi, 8(%rax)
    je 2b
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
    mov FC_HOOKS@gottpoff(%rip), %rcx
    mov %fs:16(%rcx), %rax
    test %rax, %rax
    jz 1f
    mov %fs:8(%rcx), %rcx
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
    mov FC_HOOKS@gottpoff(%rip), %rax
    mov %fs:8(%rax), %rax
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
