/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c: calls that are only in the code.  See profile.h.
 */
#include "fcdump/gprof/profile.h"

void fc_gprofile_add_static_calls(FcGProfile *profile)
{
    (void)profile;
}
