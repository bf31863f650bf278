/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text output: titles, aligned tables, times and shares in readable units.  The only
 * place that knows of colour and of the terminal's width.  Used by all reports.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

typedef struct FcRender FcRender;

/* Writes to `out`, which stays the caller's.  `color`: escape sequences are used;
 * `width`: columns of the terminal, 0 for as long lines as it takes; `utf8`: the
 * terminal shows more than ASCII.  Write errors are seen by ferror(out). */
FcRender *fc_render_new(FILE *out, gboolean color, guint width, gboolean utf8);
void fc_render_free(FcRender *render);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcRender, fc_render_free)

FILE *fc_render_file(FcRender *render);
gboolean fc_render_has_started(const FcRender *render); /* something was written */
gboolean fc_render_utf8(const FcRender *render);
guint fc_render_width(const FcRender *render); /* columns; 0: no limit */

/* Begins a section: an empty line (but not at the very start) and the title. */
void fc_render_title(FcRender *render, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* A line that explains. */
void fc_render_note(FcRender *render, const char *format, ...) G_GNUC_PRINTF(2, 3);
void fc_render_line(FcRender *render, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- Tables ---------------------------------------------------------------- */

typedef enum
{
    FC_STYLE_PLAIN,
    FC_STYLE_STRONG,
    FC_STYLE_DIM,
    FC_STYLE_WARM, /* takes a good part of the time */
    FC_STYLE_HOT,  /* takes a large part */
} FcStyle;

/* Who a column is for. */
typedef enum
{
    FC_READER_BOTH,
    FC_READER_PERSON,  /* a bar, a drawing: not with --csv */
    FC_READER_PROGRAM, /* with --csv only */
} FcReader;

/* A unit: ns of a single call.  Waiting is not known for it, so with the off-CPU clock it is
 * elapsed time. */
#define FC_UNIT_OF_CALL "ns of a call"

typedef struct
{
    const char *group;   /* over several columns; or NULL */
    const char *heading; /* NULL: none */
    gboolean left;       /* aligned to the left */
    /* 1, 2: left out where the last column would be narrower than most names, 1 first.  3 and more:
     * where names would be cut to a few letters, 3 first.  0: after all others. */
    guint spare;
    const char *unit; /* of the values with --csv: "bytes", "elapsed ns"; "ns": by the clock that
                         was chosen; FC_UNIT_OF_CALL; or NULL */
    const char *csv;  /* heading with --csv in place of the other two; or NULL */
    FcReader reader;
} FcColumn;

typedef struct FcTable FcTable;

/* `columns` is borrowed and must outlive the table. */
FcTable *fc_table_new(const FcColumn *columns, guint count);
void fc_table_free(FcTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcTable, fc_table_free)

/* Begins a row; its cells follow from left to right. */
void fc_table_row(FcTable *table, FcStyle style);
/* Takes `text` over; NULL: empty.  What could upset a terminal is replaced. */
void fc_table_cell(FcTable *table, char *text);
void fc_table_gap(FcTable *table); /* an empty line */
/* Begins a row that is not there with --csv, such as how many were left out. */
void fc_table_remark(FcTable *table, FcStyle style);
/* Shows the column with --csv only; at most 64 may be hidden.  Its cells must be given all the
 * same.  It must not be the first of several of one group. */
void fc_table_hide(FcTable *table, guint column);
gboolean fc_table_is_empty(const FcTable *table);

/* Whether all columns have room, and names at least as much as any others are not dropped for. */
gboolean fc_table_fits(const FcTable *table, const FcRender *render);

/* If a line is wider than the terminal, drops spare columns, all of one rank, and says so below.
 * Then shortens names in the last column, unless that has no heading.  With --csv: the table as RFC
 * 4180 has it. */
void fc_table_print(const FcTable *table, FcRender *render);

/* ---- Values: all results are the caller's ---------------------------------- */

/* The style of a line that has this part of the whole. */
FcStyle fc_render_heat(guint64 part, guint64 whole);

/* For --csv from now on: times and bytes as whole numbers, no colour, no text around tables. */
void fc_format_use_csv(void);
gboolean fc_format_is_csv(void);

/* Which clock the times are of. */
typedef enum
{
    FC_CLOCK_NONE, /* that is not said */
    FC_CLOCK_CPU,
    FC_CLOCK_WAIT, /* off the CPU */
    FC_CLOCK_ELAPSED,
} FcClock;

/* For the headings of --csv from now on. */
void fc_format_use_clock(FcClock clock);
FcClock fc_format_clock(void);

/* Of times. */
typedef enum
{
    FC_UNIT_READABLE, /* the one that suits each time */
    FC_UNIT_NS,
    FC_UNIT_US,
    FC_UNIT_MS,
    FC_UNIT_S,
} FcUnit;

/* For all times from now on. */
void fc_format_use_unit(FcUnit unit);

char *fc_format_time(guint64 ns);                   /* "15 ns", "1.234 ms", "180.0 s" */
char *fc_format_brief_time(guint64 ns);             /* three digits: "15 ns", "1.23 ms" */
char *fc_format_bytes(guint64 bytes);               /* "1234 B", "12.34 KiB" */
char *fc_format_share(guint64 part, guint64 whole); /* per cent: "12.3" */
char *fc_format_count(guint64 count);
char *fc_format_brief_count(guint64 count); /* "9999", "12.3 k", "4.97 M" */
char *fc_format_text(const char *text);     /* fc_plain_text */
