/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers on the reply pipe.  Used by session.c, and by main.c before there is a session.
 */
#pragma once

#include <stdint.h>

/* Sends one write of at most FC_REPLY_TEXT_MAX characters; longer text is cut.  `key` is the
 * process that it is for; 0: whichever reads it.  A reader that is gone is not an error.  `fd`
 * -1: nothing is sent. */
void fc_reply_send(int fd, uint64_t key, const char *text);
