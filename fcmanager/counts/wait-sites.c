/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See wait-sites.h.
 */
#include "fcmanager/counts/wait-sites.h"

static guint hash(gconstpointer key)
{
    const FcCountsWaitSite *site = key;
    return g_int64_hash(&site->address) ^ site->function * 0x9e3779b9u;
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const FcCountsWaitSite *one = a;
    const FcCountsWaitSite *other = b;
    if (one->function != other->function)
        return one->function < other->function ? -1 : 1;
    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    return one->module < other->module ? -1 : one->module > other->module;
}

static gboolean is_equal(gconstpointer a, gconstpointer b)
{
    return compare(a, b) == 0;
}

void fc_wait_sites_add(GHashTable **sites, const FcCountsWaitSite *more)
{
    if (!*sites)
        *sites = g_hash_table_new_full(hash, is_equal, g_free, NULL);
    FcCountsWaitSite *site = g_hash_table_lookup(*sites, more);
    if (!site)
    {
        g_hash_table_add(*sites, g_memdup2(more, sizeof *more));
        return;
    }
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        site->kind_ns[kind] += more->kind_ns[kind];
}

void fc_wait_sites_merge(GHashTable **into, GHashTable *from, const guint32 *functions)
{
    GHashTableIter iter;
    gpointer value;
    if (!from)
        return;
    g_hash_table_iter_init(&iter, from);
    while (g_hash_table_iter_next(&iter, &value, NULL))
    {
        FcCountsWaitSite site = *(const FcCountsWaitSite *)value;
        site.function = functions[site.function];
        fc_wait_sites_add(into, &site);
    }
}

GArray *fc_wait_sites_list(GHashTable *sites)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(FcCountsWaitSite));
    GHashTableIter iter;
    gpointer value;
    if (!sites)
        return list;
    g_hash_table_iter_init(&iter, sites);
    while (g_hash_table_iter_next(&iter, &value, NULL))
        g_array_append_vals(list, value, 1);
    g_array_sort(list, compare);
    return list;
}
