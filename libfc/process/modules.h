/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports to fcmanager which modules are loaded and unloaded, and where.
 */
#pragma once

/* Finds the real dlopen and dlclose, and redirects the program's calls of them to the
 * interposers.  Called once, at start, from a constructor. */
void fc_modules_setup(void);

/* Reports what was loaded and unloaded since the last call, if anything may have been.  If
 * another thread is doing so, waits for it.  Must be called before records of new code are sent.
 * Signals blocked. */
void fc_modules_update(void);

/* The same, but always reads the loader's list.  Blocks signals itself.  Called at start and
 * when a module registers its entry counters. */
void fc_modules_scan(void);

/* Called at the end of the process.  Reads the loader's list unless this is a forked child that
 * has loaded nothing itself.  Also finds what libc has loaded without the interposers, such as
 * iconv's and NSS modules.  Blocks signals itself. */
void fc_modules_scan_last(void);

/* In a forked child, which starts with its parent's modules. */
void fc_modules_after_fork(void);
