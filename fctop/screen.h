/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fctop on a terminal, by ncurses: draws, and reads keys.  Used by main.c.
 */
#pragma once

#include "fctop/view.h"

/* Shows a sample every `delay_s` until the user leaves or the process can't be asked any more.
 * FALSE and *error: the latter, or the terminal is of no known kind. */
gboolean fc_top_run_screen(FcTop *top, FcTopView *view, double delay_s, GError **error);
