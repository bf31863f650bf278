/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See sys.h.  fcmanager, which has some files of libfc's, has this one, too.
 */
#include "libfc/base/sys.h"

__thread volatile char *fc_sys_dispatch;
