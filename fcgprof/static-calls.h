/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c on gmon.out files: calls that are in the code of the image.
 */
#pragma once

#include "fcgprof/model.h"

/* Whether the call instructions of the image's machine are known. */
gboolean fc_gstatic_calls_are_known(const FcGObject *object);

/* Adds arcs with count 0 for all calls from the code that histograms cover. */
void fc_gstatic_calls_add(FcGModel *model, FcGObject *object);
