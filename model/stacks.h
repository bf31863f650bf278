/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calling contexts as the pictures and exports of stacks need them: one node for each
 * function under each parent, with what its own activations weigh in time, calls and memory.
 * Made by an export from the model, after the selection; never prints.
 *
 * A function that is not shown is no frame: what it weighs itself is left out, and what it called
 * hangs below its nearest caller that is shown.
 */
#pragma once

#include "model/model.h"

typedef enum
{
    FC_WEIGHT_TIME, /* local, nanoseconds */
    FC_WEIGHT_CPU,  /* the part of it on the CPU, where that is known and not all of it */
    FC_WEIGHT_CALLS,
    FC_WEIGHT_BYTES, /* allocated, as the next */
    FC_WEIGHT_BLOCKS,
    FC_WEIGHT_LIVE_BYTES, /* never freed, as the next */
    FC_WEIGHT_LIVE_BLOCKS,
    FC_WEIGHT_PEAK_BYTES, /* live when the heap was largest */
    FC_WEIGHTS,
} FcWeight;

/* What stands in place of a function: memory that was allocated while none was active, and the
 * contexts below a node that were left out. */
#define FC_STACK_OUTSIDE (-2)
#define FC_STACK_OMITTED (-3)
/* And the parent of contexts that were folded: their callers are not known. */
#define FC_STACK_FOLDED (-4)
#define FC_STACK_OTHERS 3u /* how many of these there are */

typedef struct
{
    gint parent;   /* FC_NONE: the root, which is node 0 and no function */
    gint function; /* of the model, or one of the above; FC_NONE for the root */
    guint line;    /* of the parent, where it called: fc_stacks_new_by_line; 0: not known */
    guint64 self[FC_WEIGHTS];
} FcStackNode;

/* Deeper contexts are added to their caller at this level: a format that writes each stack in full
 * would take the square of the depth. */
#define FC_STACK_DEPTH_MAX 1000

typedef struct
{
    const FcModel *model; /* borrowed */
    GArray *nodes;        /* FcStackNode, a parent before its children */
    guint deep;           /* contexts below FC_STACK_DEPTH_MAX */
    guint omitted;        /* nodes that fc_stacks_prune left out */
} FcStacks;

/* `model` must outlive the result, which is the caller's.  A profile of version 3.0 has no
 * contexts: each function then stands alone. */
FcStacks *fc_stacks_new(const FcModel *model);
/* The same, in which calls from several lines of a function are several nodes. */
FcStacks *fc_stacks_new_by_line(const FcModel *model);
void fc_stacks_free(FcStacks *stacks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcStacks, fc_stacks_free)

/* The number, from 0, of what is no function, for formats that number such behind the functions. */
static inline guint fc_stacks_other(const FcStackNode *node)
{
    return (guint)(FC_STACK_OUTSIDE - node->function);
}

/* A copy with the `most` heaviest nodes, and of them those that have at least `least_share` of
 * the whole in one of the weights (`only` < FC_WEIGHTS: in that one); what was left out below a
 * node is a child FC_STACK_OMITTED of it.  The caller owns the result. */
FcStacks *fc_stacks_prune(const FcStacks *stacks, guint most, double least_share, FcWeight only);

/* A copy with the nodes of which that is said, and those on the way to them, which weigh nothing
 * themselves.  The caller owns the result. */
FcStacks *fc_stacks_keep(const FcStacks *stacks, const gboolean *kept);

/* Of each node the weight of all that is below it and its own; the caller owns the result. */
guint64 *fc_stacks_totals(const FcStacks *stacks, FcWeight weight);

/* How the frame is shown; belongs to the model or is constant. */
const char *fc_stacks_name(const FcStacks *stacks, const FcStackNode *node);

/* Whether the profile can have the weight: memory where it was recorded, time on the CPU where
 * times are of both and it was looked at. */
gboolean fc_weight_is_known(const FcModel *model, FcWeight weight);
/* As --weight has it: "time", "calls", "bytes", ...; and its unit: "ns", "calls", "bytes",
 * "blocks". */
const char *fc_weight_name(FcWeight weight);
const char *fc_weight_unit(FcWeight weight);
/* Returns the title of the weight.  For time it says which part of it the model shows. */
const char *fc_weight_title(const FcModel *model, FcWeight weight);

static inline const FcStackNode *fc_stacks_node(const FcStacks *stacks, guint index)
{
    return &g_array_index(stacks->nodes, FcStackNode, index);
}
