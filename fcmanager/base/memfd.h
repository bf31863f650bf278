/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Seals the size of shared memory that others made, so that mapping it is safe.  Used by shared.c,
 * user-filter.c and live.c.
 */
#pragma once

#include <glib.h>

/* Seals the size of the memory behind the memfd `fd`.  Any other process that has it open could
 * cut it off otherwise, and an access to what is gone ends the manager by SIGBUS.  Returns that
 * size in bytes, which need not be the one that it was made with. -1: it can't be sealed. */
goffset fc_memfd_seal_size(int fd);
