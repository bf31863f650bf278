/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that options ask for and that are in none of the inputs: each is said with its option and
 * the files.  Called by main; never prints.
 */
#pragma once

#include "fcdump/options.h"
#include "model/model.h"

/* Looks for the functions that --peek and --path name.  Appends those that do not exist to
 * `missing`, as fc_select_missing makes them (owned strings). */
void fc_missing_find(const FcModel *model, const FcOptions *options, GPtrArray *missing);

/* Adds to each of `missing` the names of the profiles that the command line gives. */
void fc_missing_name_files(GPtrArray *missing, const FcOptions *options);
