/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of a .fc file, as one table.  A section has an array of records.  A field has a
 * type, an offset in the record, and a rule for merging two.  format.c, parse.c and merge.c use the
 * table; field.c knows the types.  doc/formats.texi describes the same lines to users.  The part of
 * version 3.0 is not in the table (see v3.h).  Of two sections it has only the name (see runs.h).
 */
#pragma once

#include "profile/fc-profile.h"

/* ---- Where records are ----------------------------------------------------------------- */

/* The arrays of a profile, then those of a thread. */
typedef enum
{
    FC_ARRAY_MODULES,
    FC_ARRAY_FUNCTIONS,
    FC_ARRAY_ARCS,
    FC_ARRAY_CONTEXTS,
    FC_ARRAY_LATENCIES,
    FC_ARRAY_SLOWEST,
    FC_ARRAY_RANK_FUNCTIONS,
    FC_ARRAY_RANK_CONTEXTS,
    FC_ARRAY_PARTNERS,
    FC_ARRAY_COLLECTIVES,
    FC_ARRAY_WAIT_SITES,
    FC_ARRAY_THREADS,
    FC_ARRAY_REPAIRS,
    FC_ARRAY_LOSSES,
    FC_ARRAY_LEAKS,
    FC_ARRAY_BAD_FREES,
    FC_ARRAY_BAD_REALLOCS,
    FC_ARRAY_HEAP_FRAMES,
    FC_ARRAY_ALLOC_SITES,
    FC_ARRAY_HEAP_BLOCKS,
    FC_ARRAY_HEAP_BAD_FREES,
    FC_ARRAY_HEAP_SAMPLES,
    FC_ARRAY_OF_THREAD,
    FC_ARRAY_THREAD_FUNCTIONS = FC_ARRAY_OF_THREAD,
    FC_ARRAY_THREAD_ARCS,
    FC_ARRAY_THREAD_STACK,
    FC_ARRAY_THREAD_TRACE,
    FC_ARRAY_THREAD_LANES,
    FC_ARRAY_COUNT,
    FC_ARRAY_NONE, /* the record is the profile itself */
} FcArrayName;

typedef struct
{
    gsize offset; /* of the GArray *, in FcProfile or FcProfileThread */
    guint record_bytes;
    const char *what;     /* name of a record in errors; NULL: no line begins with its number */
    gsize times;          /* offset of the FcProfileTimes in a record; 0: it has none */
    GDestroyNotify clear; /* frees what a record owns; NULL: it owns nothing */
} FcArray;

extern const FcArray fc_arrays[FC_ARRAY_COUNT];

/* The array in `owner`, an FcProfile or FcProfileThread.  Some of a thread's may be NULL. */
static inline GArray *fc_array_of(gconstpointer owner, FcArrayName name)
{
    return G_STRUCT_MEMBER(GArray *, owner, fc_arrays[name].offset);
}

static inline gpointer fc_array_record(const GArray *array, FcArrayName name, guint index)
{
    return array->data + (gsize)index * fc_arrays[name].record_bytes;
}

/* Returns a new empty array for such records.  The caller owns it. */
GArray *fc_array_new(FcArrayName name);

/* ---- Fields ---------------------------------------------------------------------------- */

typedef enum
{
    FC_FIELD_NUMBER,   /* guint64 */
    FC_FIELD_SQUARE,   /* FcSquare */
    FC_FIELD_TOTAL,    /* guint64; the reader adds to it */
    FC_FIELD_SIGNED,   /* gint64 */
    FC_FIELD_ADDRESS,  /* guint64, in hexadecimal */
    FC_FIELD_BELOW,    /* guint or an enum, less than `of` */
    FC_FIELD_FLAG,     /* gboolean, 0 or 1 */
    FC_FIELD_BAD_KIND, /* FcProfileBadKind, by its name */
    FC_FIELD_STRING,   /* char *, owned */
    FC_FIELD_NAME,     /* likewise; may be NULL */
    FC_FIELD_INDEX,    /* guint: a record of array `of` */
    FC_FIELD_LINK,  /* gint: likewise, or FC_NONE; a link into its own array must be to an earlier
                       record */
    FC_FIELD_PLACE, /* FcProfileLocation */
    FC_FIELD_POINT, /* FcProfileHeapPoint */
    FC_FIELD_HISTOGRAM, /* FcHistogram: the rest of the line */
    FC_FIELD_SIZES,     /* guint64[FC_SIZE_BUCKETS]: likewise */
    FC_FIELD_OFF,       /* FcProfileOff *, owned; NULL: all are 0 */
    /* These have no word: a line is written only if they are set. */
    FC_FIELD_MARK,  /* gboolean */
    FC_FIELD_TRACE, /* GArray *: the thread's trace */
    /* Values of single keys. */
    FC_FIELD_DEPTH,     /* guint32 */
    FC_FIELD_RATE,      /* double */
    FC_FIELD_COSTS,     /* guint64[FC_PROFILE_COSTS] */
    FC_FIELD_MODE,      /* the time mode, by its name; must agree with the first part */
    FC_FIELD_END,       /* FcProfileEnd and the value behind it */
    FC_FIELD_ARGUMENTS, /* GStrv: their number; each has a line of the key below */
    FC_FIELD_ARGUMENT,  /* one of them */
} FcFieldType;

/* How two fields are merged. */
typedef enum
{
    FC_MERGE_KEEP,  /* the first stays, or merge.c has code for it */
    FC_MERGE_KEY,   /* two records with equal keys are merged */
    FC_MERGE_SUM,   /* the sum, at most the greatest number of 64 bits */
    FC_MERGE_ANY,   /* set if either is */
    FC_MERGE_FIRST, /* the first that is not 0 or NULL */
    FC_MERGE_LEAST, /* the least that is not 0 */
    FC_MERGE_MOST,  /* the greatest */
    FC_MERGE_SAME,  /* the common value; if they differ, not known */
} FcFieldMerge;

typedef struct
{
    const char *what; /* its name in errors; in a section of keys, the key */
    FcFieldType type;
    gsize offset; /* in the record */
    FcFieldMerge merge;
    guint of;           /* see the types */
    gboolean optional;  /* the key is left out if the value is 0 or NULL */
    const char *former; /* the key in older files; NULL: the same */
} FcField;

/* ---- Sections -------------------------------------------------------------------------- */

/* In the order in which the sections must stand. */
typedef enum
{
    FC_SECTION_PROCESS,
    FC_SECTION_CLOCK,
    FC_SECTION_MODULES,
    FC_SECTION_FUNCTIONS,
    FC_SECTION_THREADS,
    FC_SECTION_THREAD_FUNCTIONS,
    FC_SECTION_THREAD_STACKS,
    FC_SECTION_ARCS,
    FC_SECTION_CONTEXTS,
    FC_SECTION_REPAIRS,
    FC_SECTION_LOSSES,
    FC_SECTION_HEAP,
    FC_SECTION_HEAP_FRAMES,
    FC_SECTION_HEAP_PLACES,
    FC_SECTION_HEAP_BLOCKS,
    FC_SECTION_HEAP_BAD_FREES,
    FC_SECTION_HEAP_SAMPLES,
    FC_SECTION_COUNTED,
    FC_SECTION_APPORTIONED_ARCS,
    FC_SECTION_APPORTIONED_CONTEXTS,
    FC_SECTION_COST_FUNCTIONS,
    FC_SECTION_COST_ARCS,
    FC_SECTION_COST_CONTEXTS,
    FC_SECTION_COST_THREADS,
    FC_SECTION_WAIT_THREADS,
    FC_SECTION_WAIT_THREAD_FUNCTIONS,
    FC_SECTION_WAIT_FUNCTIONS,
    FC_SECTION_OFF_FUNCTIONS,
    FC_SECTION_OFF_THREAD_FUNCTIONS,
    FC_SECTION_CPU_BOUNDS,
    FC_SECTION_WAIT_ARCS,
    FC_SECTION_WAIT_CONTEXTS,
    FC_SECTION_THREAD_ARCS,
    FC_SECTION_LATENCIES,
    FC_SECTION_SLOWEST,
    FC_SECTION_TRACE_THREADS,
    FC_SECTION_TRACE,
    FC_SECTION_JOB,
    FC_SECTION_RANKS,
    FC_SECTION_RANK_FUNCTIONS,
    FC_SECTION_RANK_CONTEXTS,
    FC_SECTION_COUNTED_SQUARES,
    FC_SECTION_UNCOUNTED,
    FC_SECTION_LANE_THREADS,
    FC_SECTION_LANES,
    FC_SECTION_MPI_PARTNERS,
    FC_SECTION_MPI_COLLECTIVES,
    FC_SECTION_WAIT_SITES,
    FC_SECTION_COUNT,
    /* Sections before this are always written.  Those of the heap are written with FC_MEMORY, that
     * of the job if anything is known of it, that of ranks if several are merged, all others if
     * they have a line. */
    FC_SECTION_REQUIRED_COUNT = FC_SECTION_HEAP,
    FC_SECTION_HEAP_END = FC_SECTION_COUNTED,
} FcSectionName;

/* What a line holds. */
typedef enum
{
    FC_LINES_KEYS,    /* a key and its value, a field of the profile */
    FC_LINES_RECORDS, /* a record; in a thread's array, behind the number of the thread */
    FC_LINES_AGAIN,   /* likewise, but the part of version 3.0 made the record */
    FC_LINES_FIGURES, /* the number of a record and more fields of it, unless they are all 0 */
    FC_LINES_RUNS,    /* several records: see runs.h */
} FcLines;

typedef struct
{
    const char *name;
    FcLines lines;
    FcArrayName array;
    FcSectionName needs; /* the lines refer to this section; FC_SECTION_COUNT: to none */
    const FcField *fields;
    guint field_count;
    gboolean of_times; /* offsets count from the record's FcProfileTimes */
} FcSection;

extern const FcSection fc_sections[FC_SECTION_COUNT];

/* Returns what the fields' offsets count from. */
static inline gpointer fc_section_fields(const FcSection *section, gconstpointer record)
{
    return (char *)record + (section->of_times ? fc_arrays[section->array].times : 0);
}

/* The section whose lines are the array's records; NULL if there is none, or it has runs. */
const FcSection *fc_section_of(FcArrayName array);
