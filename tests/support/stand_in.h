/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the hooks that are linked into modules want of libfc (libfc/hooks/module-hooks.c), of a
 * library that takes its place: they find that nothing is counted, and go on to `enter` and `exit`.
 */
#pragma once

#define STAND_IN_FOR(name) __asm__("__functioncheck_" name) __attribute__((visibility("default")))
#define STAND_IN(enter, exit)                                                                      \
    extern __thread void *stand_in_hooks[5] STAND_IN_FOR("hooks_4");                               \
    __thread void *stand_in_hooks[5];                                                              \
    extern __typeof(enter) stand_in_enter STAND_IN_FOR("enter") __attribute__((alias(#enter)));    \
    extern __typeof(enter) stand_in_refill STAND_IN_FOR("refill") __attribute__((alias(#enter)));  \
    extern __typeof(exit) stand_in_exit STAND_IN_FOR("exit") __attribute__((alias(#exit)));        \
    extern __typeof(enter) stand_in_entry STAND_IN_FOR("record_entry_4")                           \
        __attribute__((alias(#enter)));                                                            \
    extern __typeof(exit) stand_in_record_exit STAND_IN_FOR("record_exit_4")                       \
        __attribute__((alias(#exit)))
