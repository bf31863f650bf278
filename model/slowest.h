/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowest calls of each function of the model, of which several of the profile may be one.
 * Made by a report or an export; never prints.
 */
#pragma once

#include "model/model.h"

typedef struct
{
    GArray *calls; /* const FcProfileSlowCall *: by function, slowest first */
    guint *first;  /* of each function, and one more: the first of its own there */
} FcSlowestTable;

/* `model` must outlive the result, which is the caller's. */
FcSlowestTable *fc_slowest_table_new(const FcModel *model);
void fc_slowest_table_free(FcSlowestTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcSlowestTable, fc_slowest_table_free)
