/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that processes of the session share by its descriptor, and whose size is fixed for good:
 * an access to what somebody took away would end a process by SIGBUS.  Used by shared.c and
 * user-filter.c.
 */
#pragma once

#include <stddef.h>

/* Makes `bytes` of it, all 0.  Returns its descriptor, or -1 where it can't be had. */
int fc_sealed_make(const char *name, size_t bytes);

/* The size of that behind `fd`, which anybody may have made; -1 where it is not fixed. */
long fc_sealed_bytes(int fd);
