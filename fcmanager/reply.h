/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers on the reply pipe.  Used by session.c, and by main.c before there is a session.
 */
#pragma once

/* One write of at most FC_REPLY_TEXT_MAX characters; what does not fit is cut.  A reader that
 * is gone is not an error.  `fd` -1: nothing is sent. */
void fc_reply_send(int fd, const char *text);
