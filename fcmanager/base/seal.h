/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared memory that nobody can take away from below a mapping.  Used by shared.c,
 * user-filter.c and live.c.
 */
#pragma once

#include <glib.h>

/* Fixes the size of the memory behind the memfd `fd` for good: whoever else has it open could
 * make it smaller, and an access to what is gone ends a process by SIGBUS.  Returns that size in
 * bytes, which need not be what it was made with; -1 where it can't be fixed. */
goffset fc_seal_size(int fd);
