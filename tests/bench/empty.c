/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hooks that only return, linked into the program: what no profiler by -finstrument-functions can
 * go below.  bench.py compiles it with fib.c.
 */
#define HOOK __attribute__((no_instrument_function, visibility("hidden")))

HOOK void __cyg_profile_func_enter(void *function, void *site);
HOOK void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)function;
    (void)site;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
}
