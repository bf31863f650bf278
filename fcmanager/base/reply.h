/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers on the reply pipe.  Used by session.c, and by main.c before there is a session.
 */
#pragma once

#include <stdint.h>

/* One write of at most FC_REPLY_TEXT_MAX characters; what does not fit is cut.  For process `key`,
 * 0: for whoever reads it.  A reader that is gone is not an error.  `fd` -1: nothing is sent. */
void fc_reply_send(int fd, uint64_t key, const char *text);
