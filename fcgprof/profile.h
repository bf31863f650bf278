/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From profiles of FunctionCheck (.fc and .fcd files) to the model that fcgprof's reports are
 * drawn from.  main.c calls the first part; the rest is shared by profile-*.c.
 *
 * All modules of the process are in one table of symbols.  An address in the model has the
 * number of its module in the upper bits and the address in that file in the lower ones,
 * which alone are shown; so the same address, or name, in two modules stays apart.
 */
#pragma once

#include "fcgprof/reports.h"
#include "model/model.h"

typedef struct FcGProfile FcGProfile;

/* Whether a profile of FunctionCheck is among the operands, told by content; or what lies in
 * the current folder is one, where neither a gmon.out nor a profile was named. */
gboolean fc_gprofile_is_meant(const FcGOptions *options);

/* Reads and sums what the operands name (the first one may be a profile, too) and prints the
 * text of -i.  What could not be read is appended to `problems` (owned strings), the rest goes
 * on; what is no fault to `notes`; NULL with `error` where nothing is left or an option can't be
 * fulfilled.  `model` must be new and outlive the result. */
FcGProfile *fc_gprofile_load(FcGModel *model, GPtrArray *problems, GPtrArray *notes,
                             GError **error);
void fc_gprofile_free(FcGProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGProfile, fc_gprofile_free)

/* Fills in calls, times, arcs, cycles and numbers, so that reports can be printed. */
void fc_gprofile_measure(FcGProfile *profile);

/* Of images that can't be used and the like. */
const GPtrArray *fc_gprofile_warnings(const FcGProfile *profile);

/* ---- Between profile-*.c ------------------------------------------------------------- */

enum
{
    FC_GMODULE_SHIFT = 48 /* of the module's number in an address */
};

#define FC_GMODULE_MASK ((G_GUINT64_CONSTANT(1) << FC_GMODULE_SHIFT) - 1)

static inline guint64 fc_gmodule_base(guint number)
{
    return number * (FC_GMODULE_MASK + 1);
}

typedef struct
{
    gint index;        /* of the profile's module, the first of those that are the same; FC_NONE */
    FcGObject *object; /* NULL where there is no image that fits */
} FcGModule;

/* All calls of one function by another from one place. */
typedef struct
{
    guint64 site; /* where they return to; 0 of calls from outside */
    FcGSym *caller;
    FcGSym *callee;
    FcGArc *arc;  /* of the two functions, */
    FcGArc *line; /* and -l: of the line that made them, or else the caller; NULL without -l */
    guint64 count;
    double total; /* what they took, as the profile says */
} FcGCallSite;

struct FcGProfile
{
    FcModel *loaded; /* as fcdump sees it */
    FcGModel *model; /* borrowed */
    FcGSpecs *specs; /* the model's */
    FcGMeasured measured;
    GArray *modules;  /* FcGModule, by their number here */
    guint *numbers;   /* of each module of the profile; the last one is for no module */
    FcGSym **syms;    /* of each function of the profile */
    GPtrArray *calls; /* FcGCallSite in the order in which they were met, in the model's memory */
    GHashTable *call_table; /* the same by site, caller and callee */
    GPtrArray *lines;       /* -l: FcGArc, likewise, that go in place of those of callers */
    GHashTable *line_arcs;  /* the same by their ends */
};

static inline const FcProfile *fc_gprofile_data(const FcGProfile *profile)
{
    return profile->loaded->profile;
}

static inline FcGModule *fc_gprofile_module(const FcGProfile *profile, guint number)
{
    return &g_array_index(profile->modules, FcGModule, number);
}

/* The address in the model. */
guint64 fc_gprofile_addr(const FcGProfile *profile, const FcProfileLocation *place);

/* Makes the table of symbols: what the images hold, and every function of the profile.
 * (profile-syms.c) */
gboolean fc_gprofile_load_symbols(FcGProfile *profile, GError **error);

/* Puts behind names that would be shown for several functions what tells these apart.
 * (profile-labels.c) */
void fc_gprofile_label_symbols(FcGProfile *profile);

/* Adds to the calls of `callee` from `site`, an address of the model; `caller` is NULL for calls
 * from outside.  NULL for one that the options leave out, which with -l is chosen by its line. */
FcGCallSite *fc_gprofile_add_call(FcGProfile *profile, guint64 site, FcGSym *caller, FcGSym *callee,
                                  guint64 count, gboolean is_inlined);

/* The same calls as a context has them. */
FcGCallSite *fc_gprofile_find_call(FcGProfile *profile, const FcProfileLocation *place,
                                   FcGSym *caller, FcGSym *callee);

/* Times of functions and arcs out of the tree of calling contexts, and what that does not tell, as
 * far as it is known.  (profile-times.c) */
void fc_gprofile_sum_times(FcGProfile *profile);

/* -c: adds calls that are in the code of the modules, with count 0.  (profile-calls.c) */
void fc_gprofile_add_static_calls(FcGProfile *profile);
