/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A made-up thread for the tests of fcmanager: functions are called by letters, and each
 * record is given by hand.  Used by the test_manager_*.c files.
 */
#pragma once

#include "fcmanager/stack.h"

#define FIXTURE_GENERATION 3u

typedef struct
{
    FcModules *modules;
    FcCounts *counts;
    FcStack *stack;
} FcFixture;

/* One tick is one nanosecond. */
void fc_fixture_start(FcFixture *fixture);
void fc_fixture_stop(FcFixture *fixture);

/* Where function `letter` is, and the `number`th call site in it. */
guint64 fc_fixture_address(char letter);
guint64 fc_fixture_site(char letter, guint number);

/* A record as a hook writes it.  `depth`: the frame lies so many times 64 bytes deep. */
struct FcRecord fc_fixture_record(enum FcRecordKind kind, guint64 time, char letter, guint64 site,
                                  guint depth);

/* Entry into `letter` from call site `site` at `depth`, and exit from there. */
void fc_fixture_enter(FcFixture *fixture, guint64 time, char letter, guint64 site, guint depth);
void fc_fixture_leave(FcFixture *fixture, guint64 time, char letter, guint64 site, guint depth);
/* A record of a counted function, and a call of one that is sampled, takes so long and calls
 * nothing. */
void fc_fixture_count(FcFixture *fixture, guint64 time, enum FcCountRecord kind, char letter,
                      guint64 site, guint depth);
void fc_fixture_sample(FcFixture *fixture, guint64 time, guint64 ticks, char letter, guint64 site,
                       guint depth);

/* Sums of the counts; NULL where there is no such function or arc.  `caller` 0: none. */
const FcCountsFunction *fc_fixture_function(FcCounts *counts, char letter);
const FcCountsArc *fc_fixture_arc(FcCounts *counts, char caller, guint64 site, char callee);
/* The first context of that path of functions from the root, by their letters. */
const FcCountsNode *fc_fixture_context(FcCounts *counts, const char *path);
/* How many contexts there are, the root left out. */
guint fc_fixture_context_count(const FcCounts *counts);
