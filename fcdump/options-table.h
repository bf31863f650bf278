/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of options, which the parser and --help read; the reports are in a table of their
 * own (report-table.h).
 */
#pragma once

#include "fcdump/options.h"

/* Sections of --help. */
typedef enum
{
    FC_GROUP_INPUT,
    FC_GROUP_REPORTS,
    FC_GROUP_EXPORTS,
    FC_GROUP_SELECT,
    FC_GROUP_MEMORY,
    FC_GROUP_NAMES,
    FC_GROUP_OTHER,
} FcOptionGroup;

typedef struct FcOption FcOption;

/* FALSE and `error` where the argument can't be used. */
typedef gboolean FcOptionApply(FcOptions *options, const FcOption *option, const char *argument,
                               GError **error);

struct FcOption
{
    const char *name;
    const char *alias;    /* another name, or NULL */
    const char *argument; /* "LIST"; "[STYLE]": may be left out; NULL: none */
    const char *help;
    FcOptionGroup group;
    FcOptionApply *apply;
    gsize offset; /* of the member of FcOptions that `apply` sets */
    gint value;   /* to what */
};

/* Ended by a row without a name. */
extern const FcOption fc_option_table[];
