/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A difference for other programs: JSON, folded stacks; and in Markdown.
 */
#include "fcdump/diff-rules.h"
#include "fcdump/json.h"
#include "fcdump/report-diff.h"

#include <math.h>
#include <string.h>

#define MARKDOWN_ROWS 30

/* ---- Markdown ------------------------------------------------------------------------ */

/* A name in a cell, as code: only the bar, which ends the cell, and the backquote have a meaning
 * there. */
static void put_name(FILE *out, const char *name)
{
    g_autofree char *clean = fc_format_text(name);
    fputc('`', out);
    for (const char *p = clean; *p != '\0'; p++)
        fprintf(out, *p == '|' ? "\\%c" : "%c", *p == '`' ? '\'' : *p);
    fputc('`', out);
}

/* "1.0 ms → 1.1 ms, **+10.0% ± 1.2%**". */
static void put_change(FILE *out, FcDiffMetric metric, const FcDiffChange *change)
{
    g_autofree char *before = g_strstrip(fc_diff_format(metric, change->before));
    if (change->change == 0)
    {
        fputs(before, out);
        return;
    }
    g_autofree char *after = g_strstrip(fc_diff_format(metric, change->after));
    if (change->verdict == FC_VERDICT_NOISE)
    {
        fprintf(out, "%s → %s (noise)", before, after);
        return;
    }
    g_autofree char *by = fc_diff_format_change(metric, change->before, change->change);
    g_autofree char *margin = fc_diff_margin_text(change);
    const char *bold = change->verdict == FC_VERDICT_FOUND ? "**" : "";
    fprintf(out, "%s → %s, %s%s%s%s%s%s", before, after, bold, by, *margin ? " ± " : "", margin,
            bold, change->verdict == FC_VERDICT_UNKNOWN ? " (?)" : "");
}

static void put_markdown_whole(const FcReportContext *context, FILE *out)
{
    const FcDiff *diff = context->diff;
    const struct
    {
        FcDiffMetric metric;
        const char *name;
    } lines[] = {
        {FC_DIFF_LOCAL, fc_diff_time_name(context)},
        {FC_DIFF_TOTAL, "Elapsed"},
        {FC_DIFF_CALLS, "Calls"},
        {FC_DIFF_BYTES, "Allocated"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    {
        if (lines[i].metric == FC_DIFF_BYTES && !diff->memory)
            continue;
        const FcDiffChange change =
            fc_diff_change(diff, &diff->whole, lines[i].metric, FC_DIFF_RATE);
        fprintf(out, "- %s: ", lines[i].name);
        put_change(out, lines[i].metric, &change);
        fputc('\n', out);
    }
}

static void put_markdown_rows(const FcDiff *diff, const FcDiffRows *rows, FILE *out)
{
    static const FcDiffMetric metrics[] = {FC_DIFF_LOCAL, FC_DIFF_TOTAL, FC_DIFF_CALLS,
                                           FC_DIFF_PER_CALL, FC_DIFF_BYTES};
    const guint count = diff->memory ? FC_DIFF_METRICS : FC_DIFF_METRICS - 1;
    fprintf(out, "| function | finding | local | total | calls | per call |%s\n| --- | --- |%s",
            diff->memory ? " allocated |" : "", " ---: | ---: | ---: | ---: |");
    fprintf(out, "%s\n", diff->memory ? " ---: |" : "");
    for (guint i = 0; i < rows->rows->len; i++)
    {
        const FcDiffFunction *function =
            fc_diff_function(diff, g_array_index(rows->rows, guint, i));
        g_autofree char *finding = fc_diff_finding(diff, function);
        fputs("| ", out);
        put_name(out, function->label);
        fprintf(out, " | %s |", finding);
        for (guint m = 0; m < count; m++)
        {
            const FcDiffChange change = fc_diff_change(diff, function, metrics[m], diff->level);
            fputc(' ', out);
            put_change(out, metrics[m], &change);
            fputs(" |", out);
        }
        fputc('\n', out);
    }
}

void fc_report_diff_markdown(const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    FILE *out = fc_render_file(context->render);
    FcDiffRows rows;
    fc_diff_rows_init(&rows, context, MARKDOWN_ROWS);
    fprintf(out, "### Profile: %u run%s before, %u after\n\n", diff->runs[FC_DIFF_BEFORE],
            diff->runs[FC_DIFF_BEFORE] == 1 ? "" : "s", diff->runs[FC_DIFF_AFTER]);
    for (guint i = 0; i < context->reasons->len; i++)
    {
        fputs("- **Failed**: ", out);
        put_name(out, context->reasons->pdata[i]);
        fputc('\n', out);
    }
    put_markdown_whole(context, out);
    fputc('\n', out);
    if (rows.rows->len > 0)
        put_markdown_rows(diff, &rows, out);
    else
        fputs("No function changed.\n", out);
    fprintf(out,
            "\nNot shown: %u more that changed, %u that differ by noise only, %u without change.\n",
            rows.more, rows.noise, rows.same);
    fc_diff_rows_clear(&rows);
}

/* ---- JSON ---------------------------------------------------------------------------- */

static void put_value(FcJson *json, const char *key, FcDiffMetric metric, double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        fc_json_signed(json, key, (gint64)value);
    else
        fc_json_double(json, key, value);
}

static void put_json_change(FcJson *json, FcDiffMetric metric, const FcDiffChange *change)
{
    static const char *const keys[] = {"calls", "total_ns", "local_ns", "per_call_ns", "bytes"};
    fc_json_begin_object(json, keys[metric]);
    put_value(json, "before", metric, change->before);
    put_value(json, "after", metric, change->after);
    put_value(json, "change", metric, change->change);
    if (change->margin > 0)
        fc_json_double(json, "margin", change->margin);
    else
        fc_json_null(json, "margin");
    fc_json_string(json, "verdict", fc_diff_verdict_name(change->verdict));
    fc_json_end_object(json);
}

static void put_json_changes(FcJson *json, const FcDiff *diff, const FcDiffFunction *function,
                             double level)
{
    for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
    {
        if (metric == FC_DIFF_BYTES && !diff->memory)
            continue;
        const FcDiffChange change = fc_diff_change(diff, function, metric, level);
        put_json_change(json, metric, &change);
    }
}

static void put_json_functions(FcJson *json, const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < diff->functions->len; i++)
    {
        const FcDiffFunction *function = fc_diff_function(diff, i);
        g_autofree char *finding = fc_diff_finding(diff, function);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "name", function->name);
        fc_json_string(json, "short_name", function->label);
        fc_json_string(json, "linkage_name", function->raw_name);
        fc_json_string(json, "module", function->module);
        fc_json_string(json, "finding", finding);
        put_json_changes(json, diff, function, diff->level);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_json_contexts(FcJson *json, const FcDiff *diff)
{
    fc_json_begin_array(json, "contexts");
    for (guint i = 1; i < diff->contexts->len; i++)
    {
        const FcDiffContext *node = fc_diff_context(diff, i);
        fc_json_begin_object(json, NULL);
        fc_json_index(json, "parent", node->parent == 0 ? FC_NONE : node->parent - 1);
        fc_json_index(json, "function", node->function < 0 ? FC_NONE : node->function);
        for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
        {
            if (metric == FC_DIFF_PER_CALL || (metric == FC_DIFF_BYTES && !diff->memory))
                continue;
            const FcDiffChange change = fc_diff_context_change(diff, node, metric);
            put_json_change(json, metric, &change);
        }
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

void fc_export_diff_json(const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    g_autoptr(FcJson) json = fc_json_new(fc_render_file(context->render));
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "format", "functioncheck-diff-json");
    fc_json_unsigned(json, "version", 1);
    fc_json_string(json, "tool_version", FC_VERSION);
    fc_json_unsigned(json, "runs_before", diff->runs[FC_DIFF_BEFORE]);
    fc_json_unsigned(json, "runs_after", diff->runs[FC_DIFF_AFTER]);
    fc_json_string(json, "time", fc_diff_time_word(context));
    fc_json_double(json, "level", diff->level);
    fc_json_begin_object(json, "whole");
    put_json_changes(json, diff, &diff->whole, FC_DIFF_RATE);
    fc_json_end_object(json);
    put_json_functions(json, context);
    if (diff->contexts)
        put_json_contexts(json, diff);
    fc_json_begin_array(json, "failed");
    for (guint i = 0; i < context->reasons->len; i++)
        fc_json_string(json, NULL, context->reasons->pdata[i]);
    fc_json_end_array(json);
    fc_json_end_object(json);
}

/* ---- Folded stacks ------------------------------------------------------------------- */

static void put_frame(FILE *out, const FcDiff *diff, guint index)
{
    g_autofree char *name =
        fc_format_text(fc_diff_context_name(diff, fc_diff_context(diff, index)));
    fputs(g_strdelimit(name, ";", ':'), out);
}

void fc_export_diff_folded(const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    FILE *out = fc_render_file(context->render);
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 1; i < diff->contexts->len; i++)
    {
        const FcDiffContext *node = fc_diff_context(diff, i);
        const double before = node->figures[FC_DIFF_LOCAL][FC_DIFF_BEFORE].mean;
        const double after = node->figures[FC_DIFF_LOCAL][FC_DIFF_AFTER].mean;
        if (before < 0.5 && after < 0.5)
            continue;
        g_array_set_size(way, 0);
        for (guint at = i; at > 0; at = (guint)fc_diff_context(diff, at)->parent)
            g_array_append_val(way, at);
        for (guint at = way->len; at-- > 0;)
        {
            put_frame(out, diff, g_array_index(way, guint, at));
            if (at > 0)
                fputc(';', out);
        }
        fprintf(out, " %.0f %.0f\n", before, after);
    }
}
