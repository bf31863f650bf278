/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model's table of symbols, from an image.
 */
#pragma once

#include "fcgprof/model.h"

/* Makes the model's table: the functions, and under -l also the source lines; or what the
 * file of -S lists.  False and `error` if there is none.  `object` must outlive the model. */
gboolean fc_gmodel_load_symbols(FcGModel *model, FcGObject *object, GError **error);
