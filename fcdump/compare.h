/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --diff: reads the runs before and after, one operand each, and compares them.  --runs: reads runs
 * of one side.  Called by main.  Never prints.
 */
#pragma once

#include "fcdump/options.h"
#include "model/diff.h"
#include "model/labels.h"
#include "profile/fc-profile-file.h"

/* Reads each profile or descriptor in `baseline` and `operands` of `options` as a run; an image
 * serves the runs of its side.  Appends owned strings.  `problems`: inputs that could not be read.
 * `missing`: patterns that matched nothing in any run, as fc_select_missing makes them; `warnings`
 * gets them instead if they only leave something out.  `notes`: files named twice, which count
 * once.  NULL if a side has no run.  The caller owns the result. */
FcDiff *fc_compare_runs(const FcOptions *options, FcLabels labels, const FcProgress *progress,
                        GPtrArray *problems, GPtrArray *missing, GPtrArray *warnings,
                        GPtrArray *notes);

/* Reads each operand as a run of the side after.  The other side is empty, and changes are not
 * judged.  There are no messages: the caller has checked that the operands can be read.  Never
 * NULL.  The caller owns the result. */
FcDiff *fc_compare_one_side(const FcOptions *options, FcLabels labels, const FcProgress *progress);

/* Which part of the times is compared: that on the CPU, unless --time says otherwise. */
FcTimePart fc_compare_time(const FcOptions *options);
