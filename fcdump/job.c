/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See job.h.
 */
#include "fcdump/job.h"

#include "model/mpi.h"

#include "fcdump/render.h"
#include "profile/path.h"

#define NAMES_MAX 3         /* jobs and hosts that are named */
#define ARGUMENTS_WIDTH 60u /* of all of them */

static const FcProfile *header_of(const FcModel *model, guint index)
{
    return ((const FcInput *)model->inputs->pdata[index])->header;
}

/* Whether it is of a rank, or the sum of several. */
static gboolean is_ranked(const FcProfile *header)
{
    return header->job.rank != FC_NONE || header->ranks > 0;
}

guint64 fc_job_count_ranks(const FcModel *model)
{
    g_autoptr(GHashTable) ranks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    guint64 summed = 0;
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcProfileJob *job = &header_of(model, i)->job;
        if (header_of(model, i)->ranks > 0)
            summed += header_of(model, i)->ranks;
        else if (job->rank != FC_NONE)
            g_hash_table_add(ranks, g_strdup_printf("%" G_GINT64_FORMAT " %s", job->rank,
                                                    job->name ? job->name : ""));
    }
    return g_hash_table_size(ranks) + summed;
}

/* The first that has a rank; NULL: none. */
static const FcProfileJob *first_job(const FcModel *model)
{
    for (guint i = 0; i < model->inputs->len; i++)
        if (is_ranked(header_of(model, i)))
            return &header_of(model, i)->job;
    return NULL;
}

/* The number of ranks of all jobs, as far as it is known. */
static guint64 count_all(const FcModel *model)
{
    g_autoptr(GHashTable) jobs = g_hash_table_new(g_str_hash, g_str_equal);
    guint64 all = 0;
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcProfileJob *job = &header_of(model, i)->job;
        if (!is_ranked(header_of(model, i)) ||
            !g_hash_table_add(jobs, job->name ? job->name : (char *)""))
            continue;
        if (job->size == 0)
            return 0;
        all += job->size;
    }
    return all;
}

char *fc_job_ranks(const FcModel *model)
{
    const FcProfileJob *first = first_job(model);
    const guint64 count = fc_job_count_ranks(model);
    const guint64 all = count_all(model);
    if (!first)
        return NULL;
    if (first->rank != FC_NONE && count == 1 && all > 0)
        return g_strdup_printf("rank %" G_GINT64_FORMAT " of %" G_GUINT64_FORMAT, first->rank, all);
    if (first->rank != FC_NONE && count == 1)
        return g_strdup_printf("rank %" G_GINT64_FORMAT, first->rank);
    const char *plural = count == 1 ? "" : "s";
    return all > count
               ? g_strdup_printf("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " ranks", count, all)
               : g_strdup_printf("%" G_GUINT64_FORMAT " rank%s", count, plural);
}

/* "WHAT A, B and 4 more": the distinct strings at `offset` of the jobs; "" if there are none. */
static char *list_names(const FcModel *model, const char *what, const char *plural, gsize offset)
{
    g_autoptr(GHashTable) told = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcProfileJob *job = &header_of(model, i)->job;
        const char *name = G_STRUCT_MEMBER(const char *, job, offset);
        if (!is_ranked(header_of(model, i)) || !name || !g_hash_table_add(told, (gpointer)name) ||
            g_hash_table_size(told) > NAMES_MAX)
            continue;
        g_autofree char *plain = fc_format_text(name);
        g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", plain);
    }
    const guint count = g_hash_table_size(told);
    if (count == 0)
        return g_strdup("");
    if (count > NAMES_MAX)
        g_string_append_printf(names, " and %u more", count - NAMES_MAX);
    return g_strdup_printf(" %s%s %s", what, count > 1 ? plural : "", names->str);
}

char *fc_job_text(const FcModel *model)
{
    g_autofree char *ranks = fc_job_ranks(model);
    if (!ranks)
        return NULL;
    g_autofree char *jobs = list_names(model, "of job", "s", G_STRUCT_OFFSET(FcProfileJob, name));
    g_autofree char *by = list_names(model, "by", "", G_STRUCT_OFFSET(FcProfileJob, launcher));
    g_autofree char *hosts = list_names(model, "on", "", G_STRUCT_OFFSET(FcProfileJob, host));
    return g_strconcat(ranks, jobs, by, hosts, NULL);
}

char *fc_job_process(const FcProfile *header)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (header->job.rank != FC_NONE)
        g_string_append_printf(text, "rank %" G_GINT64_FORMAT ", ", header->job.rank);
    g_string_append_printf(text, "%" G_GINT64_FORMAT "  %s", header->pid,
                           header->executable ? fc_base_name(header->executable) : "");
    g_autofree char *arguments = header->command_line && header->command_line[0]
                                     ? g_strjoinv(" ", header->command_line + 1)
                                     : g_strdup("");
    g_autofree char *plain = fc_format_text(arguments);
    if (header->processes > 1)
        g_string_append_printf(text, " (%" G_GUINT64_FORMAT " processes)", header->processes);
    if (*plain == '\0')
        return g_string_free(g_steal_pointer(&text), FALSE);
    if (g_utf8_strlen(plain, -1) <= (glong)ARGUMENTS_WIDTH)
        return g_strconcat(text->str, " ", plain, NULL);
    g_autofree char *start = g_utf8_substring(plain, 0, ARGUMENTS_WIDTH - 3);
    return g_strconcat(text->str, " ", start, "...", NULL);
}

#define NOTABLE_RANK_WAIT 0.05 /* of the ranks' time */

char *fc_job_waits(const FcModel *model)
{
    FcMpiWait wait;
    if (!fc_mpi_find_wait(model, &wait) ||
        (double)wait.wait_ns < NOTABLE_RANK_WAIT * (double)wait.run_ns)
        return NULL;
    g_autofree char *time = fc_format_brief_time(wait.wait_ns);
    g_autofree char *late = wait.late != FC_NONE
                                ? g_strdup_printf(" for rank %" G_GINT64_FORMAT, wait.late)
                                : g_strdup("");
    return g_strdup_printf("%u of %u ranks wait in %s%s, %s in all", wait.waiting, wait.ranks,
                           fc_model_function(model, wait.function)->label, late, time);
}
