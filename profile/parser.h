/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reader of .fc files knows while it reads: shared by parse.c and the parts that it calls,
 * v3.c, field.c and runs.c.
 */
#pragma once

#include "profile/table.h"
#include "profile/text.h"

typedef struct
{
    FcText text; /* has the error where one of these parts returns FALSE */
    FcProfile *profile;
    guint64 sections_read;    /* bit by number of the section */
    gboolean is_announced;    /* the first part says that sections follow */
    gboolean is_partial;      /* a section that we know was absent, or newer than we are */
    const FcSection *section; /* the current one, */
    guint row;                /* and its line, from 0 */
    GPtrArray *arguments;     /* of the command line so far; NULL: none announced */
    guint64 argument_count;
} FcParser;

/* Whether the section is there, and of a version that we know. */
static inline gboolean fc_parser_has(const FcParser *parser, FcSectionName section)
{
    return (parser->sections_read >> section & 1) != 0;
}
