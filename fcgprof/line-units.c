/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps the units' ranges and tables, as far as they are known.  See line-units.h.
 */
#include "fcgprof/line-units.h"

#include "fcgprof/line-ranges.h"
#include <dwarf.h>

enum
{
    EXTENDED_MAX = 256 /* ranges among which one that another extends is looked for */
};

typedef struct
{
    Dwarf_Die die;
    guint64 table_offset;
    guint64 time;     /* when it was read, on FcGLineUnits.clock */
    gboolean is_read; /* it takes part in answers */
    gboolean is_loaded;
    FcGLineTable *table; /* borrowed; NULL: the unit has no lines and is passed over */
    FcGLineFuncs *funcs; /* of a unit with a table */
} Unit;

/* gprof's library reads units one by one, as far as it must to answer; a unit that does
 * not say where it is gets its ranges from its line table when it is first asked.  Which
 * of several units answers depends on that order, so it is kept. */
struct FcGLineUnits
{
    Dwarf *dwarf;
    FcGLineSections sections;
    guint addr_bytes;
    GStringChunk *strings;
    GArray *list;        /* of Unit, in file order */
    guint n_read;        /* units that were read so far */
    guint64 clock;       /* counts events, from 1 */
    GArray *ranges;      /* of FcGLineRange, by start: what units say themselves */
    GArray *acquired;    /* of FcGLineRange, by start: what their line tables say */
    GArray *rangeless;   /* of guint: units that could hold any address, as read */
    gboolean is_ordered; /* there are such units: the order of reading shows */
    GHashTable *tables;  /* of FcGLineTable* by offset */
    guint64 until;       /* as in line-table.h, for the present question */
    guint64 crowd_start; /* the last answer of is_crowd() */
    guint64 crowd_clock;
    gboolean is_crowd;
};

static void add_unit(FcGLineUnits *units, Dwarf_Die *die)
{
    Unit unit = {.die = *die};
    guint index = units->list->len, n_before = units->ranges->len;
    Dwarf_Addr base = 0, low, high;
    ptrdiff_t offset = 0;

    while (fc_gline_funcs_has_ranges(die) &&
           (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0)
    {
        FcGLineRange range = {low, high, 0, index, 0, units->ranges->len, 0};

        if (low < high)
            g_array_append_val(units->ranges, range);
    }
    if (units->ranges->len == n_before)
        g_array_append_val(units->rangeless, index);
    g_array_append_val(units->list, unit);
}

static void read_unit(FcGLineUnits *units)
{
    Unit *unit = &g_array_index(units->list, Unit, units->n_read++);

    unit->is_read = TRUE;
    unit->time = ++units->clock;
}

static void find_units(FcGLineUnits *units)
{
    Dwarf_Off offset = 0, next;
    size_t header_bytes;

    while (dwarf_nextcu(units->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0)
    {
        Dwarf_Die die;

        if (dwarf_offdie(units->dwarf, offset + header_bytes, &die) &&
            dwarf_hasattr(&die, DW_AT_stmt_list))
            add_unit(units, &die);
        offset = next;
    }
    fc_gline_ranges_sort(units->ranges);
    /* The order of reading shows only where some units do not say where they are. */
    units->is_ordered = units->rangeless->len > 0;
    while (!units->is_ordered && units->n_read < units->list->len)
        read_unit(units);
}

static void free_table(gpointer data)
{
    fc_gline_table_free(data);
}

FcGLineUnits *fc_gline_units_new(const FcGImage *image, FcGDebugFile *file, GStringChunk *strings)
{
    FcGLineUnits *units;

    if (!fc_gdebug_file_dwarf(file))
        return NULL;
    units = g_new0(FcGLineUnits, 1);
    units->dwarf = fc_gdebug_file_dwarf(file);
    units->addr_bytes = fc_gimage_addr_bytes(image);
    units->strings = strings;
    units->list = g_array_new(FALSE, FALSE, sizeof(Unit));
    units->ranges = g_array_new(FALSE, FALSE, sizeof(FcGLineRange));
    units->acquired = g_array_new(FALSE, FALSE, sizeof(FcGLineRange));
    units->rangeless = g_array_new(FALSE, FALSE, sizeof(guint));
    units->tables = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_table);
    units->sections.is_big_endian = fc_gimage_is_big_endian(image);
    units->sections.line = fc_gdebug_file_section(file, ".debug_line", &units->sections.line_bytes);
    units->sections.line_str =
        fc_gdebug_file_section(file, ".debug_line_str", &units->sections.line_str_bytes);
    units->sections.str = fc_gdebug_file_section(file, ".debug_str", &units->sections.str_bytes);
    find_units(units);
    return units;
}

void fc_gline_units_free(FcGLineUnits *units)
{
    if (!units)
        return;
    for (guint i = 0; i < units->list->len; i++)
        fc_gline_funcs_free(g_array_index(units->list, Unit, i).funcs);
    g_hash_table_destroy(units->tables);
    g_array_free(units->list, TRUE);
    g_array_free(units->ranges, TRUE);
    g_array_free(units->acquired, TRUE);
    g_array_free(units->rangeless, TRUE);
    g_free(units);
}

/* Sets the unit's table; true if its sequences become ranges of the unit, as they do each
 * time that gprof's library decodes a table: it keeps just the one at offset 0. */
static gboolean load_unit(FcGLineUnits *units, Unit *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    const char *comp_dir = NULL;
    gboolean is_string;
    gpointer known;

    unit->is_loaded = TRUE;
    if (!units->sections.line || !dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute) ||
        dwarf_formudata(&attribute, &offset) != 0)
        return FALSE;
    unit->table_offset = offset;
    if (g_hash_table_lookup_extended(units->tables, &unit->table_offset, NULL, &known))
    {
        unit->table = known;
        return offset != 0;
    }
    if (dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))
        comp_dir = fc_gdebug_string(&attribute, &is_string);
    unit->table =
        fc_gline_table_new(&units->sections, offset, units->addr_bytes, comp_dir, units->strings);
    g_hash_table_insert(units->tables, g_memdup2(&unit->table_offset, sizeof unit->table_offset),
                        unit->table);
    return TRUE;
}

/* Whether one of the ranges that `unit` states itself begins at `low` or before and ends
 * at `high` or behind. */
static gboolean states_range(const FcGLineUnits *units, guint unit, guint64 low, guint64 high)
{
    for (guint i = fc_gline_ranges_upto(units->ranges, low); i > 0; i--)
    {
        const FcGLineRange *range = &g_array_index(units->ranges, FcGLineRange, i - 1);

        if (range->max_high < high)
            break;
        if (range->unit == unit && range->high >= high)
            return TRUE;
    }
    return FALSE;
}

typedef struct
{
    FcGLineUnits *units;
    guint unit;
    guint first; /* of the ranges acquired so far */
} Acquisition;

/* When the range became known that [low, high) overlaps or touches, of the same unit, and so
 * extends; 0 if none. */
static guint64 time_of_extended(const Acquisition *acquisition, guint64 low, guint64 high)
{
    const FcGLineUnits *units = acquisition->units;
    guint64 time = 0;
    guint n = units->acquired->len;

    if (states_range(units, acquisition->unit, high, low))
        return g_array_index(units->list, Unit, acquisition->unit).time;
    for (guint i = n; i > acquisition->first && n - i < EXTENDED_MAX; i--)
    {
        const FcGLineRange *range = &g_array_index(units->acquired, FcGLineRange, i - 1);

        if (range->low <= high && range->high >= low && (time == 0 || range->turn < time))
            time = range->turn;
    }
    return time;
}

static void add_acquired(guint64 low, guint64 high, gpointer data)
{
    const Acquisition *acquisition = data;
    FcGLineUnits *units = acquisition->units;
    FcGLineRange range = {low, high, 0, acquisition->unit, 0, 0, 0};

    if (low >= high || states_range(units, acquisition->unit, low, high))
        return;
    range.time = ++units->clock;
    range.turn = time_of_extended(acquisition, low, high);
    if (range.turn == 0)
        range.turn = range.time;
    g_array_append_val(units->acquired, range);
}

static void forget_rangeless(FcGLineUnits *units, guint unit)
{
    for (guint i = 0; i < units->rangeless->len; i++)
    {
        if (g_array_index(units->rangeless, guint, i) == unit)
            g_array_remove_index(units->rangeless, i--);
    }
}

/* A unit has been asked: if its line table was decoded for that, it tells of ranges that the
 * unit may not have stated; its functions do always. */
static void acquire_ranges(FcGLineUnits *units, guint index, gboolean is_decoded)
{
    Unit *unit = &g_array_index(units->list, Unit, index);
    Acquisition acquisition = {units, index, units->acquired->len};

    if (is_decoded)
        fc_gline_table_each_sequence(unit->table, add_acquired, &acquisition);
    if (is_decoded)
        forget_rangeless(units, index);
    unit->funcs = fc_gline_funcs_new(&unit->die);
    fc_gline_funcs_each_range(unit->funcs, add_acquired, &acquisition);
    if (units->acquired->len > acquisition.first)
        fc_gline_ranges_sort(units->acquired);
}

static void visit_origin(Dwarf_Die *origin, gpointer data);

static void open_unit(FcGLineUnits *units, guint index)
{
    Unit *unit = &g_array_index(units->list, Unit, index);
    gboolean is_decoded;

    if (unit->is_loaded)
        return;
    is_decoded = load_unit(units, unit);
    if (unit->table)
        acquire_ranges(units, index, is_decoded);
    if (units->is_ordered)
        fc_gline_funcs_each_origin(&unit->die, visit_origin, units);
}

/* An entry of another unit is looked up: units are read until that one is there.  Those that do
 * not say where they are get no turn any more, but if the entry has a file, its unit's table is
 * decoded. */
static void visit_origin(Dwarf_Die *origin, gpointer data)
{
    FcGLineUnits *units = data;
    Dwarf_Die die;
    Dwarf_Off offset = dwarf_diecu(origin, &die, NULL, NULL) ? dwarf_dieoffset(&die) : 0;
    guint low = 0, high = units->list->len;

    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (dwarf_dieoffset(&g_array_index(units->list, Unit, middle).die) <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    while (units->n_read < low)
    {
        forget_rangeless(units, units->n_read);
        read_unit(units);
    }
    if (low > 0 && dwarf_hasattr(origin, DW_AT_decl_file) &&
        dwarf_dieoffset(&g_array_index(units->list, Unit, low - 1).die) == offset)
        open_unit(units, low - 1);
}

static gboolean ask_unit(FcGLineUnits *units, guint index, guint64 addr, FcGLineAnswer *answer)
{
    Unit *unit = &g_array_index(units->list, Unit, index);

    open_unit(units, index);
    if (!unit->table)
        return FALSE;
    answer->row = fc_gline_table_find(unit->table, addr, &units->until);
    answer->func = fc_gline_funcs_find(unit->funcs, addr, &units->until);
    return answer->row || answer->func;
}

typedef struct
{
    guint64 time;
    guint unit;
} Candidate;

/* Adds the units that have a range around `addr`. */
static void add_candidates(FcGLineUnits *units, const GArray *ranges, guint64 addr,
                           GArray *candidates)
{
    guint n = fc_gline_ranges_upto(ranges, addr);

    if (n < ranges->len)
        units->until = MIN(units->until, g_array_index(ranges, FcGLineRange, n).low);
    for (guint i = n; i > 0; i--)
    {
        const FcGLineRange *range = &g_array_index(ranges, FcGLineRange, i - 1);
        const Unit *unit = &g_array_index(units->list, Unit, range->unit);
        Candidate candidate = {range->turn ? range->turn : unit->time, range->unit};

        if (range->max_high <= addr)
            break;
        if (addr >= range->high || !unit->is_read)
            continue;
        units->until = MIN(units->until, range->high);
        g_array_append_val(candidates, candidate);
    }
}

/* Adds what is known by now of the bytes that `start` begins. */
static void add_claims(const FcGLineUnits *units, const GArray *ranges, guint64 start,
                       GArray *claims)
{
    for (guint i = fc_gline_ranges_upto(ranges, start + FC_GLINE_CROWD_BYTES - 1); i > 0; i--)
    {
        FcGLineRange range = g_array_index(ranges, FcGLineRange, i - 1);
        const Unit *unit = &g_array_index(units->list, Unit, range.unit);

        if (range.max_high <= start)
            break;
        if (range.time == 0)
            range.time = unit->time;
        if (range.high > start && unit->is_read)
            g_array_append_val(claims, range);
    }
}

static gboolean is_crowd(FcGLineUnits *units, guint64 start)
{
    g_autoptr(GArray) claims = NULL;

    if (units->crowd_clock == units->clock && units->crowd_start == start)
        return units->is_crowd;
    claims = g_array_new(FALSE, FALSE, sizeof(FcGLineRange));
    add_claims(units, units->ranges, start, claims);
    add_claims(units, units->acquired, start, claims);
    units->is_crowd = fc_gline_ranges_are_crowd(claims);
    units->crowd_start = start;
    units->crowd_clock = units->clock;
    return units->is_crowd;
}

/* Whether the unit of `addr` gets lost. */
static gboolean is_lost(FcGLineUnits *units, guint64 addr)
{
    guint64 start = addr & ~(guint64)(FC_GLINE_CROWD_BYTES - 1);
    guint64 last = start + FC_GLINE_CROWD_BYTES - 1;

    if (units->ranges->len + units->acquired->len <= FC_GLINE_CROWD_MAX)
        return FALSE;
    units->until = MIN(units->until, last + 1);
    if (!is_crowd(units, start))
        return FALSE;
    if (addr < last)
        units->until = MIN(units->until, last);
    return addr == last;
}

static int compare_candidates(const void *a, const void *b)
{
    const Candidate *left = a, *right = b;

    return left->time < right->time ? -1 : left->time > right->time;
}

static gboolean is_rangeless(const FcGLineUnits *units, guint unit)
{
    for (guint i = 0; i < units->rangeless->len; i++)
    {
        if (g_array_index(units->rangeless, guint, i) == unit)
            return TRUE;
    }
    return FALSE;
}

/* Asks the units around `addr` in the order in which their ranges became known, then
 * those that do not say where they are, then those that were not read yet. */
static gboolean ask_in_order(FcGLineUnits *units, guint64 addr, FcGLineAnswer *answer)
{
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));

    if (!is_lost(units, addr))
    {
        add_candidates(units, units->ranges, addr, candidates);
        add_candidates(units, units->acquired, addr, candidates);
    }
    if (candidates->len > 1)
        g_array_sort(candidates, compare_candidates);
    for (guint i = 0; i < candidates->len; i++)
    {
        if (ask_unit(units, g_array_index(candidates, Candidate, i).unit, addr, answer))
            return TRUE;
    }
    for (guint i = units->rangeless->len; i > 0; i--)
    {
        guint unit;

        if (i > units->rangeless->len)
            continue; /* others left with the last one */
        unit = g_array_index(units->rangeless, guint, i - 1);
        if (g_array_index(units->list, Unit, unit).is_read && ask_unit(units, unit, addr, answer))
            return TRUE;
    }
    while (units->n_read < units->list->len)
    {
        guint unit = units->n_read;

        read_unit(units);
        if ((is_rangeless(units, unit) || states_range(units, unit, addr, addr + 1)) &&
            ask_unit(units, unit, addr, answer))
            return TRUE;
    }
    return FALSE;
}

gboolean fc_gline_units_ask(FcGLineUnits *units, guint64 addr, FcGLineAnswer *answer,
                            guint64 *until)
{
    guint64 clock = units->clock;
    gboolean is_good;

    answer->row = NULL;
    answer->func = NULL;
    units->until = G_MAXUINT64;
    is_good = ask_in_order(units, addr, answer);
    *until = units->until;
    if (units->clock != clock)
        *until = addr + 1; /* another unit may answer the next question */
    return is_good;
}
