/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the hooks that are linked into modules want of libfc (libfc/module-hooks.c), of a library
 * that takes its place: they find that nothing is counted, and go on to `enter` and `exit`.
 */
#pragma once

#define STAND_IN_FOR(name) __asm__("__functioncheck_" name) __attribute__((visibility("default")))
#define STAND_IN(enter, exit)                                                                      \
    extern __thread void *stand_in_filter STAND_IN_FOR("filter_1");                                \
    __thread void *stand_in_filter;                                                                \
    extern __thread void *stand_in_recorded STAND_IN_FOR("recorded_1");                            \
    __thread void *stand_in_recorded;                                                              \
    extern __thread void *stand_in_beacon STAND_IN_FOR("beacon_1");                                \
    __thread void *stand_in_beacon;                                                                \
    extern __typeof(enter) stand_in_enter STAND_IN_FOR("enter") __attribute__((alias(#enter)));    \
    extern __typeof(enter) stand_in_refill STAND_IN_FOR("refill") __attribute__((alias(#enter)));  \
    extern __typeof(exit) stand_in_exit STAND_IN_FOR("exit") __attribute__((alias(#exit)))
