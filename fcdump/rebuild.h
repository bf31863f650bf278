/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to compile a program with whose hooks took more than it did.  Called by findings.c.
 */
#pragma once

#include "fcdump/report.h"

/* The end of the sentence about it, such as ", most for tiny; compile with ...".  If the code was
 * compiled without optimization, or with hooks in inlined functions, it gives the flags of
 * fc-config; otherwise, what leaves out the costliest functions.  May be "".  Sets *says_what if it
 * says what to do.  The caller owns the result. */
char *fc_rebuild_advise(const FcReportContext *context, gboolean *says_what);
