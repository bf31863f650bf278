/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds one profile to another, by the table of table.h.  Called by the tools when they are given
 * several profiles or a descriptor.  Records are found in the order of the sum or by a hash
 * table, so the time is proportional to the size of both profiles.
 *
 * A profile may contain equal modules (a library loaded twice).  Then figures are added to the
 * first of the equal modules, to the first of its equal functions, and so on.
 */
#include "profile/field.h"
#include "profile/key.h"
#include "profile/runs.h"

#include <string.h>

/* Which records of the two profiles are the same. */
typedef struct
{
    guint *first; /* by record of the sum: the first record that equals it */
    guint *sum;   /* by record of the other profile: its record in the sum */
} Map;

typedef struct
{
    FcProfile *into;
    const FcProfile *other;
    Map maps[FC_ARRAY_OF_THREAD];
    gboolean into_has_histogram;
    gboolean other_has_peak; /* the other profile's heap was larger */
} Merge;

static void start_map(Merge *merge, FcArrayName array)
{
    const guint own = fc_array_of(merge->into, array)->len;
    const guint others = fc_array_of(merge->other, array)->len;
    merge->maps[array] = (Map){g_new(guint, own + others + 1), g_new(guint, others + 1)};
}

/* ---- The header ---------------------------------------------------------------- */

static gboolean is_empty(const FcProfile *profile)
{
    return profile->unique_id == NULL && profile->functions->len == 0 &&
           profile->modules->len == 0 && profile->threads->len == 0 && profile->run_ns == 0;
}

static void merge_keys(FcSectionName name, FcProfile *into, const FcProfile *other)
{
    for (guint i = 0; i < fc_sections[name].field_count; i++)
        fc_field_merge(&fc_sections[name].fields[i], into, other);
}

static void merge_header(FcProfile *into, const FcProfile *other)
{
    if (is_empty(into))
    {
        fc_profile_copy_header(into, other);
        return;
    }
    if (into->thread_id == 0 && other->thread_id == 0)
    {
        const guint64 processes = fc_profile_processes(into) + fc_profile_processes(other);
        into->failed = fc_profile_failed(into) + fc_profile_failed(other);
        into->processes = processes;
    }
    into->extended = into->extended && other->extended;
    merge_keys(FC_SECTION_PROCESS, into, other);
    merge_keys(FC_SECTION_CLOCK, into, other);
    merge_keys(FC_SECTION_JOB, into, other);
    merge_keys(FC_SECTION_RANKS, into, other);
}

/* ---- Modules -------------------------------------------------------------------- */

/* Returns what modules are matched by; NULL if the module matches no other. */
static char *module_name(const FcProfileModule *module)
{
    if (module->build_id && *module->build_id != '\0')
        return g_strconcat("id ", module->build_id, NULL);
    if (module->path && *module->path != '\0')
        return g_strconcat("path ", module->path, NULL);
    return NULL;
}

/* Returns the module of the sum that equals `module`; if there is none, makes it `index`. */
static guint find_module_or_add(GHashTable *names, const FcProfileModule *module, guint index)
{
    gpointer known;
    char *name = module_name(module);
    if (!name)
        return index;
    if (!g_hash_table_lookup_extended(names, name, NULL, &known))
    {
        g_hash_table_insert(names, name, GUINT_TO_POINTER(index));
        return index;
    }
    g_free(name);
    return GPOINTER_TO_UINT(known);
}

static void merge_modules(Merge *merge)
{
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GArray *modules = merge->into->modules;
    start_map(merge, FC_ARRAY_MODULES);
    const Map *map = &merge->maps[FC_ARRAY_MODULES];
    for (guint i = 0; i < modules->len; i++)
        map->first[i] = find_module_or_add(names, &g_array_index(modules, FcProfileModule, i), i);
    for (guint i = 0; i < merge->other->modules->len; i++)
    {
        FcProfileModule module = g_array_index(merge->other->modules, FcProfileModule, i);
        const guint next = modules->len;
        map->sum[i] = find_module_or_add(names, &module, next);
        if (map->sum[i] != next)
            continue;
        map->first[next] = next;
        module.path = g_strdup(module.path);
        module.build_id = g_strdup(module.build_id);
        g_array_append_val(modules, module);
    }
}

/* ---- Records as those of the sum ------------------------------------------------ */

static void map_link(const Merge *merge, guint array, gint *link)
{
    const guint *sum = merge->maps[array].sum; /* NULL: nothing can refer to that array */
    if (sum && *link != FC_NONE)
        *link = (gint)sum[*link];
}

static void map_location(const Merge *merge, FcProfileLocation *location)
{
    map_link(merge, FC_ARRAY_MODULES, &location->module);
    if (location->module != FC_NONE)
        location->address =
            g_array_index(merge->into->modules, FcProfileModule, location->module).base +
            location->offset;
}

/* Changes the links of a copied record of the other profile to records of the sum. */
static void map_record(const Merge *merge, const FcSection *section, gpointer record)
{
    for (guint i = 0; i < section->field_count; i++)
    {
        const FcField *field = &section->fields[i];
        const gpointer value = (char *)record + field->offset;
        if (field->type == FC_FIELD_INDEX || field->type == FC_FIELD_LINK)
            map_link(merge, field->of, value);
        else if (field->type == FC_FIELD_PLACE)
            map_location(merge, value);
        else if (field->type == FC_FIELD_POINT)
        {
            FcProfileHeapPoint *point = value;
            map_link(merge, FC_ARRAY_CONTEXTS, &point->context);
            map_link(merge, FC_ARRAY_HEAP_FRAMES, &point->frames);
            map_location(merge, &point->site);
        }
    }
}

static gint64 first_of(const Merge *merge, guint array, gint index)
{
    const guint *first = merge->maps[array].first; /* as in map_link */
    return first && index != FC_NONE ? (gint64)first[index] : FC_NONE;
}

static void add_location(const Merge *merge, FcKey *key, guint *count,
                         const FcProfileLocation *location)
{
    key->values[(*count)++] = first_of(merge, FC_ARRAY_MODULES, location->module);
    key->values[(*count)++] = (gint64)location->offset;
}

/* Returns the key of a record of the sum, or of a record after map_record. */
static FcKey find_key(const Merge *merge, const FcSection *section, gconstpointer record)
{
    FcKey key = {{0}};
    guint count = 0;
    for (guint i = 0; i < section->field_count; i++)
    {
        const FcField *field = &section->fields[i];
        const gconstpointer value = (const char *)record + field->offset;
        if (field->merge != FC_MERGE_KEY)
            continue;
        if (field->type == FC_FIELD_PLACE)
            add_location(merge, &key, &count, value);
        else if (field->type == FC_FIELD_POINT)
        {
            const FcProfileHeapPoint *point = value;
            add_location(merge, &key, &count, &point->site);
            key.values[count++] = first_of(merge, FC_ARRAY_CONTEXTS, point->context);
            key.values[count++] = first_of(merge, FC_ARRAY_HEAP_FRAMES, point->frames);
            key.values[count++] = point->call;
        }
        else if (field->type == FC_FIELD_ADDRESS)
            key.values[count++] = *(const gint64 *)value;
        else
            key.values[count++] = first_of(merge, field->of, *(const gint *)value);
    }
    return key;
}

/* ---- Figures --------------------------------------------------------------------- */

static void add_figures(FcArrayName array, gpointer into, gconstpointer other)
{
    for (guint i = 0; i < FC_SECTION_COUNT; i++)
    {
        const FcSection *section = &fc_sections[i];
        for (guint j = 0; section->array == array && j < section->field_count; j++)
            fc_field_merge(&section->fields[j], fc_section_fields(section, into),
                           fc_section_fields(section, other));
    }
}

/* A frame inherited at fork may complete without a call; a call of 0 ns has no maximum; plain files
 * have no histogram. */
gboolean fc_profile_has_completed(const FcProfileFunction *function, gboolean has_histogram)
{
    if (!has_histogram)
        return function->calls > 0 || function->bounds.total_max_ns > 0;
    return !fc_histogram_is_empty(&function->histogram);
}

static FcProfileBounds add_bounds(FcProfileBounds sum, FcProfileBounds more)
{
    return (FcProfileBounds){
        MIN(sum.total_min_ns, more.total_min_ns), MAX(sum.total_max_ns, more.total_max_ns),
        MIN(sum.local_min_ns, more.local_min_ns), MAX(sum.local_max_ns, more.local_max_ns)};
}

/* Adds the bounds that are not in `bounds`.  To be called before that is added. */
static void add_other_bounds(FcProfileFunction *into, const FcProfileFunction *other,
                             gboolean first)
{
    if (into->has_cpu_bounds || other->has_cpu_bounds)
    {
        const FcProfileBounds more = fc_profile_cpu_bounds(other);
        into->cpu = first ? more : add_bounds(fc_profile_cpu_bounds(into), more);
        into->has_cpu_bounds = TRUE;
    }
    if (into->has_elapsed_bounds || other->has_elapsed_bounds)
    {
        const FcProfileBounds more = fc_profile_elapsed_bounds(other);
        into->elapsed = first ? more : add_bounds(fc_profile_elapsed_bounds(into), more);
        into->has_elapsed_bounds = TRUE;
    }
}

/* Adds the standard errors of independent estimates. */
static void add_error(guint64 *error, FcSquare *square, guint64 other_error, FcSquare other_square)
{
    if (other_error == 0)
        return;
    if (*error == 0)
    {
        *error = other_error;
        *square = other_square;
        return;
    }
    if (fc_square_is_zero(*square))
        *square = fc_square_of(*error);
    fc_square_add(square,
                  fc_square_is_zero(other_square) ? fc_square_of(other_error) : other_square);
    *error = fc_square_root(*square);
}

void fc_profile_add_figures(FcProfileFunction *into, gboolean into_has_histogram,
                            const FcProfileFunction *other, gboolean other_has_histogram)
{
    if (fc_profile_has_completed(other, other_has_histogram))
    {
        const gboolean first = !fc_profile_has_completed(into, into_has_histogram);
        add_other_bounds(into, other, first);
        if (first)
            into->bounds.total_min_ns = into->bounds.local_min_ns = G_MAXUINT64;
        into->bounds = add_bounds(into->bounds, other->bounds);
    }
    add_error(&into->total_error_ns, &into->total_square, other->total_error_ns,
              other->total_square);
    add_error(&into->local_error_ns, &into->local_square, other->local_error_ns,
              other->local_square);
    add_figures(FC_ARRAY_FUNCTIONS, into, other);
}

void fc_profile_add_heap_figures(FcProfileAllocSite *into, const FcProfileAllocSite *other)
{
    add_figures(FC_ARRAY_ALLOC_SITES, into, other);
}

/* ---- Records that are matched: functions, arcs, contexts and those of the heap ---- */

/* Finds records of the sum by their keys.  Profiles of one program mostly list the same records in
 * the same order.  So the record behind the one that was found last is tried first, and the keys
 * are put into a table only if that fails. */
typedef struct
{
    const Merge *merge;
    const FcSection *section;
    FcArrayName array;
    const GArray *records; /* of the sum */
    Map *map;
    FcKey *keys;       /* by record of the sum, if there is `table` */
    GHashTable *table; /* the distinct ones of `keys`, as a set.  NULL: not made yet, no two records
                          of the sum are equal */
    guint next;        /* the record to be tried first */
} Lookup;

static FcKey key_of(const Lookup *lookup, guint index)
{
    return find_key(lookup->merge, lookup->section,
                    fc_array_record(lookup->records, lookup->array, index));
}

/* Adds the key of record `index` of the sum to the table.  Returns the first record with it. */
static guint remember(Lookup *lookup, const FcKey *key, guint index)
{
    lookup->keys[index] = *key;
    const FcKey *known = g_hash_table_lookup(lookup->table, key);
    if (known)
        return (guint)(known - lookup->keys);
    g_hash_table_add(lookup->table, &lookup->keys[index]);
    return index;
}

/* Returns whether all records of the sum differ from one another.  `room`: how many records the sum
 * may have after the merge. */
static gboolean make_table(Lookup *lookup, guint room)
{
    gboolean is_distinct = TRUE;
    lookup->keys = g_new(FcKey, room + 1);
    lookup->table = g_hash_table_new(fc_key_hash, fc_key_equal);
    for (guint i = 0; i < lookup->records->len; i++)
    {
        const FcKey key = key_of(lookup, i);
        lookup->map->first[i] = remember(lookup, &key, i);
        is_distinct &= lookup->map->first[i] == i;
    }
    return is_distinct;
}

static gboolean is_next(const Lookup *lookup, const FcKey *key)
{
    if (lookup->next >= lookup->records->len)
        return FALSE;
    const FcKey next = lookup->table ? lookup->keys[lookup->next] : key_of(lookup, lookup->next);
    return fc_key_equal(&next, key);
}

/* Returns the record of the sum with `key`; if there is none, the one that is to be appended.
 * `room`: as make_table. */
static guint find_or_add(Lookup *lookup, const FcKey *key, guint room)
{
    guint found;
    if (is_next(lookup, key))
        found = lookup->map->first[lookup->next];
    else
    {
        if (!lookup->table)
            make_table(lookup, room);
        found = remember(lookup, key, lookup->records->len);
    }
    lookup->next = found + 1;
    return found;
}

static void start_lookup(Lookup *lookup, guint room)
{
    FcProfile *into = lookup->merge->into;
    if ((into->distinct & 1U << lookup->array) == 0)
    {
        if (make_table(lookup, room))
            into->distinct |= 1U << lookup->array;
        return;
    }
    for (guint i = 0; i < lookup->records->len; i++)
        lookup->map->first[i] = i;
}

/* Makes the copied record own what it holds. */
static void own_record(FcArrayName array, gpointer record)
{
    for (guint i = 0; i < FC_SECTION_COUNT; i++)
    {
        const FcSection *section = &fc_sections[i];
        for (guint j = 0; section->array == array && j < section->field_count; j++)
            fc_field_own(&section->fields[j], fc_section_fields(section, record));
    }
}

/* Adds `record`, a record of the other profile with the same key, to `into`. */
static void add_to(const Merge *merge, FcArrayName array, gpointer into, gconstpointer record)
{
    if (array == FC_ARRAY_FUNCTIONS)
        fc_profile_add_figures(into, merge->into_has_histogram, record, merge->other->extended);
    else
    {
        if (array == FC_ARRAY_RANK_FUNCTIONS || array == FC_ARRAY_RANK_CONTEXTS)
            fc_profile_add_ranks(into, record);
        if (array == FC_ARRAY_COLLECTIVES)
            fc_profile_add_collective(into, record);
        add_figures(array, into, record);
    }
}

static void merge_records(Merge *merge, FcArrayName array)
{
    const FcSection *section = fc_section_of(array);
    GArray *records = fc_array_of(merge->into, array);
    const GArray *others = fc_array_of(merge->other, array);
    const gsize bytes = fc_arrays[array].record_bytes;
    const gpointer record = g_alloca(bytes);
    start_map(merge, array);
    Map *map = &merge->maps[array];
    const guint room = records->len + others->len;
    Lookup lookup = {merge, section, array, records, map, NULL, NULL, 0};
    start_lookup(&lookup, room);
    for (guint i = 0; i < others->len; i++)
    {
        memcpy(record, fc_array_record(others, array, i), bytes);
        map_record(merge, section, record);
        if (array == FC_ARRAY_ALLOC_SITES && !merge->other_has_peak)
            ((FcProfileAllocSite *)record)->peak_bytes = 0;
        const FcKey key = find_key(merge, section, record);
        const guint next = records->len;
        map->sum[i] = find_or_add(&lookup, &key, room);
        if (map->sum[i] != next)
        {
            add_to(merge, array, fc_array_record(records, array, map->sum[i]), record);
            continue;
        }
        map->first[next] = next;
        own_record(array, record);
        g_array_append_vals(records, record, 1);
    }
    g_clear_pointer(&lookup.table, g_hash_table_destroy);
    g_free(lookup.keys);
}

/* ---- Records that are appended ---------------------------------------------------- */

static void append_records(const Merge *merge, FcArrayName array, GArray *into, const GArray *other)
{
    const FcSection *section = fc_section_of(array);
    const guint own = into->len;
    if (other->len > 0)
        g_array_append_vals(into, other->data, other->len);
    for (guint i = own; i < into->len; i++)
    {
        map_record(merge, section, fc_array_record(into, array, i));
        own_record(array, fc_array_record(into, array, i));
    }
}

/* Returns a copy of a thread's array, with links into the sum. */
static GArray *copy_records(const Merge *merge, FcArrayName array, const GArray *other)
{
    GArray *copy = fc_array_new(array);
    append_records(merge, array, copy, other);
    return copy;
}

static void merge_threads(const Merge *merge)
{
    for (guint i = 0; i < merge->other->threads->len; i++)
    {
        FcProfileThread thread = g_array_index(merge->other->threads, FcProfileThread, i);
        thread.name = g_strdup(thread.name);
        for (FcArrayName array = FC_ARRAY_OF_THREAD; array < FC_ARRAY_COUNT; array++)
        {
            GArray **own = &G_STRUCT_MEMBER(GArray *, &thread, fc_arrays[array].offset);
            *own = *own ? copy_records(merge, array, *own) : NULL;
        }
        if (!thread.functions)
            thread.functions = fc_array_new(FC_ARRAY_THREAD_FUNCTIONS);
        if (!thread.stack)
            thread.stack = fc_array_new(FC_ARRAY_THREAD_STACK);
        g_array_append_val(merge->into->threads, thread);
    }
}

static int compare_calls(gconstpointer a, gconstpointer b)
{
    const FcProfileSlowCall *x = a;
    const FcProfileSlowCall *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x->realtime_ns > y->realtime_ns) - (x->realtime_ns < y->realtime_ns);
}

static void merge_blocks(GArray *into, const GArray *other, FcProfileSum *unlisted)
{
    for (guint i = 0; i < other->len; i++)
    {
        FcProfileBlock block = g_array_index(other, FcProfileBlock, i);
        if (into->len >= FC_PROFILE_BLOCKS_MAX)
        {
            fc_field_add(&unlisted->blocks, 1);
            fc_field_add(&unlisted->bytes, block.size_bytes);
            continue;
        }
        if (block.stack)
            g_array_ref(block.stack);
        g_array_append_val(into, block);
    }
}

/* ---- The heap ---------------------------------------------------------------------
 *
 * Two processes have their peaks at different times, so their sum never was in any memory.  The
 * larger peak stands, with what was live in that process then.  For the same reason the courses
 * over time are not merged: none is kept. */

static void merge_peak(Merge *merge, FcProfileHeap *into, const FcProfileHeap *other)
{
    merge->other_has_peak = !into->recorded || other->peak_bytes > into->peak_bytes;
    if (merge->other_has_peak)
    {
        into->peak_bytes = other->peak_bytes;
        into->peak_ns = other->peak_ns;
    }
    for (guint i = 0; merge->other_has_peak && i < into->alloc_sites->len; i++)
        g_array_index(into->alloc_sites, FcProfileAllocSite, i).peak_bytes = 0;
    if (into->recorded)
        g_array_set_size(into->samples, 0);
    else if (other->samples->len > 0)
        g_array_append_vals(into->samples, other->samples->data, other->samples->len);
}

static void merge_heap(Merge *merge)
{
    FcProfileHeap *into = &merge->into->heap;
    const FcProfileHeap *other = &merge->other->heap;
    merge_keys(FC_SECTION_HEAP, merge->into, merge->other);
    if (!other->recorded)
        return;
    merge_peak(merge, into, other);
    into->scanned = (!into->recorded || into->scanned != 0) && other->scanned != 0;
    into->recorded = TRUE;
    merge_records(merge, FC_ARRAY_HEAP_FRAMES);
    merge_records(merge, FC_ARRAY_ALLOC_SITES);
    fc_runs_merge_blocks(into, other, merge->maps[FC_ARRAY_ALLOC_SITES].sum);
    append_records(merge, FC_ARRAY_HEAP_BAD_FREES, into->bad_frees, other->bad_frees);
}

/* ---- The whole -------------------------------------------------------------------- */

void fc_profile_copy_header(FcProfile *into, const FcProfile *from)
{
    const FcSectionName sections[] = {FC_SECTION_PROCESS, FC_SECTION_CLOCK, FC_SECTION_JOB,
                                      FC_SECTION_RANKS};
    g_free(into->unique_id);
    into->unique_id = g_strdup(from->unique_id);
    into->profile_mode = from->profile_mode;
    into->extended = from->extended;
    into->end_value = from->end_value;
    for (guint i = 0; i < G_N_ELEMENTS(sections); i++)
        for (guint j = 0; j < fc_sections[sections[i]].field_count; j++)
            fc_field_copy(&fc_sections[sections[i]].fields[j], into, from);
}

guint *fc_profile_merge_mapped(FcProfile *into, const FcProfile *other)
{
    g_return_val_if_fail(into != other, NULL);
    Merge merge = {into, other, .into_has_histogram = into->extended};
    FcProfileSum bad = {0};
    merge_header(into, other);
    merge_modules(&merge);
    merge_records(&merge, FC_ARRAY_FUNCTIONS);
    merge_records(&merge, FC_ARRAY_ARCS);
    merge_records(&merge, FC_ARRAY_CONTEXTS);
    merge_records(&merge, FC_ARRAY_RANK_FUNCTIONS);
    merge_records(&merge, FC_ARRAY_RANK_CONTEXTS);
    merge_records(&merge, FC_ARRAY_COLLECTIVES);
    merge_records(&merge, FC_ARRAY_WAIT_SITES);
    fc_profile_add_partners(into, other);
    fc_runs_merge_latencies(into->latencies, other->latencies, merge.maps[FC_ARRAY_ARCS].sum);
    append_records(&merge, FC_ARRAY_SLOWEST, into->slowest, other->slowest);
    g_array_sort(into->slowest, compare_calls);
    merge_threads(&merge);
    fc_profile_add_notes(into->repairs, other->repairs);
    fc_profile_add_notes(into->losses, other->losses);
    merge_blocks(into->leaks, other->leaks, &into->unlisted_leaks);
    merge_blocks(into->bad_frees, other->bad_frees, &bad);
    merge_blocks(into->bad_reallocs, other->bad_reallocs, &bad);
    merge_heap(&merge);
    guint *functions = g_steal_pointer(&merge.maps[FC_ARRAY_FUNCTIONS].sum);
    for (guint i = 0; i < G_N_ELEMENTS(merge.maps); i++)
    {
        g_free(merge.maps[i].first);
        g_free(merge.maps[i].sum);
    }
    return functions;
}

void fc_profile_merge(FcProfile *into, const FcProfile *other)
{
    g_free(fc_profile_merge_mapped(into, other));
}
