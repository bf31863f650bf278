/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Short names for people: the label of each function, and of names that belong to no function.
 * Called by load.c when all names are distinct, and by reports.  Never prints.
 */
#pragma once

#include "model/model.h"

/* How names are shown. */
typedef enum
{
    FC_LABELS_WHOLE, /* as they are */
    FC_LABELS_SHORT,
    FC_LABELS_ASCII, /* short ones in ASCII */
} FcLabels;

/* Makes the label of each function: its name, or a short one.  Two functions whose names differ get
 * labels that differ. */
void fc_labels_make(FcModel *model, FcLabels style);

/* The label of a function that was not profiled, by its name.  It belongs to nobody: it is
 * interned. */
const char *fc_labels_of_name(const FcModel *model, const char *name);
