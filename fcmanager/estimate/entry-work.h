/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of entry-counts.c share: the calls of one thread while callers and contexts are
 * found for them.
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/counts/entries.h"
#include "fcmanager/estimate/pc-samples.h"

/* An arc that leads to a context.  `weight`: the time of the samples that show it; a recursive arc
 * counts several times. */
typedef struct
{
    guint32 arc;
    guint32 node;
    double weight;
    guint32 next; /* another edge of the arc, + 1; 0: none */
} FcEntryEdge;

/* A counted jump from one function to another one. */
typedef struct
{
    const FcEntryFunction *from;
    const FcEntryFunction *to;
    guint32 caller; /* the numbers of both */
    guint32 callee;
    guint32 next;      /* another jump from the same function, + 1; 0: none */
    guint32 next_into; /* likewise, to the same function */
    guint64 end;
} FcEntryTail;

typedef struct
{
    FcCounts *counts;
    FcEntries *entries;
    double ticks;           /* per ns */
    GArray *edges;          /* FcEntryEdge */
    GHashTable *edge_of;    /* arc and node -> edge + 1 */
    GArray *first_edge;     /* guint32 by arc: edge + 1; 0 or beyond the end: none */
    GArray *tails;          /* FcEntryTail */
    GArray *first_tail;     /* guint32 by function, likewise: from it, */
    GArray *first_into;     /* to it */
    GArray *calls;          /* guint64 by function: that its own counter counted */
    GArray *explained;      /* guint64 by function: those of them that call sites counted */
    GArray *exact_arcs;     /* guint8 by arc: 1 if its call site counted its calls */
    GHashTable *open_sites; /* end of a call -> its calls, which lead nobody knows where */
} FcEntryWork;

/* Element `index` of an array of numbers, which is made longer if need be. */
guint32 *fc_entry_number(GArray *array, guint32 index);
guint64 *fc_entry_sum(GArray *array, guint32 index);

/* The number of a function in the counts. */
guint32 fc_entry_function(const FcEntryWork *work, const FcEntryFunction *function);
/* The function that a call leads to; NULL: not known, or none whose entries are counted. */
const FcEntryFunction *fc_entry_target(const FcEntryWork *work, const FcEntrySite *site);

/* Adds to an edge, which is made if it is missing. */
void fc_entry_see(FcEntryWork *work, guint32 arc, guint32 node, double weight);

/* entry-samples.c: adds the times of samples, and the edges that they show. */
void fc_entry_samples_add(FcEntryWork *work, const FcPcSamples *seen);

/* entry-callers.c: divides the calls that no call site counted between the arcs that samples show,
 * then all calls between contexts. */
void fc_entry_callers_find(FcEntryWork *work);
