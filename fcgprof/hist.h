/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Histograms of program counter samples, and the credit they give to symbols.
 */
#pragma once

#include "fcgprof/model.h"
#include "gmon/gmon.h"

/* The histogram of the model that samples of `header` belong to, made if there is none
 * yet.  NULL and `error` if it does not go with those that are there. */
FcGHist *fc_ghist_declare(FcGModel *model, const FcGmonHist *header, GError **error);

/* The same of the one histogram that files in the old layouts have. */
FcGHist *fc_ghist_declare_old(FcGModel *model, const FcGmonHist *header, GError **error);

/* Shares all samples out to the symbols and sums them up. */
void fc_ghist_assign(FcGModel *model);

/* Whether an address, or the part of a range that is kept, lies in a histogram. */
const FcGHist *fc_ghist_covering(const FcGModel *model, guint64 addr);

/* Bytes of code that one sample stands for, as the reports state it. */
glong fc_ghist_sample_bytes(const FcGModel *model);
