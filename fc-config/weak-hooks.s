# SPDX-License-Identifier: 0BSD
#
# What the assembler reads behind each file that gcc instruments after inlining: __fentry__ and __return__ for links
# that get none of fc-config's flags.  Weak, so that those of libfc/hooks/module-after-inlining.S come before them;
# hidden, so that they are the module's; in each object anew, not in a group, as objcopy --localize-hidden and
# --keep-global-symbol would leave calls into a copy that the linker drops.  Where libfc is in the process all
# the same they go on to it: slower, but nothing is missing from the profile.
#
# No register is changed but the flags.  No unwind table: a leaf, and -ffreestanding may have no place for one.
	.code64
	.att_syntax prefix
# The flags may come twice.
	.ifndef .Lfunctioncheck_weak_hooks
	.set .Lfunctioncheck_weak_hooks, 1
# A program with hooks of its own would find that they are not called.
	.ifdef __cyg_profile_func_enter
	.error "this file defines __cyg_profile_func_enter, which FunctionCheck's hooks after inlining take the place of: compile with the flags of fc-config --cflags --every-function, or without"
	.endif
	.ifdef __fentry__
	.error "this file defines __fentry__, which FunctionCheck's hooks after inlining take the place of: compile with the flags of fc-config --cflags --every-function, or without"
	.else
	.section .text.functioncheck,"ax",@progbits
	.weak __fentry__
	.hidden __fentry__
	.type __fentry__, @function
__fentry__:
	endbr64
	cmpq $0, __functioncheck_fentry@GOTPCREL(%rip)
	je 1f
	jmp *__functioncheck_fentry@GOTPCREL(%rip)
1:	ret
	.size __fentry__, .-__fentry__
	.weak __return__
	.hidden __return__
	.type __return__, @function
__return__:
	endbr64
	cmpq $0, __functioncheck_return@GOTPCREL(%rip)
	je 1f
	jmp *__functioncheck_return@GOTPCREL(%rip)
1:	ret
	.size __return__, .-__return__
	.weak __functioncheck_fentry
	.weak __functioncheck_return
	.section .note.GNU-stack,"",@progbits
	.text
	.endif
	.endif
