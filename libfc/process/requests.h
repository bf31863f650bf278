/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one of the program's requests that libfc makes for it, too.
 */
#pragma once

#include <stdbool.h>

/* Nothing is added to the profile from here on, or it goes on.  Returns when fcmanager has done it.
 * Any thread or signal handler may call it. */
void fc_requests_pause(bool is_pause);
