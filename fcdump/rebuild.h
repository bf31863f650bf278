/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to compile a program with whose hooks took more than it did.  Called by findings.c.
 */
#pragma once

#include "fcdump/report.h"

/* The end of the sentence that says so, such as ", most for tiny; compile with ...": for what was
 * compiled without optimization, or with hooks in what is inlined, the flags of fc-config; else
 * what leaves out the functions that account for it.  May be "".  Sets *says_what where it
 * says what to do.  The caller owns the result. */
char *fc_rebuild_advise(const FcReportContext *context, gboolean *says_what);
