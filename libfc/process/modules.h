/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which files are mapped where: told to fcmanager as they come and go.
 */
#pragma once

/* Finds the real dlopen and dlclose, and sees to it that the program's calls of them come to
 * our interposers.  Once, at start, from a constructor. */
void fc_modules_setup(void);

/* Tells fcmanager what was loaded and unloaded since the last call, where something may
 * have been; where another thread does so, waits until it has.  To be called before calls are sent
 * of what may have been loaded.  Signals blocked. */
void fc_modules_update(void);

/* The same, without the short cut: at start. */
void fc_modules_scan(void);

/* Likewise, at the end of the process: also what libc has loaded by itself (for iconv, or to look
 * up names), which passes by our interposers. */
void fc_modules_scan_last(void);

/* In a forked child, which has the modules of its parent. */
void fc_modules_after_fork(void);
