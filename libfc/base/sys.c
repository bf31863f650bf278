/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See sys.h. Compiled into fcmanager, too.
 */
#include "libfc/base/sys.h"

__thread volatile char *fc_sys_dispatch;
