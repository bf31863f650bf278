/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See thread.h.
 */
#include "libfc/thread.h"

__thread struct FcThread fc_thread = {.cursor = FC_CURSOR_NONE};
