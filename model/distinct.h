/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Distinct names for distinct functions.  Called by load.c when all names are known; never prints.
 */
#pragma once

#include "model/model.h"

/* Gives longer names to functions that have the same one: with parameters, or the file, folder,
 * module or address that they are in.  The symbols, by which functions are selected and
 * exported, stay as they are. */
void fc_distinct_names(FcModel *model);
