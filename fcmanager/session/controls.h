/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is asked from outside, by fcctl, and the pipe of the asker's to which the answer goes.  Used
 * by session.c.  Whoever can write into the manager's pipe is the manager's own user, and nothing
 * is opened that this user could not open.
 */
#pragma once

#include "fcmanager/stream/decode.h"

/* FALSE: the message is malformed, or of another version. */
gboolean fc_controls_decode(const FcWireMessage *message, struct FcControl *control);

/* The asker's pipe, which does not block; -1: it is gone, or not what the message says.  The caller
 * closes it. */
int fc_controls_open(const struct FcControl *control);

/* Writes the state and what comes with it.  `waits_ms`: so long for a reader that is slow; 0: what
 * finds no room is lost.  FALSE: it was not written wholly. */
gboolean fc_controls_answer(int fd, enum FcControlState state, const char *text, gsize bytes,
                            int waits_ms);
