/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What no process of the program is there to print, or free to: the program was killed, became one
 * that is not profiled, or waits for its profile.  Used by main.c and session.c.  Must not keep
 * open what the program's standard error is: who reads a pipe waits for its last writer.
 */
#pragma once

#include <glib.h>

/* Remembers where our standard error leads, before it is exchanged.  A descriptor for
 * fc_last_word_say, which is no writer; -1: nothing that we could write to later. */
int fc_last_word_prepare(void);

/* Writes `text` there as far as that can be done at once; `place` may be -1. */
void fc_last_word_say(int place, const char *text);

/* The same in `after_ms`, unless fc_last_word_withdraw comes before: by SIGALRM, in the midst of
 * whatever the calling thread does then.  One at a time. */
void fc_last_word_say_later(int place, const char *text, guint after_ms);
void fc_last_word_withdraw(void);
