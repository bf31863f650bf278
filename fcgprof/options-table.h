/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of options, from which options.c makes what getopt wants and usage.c the text of
 * --help.
 */
#pragma once

/* Belongs together with options.h: a row says which member of FcGOptions its option sets. */
#include "fcgprof/options.h"

/* Options that have no letter; what getopt returns for them. */
enum
{
    FC_GOPTION_DEMANGLE = 256,
    FC_GOPTION_NO_DEMANGLE,
    FC_GOPTION_INLINE_FILE_NAMES,
    FC_GOPTION_ELAPSED, /* not one of gprof */
};

/* Sections of --help. */
typedef enum
{
    FC_GGROUP_REPORTS,
    FC_GGROUP_COUNTED,
    FC_GGROUP_LOOK,
    FC_GGROUP_OTHER,
    FC_GGROUPS
} FcGOptionGroup;

typedef struct
{
    int letter;           /* or one of the above */
    const char *name;     /* NULL: only a letter */
    const char *argument; /* "N"; "[SPEC]": may be left out; NULL: none */
    FcGOptionGroup group;
    const char *help;
    gsize flag; /* offset of what it sets in FcGOptions; 0: it does something else */
} FcGOption;

/* Ended by a row without a letter.  In the order in which getopt lists names that begin alike. */
extern const FcGOption fc_goption_table[];
