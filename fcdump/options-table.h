/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of options, which the parser and --help read; the reports are in a table of their
 * own (report-table.h).
 */
#pragma once

#include "fcdump/options-apply.h"

/* Ended by a row without a name. */
extern const FcOption fc_option_table[];
