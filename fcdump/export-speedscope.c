/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The JSON of speedscope: the stacks, once for each weight that the profile has.
 */
#include "fcdump/export.h"
#include "fcdump/job.h"
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
        fc_symbols_find(model->symbols, model->profile, &function->figures.location, FALSE,
                        &symbol);
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

/* Frames are numbered as functions are; nodes that are no function follow. */
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

/* The nodes below the root, depth first, the heaviest child first. */
typedef struct
{
    const FcStacks *stacks;
    guint64 *totals; /* by node */
    guint *children; /* all nodes but the root, grouped by parent, the heaviest first */
    guint *starts;   /* by parent: index of its first child; one more at the end */
    GArray *order;   /* guint */
} Order;

static int compare_children(gconstpointer a, gconstpointer b, gpointer data)
{
    const Order *order = data;
    const guint x = *(const guint *)a;
    const guint y = *(const guint *)b;
    const gint x_parent = fc_stacks_node(order->stacks, x)->parent;
    const gint y_parent = fc_stacks_node(order->stacks, y)->parent;
    if (x_parent != y_parent)
        return x_parent < y_parent ? -1 : 1;
    if (order->totals[x] != order->totals[y])
        return order->totals[x] > order->totals[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Recursion is no deeper than FC_STACK_DEPTH_MAX. */
static void add_below(Order *order, guint index)
{
    for (guint i = order->starts[index]; i < order->starts[index + 1]; i++)
    {
        g_array_append_val(order->order, order->children[i]);
        add_below(order, order->children[i]);
    }
}

/* speedscope's first view takes the order of samples for that of time, which is not known here.
 * This order makes it the same as "left heavy".  The caller unrefs the result. */
static GArray *order_nodes(const FcStacks *stacks, FcWeight weight)
{
    const guint count = stacks->nodes->len;
    Order order = {.stacks = stacks,
                   .totals = g_new0(guint64, count + 1),
                   .children = g_new0(guint, count + 1),
                   .starts = g_new0(guint, count + 2),
                   .order = g_array_new(FALSE, FALSE, sizeof(guint))};
    for (guint i = count; i-- > 1;)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        order.totals[i] += node->self[weight];
        order.totals[node->parent] += order.totals[i];
        order.starts[node->parent + 1]++;
        order.children[i - 1] = i;
    }
    for (guint i = 0; i < count; i++)
        order.starts[i + 1] += order.starts[i];
    if (count > 1)
        g_qsort_with_data(order.children, (gint)(count - 1), sizeof(guint), compare_children,
                          &order);
    add_below(&order, 0);
    g_free(order.totals);
    g_free(order.children);
    g_free(order.starts);
    return order.order;
}

static void put_profile(const FcStacks *stacks, FcJson *json, FcWeight weight)
{
    const char *unit = fc_weight_unit(weight);
    g_autoptr(GArray) order = order_nodes(stacks, weight);
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
    for (guint i = 0; i < order->len; i++)
        if (fc_stacks_node(stacks, g_array_index(order, guint, i))->self[weight] > 0)
            put_stack(stacks, json, g_array_index(order, guint, i));
    fc_json_end_array(json);
    fc_json_begin_array(json, "weights");
    for (guint i = 0; i < order->len; i++)
    {
        const guint64 self = fc_stacks_node(stacks, g_array_index(order, guint, i))->self[weight];
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
    const char *program = model->profile->executable ? model->profile->executable : "FunctionCheck";
    g_autofree char *job = fc_job_text(model);
    g_autofree char *name = job ? g_strdup_printf("%s: %s", program, job) : g_strdup(program);
    fc_json_string(json, "name", name);
    fc_json_string(json, "exporter", "fcdump (FunctionCheck) " FC_VERSION);
    fc_json_unsigned(json, "activeProfileIndex", 0);
    fc_json_begin_object(json, "shared");
    put_frames(stacks, json);
    fc_json_end_object(json);
    fc_json_begin_array(json, "profiles");
    if (fc_weight_is_known(model, FC_WEIGHT_CPU)) /* speedscope shows the first one by default */
        put_profile(stacks, json, FC_WEIGHT_CPU);
    for (FcWeight weight = 0; weight < FC_WEIGHTS; weight++)
        if (weight != FC_WEIGHT_CPU && fc_weight_is_known(model, weight))
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
