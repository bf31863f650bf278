/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options under the names that people type who know other profilers.  Used by options-parse.c
 * alone.
 */
#pragma once

typedef struct
{
    const char *name;     /* as it is typed */
    const char *option;   /* what it means; NULL: nothing */
    const char *argument; /* that of the option, where it has none of its own; or NULL */
    const char *with;     /* what it means with an argument; NULL: the same */
} FcAlias;

/* NULL: it is none. */
const FcAlias *fc_alias_find(const char *name);
