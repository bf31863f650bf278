/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A loaded profile as the reports need it: the sum of all input files, functions with their
 * symbols, the call graph.  load.c makes it, select.c and fc_model_use_addresses decide how it
 * is shown, everything else only reads it.  Never prints; one thread at a time.
 */
#pragma once

#include "model/callgraph.h"
#include "profile/fc-profile.h"
#include "symbols/symbols.h"

/* What contexts beyond FC_CONTEXTS stand under. */
#define FC_MODEL_FOLDED "(folded contexts)"

/* What is said where `lacks_arcs` is in the way, and where `of_threads` is. */
#define FC_MODEL_LACKS_ARCS                                                                        \
    "Who called whom is known of all threads together: leave --thread out, or run with "           \
    "FC_ALLOW_THREAD."
#define FC_MODEL_LACKS_CONTEXTS                                                                    \
    "Calling contexts are known of all threads together: leave --thread out, or run with "         \
    "FC_ALLOW_THREAD."

/* What a function is that an OpenMP compiler made of a part of another (regions.h), the surest
 * last. */
typedef enum
{
    FC_REGION_NONE,
    FC_REGION_UNKNOWN, /* a parallel region or a task */
    FC_REGION_PARALLEL,
    FC_REGION_TASK,
} FcRegion;

/* A function as the user knows it: the profile's functions that are the same symbol of the same
 * module, added up, and the copies of a header's function (copies.h) unless they are split. */
typedef struct
{
    FcProfileFunction figures; /* location: of the first of them */
    FcSymbol symbol;           /* of its entry, without file and line */
    const char *name;          /* whole, never NULL; owned by the model */
    const char *label;         /* what reports show: the name, or a short one; likewise */
    FcRegion region;
    const char *region_owner; /* whose part it is, whole; NULL: not known, or `region` is none */
    guint copies;             /* so many symbols, that of `symbol` the first */
    gboolean shown;           /* TRUE until the selection says otherwise */
    gboolean excluded;        /* left out by --not */
} FcFunction;

/* What a file has of a function of the sum. */
typedef struct
{
    guint function; /* of `profile` */
    gboolean estimated;
    guint64 local_ns;
    guint64 local_cost_ns;
    guint64 local_wait_ns;
    guint64 calls;
} FcInputFunction;

/* One .fc file that went into the sum: a process, or in THREAD mode a thread of it. */
typedef struct
{
    char *path;
    FcProfile *header; /* what the file says of its process; the arrays are empty */
    guint threads;
    guint64 local_ns; /* of all its functions, as the next */
    guint64 local_cost_ns;
    guint64 local_wait_ns;
    guint64 calls;
    gboolean estimated; /* some of the local times */
    GArray *functions;  /* FcInputFunction, where FcLoad.by_process wants them; else NULL */
    GArray *mpi;        /* those of an MPI library, if it is a rank; else NULL */
} FcInput;

typedef struct
{
    FcProfile *profile;  /* the sum of all files */
    GPtrArray *operands; /* char *: the profiles and descriptors as they were named */
    GPtrArray *inputs;   /* FcInput, one a file */
    FcSymbols *symbols;
    GArray *functions;  /* FcFunction */
    guint *function_of; /* of each function of `profile`: the FcFunction */
    guint *first_copy;  /* of each FcFunction, where copies are split; else NULL */
    FcSymbol *sites;    /* of each arc of `profile`: the symbol that covers its call site, without
                           the line */
    gboolean *inlined;  /* of each arc: the callee was inlined into its caller; the site is
                           then where the caller itself was called */
    GPtrArray *via;     /* names of the graph's `via` numbers; [0] is NULL */
    GPtrArray *via_hex; /* what is shown in their place; NULL: the names */
    const char *home;   /* the namespace that labels leave out, as most functions are in it; NULL:
                           none */
    gboolean has_short_labels;
    gboolean has_ascii_labels;
    FcCallgraph *graph;  /* its sites' tags are arcs of `profile` */
    FcTimePart time;     /* which part of them all total and local times are */
    guint64 local_ns;    /* the sum of all local times */
    guint64 base_ns;     /* 100%: the same, or what fc_model_set_base has set */
    gint base;           /* the function whose total time that is, or FC_NONE */
    gboolean of_threads; /* functions have the figures of the selected threads, contexts of all */
    gboolean lacks_arcs; /* arcs have those of all threads, too: the profile has no others */
} FcModel;

/* An empty one, to be filled in by load.c.  The caller owns it; free takes all that it holds. */
FcModel *fc_model_new(void);
void fc_model_free(FcModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcModel, fc_model_free)

/* Notes the file at `path` as one of the inputs: a copy of what `profile` says of its process. */
void fc_model_add_input(FcModel *model, const char *path, const FcProfile *profile);

/* Shows addresses in place of names from now on. */
void fc_model_use_addresses(FcModel *model);

/* Makes the total time of that function 100%. */
void fc_model_set_base(FcModel *model, guint function);

/* The part of an arc's time off the CPU.  As of the time, of call sites that are active at once it
 * is no more than all of the callee's. */
guint64 fc_model_arc_wait_ns(const FcModel *model, const FcArc *arc);

/* What identifies the symbol with that start which covers a location, in all profiles of the
 * sum.  The caller owns the result. */
char *fc_model_symbol_key(const FcModel *model, const FcProfileLocation *location, guint64 start);

/* Whether two modules of the sum are the same file: a library that was loaded twice, or by
 * several processes.  FC_NONE is the same as itself only. */
gboolean fc_model_is_same_module(const FcModel *model, gint a, gint b);

/* How the unprofiled function of that number is shown; NULL for 0. */
const char *fc_model_via(const FcModel *model, guint via);

/* An empty array of FcFunction with room for `count`, which owns what these have. */
GArray *fc_model_functions_new(guint count);

static inline const FcFunction *fc_model_function(const FcModel *model, guint index)
{
    return &g_array_index(model->functions, FcFunction, index);
}

/* Sort an array of guint, numbers of functions of the FcModel `model`: that with the most time
 * first.  For g_array_sort_with_data. */
int fc_model_compare_local(gconstpointer a, gconstpointer b, gpointer model);
int fc_model_compare_total(gconstpointer a, gconstpointer b, gpointer model);
