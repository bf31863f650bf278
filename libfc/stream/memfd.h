/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that processes share by a descriptor, a memfd whose size is sealed.  If its size could
 * change, an access to what somebody cut off would end the process by SIGBUS.  Used by shared.c
 * and user-filter.c.
 */
#pragma once

#include <stddef.h>

/* Makes `bytes` of zeroed memory.  `name` is for /proc.  Returns its descriptor, or -1. */
int fc_memfd_make(const char *name, size_t bytes);

/* The size of the memory behind `fd`, which any process may have made. -1: its size is not
 * sealed. */
long fc_memfd_bytes(int fd);
