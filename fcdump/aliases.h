/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options under the names that people type who know other profilers.  Used by options-parse.c
 * alone.
 */
#pragma once

typedef struct
{
    const char *name;     /* as the user types it */
    const char *option;   /* the option that it stands for; NULL: it has no effect */
    const char *argument; /* the option's argument if the user gives none; or NULL */
    const char *with;     /* the option if the user gives an argument; NULL: `option` */
} FcAlias;

/* NULL if `name` is no alias. */
const FcAlias *fc_alias_find(const char *name);
