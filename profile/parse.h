/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the parts of the .fc parser; see parse.c.  Every function returns FALSE
 * with the error in parser->text.error.
 */
#pragma once

#include "profile/fc-profile.h"
#include "profile/text.h"

/* The sections, in the order in which they must stand. */
enum
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
    FC_SECTION_HEAP_ALLOC_SITES,
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
    FC_SECTION_CPU_BOUNDS,
    FC_SECTION_WAIT_ARCS,
    FC_SECTION_WAIT_CONTEXTS,
    FC_SECTION_THREAD_ARCS,
    FC_SECTION_LATENCIES,
    FC_SECTION_SLOWEST,
    FC_SECTION_TRACE_THREADS,
    FC_SECTION_TRACE,
    FC_SECTION_COUNT,
    /* the others are only there with FC_MEMORY, or where calls were counted, costs taken off or
       threads off the CPU, or with FC_LATENCY, FC_SLOWEST or FC_TRACE */
    FC_SECTION_REQUIRED_COUNT = FC_SECTION_HEAP,
};

typedef struct
{
    FcText text;
    FcProfile *profile;
    guint64 sections_read; /* bit by number of the section */
    gboolean is_announced; /* the first part says that sections follow */
    gboolean is_partial;   /* a section that we know was absent, or newer than we are */
    guint row;             /* line of the current section, from 0 */
    GPtrArray *arguments;  /* of the command line so far; NULL: none announced */
    guint64 argument_count;
} FcParser;

/* The version 3.0 part, into the model.  `*complete` is FALSE where the file
 * ends before the lists of memory, as those of before 3.0.3 do. */
gboolean fc_parse_v3(FcParser *parser, gboolean *complete);
/* All that follows; replaces what the first part gave by the exact figures. */
gboolean fc_parse_sections(FcParser *parser);

/* One line of the section of that name; the reader stands before its first word. */
gboolean fc_parse_process(FcParser *parser);
gboolean fc_parse_clock(FcParser *parser);
/* After the last line of section process. */
gboolean fc_parse_process_done(FcParser *parser);
gboolean fc_parse_heap_begin(FcParser *parser, guint64 count);
gboolean fc_parse_heap(FcParser *parser);
gboolean fc_parse_heap_frame(FcParser *parser);
gboolean fc_parse_heap_alloc_site(FcParser *parser);
gboolean fc_parse_heap_block(FcParser *parser);
gboolean fc_parse_bad_free(FcParser *parser);
gboolean fc_parse_heap_sample(FcParser *parser);
gboolean fc_parse_counted(FcParser *parser);
gboolean fc_parse_apportioned_arc(FcParser *parser);
gboolean fc_parse_apportioned_context(FcParser *parser);
gboolean fc_parse_cost_function(FcParser *parser);
gboolean fc_parse_cost_arc(FcParser *parser);
gboolean fc_parse_cost_context(FcParser *parser);
gboolean fc_parse_cost_thread(FcParser *parser);
gboolean fc_parse_wait_thread(FcParser *parser);
gboolean fc_parse_wait_thread_function(FcParser *parser);
gboolean fc_parse_wait_function(FcParser *parser);
gboolean fc_parse_cpu_bounds(FcParser *parser);
gboolean fc_parse_wait_arc(FcParser *parser);
gboolean fc_parse_wait_context(FcParser *parser);
gboolean fc_parse_thread_arc(FcParser *parser);
gboolean fc_parse_latency(FcParser *parser);
gboolean fc_parse_slowest(FcParser *parser);
gboolean fc_parse_trace_thread(FcParser *parser);
gboolean fc_parse_trace(FcParser *parser);

/* ---- Parts of lines of several sections ---- */

/* Whether the section is there, and of a version that we know. */
gboolean fc_parse_has(const FcParser *parser, int section);
gboolean fc_parse_place(FcParser *parser, FcProfilePlace *place);
/* What a section before has, by the number that is the line's next word; NULL, with the error,
 * where it has none.  The profile's, and good for this line. */
FcProfileThread *fc_parse_known_thread(FcParser *parser);
FcProfileThreadFunction *fc_parse_known_thread_function(FcParser *parser);
FcProfileFunction *fc_parse_known_function(FcParser *parser);
FcProfileArc *fc_parse_known_arc(FcParser *parser);
FcProfileContext *fc_parse_known_context(FcParser *parser);
/* May be FC_NONE; is, where the contexts are not known. */
gboolean fc_parse_context_index(FcParser *parser, gint *out);
/* Likewise, of the heap's frames. */
gboolean fc_parse_frame_index(FcParser *parser, gint *out);
/* NUMBER:COUNT into buckets[NUMBER], which must be from `*least` up to `limit`. */
gboolean fc_parse_bucket(FcText *text, guint64 *buckets, guint limit, guint64 *least);
