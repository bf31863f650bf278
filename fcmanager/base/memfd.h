/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Seals the size of shared memory that another process made, so that mapping it is safe.  Used by
 * shared.c, user-filter.c and live.c.
 */
#pragma once

#include <glib.h>

/* Seals the size of the memory behind the memfd `fd`.  Otherwise any process that has it open
 * could shrink it, and SIGBUS would end the manager when it reads what is gone.  Returns the size
 * in bytes, which another process may have changed before; -1: it can't be sealed. */
goffset fc_memfd_seal_size(int fd);
