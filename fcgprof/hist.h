/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Histograms of program counter samples, and the credit they give to symbols.
 */
#pragma once

#include "fcgprof/model.h"

/* Describes one histogram as a profile declares it. */
typedef struct
{
    guint64 low;
    guint64 high;
    guint32 n_bins;
    guint32 rate;
    char dimension[16];
    char abbreviation;
} FcGHistHeader;

/* The histogram of the model that samples of `header` belong to, made if there is none
 * yet.  NULL and `error` if it does not go with those that are there. */
FcGHist *fc_ghist_declare(FcGModel *model, const FcGHistHeader *header, GError **error);

/* Units of code (2 bytes) that one bin of such a histogram covers. */
double fc_ghist_scale(const FcGHistHeader *header);

/* Shares all samples out to the symbols and sums them up. */
void fc_ghist_assign(FcGModel *model);

/* Whether an address, or the part of a range that is kept, lies in a histogram. */
const FcGHist *fc_ghist_covering(const FcGModel *model, guint64 addr);

/* Bytes of code that one sample stands for, as the reports state it. */
glong fc_ghist_sample_bytes(const FcGModel *model);
