/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model's table of symbols, from an image.
 */
#pragma once

#include "fcgprof/model.h"

/* Makes the model's table: the functions, and under -l also the source lines; or, if it is not
 * NULL, what the file `listed` of -S has.  False and `error` if there is none. */
gboolean fc_gmodel_load_symbols(FcGModel *model, FcGObject *object, const char *listed,
                                GError **error);
