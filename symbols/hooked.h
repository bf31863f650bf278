/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a program can leave a profile.  Asked if there is none, to say why.  Called by the mains
 * of the tools, by way of model/nearby.c; never prints.
 */
#pragma once

#include <glib.h>

typedef enum
{
    FC_HOOKED_NO_IMAGE, /* no ELF file, or it can't be read */
    FC_HOOKED_STATIC,   /* linked statically: libfc can't be with it */
    FC_HOOKED_NONE,     /* nothing in it calls the hooks */
    FC_HOOKED_LOST,     /* likewise, as link-time optimization by gcc left them out */
    FC_HOOKED_UNLINKED, /* it calls hooks, but does not name libfc */
    FC_HOOKED_READY,
} FcHooked;

FcHooked fc_hooked_look(const char *path);
