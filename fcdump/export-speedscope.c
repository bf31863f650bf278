/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The JSON of speedscope: the stacks, once for each weight that the profile has.
 */
#include "fcdump/export.h"
#include "fcdump/json.h"
#include "fcdump/report-path.h"

#include <string.h>

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

static void put_frames(const FcStacks *stacks, FcJson *json)
{
    const FcModel *model = stacks->model;
    fc_json_begin_array(json, "frames");
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        FcSymbol symbol;
        fc_symbols_find(model->symbols, model->profile, &function->figures.place, FALSE, &symbol);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "name", function->name);
        if (symbol.file)
            fc_json_string(json, "file", symbol.file);
        if (symbol.file && symbol.line > 0)
            fc_json_unsigned(json, "line", symbol.line);
        fc_json_end_object(json);
    }
    for (guint i = 0; i < FC_STACK_OTHERS; i++)
    {
        const FcStackNode other = {.function = FC_STACK_OUTSIDE - (gint)i};
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "name", fc_stacks_name(stacks, &other));
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* Frames are numbered as functions are; what is none comes behind them. */
static guint frame_of(const FcStacks *stacks, const FcStackNode *node)
{
    if (node->function >= 0)
        return (guint)node->function;
    return stacks->model->functions->len + fc_stacks_other(node);
}

static void put_stack(const FcStacks *stacks, FcJson *json, guint index)
{
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = index; i != 0; i = (guint)fc_stacks_node(stacks, i)->parent)
        g_array_append_val(path, i);
    fc_json_begin_array(json, NULL);
    for (guint i = path->len; i-- > 0;)
        fc_json_unsigned(json, NULL,
                         frame_of(stacks, fc_stacks_node(stacks, g_array_index(path, guint, i))));
    fc_json_end_array(json);
}

static void put_profile(const FcStacks *stacks, FcJson *json, FcWeight weight)
{
    const char *unit = fc_weight_unit(weight);
    guint64 sum = 0;
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "type", "sampled");
    fc_json_string(json, "name", fc_weight_title(stacks->model, weight));
    fc_json_string(json, "unit",
                   strcmp(unit, "ns") == 0      ? "nanoseconds"
                   : strcmp(unit, "bytes") == 0 ? "bytes"
                                                : "none");
    fc_json_unsigned(json, "startValue", 0);
    fc_json_begin_array(json, "samples");
    for (guint i = 1; i < stacks->nodes->len; i++)
        if (fc_stacks_node(stacks, i)->self[weight] > 0)
            put_stack(stacks, json, i);
    fc_json_end_array(json);
    fc_json_begin_array(json, "weights");
    for (guint i = 1; i < stacks->nodes->len; i++)
    {
        const guint64 self = fc_stacks_node(stacks, i)->self[weight];
        sum += self;
        if (self > 0)
            fc_json_unsigned(json, NULL, self);
    }
    fc_json_end_array(json);
    fc_json_unsigned(json, "endValue", sum);
    fc_json_end_object(json);
}

static void render_speedscope(const FcReportContext *context)
{
    const FcModel *model = context->model;
    g_autoptr(FcStacks) all = fc_report_stacks(context);
    g_autoptr(FcStacks) stacks =
        fc_stacks_prune(all, G_MAXINT, context->options->min_percent / 100.0, FC_WEIGHTS);
    g_autoptr(FcJson) json = fc_json_new(fc_render_file(context->render));
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "$schema", SCHEMA);
    fc_json_string(json, "name",
                   model->profile->executable ? model->profile->executable : "FunctionCheck");
    fc_json_string(json, "exporter", "fcdump (FunctionCheck) " FC_VERSION);
    fc_json_unsigned(json, "activeProfileIndex", 0);
    fc_json_begin_object(json, "shared");
    put_frames(stacks, json);
    fc_json_end_object(json);
    fc_json_begin_array(json, "profiles");
    for (FcWeight weight = 0; weight < FC_WEIGHTS; weight++)
        if (fc_weight_is_known(model, weight))
            put_profile(stacks, json, weight);
    fc_json_end_array(json);
    fc_json_end_object(json);
    fc_export_note_stacks(context, "speedscope", stacks);
    fc_export_note_lost(context, "speedscope",
                        FC_LOST_SITES | FC_LOST_BOUNDS | FC_LOST_THREADS | FC_LOST_PROCESSES |
                            FC_LOST_LEAKS | FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_speedscope = {"speedscope", "stacks by each weight, for speedscope",
                                       FC_REPORT_FILE, render_speedscope};
