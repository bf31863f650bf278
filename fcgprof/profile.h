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

#include "fcgprof/measured.h"
#include "model/model.h"

typedef struct FcGProfile FcGProfile;

/* Whether a profile of FunctionCheck is among the operands, told by content; or what lies in
 * the current folder is one, where neither a gmon.out nor a profile was named. */
gboolean fc_gprofile_is_meant(const FcGOptions *options);

/* Reads and sums what the operands name (the first one may be a profile, too) and prints the
 * text of -i.  What could not be read is appended to `problems` (owned strings), the rest goes
 * on; NULL with `error` where nothing is left or an option can't be fulfilled.  `model` must
 * be new and outlive the result. */
FcGProfile *fc_gprofile_load(FcGModel *model, GPtrArray *problems, GError **error);
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
    char *label;       /* in labels, where no other has it; NULL until then */
    FcGObject *object; /* NULL where there is no image that fits */
} FcGModule;

struct FcGProfile
{
    FcModel *loaded; /* as fcdump sees it */
    FcGModel *model; /* borrowed */
    FcGSpecs *specs; /* the model's */
    FcGMeasured measured;
    GArray *modules; /* FcGModule, by their number here */
    guint *numbers;  /* of each module of the profile; the last one is for no module */
    FcGSym **syms;   /* of each function of the profile */
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
guint64 fc_gprofile_addr(const FcGProfile *profile, const FcProfilePlace *place);

/* Makes the table of symbols: what the images hold, and every function of the profile.
 * (profile-syms.c) */
gboolean fc_gprofile_load_symbols(FcGProfile *profile, GError **error);

/* Puts behind names that would be shown for several functions what tells these apart.
 * (profile-labels.c) */
void fc_gprofile_label_symbols(FcGProfile *profile);

/* -l: what is known of the calls from each line, collected, and then put in place of the
 * callers.  Sites are addresses of the model.  (profile-lines.c) */
typedef struct FcGLineArcs FcGLineArcs;
FcGLineArcs *fc_glinearcs_new(FcGProfile *profile);
void fc_glinearcs_free(FcGLineArcs *arcs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGLineArcs, fc_glinearcs_free)
void fc_glinearcs_add_calls(FcGLineArcs *arcs, guint64 site, FcGSym *caller, FcGSym *callee,
                            guint64 count);
void fc_glinearcs_add_time(FcGLineArcs *arcs, guint64 site, FcGSym *caller, FcGSym *callee,
                           double time, double child_time);
void fc_glinearcs_apply(FcGLineArcs *arcs);

/* Whether the options leave in a call from `site`, an address of the model, which with -l is
 * chosen by its line.  (profile-lines.c) */
gboolean fc_gprofile_selects_call(const FcGProfile *profile, const FcGLineArcs *lines, guint64 site,
                                  FcGSym *caller, FcGSym *callee);

/* The arc of such a call; NULL for one that the options leave out.  (profile-lines.c) */
FcGArc *fc_gprofile_find_arc(const FcGProfile *profile, const FcGLineArcs *lines,
                             const FcProfilePlace *site, FcGSym *caller, FcGSym *callee);

/* Times of functions and arcs out of the tree of calling contexts; `lines` may be NULL.
 * (profile-times.c) */
void fc_gprofile_sum_times(FcGProfile *profile, FcGLineArcs *lines);

/* Counts `time` as the function's own in the graph, and as that of the cycle that it is in. */
void fc_gprofile_credit_own(FcGModel *model, FcGSym *sym, double time);

/* Hands `time` of a call to the function that made it, and to the cycle that it is in. */
void fc_gprofile_credit(FcGSym *parent, double time);

/* What the contexts do not tell, as far as it is known. (profile-gaps.c) */
void fc_gprofile_fill_gaps(FcGProfile *profile, FcGLineArcs *lines);

/* -c: arcs with count 0 for calls that are in the code of the modules; `lines` may be NULL.
 * (profile-calls.c) */
void fc_gprofile_add_static_calls(FcGProfile *profile, FcGLineArcs *lines);
