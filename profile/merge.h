/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between merge.c, which matches what two profiles have in common, and merge-heap.c.
 * Nobody else includes it.
 */
#pragma once

#include "profile/fc-profile.h"

/* A function (parent and function 0), an arc (parent: the caller), a context, or a
 * place of the heap (parent: the context, function: the kind of call).  Hashed and
 * compared as bytes, so all fields are of one size. */
typedef struct
{
    gint64 module; /* the first of its equals, or FC_NONE */
    guint64 offset;
    gint64 parent;
    gint64 function;
} FcMergeKey;

typedef struct
{
    FcProfile *into;
    const FcProfile *other;
    GArray *first_module;   /* gint, by module of `into`: the first one equal to it */
    GArray *first_function; /* likewise for functions */
    GHashTable *modules;    /* name -> module of `into` */
    gint *module_map;       /* from the modules of `other` to those of `into` */
    gint *function_map;
    gint *first_context; /* of each context, those of `into` before the merge, then those of
                            `other`: the first one of `into` with the same path */
    guint own_contexts;  /* where those of `other` begin */
    guint *arc_map;
} FcMerge;

/* Stays at the greatest number rather than wrap. */
static inline void fc_merge_add(guint64 *to, guint64 amount)
{
    if (__builtin_add_overflow(*to, amount, to))
        *to = G_MAXUINT64;
}

static inline void fc_merge_add_sum(FcProfileSum *to, const FcProfileSum *sum)
{
    fc_merge_add(&to->blocks, sum->blocks);
    fc_merge_add(&to->bytes, sum->bytes);
}

/* A table of FcMergeKey; the caller owns it. */
GHashTable *fc_merge_keys_new(void);
/* The index that `key` has; `index` from now on where it has none. */
guint fc_merge_find_or_add(GHashTable *keys, const FcMergeKey *key, guint index);

/* A place of `other` as one of `into`. */
FcProfilePlace fc_merge_map_place(const FcMerge *merge, const FcProfilePlace *place);
/* `place` is one of `into`. */
FcMergeKey fc_merge_key(const FcMerge *merge, const FcProfilePlace *place, gint64 parent,
                        gint64 function);

/* Adds FcProfileLatency of `other`, whose arcs are `arc_map` of `into`'s profile. */
void fc_merge_latencies(GArray *into, const GArray *other, const guint *arc_map);

/* After functions and contexts: keeps the slowest calls of both. */
void fc_merge_slowest(const FcMerge *merge);

/* After everything else has been merged. */
void fc_merge_heap(const FcMerge *merge);
