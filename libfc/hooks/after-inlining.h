/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Between the two hooks of code that gcc instruments after inlining (after-inlining.c), which keep
 * every register, and what an ordinary function may do: after-inlining.S, after-inlining-slow.c.
 *
 * All of libfc is compiled with -mgeneral-regs-only (meson.build), so that what it does by itself,
 * as samples, leaves the vector registers alone: to save them takes longer than all else that a
 * sample does.  What calls the C library may not, and is called by fc_vectors_keep (vectors.h)
 * where a hook may have come there: fc_record_slow, a clock that is not libfc's own, and the list
 * of loaded objects where FC_FILTER is to know what a function is of.
 */
#pragma once

#if !defined(__ASSEMBLER__)
#include <stdbool.h>
#include <stdint.h>

/* A function that gives back every general register as it was.  It may call only its like. */
#define FC_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))

/* In place of a time: fc_counted_check_after_inlining or fc_counted_leave_after_inlining is meant,
 * or fc_counted_refill. */
#define FC_AFTER_INLINING_CHECK 1u
#define FC_AFTER_INLINING_REFILL 2u

/* fc_after_inlining_record, and every register kept. */
FC_KEEPS_REGISTERS void fc_after_inlining_slow(uint64_t time, void *function, void *site,
                                               uint64_t where);

/* Makes the record in a new chunk or, where the hooks could not read the clock, with a time of its
 * own.  Async-signal-safe; errno is kept, and so are the vector registers.  Called by
 * after-inlining.S alone. */
void fc_after_inlining_record(uint64_t time, void *function, void *site, uint64_t where);

/* Whether xsave is there.  Touches no vector register.  Called by after-inlining.S alone. */
bool fc_after_inlining_has_xsave(void);
#endif
