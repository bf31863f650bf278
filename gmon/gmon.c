/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See gmon.h.
 */
#include "gmon/gmon.h"

GQuark fc_gmon_error_quark(void)
{
    return g_quark_from_static_string("fc-gmon-error");
}
