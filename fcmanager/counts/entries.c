/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See entries.h.
 */
#include "fcmanager/counts/entries.h"

#include <string.h>

/* Limits, so that a hostile program can't fill the manager's memory. */
#define FUNCTIONS_MAX (1u << 21)
#define SITES_MAX (1u << 22)

struct FcEntries
{
    gint references;
    GArray *functions;  /* FcEntryFunction, in the order in which they came */
    GArray *by_code;    /* guint32: indexes of `functions` */
    GArray *by_counter; /* likewise, without parts */
    GArray *sites;      /* FcEntrySite, by module and counter once sorted */
    GArray *by_end;     /* guint32: indexes of `sites`, without jumps */
    gboolean is_sorted;
};

FcEntries *fc_entries_new(void)
{
    FcEntries *entries = g_new0(FcEntries, 1);
    entries->references = 1;
    entries->functions = g_array_new(FALSE, FALSE, sizeof(FcEntryFunction));
    entries->by_code = g_array_new(FALSE, FALSE, sizeof(guint32));
    entries->by_counter = g_array_new(FALSE, FALSE, sizeof(guint32));
    entries->sites = g_array_new(FALSE, FALSE, sizeof(FcEntrySite));
    entries->by_end = g_array_new(FALSE, FALSE, sizeof(guint32));
    return entries;
}

FcEntries *fc_entries_ref(FcEntries *entries)
{
    entries->references++;
    return entries;
}

void fc_entries_unref(FcEntries *entries)
{
    if (!entries || --entries->references > 0)
        return;
    g_array_unref(entries->functions);
    g_array_unref(entries->by_code);
    g_array_unref(entries->by_counter);
    g_array_unref(entries->sites);
    g_array_unref(entries->by_end);
    g_free(entries);
}

static void add_site(FcEntries *entries, const struct FcEntryMessage *entry, guint32 module,
                     guint64 time)
{
    const FcEntrySite site = {.code = entry->code,
                              .end = entry->code + entry->bytes,
                              .counter = entry->counter,
                              .target = entry->target,
                              .since = time,
                              .module = module,
                              .is_jump = (entry->flags & FC_ENTRY_JUMP) != 0};
    g_array_append_val(entries->sites, site);
}

static void add_function(FcEntries *entries, const struct FcEntryMessage *entry, guint32 module,
                         guint64 time)
{
    const FcEntryFunction function = {.code = entry->code,
                                      .bytes = entry->bytes,
                                      .counter = entry->counter,
                                      .since = time,
                                      .module = module,
                                      .is_part = (entry->flags & FC_ENTRY_PART) != 0};
    g_array_append_val(entries->functions, function);
}

gboolean fc_entries_add(FcEntries *entries, guint32 module, const guint8 *payload, gsize bytes,
                        guint64 time)
{
    const gsize count = bytes / sizeof(struct FcEntryMessage);
    if (bytes % sizeof(struct FcEntryMessage) != 0 ||
        entries->functions->len + count > FUNCTIONS_MAX || entries->sites->len + count > SITES_MAX)
        return FALSE;
    for (gsize i = 0; i < count; i++)
    {
        struct FcEntryMessage entry;
        memcpy(&entry, payload + i * sizeof entry, sizeof entry);
        if ((entry.flags & FC_ENTRY_SITE) != 0)
            add_site(entries, &entry, module, time);
        else
            add_function(entries, &entry, module, time);
    }
    entries->is_sorted = FALSE;
    return TRUE;
}

static FcEntryFunction *function_at(const FcEntries *entries, guint32 index)
{
    return &g_array_index(entries->functions, FcEntryFunction, index);
}

static gint compare(guint64 one, guint64 other)
{
    return one < other ? -1 : one > other;
}

static gint compare_code(gconstpointer a, gconstpointer b, gpointer entries)
{
    const FcEntryFunction *one = function_at(entries, *(const guint32 *)a);
    const FcEntryFunction *other = function_at(entries, *(const guint32 *)b);
    const gint order = compare(one->code, other->code);
    return order != 0 ? order : compare(*(const guint32 *)a, *(const guint32 *)b);
}

static gint compare_counters(gconstpointer a, gconstpointer b, gpointer entries)
{
    const FcEntryFunction *one = function_at(entries, *(const guint32 *)a);
    const FcEntryFunction *other = function_at(entries, *(const guint32 *)b);
    const gint order = compare(one->module, other->module);
    return order != 0 ? order : compare(one->counter, other->counter);
}

static gint compare_sites(gconstpointer a, gconstpointer b)
{
    const FcEntrySite *one = a;
    const FcEntrySite *other = b;
    const gint order = compare(one->module, other->module);
    return order != 0 ? order : compare(one->counter, other->counter);
}

static gint compare_ends(gconstpointer a, gconstpointer b, gpointer entries)
{
    const FcEntrySite *one = fc_entries_site_by_counter(entries, *(const guint32 *)a);
    const FcEntrySite *other = fc_entries_site_by_counter(entries, *(const guint32 *)b);
    const gint order = compare(one->end, other->end);
    return order != 0 ? order : compare(one->module, other->module);
}

/* The first index in `by_counter` that is not before that module and counter. */
static guint32 first_counter(const FcEntries *entries, guint32 module, guint64 counter)
{
    guint32 low = 0;
    guint32 high = entries->by_counter->len;
    while (low < high)
    {
        const guint32 middle = low + (high - low) / 2;
        const FcEntryFunction *function = fc_entries_by_counter(entries, middle);
        if (function->module < module ||
            (function->module == module && function->counter < counter))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static guint32 first_site(const FcEntries *entries, guint32 module, guint64 counter)
{
    guint32 low = 0;
    guint32 high = entries->sites->len;
    while (low < high)
    {
        const guint32 middle = low + (high - low) / 2;
        const FcEntrySite *site = fc_entries_site_by_counter(entries, middle);
        if (site->module < module || (site->module == module && site->counter < counter))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sorts the calls.  Of several records of one call the last that came stays: a process of which
 * this one was forked may have sent its own before. */
static void sort_sites(FcEntries *entries)
{
    guint32 kept = 0;
    FcEntrySite *sites = (FcEntrySite *)(gpointer)entries->sites->data;
    g_array_sort(entries->sites, compare_sites); /* which leaves equal ones in their order */
    for (guint32 i = 0; i < entries->sites->len; i++)
    {
        if (kept > 0 && compare_sites(&sites[kept - 1], &sites[i]) == 0)
            kept--;
        sites[kept++] = sites[i];
    }
    g_array_set_size(entries->sites, kept);
    g_array_set_size(entries->by_end, 0);
    for (guint32 i = 0; i < kept; i++)
        if (!sites[i].is_jump)
            g_array_append_val(entries->by_end, i);
    g_array_sort_with_data(entries->by_end, compare_ends, entries);
}

static void sort(FcEntries *entries)
{
    if (entries->is_sorted)
        return;
    g_array_set_size(entries->by_code, 0);
    g_array_set_size(entries->by_counter, 0);
    for (guint32 i = 0; i < entries->functions->len; i++)
    {
        g_array_append_val(entries->by_code, i);
        if (!function_at(entries, i)->is_part)
            g_array_append_val(entries->by_counter, i);
    }
    g_array_sort_with_data(entries->by_code, compare_code, entries);
    g_array_sort_with_data(entries->by_counter, compare_counters, entries);
    for (guint32 i = 0; i < entries->functions->len; i++)
    {
        FcEntryFunction *function = function_at(entries, i);
        const guint32 at = first_counter(entries, function->module, function->counter);
        const gboolean is_known =
            at < entries->by_counter->len &&
            fc_entries_by_counter(entries, at)->counter == function->counter &&
            fc_entries_by_counter(entries, at)->module == function->module;
        function->entry = is_known ? g_array_index(entries->by_counter, guint32, at) : i;
    }
    sort_sites(entries);
    entries->is_sorted = TRUE;
}

guint32 fc_entries_count(const FcEntries *entries)
{
    return entries->functions->len;
}

const FcEntryFunction *fc_entries_get(const FcEntries *entries, guint32 index)
{
    return function_at(entries, index);
}

guint32 fc_entries_counters(FcEntries *entries, guint32 module, guint64 from, guint64 to,
                            guint32 *count)
{
    sort(entries);
    const guint32 first = first_counter(entries, module, from);
    *count = first_counter(entries, module, to) - first;
    return first;
}

const FcEntryFunction *fc_entries_by_counter(const FcEntries *entries, guint32 index)
{
    return function_at(entries, g_array_index(entries->by_counter, guint32, index));
}

/* How many functions begin at or before `address`. */
static guint32 count_before(const FcEntries *entries, guint64 address)
{
    guint32 low = 0;
    guint32 high = entries->by_code->len;
    while (low < high)
    {
        const guint32 middle = low + (high - low) / 2;
        if (function_at(entries, g_array_index(entries->by_code, guint32, middle))->code <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const FcEntryFunction *fc_entries_find(FcEntries *entries, guint64 address)
{
    sort(entries);
    const guint32 before = count_before(entries, address);
    if (before == 0)
        return NULL;
    const FcEntryFunction *found =
        function_at(entries, g_array_index(entries->by_code, guint32, before - 1));
    return address - found->code < found->bytes ? found : NULL;
}

const FcEntryFunction *fc_entries_find_for(FcEntries *entries, guint64 address, guint32 module)
{
    const FcEntryFunction *latest = fc_entries_find(entries, address);
    for (guint32 before = latest ? count_before(entries, address) : 0; before > 0; before--)
    {
        const FcEntryFunction *other =
            function_at(entries, g_array_index(entries->by_code, guint32, before - 1));
        if (other->code != latest->code)
            break;
        if (other->module == module && address - other->code < other->bytes)
            return other;
    }
    return latest;
}

guint32 fc_entries_site_counters(FcEntries *entries, guint32 module, guint64 from, guint64 to,
                                 guint32 *count)
{
    sort(entries);
    const guint32 first = first_site(entries, module, from);
    *count = first_site(entries, module, to) - first;
    return first;
}

const FcEntrySite *fc_entries_site_by_counter(const FcEntries *entries, guint32 index)
{
    return &g_array_index(entries->sites, FcEntrySite, index);
}

const FcEntrySite *fc_entries_find_call(FcEntries *entries, guint64 address)
{
    sort(entries);
    guint32 low = 0;
    guint32 high = entries->by_end->len;
    while (low < high) /* finds the last that does not end behind `address` */
    {
        const guint32 middle = low + (high - low) / 2;
        if (fc_entries_site_by_counter(entries, g_array_index(entries->by_end, guint32, middle))
                ->end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const FcEntrySite *found =
        fc_entries_site_by_counter(entries, g_array_index(entries->by_end, guint32, low - 1));
    return found->end == address ? found : NULL;
}
