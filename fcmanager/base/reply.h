/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers on the reply pipe.  Used by session.c, and by main.c before there is a session.
 */
#pragma once

#include <stdint.h>

/* Sends `text` in one write.  Text beyond FC_REPLY_TEXT_MAX bytes is cut off.  `key`: the process
 * that it is for; 0: any that reads it.  If there is no reader any more, or `fd` is -1, does
 * nothing. */
void fc_reply_send(int fd, uint64_t key, const char *text);
