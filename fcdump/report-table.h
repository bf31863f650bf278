/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of reports and exports.  main prints by it and hands it to the options; no report
 * includes this.
 */
#pragma once

#include "fcdump/options.h"

/* In the order in which they are printed, ended by NULL. */
extern const FcReport *const fc_report_table[];
