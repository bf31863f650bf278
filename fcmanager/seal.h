/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared memory that nobody can take away from below a mapping.  Used by shared.c and live.c.
 */
#pragma once

#include <glib.h>

/* Fixes the size of the memory behind the memfd `fd` for good: whoever else has it open could
 * make it smaller, and an access to what is gone ends a process by SIGBUS.  FALSE where that
 * can't be done. */
gboolean fc_seal_size(int fd);
