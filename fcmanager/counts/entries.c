/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See entries.h.
 */
#include "fcmanager/counts/entries.h"

#include <string.h>

/* A limit, so that a hostile program can't fill the manager's memory. */
#define FUNCTIONS_MAX (1u << 21)

struct FcEntries
{
    gint references;
    GArray *functions;  /* FcEntryFunction, in the order in which they came */
    GArray *by_code;    /* guint32: indexes of `functions` */
    GArray *by_counter; /* likewise, without parts */
    gboolean is_sorted;
};

FcEntries *fc_entries_new(void)
{
    FcEntries *entries = g_new0(FcEntries, 1);
    entries->references = 1;
    entries->functions = g_array_new(FALSE, FALSE, sizeof(FcEntryFunction));
    entries->by_code = g_array_new(FALSE, FALSE, sizeof(guint32));
    entries->by_counter = g_array_new(FALSE, FALSE, sizeof(guint32));
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
    g_free(entries);
}

gboolean fc_entries_add(FcEntries *entries, guint32 module, guint64 address, const guint8 *payload,
                        gsize bytes, guint64 time)
{
    if (bytes % sizeof(struct FcEntryRecord) != 0 ||
        entries->functions->len + bytes / sizeof(struct FcEntryRecord) > FUNCTIONS_MAX)
        return FALSE;
    for (gsize at = 0; at < bytes; at += sizeof(struct FcEntryRecord))
    {
        struct FcEntryRecord entry;
        memcpy(&entry, payload + at, sizeof entry);
        const guint64 here = address + at;
        const FcEntryFunction function = {
            .code = here + offsetof(struct FcEntryRecord, code) + (guint64)(gint64)entry.code,
            .bytes = entry.bytes,
            .counter =
                here + offsetof(struct FcEntryRecord, counter) + (guint64)(gint64)entry.counter,
            .since = time,
            .module = module,
            .is_part = (entry.flags & FC_ENTRY_PART) != 0};
        g_array_append_val(entries->functions, function);
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

const FcEntryFunction *fc_entries_find(FcEntries *entries, guint64 address)
{
    sort(entries);
    guint32 low = 0;
    guint32 high = entries->by_code->len;
    while (low < high) /* finds the last that does not begin behind `address` */
    {
        const guint32 middle = low + (high - low) / 2;
        if (function_at(entries, g_array_index(entries->by_code, guint32, middle))->code <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const FcEntryFunction *found =
        function_at(entries, g_array_index(entries->by_code, guint32, low - 1));
    return address - found->code < found->bytes ? found : NULL;
}
