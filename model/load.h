/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From file names to the data that reports are made of: profiles read and summed,
 * functions with their symbols, the call graph.  Used by the tools' mains; every
 * report reads the result.  Never prints.
 */
#pragma once

#include "model/callgraph.h"
#include "profile/fc-profile.h"
#include "symbols/symbols.h"

/* A function as the user knows it: the profile's functions that are the same
 * symbol of the same module, added up. */
typedef struct
{
    FcProfileFunction figures; /* place: of the first of them */
    FcSymbol symbol;           /* of its entry, without file and line */
    const char *name;          /* to be shown, never NULL; owned by the model */
    gboolean shown;            /* TRUE until the selection says otherwise */
    gboolean excluded;         /* left out by --not */
} FcFunction;

/* One .fc file that went into the sum. */
typedef struct
{
    char *path;
    FcProfile *header; /* what the file says of its process; the arrays are empty */
    guint threads;
} FcProcess;

typedef struct
{
    FcProfile *profile;   /* the sum of all files */
    GPtrArray *inputs;    /* char *: the profiles and descriptors as they were named */
    GPtrArray *processes; /* FcProcess, one a file */
    FcSymbols *symbols;
    GArray *functions;  /* FcFunction */
    guint *function_of; /* of each function of `profile`: the FcFunction */
    FcSymbol *sites;    /* of each arc of `profile`: what covers its call site, likewise */
    gboolean *inlined;  /* of each arc: the callee was inlined into its caller; the site is
                           then where the caller itself was called */
    GPtrArray *via;     /* names of the graph's `via` numbers; [0] is NULL */
    GPtrArray *via_hex; /* what is shown in their place; NULL: the names */
    FcCallgraph *graph; /* its sites' tags are arcs of `profile` */
    guint64 base_ns;    /* 100%: the sum of all local times */
} FcModel;

/* Reads `inputs` (.fc, .fcd or ELF images, told apart by content), both lists
 * NULL-terminated; functioncheck.fc or .fcd where no profile is among them.  What could not be read
 * is appended to `problems` (owned strings, "FILE: reason") and the rest goes on; NULL where no
 * profile was left.  The caller owns the result. */
FcModel *fc_model_load(const char *const *inputs, const char *const *images, FcDemangle demangle,
                       GPtrArray *problems);
void fc_model_free(FcModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcModel, fc_model_free)

/* Gives longer names to functions that have the same one: with parameters, or the file or
 * module that they are in.  Done by fc_model_load. */
void fc_model_tell_apart(FcModel *model);

/* Shows addresses in place of names from now on. */
void fc_model_use_addresses(FcModel *model);

/* What identifies the symbol with that start which covers a place, in all profiles of the
 * sum.  The caller owns the result. */
char *fc_model_symbol_key(const FcModel *model, const FcProfilePlace *place, guint64 start);

/* Whether two modules of the sum are the same file: a library that was loaded twice, or by
 * several processes.  FC_NONE is the same as itself only. */
gboolean fc_model_is_same_module(const FcModel *model, gint a, gint b);

/* How the unprofiled function of that number is shown; NULL for 0. */
const char *fc_model_via(const FcModel *model, guint via);

static inline const FcFunction *fc_model_function(const FcModel *model, guint index)
{
    return &g_array_index(model->functions, FcFunction, index);
}
