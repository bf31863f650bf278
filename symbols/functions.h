/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All functions of one file, as its symbols and debug information have them.  For fcfilter.
 */
#pragma once

#include <glib.h>

typedef struct
{
    guint64 start;
    guint64 end;
    const char *raw;    /* linkage name, without version */
    const char *name;   /* as it is shown, without parameters, */
    const char *params; /* and with them */
    const char *file;   /* of its first line; NULL: not known, or not asked for */
} FcFunctionName;

/* The strings are good until it returns. */
typedef void (*FcFunctionVisitor)(const FcFunctionName *function, gpointer data);

/* Calls `visit` for each function of the file at `path`, in order of address, one a start.  FALSE
 * and `error` where it can't be read, or has another build-id than `build_id`, hex, "": any. */
gboolean fc_functions_visit(const char *path, const char *build_id, gboolean with_files,
                            FcFunctionVisitor visit, gpointer data, GError **error);
