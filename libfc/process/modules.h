/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which files are mapped where.  fcmanager is told as modules come and go.
 */
#pragma once

/* Finds the real dlopen and dlclose, and redirects the program's calls of them to the
 * interposers.  Called once, at start, from a constructor. */
void fc_modules_setup(void);

/* Tells fcmanager what was loaded and unloaded since the last call, if anything may have been.
 * If another thread is doing so, waits for it.  To be called before calls of new code are sent.
 * Signals blocked. */
void fc_modules_update(void);

/* The same without that condition: at start. */
void fc_modules_scan(void);

/* The same at the end of the process: also finds what libc has loaded by itself (for iconv, or
 * to look up names) without the interposers. */
void fc_modules_scan_last(void);

/* In a forked child, which has its parent's modules. */
void fc_modules_after_fork(void);
