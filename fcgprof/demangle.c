/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Demangles with libbfd, as gprof does.  See demangle.h.
 */
#include "fcgprof/demangle.h"

/* See object.c. */
#define PACKAGE "functioncheck"
#define PACKAGE_VERSION FC_VERSION
#include <bfd.h>
#include <libiberty/demangle.h>
#include <stdlib.h>

gboolean fc_gdemangle_set_style(const char *style)
{
    enum demangling_styles number = cplus_demangle_name_to_style(style);

    if (number == unknown_demangling)
        return FALSE;
    cplus_demangle_set_style(number);
    return TRUE;
}

char *fc_gdemangle(const char *name)
{
    char *plain = bfd_demangle(NULL, name, DMGL_ANSI | DMGL_PARAMS);
    char *result = g_strdup(plain);

    free(plain);
    return result;
}
