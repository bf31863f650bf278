/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the names of files to a model: profiles and descriptors are read and summed, functions
 * named, the call graph made.  Called by the mains of the tools, once.  Never prints.
 */
#pragma once

#include "model/labels.h"
#include "model/model.h"
#include "profile/fc-profile-file.h"

/* What is to be loaded, and how. */
typedef struct
{
    const char *const *operands; /* .fc, .fcd, folders of these, or ELF images, told apart by
                                    content; as the next */
    const char *const *images;   /* NULL-terminated; may be NULL */
    FcDemangle demangle;
    FcLabels labels; /* short ones are of plain names only */
    gboolean raw;    /* times as they were measured, the hooks' own in them */
    gboolean split;  /* copies of a header's function stay apart */
    FcTimePart time;
    gboolean by_process;        /* each input's functions are kept */
    gboolean by_rank;           /* figures are kept by rank, and threads are not told apart */
    gint64 rank;                /* whose figures are kept by themselves; FC_NONE: of none */
    const GPtrArray *processes; /* char *: numbers or patterns of names; NULL, empty: all */
    const GPtrArray *threads;   /* likewise */
    GPtrArray *missing; /* gets those of the two that fit nothing, as fc_select_missing makes them;
                           may be NULL without any */
    GHashTable *taken;  /* fc_load_taken_new(): files that other runs of a side were made of;
                           may be NULL */
    GPtrArray *notes;   /* gets what is worth saying and no fault (owned strings); may be NULL */
    GHashTable *texts;  /* operand -> GString: the profile, which is in no file; without one it is
                           passed over; may be NULL */
    const FcProgress *progress; /* told of each file; may be NULL */
} FcLoad;

/* What a program writes where nobody asked for another name. */
const char *fc_load_default(void);

/* An empty set of files for FcLoad.taken; the caller unrefs it. */
GHashTable *fc_load_taken_new(void);

/* The sum of the profiles, without names, as fc_model_load reads them; NULL where none was left.
 * The caller owns the result. */
FcProfile *fc_load_sum(const FcLoad *load, GPtrArray *problems);

/* fc_load_default() where no profile is among the operands.  What could not be read
 * is appended to `problems` (owned strings, "FILE: reason") and the rest goes on; NULL where no
 * profile was left.  A file that is named again, by itself, by another name or by a descriptor, is
 * taken once, and a note says so.  The caller owns the result. */
FcModel *fc_model_load(const FcLoad *load, GPtrArray *problems);
