/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the page shows of the ranks of a job: the time on the CPU of the functions with most, by
 * rank.
 */
#include "fcdump/export-html.h"

#define RANKS_MAX 512u    /* columns */
#define FUNCTIONS_MAX 40u /* rows */

typedef struct
{
    guint function;
    guint64 most_ns; /* the most time of any rank */
} Row;

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const Row *one = a;
    const Row *other = b;
    if (one->most_ns != other->most_ns)
        return one->most_ns < other->most_ns ? 1 : -1;
    return one->function < other->function ? -1 : 1;
}

/* One FcInput for each rank: the first of its files that has functions. */
static GPtrArray *find_ranks(const FcModel *model)
{
    GPtrArray *ranks = g_ptr_array_new();
    g_autoptr(GHashTable) known = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < model->inputs->len && ranks->len < RANKS_MAX; i++)
    {
        FcInput *input = model->inputs->pdata[i];
        if (input->functions && input->header->job.rank != FC_NONE &&
            g_hash_table_add(known, &input->header->job.rank))
            g_ptr_array_add(ranks, input);
    }
    return ranks;
}

/* Local times in the rank's files, added up by function of the model; elapsed times without those
 * off the CPU.  The caller frees the result. */
static guint64 *sum_rank(const FcModel *model, gint64 rank)
{
    guint64 *sums = g_new0(guint64, model->functions->len + 1);
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        for (guint j = 0;
             input->header->job.rank == rank && input->functions && j < input->functions->len; j++)
        {
            const FcInputFunction *from = &g_array_index(input->functions, FcInputFunction, j);
            const guint64 wait_ns = model->time == FC_TIME_PART_WALL ? from->local_wait_ns : 0;
            sums[model->function_of[from->function]] +=
                from->local_ns - MIN(wait_ns, from->local_ns);
        }
    }
    return sums;
}

static GArray *choose_rows(const FcModel *model, const GPtrArray *sums)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
    for (guint i = 0; i < model->functions->len; i++)
    {
        Row row = {i, 0};
        for (guint j = 0; j < sums->len; j++)
            row.most_ns = MAX(row.most_ns, ((const guint64 *)sums->pdata[j])[i]);
        if (row.most_ns > 0 && fc_model_function(model, i)->shown)
            g_array_append_val(rows, row);
    }
    g_array_sort(rows, compare_rows);
    g_array_set_size(rows, MIN(rows->len, FUNCTIONS_MAX));
    return rows;
}

void fc_export_html_ranks(const FcReportContext *context, FcJson *json)
{
    const FcModel *model = context->model;
    g_autoptr(GPtrArray) ranks = find_ranks(model);
    g_autoptr(GPtrArray) sums = g_ptr_array_new_with_free_func(g_free);
    if (ranks->len < 2 || model->time == FC_TIME_PART_WAIT)
    {
        fc_json_null(json, "ranks");
        return;
    }
    for (guint i = 0; i < ranks->len; i++)
        g_ptr_array_add(sums,
                        sum_rank(model, ((const FcInput *)ranks->pdata[i])->header->job.rank));
    g_autoptr(GArray) rows = choose_rows(model, sums);
    fc_json_begin_object(json, "ranks");
    fc_json_begin_array(json, "ranks");
    for (guint i = 0; i < ranks->len; i++)
    {
        const FcProfileJob *job = &((const FcInput *)ranks->pdata[i])->header->job;
        fc_json_begin_object(json, NULL);
        fc_json_signed(json, "rank", job->rank);
        fc_json_string(json, "host", job->host);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < rows->len; i++)
    {
        const guint function = g_array_index(rows, Row, i).function;
        fc_json_begin_object(json, NULL);
        fc_json_unsigned(json, "function", function);
        fc_json_begin_array(json, "cpu_ns");
        for (guint j = 0; j < sums->len; j++)
            fc_json_unsigned(json, NULL, ((const guint64 *)sums->pdata[j])[function]);
        fc_json_end_array(json);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
    fc_json_end_object(json);
}
