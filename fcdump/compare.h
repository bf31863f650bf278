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

/* Each profile or descriptor among `baseline` and `operands` of `options` is a run; an image is for
 * the runs of its side.  Appends owned strings: to `problems`, what could not be read; to
 * `missing`, patterns that fit nothing in any run (to `warnings` if they would leave something
 * out), as fc_select_missing makes them; to `notes`, files that were named twice, which count once.
 * NULL: a side has no run left.  The caller owns the result. */
FcDiff *fc_compare_runs(const FcOptions *options, FcLabels labels, const FcProgress *progress,
                        GPtrArray *problems, GPtrArray *missing, GPtrArray *warnings,
                        GPtrArray *notes);

/* Each operand is a run of the side after; the other side is empty, and nothing is judged.  Never
 * NULL. The caller has checked that they can be read: there are no messages.  The caller owns the
 * result. */
FcDiff *fc_compare_one_side(const FcOptions *options, FcLabels labels, const FcProgress *progress);

/* Which part of the times is compared: that on the CPU, unless --time says otherwise. */
FcTimePart fc_compare_time(const FcOptions *options);
