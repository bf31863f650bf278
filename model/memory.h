/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports of memory are made of: the stack of a point, the figures of each
 * function, what is suppressed and how much leaked.  Computed once by main, after the
 * selection; read by the reports.  Never prints.
 */
#pragma once

#include "model/model.h"
#include "model/suppress.h"

/* A line of a stack. */
typedef struct
{
    const char *name;           /* belongs to the model or its symbols, as the next: */
    const char *label;          /* to be shown to a person */
    FcProfileLocation location; /* return address; of no meaning with no_line */
    gboolean no_line; /* it is known that this function was active, but not where it was */
} FcMemoryFrame;

/* From the call to the allocator outwards, up to main: as it was unwound, else as the calling
 * context has it.  The caller owns the result, of FcMemoryFrame. */
GArray *fc_memory_stack(const FcModel *model, const FcProfileHeapPoint *point);

/* Blocks and their bytes. */
typedef struct
{
    guint64 blocks;
    guint64 bytes;
} FcMemorySum;

/* What the command line makes of an allocation site or a bad free. */
typedef struct
{
    gboolean shown;
    const FcSuppression *suppressed; /* NULL: it is not */
} FcMemoryVerdict;

typedef struct
{
    const FcModel *model;
    FcMemoryVerdict *alloc_sites; /* of each allocation site: of its leaks */
    FcMemoryVerdict *bad_frees;   /* of each bad free */
    /* Figures by function of the model, and one more for "no function": what was allocated while
     * it was the innermost one, and while it was active.  Their `point` is not used. */
    FcProfileAllocSite *self;
    FcProfileAllocSite *total;
    /* The leaks of the allocation sites that are shown. */
    FcMemorySum lost;       /* not suppressed and not reachable */
    FcMemorySum indirect;   /* of the lost ones, those that only lost blocks point to */
    FcMemorySum reachable;  /* the program could still reach them */
    FcMemorySum suppressed; /* a suppression fits */
    FcMemorySum unnamed;    /* of the lost ones, where libfc did not look for pointers: allocated in
                               the C library, which has no symbols, so that no suppression fits */
    FcMemorySum by_libc; /* others of the lost ones that the C library allocated, by whose call is
                            not known */
    guint bad_count;     /* shown, not suppressed; of a version 3.0 profile all */
    guint bad_suppressed;
} FcMemory;

/* `has_only`: functions were selected, so that places outside of all are not shown.  `model` and
 * `suppressions` must outlive the result, which is the caller's. */
FcMemory *fc_memory_new(const FcModel *model, FcSuppressions *suppressions, gboolean has_only);
void fc_memory_free(FcMemory *memory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcMemory, fc_memory_free)

/* The blocks of a site that leaked: that were live at the end and could not be reached, as far
 * as that was looked at. */
FcMemorySum fc_memory_leaked(const FcProfileAllocSite *site);

/* "malloc", "new[]", ... for a number of enum FcMemoryCall. */
const char *fc_memory_call_name(guint call);
