/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What nobody is left to print: the program was killed, or became one that is not profiled.  Used
 * by main.c.  Must not keep open what the program's standard error is: who reads a pipe waits for
 * its last writer.
 */
#pragma once

/* Remembers where our standard error leads, before it is exchanged.  A descriptor for
 * fc_last_word_say, which is no writer; -1: nothing that we could write to later. */
int fc_last_word_prepare(void);

/* Writes `text` there as far as that can be done at once; `place` may be -1. */
void fc_last_word_say(int place, const char *text);
