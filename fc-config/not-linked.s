# SPDX-License-Identifier: 0BSD
#
# Behind weak-hooks.s, but for what is freestanding.  Once a module, at its start: says on a terminal, unless there is
# FC_QUIET in the environment, that libfc is not in the process.  And by its note fcdump finds out whether the
# weak hooks are called (symbols/hooked.c).
	.ifndef __functioncheck_not_linked
	.section .text.functioncheck_not_linked,"axG",@progbits,__functioncheck_not_linked,comdat
	.weak __functioncheck_not_linked
	.hidden __functioncheck_not_linked
	.type __functioncheck_not_linked, @function
# Called with argc, argv and the environment.
__functioncheck_not_linked:
	endbr64
	cmpq $0, __functioncheck_return@GOTPCREL(%rip)
	jne 5f
	test %rdx, %rdx
	jz 4f
1:	mov (%rdx), %rax
	add $8, %rdx
	test %rax, %rax
	jz 4f
	movabs $0x54454955515f4346, %rcx # FC_QUIET
2:	test %rcx, %rcx
	jz 3f
	cmpb %cl, (%rax)
	jne 1b
	inc %rax
	shr $8, %rcx
	jmp 2b
3:	cmpb $'=', (%rax)
	jne 1b
	ret
4:	sub $72, %rsp
	mov %rsp, %rdx
	mov $0x5401, %esi # TCGETS
	mov $2, %edi
	mov $16, %eax
	syscall
	add $72, %rsp
	test %eax, %eax
	jne 5f
	lea 6f(%rip), %rsi
	mov $(7f - 6f), %edx
	mov $2, %edi
	mov $1, %eax
	syscall
5:	ret
6:	.ascii "functioncheck: compiled for profiling, but linked without the flags of fc-config, or statically: nothing is profiled\n"
7:
	.size __functioncheck_not_linked, .-__functioncheck_not_linked
	.section .init_array.00101,"awG",@init_array,__functioncheck_not_linked,comdat
	.balign 8
	.quad __functioncheck_not_linked
	.section .note.functioncheck,"aG",@note,__functioncheck_not_linked,comdat
	.balign 4
	.long 14, 8, 1
	.asciz "FunctionCheck"
	.balign 4
	.quad __fentry__ - .
	.section .note.GNU-stack,"",@progbits
	.text
	.endif
