/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the two hooks of code that gcc instruments after inlining (after-inlining.c),
 * which must preserve every register, and their slow path, which is ordinary C (after-inlining.S,
 * after-inlining-slow.c).
 *
 * All of libfc is compiled with -mgeneral-regs-only (meson.build), so its own code does not use
 * vector registers, and need not save them, which would be slow.  Only functions of the C library
 * may use them.  A hook calls these through fc_vectors_keep (vectors.h): in fc_record_slow, to read
 * a clock that is not libfc's own, and to find a function's module for FC_FILTER.
 */
#pragma once

#if !defined(__ASSEMBLER__)
#include <stdbool.h>
#include <stdint.h>

/* A function that preserves every general register.  It may call only such functions. */
#define FC_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))

/* Values in place of a time.  CHECK: call fc_counted_check_after_inlining at an entry,
 * fc_counted_leave_after_inlining at an exit.  REFILL: call fc_counted_refill_after_inlining. */
#define FC_AFTER_INLINING_CHECK 1u
#define FC_AFTER_INLINING_REFILL 2u

/* Does the same as fc_after_inlining_record, and preserves every register. */
FC_KEEPS_REGISTERS void fc_after_inlining_slow(uint64_t time, void *function, void *site,
                                               uint64_t where);

/* Makes the record where the hooks could not: if the chunk is full, the clock is not fast, or
 * counted.c has to decide (`time` is one of the values above).  Async-signal-safe; keeps errno
 * and the vector registers.  Called only by after-inlining.S. */
void fc_after_inlining_record(uint64_t time, void *function, void *site, uint64_t where);

/* Whether the processor has xsave.  Uses no vector register.  Called only by after-inlining.S. */
bool fc_after_inlining_has_xsave(void);
#endif
