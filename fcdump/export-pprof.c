/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile.proto of pprof, compressed: each stack with its local time, calls and memory.  The
 * few messages are written by hand: a library would need more code than they do.
 */
#include "fcdump/export.h"
#include "fcdump/job.h"
#include "fcdump/report-path.h"
#include "libfc/fc-format.h"

#include <string.h>
#include <zlib.h>

/* Numbers of the fields, by message. */
enum
{
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
    VALUE_TYPE_TYPE = 1,
    VALUE_TYPE_UNIT = 2,
    SAMPLE_LOCATION_ID = 1,
    SAMPLE_VALUE = 2,
    MAPPING_ID = 1,
    MAPPING_START = 2,
    MAPPING_LIMIT = 3,
    MAPPING_FILENAME = 5,
    MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    LOCATION_ID = 1,
    LOCATION_MAPPING_ID = 2,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION_ID = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILENAME = 4,
    FUNCTION_START_LINE = 5,
};

typedef struct
{
    const FcModel *model;
    const FcStacks *stacks;
    GByteArray *bytes;
    GHashTable *locations; /* function << 32 | line -> number */
    GHashTable *strings;   /* char * -> number */
    GPtrArray *table;      /* char *, borrowed from the keys */
} Pprof;

/* ---- The encoding -------------------------------------------------------------------- */

static void put_varint(GByteArray *bytes, guint64 value)
{
    guint8 encoded[10];
    guint count = 0;
    for (; value >= 0x80; value >>= 7)
        encoded[count++] = (guint8)(value | 0x80);
    encoded[count++] = (guint8)value;
    g_byte_array_append(bytes, encoded, count);
}

static void put_number(GByteArray *bytes, guint field, guint64 value)
{
    if (value == 0)
        return;
    put_varint(bytes, field << 3);
    put_varint(bytes, value);
}

static void put_bytes(GByteArray *bytes, guint field, const void *data, gsize size)
{
    put_varint(bytes, field << 3 | 2);
    put_varint(bytes, size);
    g_byte_array_append(bytes, data, (guint)size);
}

/* Frees `message`. */
static void put_message(GByteArray *bytes, guint field, GByteArray *message)
{
    put_bytes(bytes, field, message->data, message->len);
    g_byte_array_unref(message);
}

/* The index of `text` in the table of strings; NULL is the empty string, 0. */
static guint64 number_of(Pprof *export, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
    gpointer found = NULL;
    if (g_hash_table_lookup_extended(export->strings, valid, NULL, &found))
        return GPOINTER_TO_UINT(found);
    const guint number = export->table->len;
    g_ptr_array_add(export->table, valid);
    g_hash_table_insert(export->strings, g_steal_pointer(&valid), GUINT_TO_POINTER(number));
    return number;
}

/* ---- The profile ----------------------------------------------------------------------- */

static void put_type(Pprof *export, const char *type, const char *unit)
{
    GByteArray *message = g_byte_array_new();
    put_number(message, VALUE_TYPE_TYPE, number_of(export, type));
    put_number(message, VALUE_TYPE_UNIT, number_of(export, unit));
    put_message(export->bytes, PROFILE_SAMPLE_TYPE, message);
}

/* In the order of pprof's own profiles, which have these names. */
static const struct
{
    FcWeight weight;
    const char *type;
    const char *unit;
} types[] = {
    {FC_WEIGHT_CALLS, "calls", "count"},
    {FC_WEIGHT_BLOCKS, "alloc_objects", "count"},
    {FC_WEIGHT_BYTES, "alloc_space", "bytes"},
    {FC_WEIGHT_LIVE_BLOCKS, "inuse_objects", "count"},
    {FC_WEIGHT_LIVE_BYTES, "inuse_space", "bytes"},
    {FC_WEIGHT_TIME, "wall", "nanoseconds"},
    {FC_WEIGHT_CPU, "cpu", "nanoseconds"}, /* pprof shows the last one by default */
};

static void put_types(Pprof *export)
{
    const FcModel *model = export->model;
    const gint mode = model->profile->time_mode;
    const gboolean is_cpu = mode == FC_TIME_CPU || mode == FC_TIME_SYS;
    const char *last = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(types); i++)
    {
        const char *type = types[i].type;
        if (!fc_weight_is_known(model, types[i].weight))
            continue;
        if (types[i].weight == FC_WEIGHT_TIME && is_cpu)
            type = "cpu";
        else if (types[i].weight == FC_WEIGHT_TIME && model->time != FC_TIME_PART_WALL)
            type = fc_weight_title(model, FC_WEIGHT_TIME);
        put_type(export, type, types[i].unit);
        last = type;
    }
    put_number(export->bytes, PROFILE_DEFAULT_SAMPLE_TYPE, number_of(export, last));
}

/* Functions are numbered from 1; nodes that are no function follow. */
static guint function_number(const Pprof *export, const FcStackNode *node)
{
    if (node->function >= 0)
        return (guint)node->function + 1;
    return export->model->functions->len + 1 + fc_stacks_other(node);
}

/* The number of the location of a line in a function; line 0 is where it begins.  Makes it if it is
 * new. */
static guint location_of(const Pprof *export, const FcStackNode *node, guint line)
{
    const guint64 key = (guint64)function_number(export, node) << 32 | line;
    gpointer found = g_hash_table_lookup(export->locations, &key);
    if (!found)
    {
        found = GUINT_TO_POINTER(g_hash_table_size(export->locations) + 1);
        g_hash_table_insert(export->locations, g_memdup2(&key, sizeof key), found);
    }
    return GPOINTER_TO_UINT(found);
}

/* For each frame, the line at which it called the next one.  For the innermost, the line where it
 * begins, since local time is not known by line. */
static void put_locations_of(const Pprof *export, GByteArray *locations, guint index)
{
    guint line = 0;
    for (guint n = index; n != 0; n = (guint)fc_stacks_node(export->stacks, n)->parent)
    {
        const FcStackNode *node = fc_stacks_node(export->stacks, n);
        put_varint(locations, location_of(export, node, line));
        line = node->line;
    }
}

static void put_samples(Pprof *export)
{
    g_autoptr(GByteArray) values = g_byte_array_new();
    g_autoptr(GByteArray) locations = g_byte_array_new();
    for (guint i = 1; i < export->stacks->nodes->len; i++)
    {
        const FcStackNode *node = fc_stacks_node(export->stacks, i);
        gboolean is_empty = TRUE;
        g_byte_array_set_size(values, 0);
        g_byte_array_set_size(locations, 0);
        for (guint t = 0; t < G_N_ELEMENTS(types); t++)
        {
            if (!fc_weight_is_known(export->model, types[t].weight))
                continue;
            is_empty = is_empty && node->self[types[t].weight] == 0;
            put_varint(values, node->self[types[t].weight]);
        }
        if (is_empty)
            continue;
        put_locations_of(export, locations, i);
        GByteArray *message = g_byte_array_new();
        put_bytes(message, SAMPLE_LOCATION_ID, locations->data, locations->len);
        put_bytes(message, SAMPLE_VALUE, values->data, values->len);
        put_message(export->bytes, PROFILE_SAMPLE, message);
    }
}

static void put_mappings(Pprof *export)
{
    const GArray *modules = export->model->profile->modules;
    for (guint i = 0; i < modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(modules, FcProfileModule, i);
        GByteArray *message = g_byte_array_new();
        put_number(message, MAPPING_ID, i + 1);
        put_number(message, MAPPING_START, module->start);
        put_number(message, MAPPING_LIMIT, module->end);
        put_number(message, MAPPING_FILENAME, number_of(export, module->path));
        put_number(message, MAPPING_BUILD_ID, number_of(export, module->build_id));
        put_number(message, MAPPING_HAS_FUNCTIONS, TRUE);
        put_message(export->bytes, PROFILE_MAPPING, message);
    }
}

static void find_symbol(const Pprof *export, const FcFunction *function, FcSymbol *symbol)
{
    *symbol = (FcSymbol){0};
    if (function)
        fc_symbols_find(export->model->symbols, export->model->profile, &function->figures.location,
                        FALSE, symbol);
}

static void put_function(Pprof *export, guint id, const char *name, const FcFunction *function)
{
    GByteArray *message = g_byte_array_new();
    FcSymbol symbol;
    find_symbol(export, function, &symbol);
    put_number(message, FUNCTION_ID, id);
    put_number(message, FUNCTION_NAME, number_of(export, name));
    put_number(message, FUNCTION_SYSTEM_NAME,
               number_of(export, symbol.raw_name ? symbol.raw_name : name));
    put_number(message, FUNCTION_FILENAME, number_of(export, symbol.file));
    put_number(message, FUNCTION_START_LINE, symbol.line);
    put_message(export->bytes, PROFILE_FUNCTION, message);
}

/* `key`: as in location_of. */
static void put_location(Pprof *export, guint id, guint64 key)
{
    const guint number = (guint)(key >> 32);
    const guint line = (guint)key;
    const FcFunction *function = number <= export->model->functions->len
                                     ? fc_model_function(export->model, number - 1)
                                     : NULL;
    const FcProfileLocation *place = function ? &function->figures.location : NULL;
    GByteArray *location = g_byte_array_new();
    GByteArray *message = g_byte_array_new();
    FcSymbol symbol;
    find_symbol(export, function, &symbol);
    put_number(message, LINE_FUNCTION_ID, number);
    put_number(message, LINE_LINE, line != 0 ? line : symbol.line);
    put_number(location, LOCATION_ID, id);
    put_number(location, LOCATION_MAPPING_ID, place ? (guint64)(place->module + 1) : 0);
    put_number(location, LOCATION_ADDRESS, place ? place->address : 0);
    put_message(location, LOCATION_LINE, message);
    put_message(export->bytes, PROFILE_LOCATION, location);
}

static void put_locations(Pprof *export)
{
    GHashTableIter iter;
    gpointer key;
    gpointer id;
    g_hash_table_iter_init(&iter, export->locations);
    while (g_hash_table_iter_next(&iter, &key, &id))
        put_location(export, GPOINTER_TO_UINT(id), *(const guint64 *)key);
}

static void put_functions(Pprof *export)
{
    for (guint i = 0; i < export->model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(export->model, i);
        put_function(export, i + 1, function->name, function);
    }
    for (guint i = 0; i < FC_STACK_OTHERS; i++)
    {
        const FcStackNode other = {.function = FC_STACK_OUTSIDE - (gint)i};
        put_function(export, function_number(export, &other),
                     fc_stacks_name(export->stacks, &other), NULL);
    }
}

/* Writes a comment: which ranks of which job the profiles are from. */
static void put_job(Pprof *export)
{
    g_autofree char *job = fc_job_text(export->model);
    if (job)
        put_number(export->bytes, PROFILE_COMMENT, number_of(export, job));
}

static void put_strings(Pprof *export)
{
    for (guint i = 0; i < export->table->len; i++)
        put_bytes(export->bytes, PROFILE_STRING_TABLE, export->table->pdata[i],
                  strlen(export->table->pdata[i]));
}

/* ---- The file -------------------------------------------------------------------------- */

static void put_compressed(FILE *out, const GByteArray *bytes)
{
    enum
    {
        GZIP = 16, /* added to the window bits: gzip's header */
        PIECE = 1 << 16,
    };
    g_autofree guint8 *piece = g_malloc(PIECE);
    z_stream stream = {.next_in = bytes->data, .avail_in = bytes->len};
    int state = Z_OK;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        g_error("zlib can't be used");
    while (state == Z_OK)
    {
        stream.next_out = piece;
        stream.avail_out = PIECE;
        state = deflate(&stream, Z_FINISH);
        fwrite(piece, 1, PIECE - stream.avail_out, out);
    }
    deflateEnd(&stream);
}

static void render_pprof(const FcReportContext *context)
{
    const FcModel *model = context->model;
    g_autoptr(FcStacks) all = fc_report_stacks_by_line(context);
    g_autoptr(FcStacks) stacks =
        fc_stacks_prune(all, G_MAXINT, context->options->min_percent / 100.0, FC_WEIGHTS);
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GHashTable) strings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) table = g_ptr_array_new();
    g_autoptr(GHashTable) locations =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    Pprof export = {model, stacks, bytes, locations, strings, table};
    number_of(&export, "");
    put_types(&export);
    put_samples(&export);
    put_mappings(&export);
    put_functions(&export);
    put_locations(&export);
    put_job(&export);
    put_strings(&export);
    put_number(bytes, PROFILE_TIME_NANOS, (guint64)MAX(model->profile->start_realtime_ns, 0));
    put_number(bytes, PROFILE_DURATION_NANOS, model->profile->run_ns);
    put_compressed(fc_render_file(context->render), bytes);
    fc_export_note_stacks(context, "pprof", stacks);
    fc_export_note_lost(context, "pprof",
                        FC_LOST_BOUNDS | FC_LOST_THREADS | FC_LOST_PROCESSES | FC_LOST_LEAKS |
                            FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_pprof = {"pprof", "stacks by each weight, for pprof", FC_REPORT_FILE,
                                  render_pprof};
