/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The neutral model that every fcgprof report is drawn from: symbols, the arcs
 * between them, cycles and the units that times are counted in.  A reader (of
 * gmon.out files, or of any other profile) fills in symbols, call counts, arcs
 * and own times; graph.c and cycles.c work out the rest; report-*.c print it, and
 * keep in it only what they mark on the way.  Nothing in here knows a file format.
 *
 * One thread only.  Symbols, arcs and strings belong to the model and live until
 * fc_gmodel_free(); what is said to be borrowed belongs to whoever put it there, who
 * frees it after the model's last use.
 */
#pragma once

#include "fcgprof/options.h"
#include "gmon/image.h"
#include <glib.h>
#include <obstack.h>
#include <stdio.h>

typedef struct FcGSym FcGSym;
typedef struct FcGArc FcGArc;
typedef struct FcGBlock FcGBlock;
typedef struct FcGFile FcGFile;
typedef struct FcGSpecs FcGSpecs;
typedef struct FcGObject FcGObject;
typedef struct FcGMeasured FcGMeasured;

enum
{
    FC_GBLOCKS_MAX = 10 /* basic blocks of gmon.out files that one symbol can hold */
};

/* A basic block of a symbol; of a line of a measured profile a call site. */
struct FcGBlock
{
    guint64 addr;
    guint64 count;
    FcGBlock *next;
};

/* A source file, once for each distinct path that the line tables name. */
struct FcGFile
{
    const char *path;
    const char *base; /* points into path */
    FcGFile *next;    /* the file that appeared before this one */
};

/* A function, or under -l a source line, or the header of a cycle (name NULL). */
struct FcGSym
{
    guint64 addr;
    guint64 end_addr; /* last address that still belongs to it */
    const char *name; /* as in the symbol table, not demangled */
    FcGFile *file;    /* NULL if unknown */
    int line;
    guint8 is_func;
    guint8 is_static;
    guint8 print_flag;
    guint8 is_mapped; /* -R: stands for an object file */
    guint8 is_placed; /* orderings: already printed or given up */

    guint64 ncalls;     /* without the calls of itself */
    guint64 self_calls; /* calls of itself; of a cycle: between different members */
    double time;        /* own time in ticks */
    double child_time;  /* descendants' time in ticks */
    double fraction;    /* of its time that is propagated */
    double prop_self;
    double prop_child;

    int index;     /* number shown in brackets, from 1 */
    int top_order; /* topological number: greater than all its callees' */
    int cycle;     /* number of its cycle, 0 if none */
    guint n_uses;  /* by the function ordering */
    FcGSym *cycle_head;
    FcGSym *cycle_next; /* of the header: the first member */
    FcGArc *parents;    /* newest first */
    FcGArc *children;
    FcGBlock *blocks;  /* NULL if none */
    FcGSym *owner;     /* of a line of a measured profile: its function; else NULL */
    FcGArc *outside;   /* of a measured profile: calls that came while no profiled function was
                          active, an arc without a parent; NULL: none */
    const char *label; /* tells it from others of its name; NULL if there are none */

    /* Used by the function and file orderings only. */
    FcGSym *order_prev;
    FcGSym *order_next;
};

struct FcGArc
{
    FcGSym *parent;
    FcGSym *child;
    guint64 count;
    double time;       /* child's own time that it hands to the parent */
    double child_time; /* likewise of the child's descendants */
    double total;      /* of a measured profile: both, as it says */
    double missing;    /* likewise: of that no context tells */
    FcGArc *next_parent;
    FcGArc *next_child;
    gboolean is_placed; /* orderings */
};

/* Symbols by ascending address, at most one for each address. */
typedef struct
{
    FcGSym *syms;
    guint64 *starts; /* the addresses alone, for quick searching */
    guint len;
} FcGSymtab;

typedef struct
{
    const FcGOptions *options; /* borrowed */
    struct obstack arena;
    FILE *out;
    gboolean has_output; /* something was printed already */

    FcGSymtab symtab;
    FcGFile *files; /* newest first */
    GHashTable *files_by_path;
    const FcGSpecs *specs; /* borrowed */
    FcGObject *object;     /* borrowed; NULL without an image */
    FcGMeasured *measured; /* borrowed; NULL: the times are samples (reports.h) */
    guint64 addr_mask;     /* of an address: what is shown of it */

    GPtrArray *arcs;       /* FcGArc, in order of creation, without self arcs */
    GHashTable *arc_table; /* the arcs by their two ends, see graph.c; NULL: none */

    unsigned inputs; /* FC_GINPUT_* */
    int file_version;
    FcGmonHist *hists; /* in order of appearance */
    guint n_hists;
    double scale; /* units of code (2 bytes) in one bin */
    long rate;    /* ticks in one unit of the dimension */
    char dimension[16];
    char abbreviation;
    double total_ticks;
    gboolean has_warned_blocks; /* block counts were found that -l is needed for */

    FcGSym *cycles; /* headers, [1..n_cycles]; [0] is unused */
    guint n_cycles;
    double graph_ticks;      /* time that the call graph accounts for */
    const GArray *order_map; /* of -R, or NULL; borrowed */
    FcGSym **by_index;       /* call graph entries in order of their numbers */
} FcGModel;

/* Takes over nothing.  `options` must outlive the model. */
FcGModel *fc_gmodel_new(const FcGOptions *options, FILE *out);
void fc_gmodel_free(FcGModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGModel, fc_gmodel_free)

/* Zeroed memory, less than 2 GiB at a time, that lives as long as the model. */
void *fc_gmodel_alloc(FcGModel *model, gsize n_bytes);
char *fc_gmodel_strdup(FcGModel *model, const char *text);

/* The file of that path, made if it is new.  Never fails. */
FcGFile *fc_gmodel_file(FcGModel *model, const char *path);

/* Begins a report: a form feed parts it from what was printed before. */
void fc_gmodel_begin_report(FcGModel *model);

/* Resets a symbol to nothing but its own cycle head. */
void fc_gsym_init(FcGSym *sym);

/* Adds to the block's count.  A new one goes behind the others, unless these are `most` already. */
void fc_gsym_add_block(FcGModel *model, FcGSym *sym, guint64 addr, guint64 count, guint most);

/* Sorts `n` symbols (given in order of appearance) by address, drops duplicates of an
 * address and symbols whose range is empty, fixes where each ends, and makes the rest
 * the model's table in place of the old one.  `last_addr` is the end of the code. */
void fc_gsymtab_build(FcGModel *model, const FcGSym *syms, guint n, guint64 last_addr);

/* The symbol whose range holds `addr`, or NULL. */
FcGSym *fc_gsymtab_find(const FcGSymtab *symtab, guint64 addr);

/* A set of arcs by their two ends; the caller unrefs it. */
GHashTable *fc_garc_set_new(void);

/* Adds `count` calls to the arc, which is made if it is not there and returned. */
FcGArc *fc_garc_add(FcGModel *model, FcGSym *parent, FcGSym *child, guint64 count);

/* The arc, or NULL. */
FcGArc *fc_garc_find(const FcGModel *model, const FcGSym *parent, const FcGSym *child);

/* Stable sort of pointers: glib's merge sort.  Its order of comparisons matters to one report whose
 * comparison is not transitive: halves split at n/2, the left wins ties. */
typedef int (*FcGCompare)(const void *a, const void *b);
void fc_gsort(void **items, guint n, FcGCompare compare);

/* Makes the model's table: the functions, and under -l also the source lines; or, if it is not
 * NULL, what the file `listed` of -S has.  False and `error` if there is none.  (symbols.c) */
gboolean fc_gmodel_load_symbols(FcGModel *model, FcGObject *object, const char *listed,
                                GError **error);
