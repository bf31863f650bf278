/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Goes into what is linked by way of the script libfc.so beside it, and leaves nothing there: it
 * only wants a symbol of libfc, so that a linker that is told --as-needed finds libfc needed, with
 * whatever objects it has seen by then. */
    .section .functioncheck, "e"
    .8byte __cyg_profile_func_enter
    .section .note.GNU-stack, "", %progbits
