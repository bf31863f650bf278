/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of one process whose entries are counted (libfc/fc-entries.h): where their counters
 * and their code are. process-messages.c fills the list; entry-counts.c of the estimate reads it.
 * A forked process shares its parent's.
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

typedef struct FcEntries FcEntries;

/* Never NULL.  The first call and fc_entries_ref each take a reference, which fc_entries_unref
 * gives back. */
FcEntries *fc_entries_new(void);
FcEntries *fc_entries_ref(FcEntries *entries);
void fc_entries_unref(FcEntries *entries);

/* Adds records, a copy of the memory of a process from `address` on.  `payload` need not be
 * aligned.  FALSE: they are not records, or there are too many; then nothing is added. */
gboolean fc_entries_add(FcEntries *entries, guint32 module, guint64 address, const guint8 *payload,
                        gsize bytes, guint64 time);

/* How many there are, and one of them, in the order in which they were added. */
guint32 fc_entries_count(const FcEntries *entries);
const FcEntryFunction *fc_entries_get(const FcEntries *entries, guint32 index);
/* The functions of a module whose counters are at [from, to).  Returns the index of the first for
 * fc_entries_by_counter, which orders by counter, and sets *count to their number. */
guint32 fc_entries_counters(FcEntries *entries, guint32 module, guint64 from, guint64 to,
                            guint32 *count);
const FcEntryFunction *fc_entries_by_counter(const FcEntries *entries, guint32 index);

/* The function, or part of one, whose code contains `address`.  NULL: there is none whose entries
 * are counted.  If several modules were at that address, the latest counts. */
const FcEntryFunction *fc_entries_find(FcEntries *entries, guint64 address);
