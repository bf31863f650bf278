/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What threads of a process were seen at that were over before there were enough looks at them
 * (observe.h): threads that begin with the same function are taken for alike, as those of a pool or
 * one for each request are, and each but the first few is told by all looks so far.  They need not
 * do the same: that a call takes as long is enough, as how many each made is known.
 *
 * Owned by process.c, one of each process; thread.c puts in and takes out.  Not thread-safe.
 */
#pragma once

#include "fcmanager/counts.h"
#include "fcmanager/observe.h"

typedef struct FcLooks FcLooks;

FcLooks *fc_looks_new(void);
void fc_looks_free(FcLooks *looks); /* NULL is allowed */

/* Adds what a thread was seen at, of which these are the counts, to that of those before it that
 * are like it.  From then on `observed` has what that tells of this thread: sightings that are
 * owned here and stay until the next call, and the numbers of looks that they are worth; the caller
 * unrefs what it had before, if anything.  Where it is not known what the thread is like, or there
 * is too much, or nothing of what it did, `observed` stays as it is. */
void fc_looks_add(FcLooks *looks, const FcCounts *counts, FcObserved *observed);
/* At addresses there may be other functions from now on. */
void fc_looks_forget(FcLooks *looks);
