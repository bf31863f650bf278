/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the two hooks of code that gcc instruments after inlining (after-inlining.c),
 * which must keep every register, and what an ordinary function may do: after-inlining.S,
 * after-inlining-slow.c.
 *
 * All of libfc is compiled with -mgeneral-regs-only (meson.build), so its own code, such as that
 * for samples, does not use vector registers; saving them takes longer than all else that a sample
 * does.  Only calls of the C library may use them.  They are made through fc_vectors_keep
 * (vectors.h) where a hook may lead to them: in fc_record_slow, in clocks that are not libfc's
 * own, and in the list of loaded objects when FC_FILTER needs to know the module of a function.
 */
#pragma once

#if !defined(__ASSEMBLER__)
#include <stdbool.h>
#include <stdint.h>

/* A function that keeps every general register.  It may call only such functions. */
#define FC_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))

/* Values in place of a time, which mean: call fc_counted_check_after_inlining,
 * fc_counted_leave_after_inlining, or fc_counted_refill. */
#define FC_AFTER_INLINING_CHECK 1u
#define FC_AFTER_INLINING_REFILL 2u

/* The same as fc_after_inlining_record, and keeps every register. */
FC_KEEPS_REGISTERS void fc_after_inlining_slow(uint64_t time, void *function, void *site,
                                               uint64_t where);

/* Makes the record in a new chunk; or, where the hooks could not read the clock, with a time
 * that it reads itself.  Async-signal-safe; keeps errno and the vector registers.  Called by
 * after-inlining.S only. */
void fc_after_inlining_record(uint64_t time, void *function, void *site, uint64_t where);

/* Whether the processor has xsave.  Touches no vector register.  Called by after-inlining.S
 * only. */
bool fc_after_inlining_has_xsave(void);
#endif
