/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Indexes the functions of stabs by address and searches their lines.  See line-stabs.h.
 */
#include "fcgprof/line-stabs.h"

#include "fcgprof/debug-file.h"
#include "fcgprof/line-reader.h"
#include <string.h>

/* An entry of .stab: offset of its string (4 bytes), type (1), other (1), description (2),
 * value (4). */
enum
{
    STAB_BYTES = 12,
    STAB_TYPE = 4,
    STAB_DESC = 6,
    STAB_VALUE = 8
};

enum
{
    N_UNDF = 0x00, /* head of an object file's entries; value: size of its strings */
    N_FUN = 0x24,
    N_SLINE = 0x44,
    N_DSLINE = 0x46,
    N_BSLINE = 0x48,
    N_SO = 0x64,
    N_SOL = 0x84
};

/* A function, or a source file that has none. */
typedef struct
{
    guint64 addr;
    guint stab;      /* its entry */
    guint order;     /* of appearance */
    gsize strings;   /* where the strings of its object file begin */
    const char *dir; /* may be NULL, as the next two */
    const char *file;
    char *function;
} Region;

struct FcGLineStabs
{
    const guint8 *stabs;
    guint n;
    gboolean is_big_endian;
    char *table; /* the strings, NUL at the end */
    gsize table_bytes;
    GStringChunk *constants;
    GArray *regions; /* of Region, by address, and an end marker */
    /* What the last line came from.  The search goes on from there while it can. */
    const Region *last_region;
    guint last_stab;
    guint64 last_addr;
    const char *last_file;
    const char *path_dir, *path_file, *path; /* the last path that was put together */
};

static guint64 number_at(const FcGLineStabs *stabs, guint stab, guint offset, guint n_bytes)
{
    const guint8 *at = stabs->stabs + (gsize)stab * STAB_BYTES + offset;
    FcGLineReader reader = {at, at + n_bytes, stabs->is_big_endian, FALSE};

    return fc_gline_read_uint(&reader, n_bytes);
}

static guint type_of(const FcGLineStabs *stabs, guint stab)
{
    return stabs->stabs[(gsize)stab * STAB_BYTES + STAB_TYPE];
}

static guint64 value_of(const FcGLineStabs *stabs, guint stab)
{
    return number_at(stabs, stab, STAB_VALUE, 4);
}

static gboolean has_string(const FcGLineStabs *stabs, guint stab)
{
    return number_at(stabs, stab, 0, 4) != 0;
}

/* NULL if it is behind the end of all strings. */
static char *string_of(const FcGLineStabs *stabs, guint stab, gsize strings)
{
    guint64 offset = number_at(stabs, stab, 0, 4);

    return offset < stabs->table_bytes - strings ? stabs->table + strings + offset : NULL;
}

typedef struct
{
    FcGLineStabs *stabs;
    gsize strings;
    gsize strings_next;  /* how much further those of the next object file begin */
    gboolean has_source; /* there was a source file, but no function of it yet */
    guint source;
    gsize source_strings;
    const char *dir;
    const char *file;
} Scan;

static void add_region(Scan *scan, guint stab, gsize strings, char *function)
{
    Region region = {.addr = value_of(scan->stabs, stab),
                     .stab = stab,
                     .order = scan->stabs->regions->len,
                     .strings = strings,
                     .dir = scan->dir,
                     .file = scan->file,
                     .function = function};

    g_array_append_val(scan->stabs->regions, region);
}

static void end_source(Scan *scan)
{
    if (scan->has_source)
        add_region(scan, scan->source, scan->source_strings, NULL);
    scan->has_source = FALSE;
}

/* A main source file: its directory may come first, in an entry of its own.  One without a
 * name ends the file before.  Returns the last entry read. */
static guint scan_source(Scan *scan, guint stab)
{
    const FcGLineStabs *stabs = scan->stabs;

    end_source(scan);
    scan->dir = NULL;
    scan->file = NULL;
    if (!has_string(stabs, stab))
        return stab;
    scan->has_source = TRUE;
    scan->source = stab;
    scan->source_strings = scan->strings;
    scan->file = string_of(stabs, stab, scan->strings);
    if (stab + 1 < stabs->n && type_of(stabs, stab + 1) == N_SO)
    {
        stab++;
        scan->dir = scan->file;
        scan->file = string_of(stabs, stab, scan->strings);
    }
    return stab;
}

static void scan_stabs(FcGLineStabs *stabs)
{
    Scan scan = {.stabs = stabs};

    for (guint i = 0; i < stabs->n; i++)
    {
        switch (type_of(stabs, i))
        {
        case N_UNDF:
            if (scan.strings_next > stabs->table_bytes - scan.strings)
                break;
            scan.strings += scan.strings_next;
            scan.strings_next = value_of(stabs, i);
            break;
        case N_SO:
            i = scan_source(&scan, i);
            break;
        case N_SOL:
            scan.file = string_of(stabs, i, scan.strings);
            break;
        case N_FUN:
            if (!has_string(stabs, i)) /* the end of a function */
                break;
            scan.has_source = FALSE;
            add_region(&scan, i, scan.strings, string_of(stabs, i, scan.strings));
            break;
        default:
            break;
        }
    }
    end_source(&scan);
}

static int compare_regions(const void *a, const void *b)
{
    const Region *left = a, *right = b;

    if (left->addr != right->addr)
        return left->addr < right->addr ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

FcGLineStabs *fc_gline_stabs_new(FcGImage *image, GStringChunk *strings)
{
    Elf *elf = fc_gimage_elf(image);
    gsize n_bytes, table_bytes;
    const guint8 *bytes, *table;
    FcGLineStabs *stabs;
    Region end = {.addr = G_MAXUINT64};
    g_autofree guint64 *places = fc_gdebug_places(elf, FALSE);
    fc_gdebug_relocate(elf, ".stab", places);
    bytes = fc_gdebug_section(elf, ".stab", &n_bytes);
    table = fc_gdebug_section(elf, ".stabstr", &table_bytes);
    if (!bytes || !table || table_bytes == 0 || n_bytes / STAB_BYTES > G_MAXINT)
        return NULL;
    stabs = g_new0(FcGLineStabs, 1);
    stabs->stabs = bytes;
    stabs->n = (guint)(n_bytes / STAB_BYTES);
    stabs->is_big_endian = fc_gimage_is_big_endian(image);
    stabs->table = g_memdup2(table, table_bytes);
    stabs->table[table_bytes - 1] = 0;
    stabs->table_bytes = table_bytes;
    stabs->constants = strings;
    stabs->regions = g_array_new(FALSE, FALSE, sizeof(Region));
    scan_stabs(stabs);
    if (stabs->regions->len == 0)
    {
        fc_gline_stabs_free(stabs);
        return NULL;
    }
    end.stab = stabs->n;
    end.order = stabs->regions->len;
    g_array_append_val(stabs->regions, end);
    g_array_sort(stabs->regions, compare_regions);
    return stabs;
}

void fc_gline_stabs_free(FcGLineStabs *stabs)
{
    if (!stabs)
        return;
    g_array_free(stabs->regions, TRUE);
    g_free(stabs->table);
    g_free(stabs);
}

static const Region *find_region(const FcGLineStabs *stabs, guint64 addr)
{
    const Region *regions = (const Region *)(const void *)stabs->regions->data;
    guint low = 0, high = stabs->regions->len - 1;

    /* The one with the highest start that is not above `addr`, the last of equals. */
    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (regions[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &regions[low - 1] : NULL;
}

typedef struct
{
    FcGLineStabs *stabs;
    const Region *region;
    guint64 addr;
    const char *file;
    guint line;
    gboolean saw_line;
    gboolean saw_function;
} Search;

/* The line that starts closest below the address, or the region's first; the value of a
 * line's entry is counted from its function, if there is one.  False: it was found. */
static gboolean try_line(Search *search, guint stab)
{
    FcGLineStabs *stabs = search->stabs;
    guint64 addr = value_of(stabs, stab) + (search->region->function ? search->region->addr : 0);

    if (!search->saw_line || addr <= search->addr)
    {
        search->line = (guint)number_at(stabs, stab, STAB_DESC, 2);
        stabs->last_stab = stab;
        stabs->last_addr = addr;
        stabs->last_file = search->file;
        stabs->last_region = search->region;
    }
    search->saw_line = TRUE;
    return addr <= search->addr;
}

static gboolean try_stab(Search *search, guint stab)
{
    gboolean is_end;

    switch (type_of(search->stabs, stab))
    {
    case N_SOL:
        if (value_of(search->stabs, stab) <= search->addr)
        {
            search->file = string_of(search->stabs, stab, search->region->strings);
            search->line = 0;
        }
        return TRUE;
    case N_SLINE:
    case N_DSLINE:
    case N_BSLINE:
        return try_line(search, stab);
    case N_FUN:
    case N_SO:
        is_end = search->saw_function || search->saw_line;
        search->saw_function = TRUE;
        return !is_end;
    default:
        return TRUE;
    }
}

static const char *path_of(FcGLineStabs *stabs, const char *dir, const char *file)
{
    g_autofree char *joined = NULL;

    if (!file || (dir == stabs->path_dir && file == stabs->path_file))
        return file ? stabs->path : NULL;
    joined = dir && file[0] != '/' ? g_strconcat(dir, file, NULL) : g_strdup(file);
    stabs->path = g_string_chunk_insert_const(stabs->constants, joined);
    stabs->path_dir = dir;
    stabs->path_file = file;
    return stabs->path;
}

void fc_gline_stabs_find(FcGLineStabs *stabs, guint64 addr, const char **file,
                         const char **function, guint *line)
{
    Search search = {.stabs = stabs, .addr = addr};
    const Region *region;
    guint stab;
    char *type;

    if (stabs->last_region && addr >= stabs->last_addr && addr < stabs->last_region[1].addr)
    {
        search.region = stabs->last_region;
        search.file = stabs->last_file;
        stab = stabs->last_stab;
    }
    else
    {
        search.region = find_region(stabs, addr);
        if (!search.region)
            return;
        search.file = search.region->file;
        stab = search.region->stab + 1;
    }
    region = search.region;
    /* What comes next by address need not come next in the file: then there is no line. */
    while (stab < region[1].stab && try_stab(&search, stab))
        stab++;
    *line = search.line;
    *file = path_of(stabs, region->dir, search.file);
    if (!region->function)
        return;
    /* The name is followed by its type. */
    type = strchr(region->function, ':');
    if (type)
        *type = 0;
    *function = region->function;
}
