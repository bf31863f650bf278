/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests from outside, by fcctl.  Decodes a request, and writes the answer to the pipe that the
 * asker named.  Used by session.c.  Whoever can write into the manager's pipe is the manager's own
 * user, and nothing is opened that this user could not open.
 */
#pragma once

#include "fcmanager/stream/decode.h"

/* FALSE: the message is malformed, or of another version. */
gboolean fc_controls_decode(const FcWireMessage *message, struct FcControl *control);

/* Opens the asker's pipe without blocking.  -1: it is gone, or it is not the pipe that the message
 * names.  The caller closes it. */
int fc_controls_open(const struct FcControl *control);

/* Writes the state and the text.  Waits up to `waits_ms` for a slow reader; with 0 it drops what
 * finds no room.  FALSE: not everything was written. */
gboolean fc_controls_answer(int fd, enum FcControlState state, const char *text, gsize bytes,
                            int waits_ms);
