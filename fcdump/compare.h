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

/* Of the operands `baseline` and `operands` of `options` each profile or descriptor is a run; an
 * image among them is for the runs of its side.  What could not be read, and what names are
 * missing, is appended to `problems` (owned strings); patterns that fit nothing in any run to
 * `missing` and, where they would leave something out, to `warnings`, as fc_select_missing makes
 * them; NULL where a side has no run left.  A file that is named again is no second run of its
 * side, and part of none, which `notes` gets told.  The caller owns the result. */
FcDiff *fc_compare_runs(const FcOptions *options, FcLabels labels, const FcProgress *progress,
                        GPtrArray *problems, GPtrArray *missing, GPtrArray *warnings,
                        GPtrArray *notes);

/* Of the operands each is a run on the side after; nothing is on the other, and nothing judged.
 * Never NULL.  That they can be read was checked: nothing is told of them.  The caller owns the
 * result. */
FcDiff *fc_compare_one_side(const FcOptions *options, FcLabels labels, const FcProgress *progress);

/* Which part of the times is compared: that on the CPU, unless --time says otherwise. */
FcTimePart fc_compare_time(const FcOptions *options);
