/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of one process whose entries are counted, and the calls in them
 * (libfc/fc-entries.h): where their counters and their code are. process-messages.c fills the
 * lists; entry-counts.c of the estimate reads them. A forked process shares its parent's.
 */
#pragma once

#include "libfc/fc-entries.h"
#include "libfc/fc-format.h"

#include <glib.h>

/* One function, or a part of one (such as its cold code), which has no counter of its own. */
typedef struct
{
    guint64 code;
    guint64 bytes;
    guint64 counter; /* address in the module */
    guint64 since;   /* ticks: when the module was announced */
    guint32 module;  /* the number that libfc gives it */
    guint32 entry;   /* index of the function: its own, or that of which this is a part */
    gboolean is_part;
} FcEntryFunction;

/* A counted call. */
typedef struct
{
    guint64 code;
    guint64 end;     /* where the call returns to, or the end of the jump */
    guint64 counter; /* address in the module */
    guint64 target;  /* 0: not known */
    guint64 since;   /* as above */
    guint32 module;
    gboolean is_jump;
} FcEntrySite;

typedef struct FcEntries FcEntries;

/* Never NULL.  The first call and fc_entries_ref each take a reference, which fc_entries_unref
 * gives back. */
FcEntries *fc_entries_new(void);
FcEntries *fc_entries_ref(FcEntries *entries);
void fc_entries_unref(FcEntries *entries);

/* Adds records (FcEntryMessage).  `payload` need not be aligned.  A call that is known already has
 * its target replaced.  FALSE: they are not records, or there are too many; then nothing is added.
 */
gboolean fc_entries_add(FcEntries *entries, guint32 module, const guint8 *payload, gsize bytes,
                        guint64 time);

/* How many functions there are, and one of them, in the order in which they were added. */
guint32 fc_entries_count(const FcEntries *entries);
const FcEntryFunction *fc_entries_get(const FcEntries *entries, guint32 index);
/* The functions of a module whose counters are at [from, to).  Returns the index of the first for
 * fc_entries_by_counter, which orders by counter, and sets *count to their number. */
guint32 fc_entries_counters(FcEntries *entries, guint32 module, guint64 from, guint64 to,
                            guint32 *count);
const FcEntryFunction *fc_entries_by_counter(const FcEntries *entries, guint32 index);

/* The function, or part of one, whose code contains `address`.  NULL: there is none whose entries
 * are counted.  If several modules were at that address, the latest counts, or `module` if it is
 * one of them. */
const FcEntryFunction *fc_entries_find(FcEntries *entries, guint64 address);
const FcEntryFunction *fc_entries_find_for(FcEntries *entries, guint64 address, guint32 module);

/* The same for the calls. */
guint32 fc_entries_site_counters(FcEntries *entries, guint32 module, guint64 from, guint64 to,
                                 guint32 *count);
const FcEntrySite *fc_entries_site_by_counter(const FcEntries *entries, guint32 index);
/* The call that returns to `address`, no jump.  NULL: none is counted. */
const FcEntrySite *fc_entries_find_call(FcEntries *entries, guint64 address);
