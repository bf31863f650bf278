/* SPDX-License-Identifier: 0BSD
 *
 * The hooks of a module for code that gcc instruments after inlining, as module-hooks.c has the
 * others.  The entry hook counts a call of a counted function; the return hook does nothing if the
 * call was counted.  In all other cases they jump to libfc's hooks, as if these had been called
 * (after-inlining.c; find_way there makes the same decision in full).
 *
 * Both hooks change the flags, which hold nothing at a call.  The entry hook also changes r10 and
 * r11, as the procedure linkage table may (a nested function saves its static chain, in r10,
 * itself).  The return hook keeps them: the instruction after it may be a jump to an address in one
 * of them, at the end of a thunk of a virtual function or of a sibling call.  gcc does not assume
 * with -pg that a callee in the same file keeps further registers (-fipa-ra is off).  The hooks may
 * write below the stack pointer, as gcc's specs switch the red zone off.
 *
 * The offsets are those of struct FcHooks and struct FcPair (counter-table.h); recorded.c checks
 * them.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

/* overhead-after-inlining.S includes this file with other names, and without the note at its end.
 */
#if !defined(FC_HOOK_FENTRY)
#define FC_OF_MODULE
#define FC_HOOK_FENTRY __fentry__
#define FC_HOOK_RETURN __return__
#define FC_HOOKS __functioncheck_hooks_4
#define FC_GO_ON_FENTRY jmp *__functioncheck_fentry@GOTPCREL(%rip)
#define FC_GO_ON_REFILL jmp *__functioncheck_fentry_refill@GOTPCREL(%rip)
#define FC_GO_ON_RETURN jmp *__functioncheck_return@GOTPCREL(%rip)
#endif

    /* Returns from the hook if the loader has not bound libfc's hook yet, as in the resolver of an
     * ifunc. */
    .macro FC_UNLESS_EARLY way
#if defined(FC_OF_MODULE)
    cmpq $0, \way@GOTPCREL(%rip)
    jne 8f
    ret
8:
#endif
    .endm

    /* Goes on if the call whose return address is at `place` is known to have made no record at its
     * entry; otherwise jumps to `else`. */
    .macro GO_WHERE_COUNTED place, else
    mov FC_HOOKS@gottpoff(%rip), %r11
    lea \place, %r10
    sub %fs:16(%r11), %r10
    cmp %fs:24(%r11), %r10
    jae \else
    .endm

    /* In a group, as a command may have the flags twice.  Strong, as each object has weak hooks of
     * its own (fc-config/weak-hooks.s). */
    .section .text.functioncheck_hooks, "axG", @progbits, __functioncheck_module_after_inlining, comdat
    .p2align 6 /* as FC_HOOK_ALIGNED */
    .globl FC_HOOK_FENTRY
    .hidden FC_HOOK_FENTRY
    .type FC_HOOK_FENTRY, @function
FC_HOOK_FENTRY:
    .cfi_startproc
    _CET_ENDBR
    push %rcx
    .cfi_adjust_cfa_offset 8
    GO_WHERE_COUNTED 16(%rsp), 3f
    mov %fs:8(%r11), %rcx
    movq $0, (%rcx) /* FC_CURRENT_HOOK */
    mov %fs:0(%r11), %r11
    test %r11, %r11
    jz 3f
    /* the pair of the hook's return address and the call site: fc_counter_table_pair */
    mov 16(%rsp), %rcx
    mov 8(%rsp), %r10
    lea (%rcx,%rcx,4), %rcx
    lea (%r10,%rcx,4), %rcx
    add %ecx, %ecx
    and $0x1ffe0, %ecx
    add %rcx, %r11
    bts $63, %r10 /* FC_FUNCTION_AFTER_INLINING */
    cmp %r10, (%r11)
    jne 4f
    mov 16(%rsp), %r10
    cmp %r10, 8(%r11)
    jne 5f
2:  mov 16(%r11), %rcx /* read after the comparison: see fc_counter_table_find */
    mov 24(%r11), %r10
    decw (%r11,%rcx)
    jle 6f
    mov FC_HOOKS@gottpoff(%rip), %r11
    mov %fs:8(%r11), %r11
    mov %r10, (%r11)
    .cfi_remember_state
    pop %rcx
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_restore_state
5:  mov 8(%rsp), %r10
    bts $63, %r10
4:  xor $32, %r11 /* fc_counter_table_neighbour */
    cmp %r10, (%r11)
    jne 3f
    mov 16(%rsp), %r10
    cmp %r10, 8(%r11)
    je 2b
    .cfi_remember_state
3:  pop %rcx
    .cfi_adjust_cfa_offset -8
    FC_UNLESS_EARLY __functioncheck_fentry
    FC_GO_ON_FENTRY
    .cfi_restore_state
6:  pop %rcx
    .cfi_adjust_cfa_offset -8
    FC_GO_ON_REFILL
    .cfi_endproc
    .size FC_HOOK_FENTRY, .-FC_HOOK_FENTRY

    .p2align 6
    .globl FC_HOOK_RETURN
    .hidden FC_HOOK_RETURN
    .type FC_HOOK_RETURN, @function
FC_HOOK_RETURN:
    .cfi_startproc
    _CET_ENDBR
    push %r10
    .cfi_adjust_cfa_offset 8
    push %r11
    .cfi_adjust_cfa_offset 8
    GO_WHERE_COUNTED 24(%rsp), 1f
    mov %fs:8(%r11), %r11
    mov 24(%rsp), %r10 /* the call site: fc_current_left_to */
    bts $63, %r10
    mov %r10, (%r11) /* FC_CURRENT_HOOK is not set before: nothing else remains to be done */
    .cfi_remember_state
    pop %r11
    .cfi_adjust_cfa_offset -8
    pop %r10
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_restore_state
1:  pop %r11
    .cfi_adjust_cfa_offset -8
    pop %r10
    .cfi_adjust_cfa_offset -8
    FC_UNLESS_EARLY __functioncheck_return
    FC_GO_ON_RETURN
    .cfi_endproc
    .size FC_HOOK_RETURN, .-FC_HOOK_RETURN

#if defined(FC_OF_MODULE)
    /* for symbols/hooked.c, as in module-hooks.c */
    .section .note.functioncheck, "aG", @note, __functioncheck_module_after_inlining, comdat
    .balign 4
    .4byte 14, 8, 1
    .asciz "FunctionCheck"
    .balign 4
    .8byte __fentry__ - .
#endif
    .section .note.GNU-stack, "", @progbits
