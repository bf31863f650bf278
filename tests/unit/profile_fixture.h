/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles for the unit tests of profile/: random ones that use every field, and
 * comparison field by field.  Must not use the code under test to compare.
 */
#pragma once

#include "profile/fc-profile-file.h"

/* With `size` functions and some multiple of that of the rest.  The same seed
 * gives the same profile.  Its numbers reach from 0 to the largest there are. */
FcProfile *fixture_profile_new(guint32 seed, guint size);

/* A small one with plain numbers, for tests that work figures out by hand:
 * modules app (build-id a1, base 0x1000) and lib (path only, base 0x2000);
 * functions main and work (in app), helper (in lib). */
FcProfile *fixture_plain_new(void);

void fixture_assert_equal(const FcProfile *a, const FcProfile *b);

/* A new folder that anyone may search, removed with all in it. */
char *fixture_folder_new(void);
void fixture_folder_remove(char *folder);
/* How many names there are in it. */
guint fixture_folder_count(const char *folder);
