/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of a function that has no code of its own: for symbols.h and the files of this
 * folder.
 */
#pragma once

#include <glib.h>

/* A function that the compiler inlined wherever it is called. */
typedef struct
{
    const char *name; /* as that of FcSymbol */
    const char *file; /* where it is declared, or NULL */
    guint line;
    guint copies;
    guint hosts; /* functions that these are in */
} FcInlined;

/* A function that was inlined at some location, and where: the location is in it. */
typedef struct
{
    const char *name;     /* as that of FcSymbol */
    const char *raw_name; /* linkage name, or that of C */
    const char *file;     /* of the call that it is in place of; NULL: not known */
    guint line;           /* 0: not known */
} FcInlinedCall;
