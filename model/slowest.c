/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the slowest calls in order; see slowest.h.
 */
#include "model/slowest.h"

static guint function_of(const FcModel *model, const FcProfileSlowCall *call)
{
    return model->function_of[call->function];
}

static int compare(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcProfileSlowCall *x = *(const FcProfileSlowCall *const *)a;
    const FcProfileSlowCall *y = *(const FcProfileSlowCall *const *)b;
    const guint of_x = function_of(data, x);
    const guint of_y = function_of(data, y);
    if (of_x != of_y)
        return of_x < of_y ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x->realtime_ns > y->realtime_ns) - (x->realtime_ns < y->realtime_ns);
}

FcSlowestTable *fc_slowest_table_new(const FcModel *model)
{
    const GArray *all = model->profile->slowest;
    FcSlowestTable *table = g_new0(FcSlowestTable, 1);
    table->calls = g_array_new(FALSE, FALSE, sizeof(const FcProfileSlowCall *));
    table->first = g_new0(guint, model->functions->len + 1);
    for (guint i = 0; i < all->len; i++)
    {
        const FcProfileSlowCall *call = &g_array_index(all, FcProfileSlowCall, i);
        g_array_append_val(table->calls, call);
        table->first[function_of(model, call) + 1]++;
    }
    for (guint i = 0; i < model->functions->len; i++)
        table->first[i + 1] += table->first[i];
    g_array_sort_with_data(table->calls, compare, (gpointer)model);
    return table;
}

void fc_slowest_table_free(FcSlowestTable *table)
{
    if (!table)
        return;
    g_array_unref(table->calls);
    g_free(table->first);
    g_free(table);
}
