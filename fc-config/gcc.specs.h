/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gcc.specs has gcc include this before each C and C++ source file, so that hooks are called
 * through the global offset table and not by a jump in the procedure linkage table: two jumps less
 * a call, which take time and make the processor forget what it learned of the program's own. It
 * must declare nothing else, and is preprocessed with assembler code as well.
 */
#if !defined(__ASSEMBLER__)
#pragma GCC system_header
#if defined(__cplusplus)
extern "C"
{
#endif
    void __cyg_profile_func_enter(void *, void *) __attribute__((__noplt__));
    void __cyg_profile_func_exit(void *, void *) __attribute__((__noplt__));
#if defined(__cplusplus)
}
#endif
#endif
