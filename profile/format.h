/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a .fc file's text, shared by the formatter, and by the parser,
 * which checks that the first part agrees with the second.
 */
#pragma once

#include "profile/fc-profile.h"

#define FC_FORMAT_HEADER "functioncheck_v3.0"
/* Behind the unique id: sections follow the part of version 3.0, or the file is cut off. */
#define FC_FORMAT_ANNOUNCEMENT "+sections"

/* Who takes the text as it comes, where it would be too much to keep: one with a million leaks
 * has more than a hundred megabytes. */
typedef struct
{
    void (*take)(gpointer data, const GString *text);
    gpointer data;
} FcFormatSink;
/* Hands over what is in `out`, if that is much, and empties it; nothing without a sink. */
void fc_format_pass_on(const FcFormatSink *sink, GString *out);

/* Append the part of version 3.0: what the sections say more exactly, with the announcement if
 * `announced`, unless there is no unique id that it could follow; and the lists of blocks, the last
 * piece of which is left in `out`.  `sink` may be NULL. */
void fc_format_v3_figures(const FcProfile *profile, gboolean announced, GString *out,
                          const FcFormatSink *sink);
void fc_format_v3_blocks(const FcProfile *profile, GString *out, const FcFormatSink *sink);

/* Appends the line that begins a section. */
void fc_format_begin_section(GString *out, const char *name, guint count);
/* Append the sections about calls that were counted, where there are any. */
void fc_format_counted(const FcProfile *profile, GString *out);
/* Likewise about time off the CPU. */
void fc_format_waits(const FcProfile *profile, GString *out);
/* Appends a line of `count` numbers. */
void fc_format_line(GString *out, const guint64 *numbers, guint count);
/* Appends a section of the `count` lines, nothing where there are none. */
void fc_format_lines(GString *out, const char *name, const GString *lines, guint count);
/* Appends a section with a line for each of `items` of which these members are not 0: its index and
 * them.  The members are guint64, given by their offsets; `second` 0: only one. */
void fc_format_sparse(GString *out, const char *name, const GArray *items, gsize first,
                      gsize second);
/* Appends the section of the functions of each thread. */
void fc_format_thread_functions(const FcProfile *profile, GString *out, const FcFormatSink *sink);
/* Appends that about which of several threads made how many of an arc's calls. */
void fc_format_thread_arcs(const FcProfile *profile, GString *out);
/* Appends that about how long calls took. */
void fc_format_latencies(const FcProfile *profile, GString *out);
/* Likewise the slowest calls. */
void fc_format_slowest(const FcProfile *profile, GString *out);
/* Likewise the last records of threads. */
void fc_format_traces(const FcProfile *profile, GString *out, const FcFormatSink *sink);

/* Names of FcProfileEnd, in its order; and how many there are. */
#define FC_FORMAT_ENDS 4
extern const char *const fc_format_end_names[FC_FORMAT_ENDS];
/* Names of time modes 1 to 4; [0] is for all other values. */
#define FC_FORMAT_TIME_MODES 5
extern const char *const fc_format_time_mode_names[FC_FORMAT_TIME_MODES];
/* Names of FcProfileBadKind. */
#define FC_FORMAT_BAD_KINDS 5
extern const char *const fc_format_bad_names[FC_FORMAT_BAD_KINDS];
/* Names of FcProfileBlockState. */
#define FC_FORMAT_STATES 4
extern const char *const fc_format_state_names[FC_FORMAT_STATES];
/* Kinds of calls are below that: they are a byte on the wire. */
#define FC_FORMAT_CALLS 256
/* What stands for a point that is not known; so does any whose call is 0. */
extern const FcProfileHeapPoint fc_format_no_point;

/* The keys of section heap, and the member of FcProfile that each is. */
typedef struct
{
    const char *name;
    gsize offset;
} FcFormatHeapKey;
#define FC_FORMAT_HEAP_KEYS 16
extern const FcFormatHeapKey fc_format_heap_keys[FC_FORMAT_HEAP_KEYS];
