/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of the reader of .fc files, shared by parse.c and the files that it calls: v3.c,
 * field.c and runs.c.
 */
#pragma once

#include "profile/table.h"
#include "profile/text.h"

typedef struct
{
    FcText text; /* has the error if one of these parts returns FALSE */
    FcProfile *profile;
    guint64 sections_read;    /* a bit for each section number */
    gboolean is_announced;    /* the first part says that sections follow */
    gboolean is_partial;      /* a section is missing, or is newer than this reader */
    const FcSection *section; /* the current section */
    guint row;                /* the current line of the section, from 0 */
    GPtrArray *arguments;     /* of the command line so far; NULL: none announced */
    guint64 argument_count;
} FcParser;

/* Whether the section is there in a version that this reader knows. */
static inline gboolean fc_parser_has(const FcParser *parser, FcSectionName section)
{
    return (parser->sections_read >> section & 1) != 0;
}
