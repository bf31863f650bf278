/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c on gmon.out files: calls that are in the code of the image.
 */
#pragma once

#include "fcgprof/model.h"

/* Adds arcs with count 0 for all calls from the code that histograms cover; none where the calls of
 * the image's machine are not known (code-calls.h). */
void fc_gstatic_calls_add(FcGModel *model, FcGObject *object);
