/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A made-up thread for the tests of fcmanager: functions are called by letters, and each
 * record is given by hand.  Used by the test_manager_*.c files.
 */
#pragma once

#include "fcmanager/estimate/call-overhead.h"
#include "fcmanager/stack/stack.h"

#define FIXTURE_GENERATION (FC_GENERATION_LONG | 3u)
#define FIXTURE_CLOCKS 5000u /* where the clocks of a thread stand when it begins */

typedef struct
{
    FcModules *modules;
    FcCounts *counts;
    FcStack *stack;
} FcFixture;

/* Of hooks, where they are to cost something. */
extern const FcCallOverhead fc_fixture_overhead;

/* One tick is one nanosecond. */
void fc_fixture_start(FcFixture *fixture);
void fc_fixture_stop(FcFixture *fixture);

/* Where function `letter` is, and the `number`th call site in it. */
guint64 fc_fixture_address(char letter);
guint64 fc_fixture_site(char letter, guint number);

/* A record as a hook writes it.  `depth`: the frame lies so many times 64 bytes deep. */
struct FcRecord fc_fixture_record(enum FcRecordKind kind, guint64 time, char letter, guint64 site,
                                  guint depth);

/* fc_stack_feed of long records alone, by their numbers. */
guint32 fc_fixture_feed(FcStack *stack, const struct FcRecord *records, guint32 from, guint32 to,
                        guint32 generation);

/* fc_stack_feed of that generation; what it added is in the counts. */
guint32 fc_fixture_feed_units(FcFixture *fixture, const struct FcUnit *units, guint32 from,
                              guint32 to);

/* Stack addresses of short records are less than 2^32 above this. */
#define FIXTURE_LOW UINT64_C(0x7ffe80000000)

/* The short record of an entry or an exit in that range. */
struct FcUnit fc_fixture_short(const struct FcRecord *record, guint64 name);
/* The same records as a thread makes them that gives names: as many of `count` as can be are short.
 * `pairs`: its names, made of functions and sites, empty or not yet full; NULL: there are none, and
 * all are long.  How many units there are, at most twice as many. */
guint32 fc_fixture_shorten(const struct FcRecord *records, guint32 count, GHashTable *pairs,
                           struct FcUnit *units);
/* For that; the caller unrefs it. */
GHashTable *fc_fixture_new_pairs(void);

/* Entry into `letter` from call site `site` at `depth`, and exit from there. */
void fc_fixture_enter(FcFixture *fixture, guint64 time, char letter, guint64 site, guint depth);
void fc_fixture_leave(FcFixture *fixture, guint64 time, char letter, guint64 site, guint depth);
/* A record of a counted function, and a call of one that is sampled, takes so long and calls
 * nothing. */
void fc_fixture_count(FcFixture *fixture, guint64 time, enum FcCountRecord kind, char letter,
                      guint64 site, guint depth);
void fc_fixture_sample(FcFixture *fixture, guint64 time, guint64 ticks, char letter, guint64 site,
                       guint depth);

/* A record of time off the CPU, or of libfc's own. */
void fc_fixture_off(FcFixture *fixture, guint64 time, enum FcOffRecord which, guint64 value,
                    guint64 site);
/* So many ns the thread was off the CPU since it began, when it had waited so often. */
void fc_fixture_seen(FcFixture *fixture, guint64 time, guint64 off_ns, guint waits);

/* Of a function that was called the times are these, and the least and most elapsed of a call. */
void fc_fixture_check(FcFixture *fixture, char letter, guint64 total, guint64 local, guint64 wait,
                      guint64 own_wait);
void fc_fixture_check_range(FcFixture *fixture, char letter, guint64 total_min, guint64 total_max,
                            guint64 local_min, guint64 local_max);

/* Sums of the counts; NULL where there is no such function or arc.  `caller` 0: none. */
const FcCountsFunction *fc_fixture_function(FcCounts *counts, char letter);
const FcCountsArc *fc_fixture_arc(FcCounts *counts, char caller, guint64 site, char callee);
/* The first context of that path of functions from the root, by their letters. */
const FcCountsNode *fc_fixture_context(FcCounts *counts, const char *path);
/* How many contexts there are, the root left out. */
guint fc_fixture_context_count(const FcCounts *counts);

/* So many calls of `letter` from there were counted. */
void fc_fixture_add(FcFixture *fixture, char letter, guint64 site, guint64 calls);
/* What was counted is settled, where hooks cost nothing; the stack must be closed. */
void fc_fixture_finalize(FcFixture *fixture, guint64 outside);
/* That there are such a context and arc, with those figures. */
void fc_fixture_check_context(FcFixture *fixture, const char *path, guint64 calls, guint64 total,
                              guint64 local);
void fc_fixture_check_arc(FcFixture *fixture, char caller, guint64 site, char callee,
                          guint64 calls);
gboolean fc_fixture_is_apportioned(FcFixture *fixture, const char *path);

/* What the context was off the CPU in all, and of that in itself. */
void fc_fixture_check_waits(FcFixture *fixture, const char *path, guint64 wait, guint64 own_wait);
void fc_fixture_check_arc_wait(FcFixture *fixture, char caller, guint64 site, char callee,
                               guint64 wait);
