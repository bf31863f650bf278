/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the unit that an address belongs to and asks its tables.  See lines.h.
 */
#include "fcdump/gprof/lines.h"

#include "fcdump/gprof/debug-file.h"
#include "fcdump/gprof/line-funcs.h"
#include "fcdump/gprof/line-ranges.h"
#include "fcdump/gprof/line-stabs.h"
#include "fcdump/gprof/line-table.h"
#include <dwarf.h>
#include <string.h>

enum
{
    EXTENDED_MAX = 256 /* ranges among which one that another extends is looked for */
};

typedef struct
{
    Dwarf_Die die;
    guint64 table_offset;
    guint64 time;     /* when it was read, on FcGLines.clock */
    gboolean is_read; /* it takes part in answers */
    gboolean is_loaded;
    FcGLineTable *table; /* borrowed; NULL: the unit has no lines and is passed over */
    FcGLineFuncs *funcs; /* of a unit with a table */
} Unit;

/* gprof's library reads units one by one, as far as it must to answer; a unit that does
 * not say where it is gets its ranges from its line table when it is first asked.  Which
 * of several units answers depends on that order, so it is kept. */
struct FcGLines
{
    FcGImage *image;
    FcGDebugFile *file;
    Dwarf *dwarf;
    FcGLineSections sections;
    GStringChunk *strings;
    GArray *units;       /* of Unit, in file order */
    guint n_read;        /* units that were read so far */
    guint64 clock;       /* counts events, from 1 */
    GArray *ranges;      /* of FcGLineRange, by start: what units say themselves */
    GArray *acquired;    /* of FcGLineRange, by start: what their line tables say */
    GArray *rangeless;   /* of guint: units that could hold any address, as read */
    gboolean is_ordered; /* there are such units: the order of reading shows */
    GHashTable *tables;  /* of FcGLineTable* by offset */
    FcGTextSyms *text_syms;
    FcGLineStabs *stabs; /* NULL: none */
    guint64 next_change;
    guint64 shift;       /* from an image's addresses to those of the debugging information */
    guint64 crowd_start; /* the last answer of is_crowd() */
    guint64 crowd_clock;
    gboolean is_crowd;
};

static void add_unit(FcGLines *lines, Dwarf_Die *die)
{
    Unit unit = {.die = *die};
    guint index = lines->units->len, n_before = lines->ranges->len;
    Dwarf_Addr base = 0, low, high;
    ptrdiff_t offset = 0;

    while (fc_gline_funcs_has_ranges(die) &&
           (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0)
    {
        FcGLineRange range = {low, high, 0, index, 0, lines->ranges->len, 0};

        if (low < high)
            g_array_append_val(lines->ranges, range);
    }
    if (lines->ranges->len == n_before)
        g_array_append_val(lines->rangeless, index);
    g_array_append_val(lines->units, unit);
}

static void read_unit(FcGLines *lines)
{
    Unit *unit = &g_array_index(lines->units, Unit, lines->n_read++);

    unit->is_read = TRUE;
    unit->time = ++lines->clock;
}

static void find_units(FcGLines *lines)
{
    Dwarf_Off offset = 0, next;
    size_t header_bytes;

    while (dwarf_nextcu(lines->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0)
    {
        Dwarf_Die die;

        if (dwarf_offdie(lines->dwarf, offset + header_bytes, &die) &&
            dwarf_hasattr(&die, DW_AT_stmt_list))
            add_unit(lines, &die);
        offset = next;
    }
    fc_gline_ranges_sort(lines->ranges);
    /* The order of reading shows only where some units do not say where they are. */
    lines->is_ordered = lines->rangeless->len > 0;
    while (!lines->is_ordered && lines->n_read < lines->units->len)
        read_unit(lines);
}

static void free_table(gpointer data)
{
    fc_gline_table_free(data);
}

FcGLines *fc_glines_new(FcGImage *image)
{
    FcGLines *lines = g_new0(FcGLines, 1);

    lines->image = image;
    lines->strings = g_string_chunk_new(4096);
    lines->units = g_array_new(FALSE, FALSE, sizeof(Unit));
    lines->ranges = g_array_new(FALSE, FALSE, sizeof(FcGLineRange));
    lines->acquired = g_array_new(FALSE, FALSE, sizeof(FcGLineRange));
    lines->rangeless = g_array_new(FALSE, FALSE, sizeof(guint));
    lines->tables = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_table);
    lines->sections.is_big_endian = fc_gimage_is_big_endian(image);
    lines->stabs = fc_gline_stabs_new(image, lines->strings);
    lines->file = fc_gdebug_file_open(image);
    lines->dwarf = fc_gdebug_file_dwarf(lines->file);
    if (!lines->dwarf)
        return lines;
    lines->shift = fc_gdebug_file_text_shift(lines->file);
    lines->sections.line =
        fc_gdebug_file_section(lines->file, ".debug_line", &lines->sections.line_bytes);
    lines->sections.line_str =
        fc_gdebug_file_section(lines->file, ".debug_line_str", &lines->sections.line_str_bytes);
    lines->sections.str =
        fc_gdebug_file_section(lines->file, ".debug_str", &lines->sections.str_bytes);
    find_units(lines);
    return lines;
}

void fc_glines_free(FcGLines *lines)
{
    if (!lines)
        return;
    for (guint i = 0; i < lines->units->len; i++)
        fc_gline_funcs_free(g_array_index(lines->units, Unit, i).funcs);
    g_hash_table_destroy(lines->tables);
    g_array_free(lines->units, TRUE);
    g_array_free(lines->ranges, TRUE);
    g_array_free(lines->acquired, TRUE);
    g_array_free(lines->rangeless, TRUE);
    fc_gtext_syms_free(lines->text_syms);
    fc_gline_stabs_free(lines->stabs);
    g_string_chunk_free(lines->strings);
    fc_gdebug_file_free(lines->file);
    g_free(lines);
}

/* Sets the unit's table; true if its sequences become ranges of the unit, as they do each
 * time that gprof's library decodes a table: it keeps just the one at offset 0. */
static gboolean load_unit(FcGLines *lines, Unit *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    const char *comp_dir = NULL;
    gboolean is_string;
    gpointer known;

    unit->is_loaded = TRUE;
    if (!lines->sections.line || !dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute) ||
        dwarf_formudata(&attribute, &offset) != 0)
        return FALSE;
    unit->table_offset = offset;
    if (g_hash_table_lookup_extended(lines->tables, &unit->table_offset, NULL, &known))
    {
        unit->table = known;
        return offset != 0;
    }
    if (dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))
        comp_dir = fc_gdebug_string(&attribute, &is_string);
    unit->table = fc_gline_table_new(&lines->sections, offset, fc_gimage_addr_bytes(lines->image),
                                     comp_dir, lines->strings);
    g_hash_table_insert(lines->tables, g_memdup2(&unit->table_offset, sizeof unit->table_offset),
                        unit->table);
    return TRUE;
}

/* Whether one of the ranges that `unit` states itself begins at `low` or before and ends
 * at `high` or behind. */
static gboolean states_range(const FcGLines *lines, guint unit, guint64 low, guint64 high)
{
    for (guint i = fc_gline_ranges_upto(lines->ranges, low); i > 0; i--)
    {
        const FcGLineRange *range = &g_array_index(lines->ranges, FcGLineRange, i - 1);

        if (range->max_high < high)
            break;
        if (range->unit == unit && range->high >= high)
            return TRUE;
    }
    return FALSE;
}

typedef struct
{
    FcGLines *lines;
    guint unit;
    guint first; /* of the ranges acquired so far */
} Acquisition;

/* When the range became known that [low, high) overlaps or touches, of the same unit, and so
 * extends; 0 if none. */
static guint64 time_of_extended(const Acquisition *acquisition, guint64 low, guint64 high)
{
    const FcGLines *lines = acquisition->lines;
    guint64 time = 0;
    guint n = lines->acquired->len;

    if (states_range(lines, acquisition->unit, high, low))
        return g_array_index(lines->units, Unit, acquisition->unit).time;
    for (guint i = n; i > acquisition->first && n - i < EXTENDED_MAX; i--)
    {
        const FcGLineRange *range = &g_array_index(lines->acquired, FcGLineRange, i - 1);

        if (range->low <= high && range->high >= low && (time == 0 || range->turn < time))
            time = range->turn;
    }
    return time;
}

static void add_acquired(guint64 low, guint64 high, gpointer data)
{
    const Acquisition *acquisition = data;
    FcGLines *lines = acquisition->lines;
    FcGLineRange range = {low, high, 0, acquisition->unit, 0, 0, 0};

    if (low >= high || states_range(lines, acquisition->unit, low, high))
        return;
    range.time = ++lines->clock;
    range.turn = time_of_extended(acquisition, low, high);
    if (range.turn == 0)
        range.turn = range.time;
    g_array_append_val(lines->acquired, range);
}

static void forget_rangeless(FcGLines *lines, guint unit)
{
    for (guint i = 0; i < lines->rangeless->len; i++)
    {
        if (g_array_index(lines->rangeless, guint, i) == unit)
            g_array_remove_index(lines->rangeless, i--);
    }
}

/* A unit has been asked: if its line table was decoded for that, it tells of ranges that the
 * unit may not have stated; its functions do always. */
static void acquire_ranges(FcGLines *lines, guint index, gboolean is_decoded)
{
    Unit *unit = &g_array_index(lines->units, Unit, index);
    Acquisition acquisition = {lines, index, lines->acquired->len};

    if (is_decoded)
        fc_gline_table_each_sequence(unit->table, add_acquired, &acquisition);
    if (is_decoded)
        forget_rangeless(lines, index);
    unit->funcs = fc_gline_funcs_new(&unit->die);
    fc_gline_funcs_each_range(unit->funcs, add_acquired, &acquisition);
    if (lines->acquired->len > acquisition.first)
        fc_gline_ranges_sort(lines->acquired);
}

static void visit_origin(Dwarf_Die *origin, gpointer data);

static void open_unit(FcGLines *lines, guint index)
{
    Unit *unit = &g_array_index(lines->units, Unit, index);
    gboolean is_decoded;

    if (unit->is_loaded)
        return;
    is_decoded = load_unit(lines, unit);
    if (unit->table)
        acquire_ranges(lines, index, is_decoded);
    if (lines->is_ordered)
        fc_gline_funcs_each_origin(&unit->die, visit_origin, lines);
}

/* An entry of another unit is looked up: units are read until that one is there.  Those that do
 * not say where they are get no turn any more, but if the entry has a file, its unit's table is
 * decoded. */
static void visit_origin(Dwarf_Die *origin, gpointer data)
{
    FcGLines *lines = data;
    Dwarf_Die die;
    Dwarf_Off offset = dwarf_diecu(origin, &die, NULL, NULL) ? dwarf_dieoffset(&die) : 0;
    guint low = 0, high = lines->units->len;

    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (dwarf_dieoffset(&g_array_index(lines->units, Unit, middle).die) <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    while (lines->n_read < low)
    {
        forget_rangeless(lines, lines->n_read);
        read_unit(lines);
    }
    if (low > 0 && dwarf_hasattr(origin, DW_AT_decl_file) &&
        dwarf_dieoffset(&g_array_index(lines->units, Unit, low - 1).die) == offset)
        open_unit(lines, low - 1);
}

typedef struct
{
    const FcGLineRow *row;
    FcGLineFunc *func;
} UnitAnswer;

static gboolean ask_unit(FcGLines *lines, guint index, guint64 addr, UnitAnswer *answer)
{
    Unit *unit = &g_array_index(lines->units, Unit, index);

    open_unit(lines, index);
    if (!unit->table)
        return FALSE;
    answer->row = fc_gline_table_find(unit->table, addr, &lines->next_change);
    answer->func = fc_gline_funcs_find(unit->funcs, addr, &lines->next_change);
    return answer->row || answer->func;
}

typedef struct
{
    guint64 time;
    guint unit;
} Candidate;

/* Adds the units that have a range around `addr`. */
static void add_candidates(FcGLines *lines, const GArray *ranges, guint64 addr, GArray *candidates)
{
    guint n = fc_gline_ranges_upto(ranges, addr);

    if (n < ranges->len)
        lines->next_change = MIN(lines->next_change, g_array_index(ranges, FcGLineRange, n).low);
    for (guint i = n; i > 0; i--)
    {
        const FcGLineRange *range = &g_array_index(ranges, FcGLineRange, i - 1);
        const Unit *unit = &g_array_index(lines->units, Unit, range->unit);
        Candidate candidate = {range->turn ? range->turn : unit->time, range->unit};

        if (range->max_high <= addr)
            break;
        if (addr >= range->high || !unit->is_read)
            continue;
        lines->next_change = MIN(lines->next_change, range->high);
        g_array_append_val(candidates, candidate);
    }
}

/* Adds what is known by now of the bytes that `start` begins. */
static void add_claims(const FcGLines *lines, const GArray *ranges, guint64 start, GArray *claims)
{
    for (guint i = fc_gline_ranges_upto(ranges, start + FC_GLINE_CROWD_BYTES - 1); i > 0; i--)
    {
        FcGLineRange range = g_array_index(ranges, FcGLineRange, i - 1);
        const Unit *unit = &g_array_index(lines->units, Unit, range.unit);

        if (range.max_high <= start)
            break;
        if (range.time == 0)
            range.time = unit->time;
        if (range.high > start && unit->is_read)
            g_array_append_val(claims, range);
    }
}

static gboolean is_crowd(FcGLines *lines, guint64 start)
{
    g_autoptr(GArray) claims = NULL;

    if (lines->crowd_clock == lines->clock && lines->crowd_start == start)
        return lines->is_crowd;
    claims = g_array_new(FALSE, FALSE, sizeof(FcGLineRange));
    add_claims(lines, lines->ranges, start, claims);
    add_claims(lines, lines->acquired, start, claims);
    lines->is_crowd = fc_gline_ranges_are_crowd(claims);
    lines->crowd_start = start;
    lines->crowd_clock = lines->clock;
    return lines->is_crowd;
}

/* Whether the unit of `addr` gets lost. */
static gboolean is_lost(FcGLines *lines, guint64 addr)
{
    guint64 start = addr & ~(guint64)(FC_GLINE_CROWD_BYTES - 1);
    guint64 last = start + FC_GLINE_CROWD_BYTES - 1;

    if (lines->ranges->len + lines->acquired->len <= FC_GLINE_CROWD_MAX)
        return FALSE;
    lines->next_change = MIN(lines->next_change, last + 1);
    if (!is_crowd(lines, start))
        return FALSE;
    if (addr < last)
        lines->next_change = MIN(lines->next_change, last);
    return addr == last;
}

static int compare_candidates(const void *a, const void *b)
{
    const Candidate *left = a, *right = b;

    return left->time < right->time ? -1 : left->time > right->time;
}

static gboolean is_rangeless(const FcGLines *lines, guint unit)
{
    for (guint i = 0; i < lines->rangeless->len; i++)
    {
        if (g_array_index(lines->rangeless, guint, i) == unit)
            return TRUE;
    }
    return FALSE;
}

/* Asks the units around `addr` in the order in which their ranges became known, then
 * those that do not say where they are, then those that were not read yet. */
static gboolean ask_units(FcGLines *lines, guint64 addr, UnitAnswer *answer)
{
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));

    if (!is_lost(lines, addr))
    {
        add_candidates(lines, lines->ranges, addr, candidates);
        add_candidates(lines, lines->acquired, addr, candidates);
    }
    if (candidates->len > 1)
        g_array_sort(candidates, compare_candidates);
    for (guint i = 0; i < candidates->len; i++)
    {
        if (ask_unit(lines, g_array_index(candidates, Candidate, i).unit, addr, answer))
            return TRUE;
    }
    for (guint i = lines->rangeless->len; i > 0; i--)
    {
        guint unit;

        if (i > lines->rangeless->len)
            continue; /* others left with the last one */
        unit = g_array_index(lines->rangeless, guint, i - 1);
        if (g_array_index(lines->units, Unit, unit).is_read && ask_unit(lines, unit, addr, answer))
            return TRUE;
    }
    while (lines->n_read < lines->units->len)
    {
        guint unit = lines->n_read;

        read_unit(lines);
        if ((is_rangeless(lines, unit) || states_range(lines, unit, addr, addr + 1)) &&
            ask_unit(lines, unit, addr, answer))
            return TRUE;
    }
    return FALSE;
}

static const FcGImageSym *find_text_sym(FcGLines *lines, guint64 addr)
{
    if (!lines->text_syms)
        lines->text_syms = fc_gtext_syms_new(fc_gdebug_file_symbols(lines->file));
    return fc_gtext_syms_find(lines->text_syms, addr);
}

/* A function whose DWARF name is not what the linker calls it gets the name of the ELF
 * symbol once; for good only if both start at the same place. */
static const char *name_function(FcGLines *lines, guint64 addr, FcGLineFunc *func)
{
    const FcGImageSym *sym;

    if (func && func->is_linkage)
        return func->name;
    sym = find_text_sym(lines, addr);
    lines->next_change = addr + 1; /* the answer may be another one the next time */
    if (func)
    {
        func->is_linkage = TRUE;
        if (!sym)
            return func->name;
        if (sym->addr + lines->shift == func->low)
            func->name = sym->name;
    }
    return sym ? sym->name : NULL;
}

/* Where there is DWARF, an ELF symbol is an answer as well: one without a line. */
static gboolean is_answered(FcGLines *lines, guint64 addr)
{
    const FcGImageSym *sym;

    if (!lines->dwarf)
        return FALSE;
    sym = find_text_sym(lines, addr);
    lines->next_change = MIN(lines->next_change, fc_gtext_syms_same_until(lines->text_syms, addr));
    return sym != NULL;
}

/* Stabs are asked where there is no other answer. */
static gboolean ask_stabs(FcGLines *lines, guint64 addr, FcGLine *out)
{
    guint line = 0;

    lines->next_change = addr + 1; /* each question may change the answer to the next */
    fc_gline_stabs_find(lines->stabs, addr, &out->file, &out->function, &line);
    out->line = (int)line;
    return out->file && out->function && out->line != 0;
}

gboolean fc_glines_find(FcGLines *lines, guint64 addr, FcGLine *out)
{
    UnitAnswer answer = {0};
    guint64 clock = lines->clock;
    gboolean is_good;

    lines->next_change = G_MAXUINT64;
    memset(out, 0, sizeof *out);
    is_good = lines->dwarf && ask_units(lines, addr + lines->shift, &answer);
    if (lines->next_change != G_MAXUINT64)
        lines->next_change -= lines->shift;
    if (lines->clock != clock)
        lines->next_change = addr + 1; /* another unit may answer the next question */
    if (!is_good)
        return !is_answered(lines, addr) && lines->stabs && ask_stabs(lines, addr, out);
    out->function = name_function(lines, addr, answer.func);
    if (!answer.row || !answer.row->file || answer.row->line == 0)
        return FALSE;
    out->file = answer.row->file;
    out->line = (int)answer.row->line;
    return out->function != NULL;
}

guint64 fc_glines_next_change(const FcGLines *lines)
{
    return lines->next_change;
}
