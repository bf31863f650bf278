/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calling-context tree: through which callers each function was reached.  Siblings of the
 * same function are one line unless --details tells their call sites apart.
 */
#include "fcdump/report.h"

#include <string.h>

static const FcColumn columns[] = {
    {NULL, "number", FALSE, .reader = FC_READER_PROGRAM}, /* the row's number, from 1 */
    {NULL, "parent", FALSE, .reader = FC_READER_PROGRAM}, /* the parent's number; 0: none */
    {NULL, "level", FALSE, .reader = FC_READER_PROGRAM},
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {"total", "waiting", FALSE, .unit = "off-CPU ns"},
    {"local", "time", FALSE, .unit = "ns"},
    {NULL, "calls", FALSE},
    {NULL, "context", TRUE},
};
#define WAIT_COLUMN 5

#define NO_NODE G_MAXUINT
#define NO_FUNCTION G_MAXUINT /* function of the node that has the folded contexts */
#define GUIDES_MAX 100        /* levels drawn as lines; deeper rows print their level */

/* Contexts of the profile that are shown as one. */
typedef struct
{
    guint function;
    guint parent; /* index; NO_NODE: a root */
    guint first_child;
    guint next;    /* index of the next sibling */
    guint context; /* index of the first context */
    guint64 calls;
    guint64 total_ns;
    guint64 total_wait_ns;
    guint64 local_ns;
    guint number;     /* of its row, from 1 */
    guint timed;      /* number of contexts that took time */
    gboolean at_most; /* the contexts may nest: total_ns is an upper bound */
    gboolean apportioned;
    gboolean wanted;    /* selected, or an ancestor of one that is */
    gboolean beyond;    /* not among those that --top keeps */
    gboolean is_folded; /* below the node of folded contexts, or that node */
} Node;

typedef struct
{
    const FcReportContext *context;
    GArray *nodes; /* Node; a parent precedes its children */
    guint roots;   /* first root */
    guint folded;  /* the node of folded contexts, NO_NODE: there are none */
    guint small;   /* left out by --min */
    guint deep;    /* left out by --depth */
    guint beyond;  /* nodes left out by --top */
    guint printed; /* rows */
    gboolean waits;
    gboolean at_most;
} Tree;

/* ---- Merging ------------------------------------------------------------------- */

static char *node_key(const FcReportContext *context, guint parent,
                      const FcProfileContext *profile_context)
{
    guint function = context->model->function_of[profile_context->function];
    if (context->options->details)
        return g_strdup_printf("%u:%u:%" G_GINT64_MODIFIER "x", parent, function,
                               profile_context->site.address);
    return g_strdup_printf("%u:%u", parent, function);
}

/* The node of folded contexts, made if needed.  It stands for calls from anywhere and is no root.
 */
static guint folded_node(Tree *tree)
{
    const Node fresh = {.function = NO_FUNCTION,
                        .parent = NO_NODE,
                        .first_child = NO_NODE,
                        .next = NO_NODE,
                        .is_folded = TRUE};
    if (tree->folded == NO_NODE)
    {
        tree->folded = tree->nodes->len;
        g_array_append_val(tree->nodes, fresh);
    }
    return tree->folded;
}

/* A copy of a header's function below another copy is recursion, which is folded.  Returns the node
 * that it is folded onto, or NO_NODE. */
static guint find_copy(const Tree *tree, guint parent, guint function)
{
    if (fc_model_function(tree->context->model, function)->copies < 2)
        return NO_NODE;
    while (parent != NO_NODE && g_array_index(tree->nodes, Node, parent).function != function)
        parent = g_array_index(tree->nodes, Node, parent).parent;
    return parent;
}

/* Adds a context to its node.  `copy`: a copy of its function is further up, whose total time
 * already includes the context's. */
static void add_context(Tree *tree, Node *node, const FcProfileContext *from, gboolean copy)
{
    node->calls += from->calls;
    node->apportioned |= from->apportioned;
    node->total_ns += copy ? 0 : from->times.total_ns;
    node->total_wait_ns += copy ? 0 : from->times.total_wait_ns;
    node->local_ns += from->times.local_ns;
    node->timed += !copy && from->times.total_ns > 0;
    /* folded contexts may nest: only local times can be added up */
    if (node->is_folded)
    {
        Node *all = &g_array_index(tree->nodes, Node, tree->folded);
        all->total_ns += from->times.local_ns;
        all->total_wait_ns += from->times.local_wait_ns;
    }
}

static void merge_contexts(Tree *tree)
{
    const FcModel *model = tree->context->model;
    const GArray *contexts = model->profile->contexts;
    g_autofree guint *node_of = g_new0(guint, contexts->len + 1);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < contexts->len; i++)
    {
        const FcProfileContext *from = &g_array_index(contexts, FcProfileContext, i);
        guint parent = from->parent == FC_NONE ? NO_NODE : node_of[from->parent];
        if (fc_profile_is_folded(from))
            parent = folded_node(tree);
        node_of[i] = find_copy(tree, parent, model->function_of[from->function]);
        if (node_of[i] != NO_NODE)
        {
            add_context(tree, &g_array_index(tree->nodes, Node, node_of[i]), from, TRUE);
            continue;
        }
        g_autofree char *key = node_key(tree->context, parent, from);
        guint found = GPOINTER_TO_UINT(g_hash_table_lookup(known, key));
        if (found == 0)
        {
            Node fresh = {.function = model->function_of[from->function],
                          .parent = parent,
                          .first_child = NO_NODE,
                          .next = NO_NODE,
                          .context = i};
            fresh.is_folded =
                parent != NO_NODE && g_array_index(tree->nodes, Node, parent).is_folded;
            g_array_append_val(tree->nodes, fresh);
            found = tree->nodes->len;
            g_hash_table_insert(known, g_steal_pointer(&key), GUINT_TO_POINTER(found));
        }
        add_context(tree, &g_array_index(tree->nodes, Node, found - 1), from, FALSE);
        node_of[i] = found - 1;
    }
}

/* If a recursive function was called from several sites below one node, several of its contexts may
 * be active at once.  Then the sum of their times is too large, so it is bounded by the times of
 * the parent and of the function. */
static void bound_nodes(Tree *tree)
{
    const FcModel *model = tree->context->model;
    for (guint i = 0; i < tree->nodes->len; i++)
    {
        Node *node = &g_array_index(tree->nodes, Node, i);
        if (node->timed < 2 || (fc_callgraph_cycle_of(model->graph, node->function) == 0 &&
                                !fc_callgraph_is_recursive(model->graph, node->function)))
            continue;
        guint64 bound = fc_model_function(model, node->function)->figures.times.total_ns;
        if (node->parent != NO_NODE)
            bound = MIN(bound, g_array_index(tree->nodes, Node, node->parent).total_ns);
        node->total_ns = MIN(node->total_ns, bound);
        node->total_wait_ns =
            MIN(node->total_wait_ns,
                fc_model_function(model, node->function)->figures.times.total_wait_ns);
        node->at_most = TRUE;
    }
}

/* ---- Choosing and ordering ------------------------------------------------------- */

static Node *node_at(const Tree *tree, guint index)
{
    return &g_array_index(tree->nodes, Node, index);
}

static gboolean is_shown(const Tree *tree, const Node *node)
{
    return node->function != NO_FUNCTION &&
           fc_model_function(tree->context->model, node->function)->shown;
}

static const char *name_of(const Tree *tree, const Node *node)
{
    return node->function == NO_FUNCTION
               ? FC_MODEL_FOLDED
               : fc_model_function(tree->context->model, node->function)->label;
}

/* Children come after their parents, so one pass from the end carries it up. */
static void mark_wanted(Tree *tree)
{
    for (guint i = tree->nodes->len; i-- > 0;)
    {
        Node *node = node_at(tree, i);
        node->wanted = node->wanted || is_shown(tree, node);
        if (node->wanted && node->parent != NO_NODE)
            node_at(tree, node->parent)->wanted = TRUE;
    }
}

static int compare_nodes(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const Tree *tree = user_data;
    const Node *x = node_at(tree, *(const guint *)a);
    const Node *y = node_at(tree, *(const guint *)b);
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    if (x->calls != y->calls)
        return x->calls < y->calls ? 1 : -1;
    int order = strcmp(name_of(tree, x), name_of(tree, y));
    return order != 0 ? order : (x->context > y->context) - (x->context < y->context);
}

/* Marks all nodes but the first ones of `order`, as many as --top wants, and the nodes above these.
 */
static void mark_beyond(Tree *tree, const GArray *order)
{
    const guint top = tree->context->options->top;
    if (top == 0 || order->len <= top)
        return;
    for (guint i = 0; i < tree->nodes->len; i++)
        node_at(tree, i)->beyond = TRUE;
    for (guint i = 0; i < top; i++)
        for (guint n = g_array_index(order, guint, i); n != NO_NODE && node_at(tree, n)->beyond;
             n = node_at(tree, n)->parent)
            node_at(tree, n)->beyond = FALSE;
    for (guint i = 0; i < order->len; i++)
        tree->beyond += node_at(tree, g_array_index(order, guint, i))->beyond;
}

/* Links each node into its parent's list, largest first. */
static void link_nodes(Tree *tree)
{
    g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < tree->nodes->len; i++)
        if (node_at(tree, i)->wanted)
            g_array_append_val(order, i);
    g_array_sort_with_data(order, compare_nodes, tree);
    mark_beyond(tree, order);
    for (guint i = order->len; i-- > 0;)
    {
        guint index = g_array_index(order, guint, i);
        Node *node = node_at(tree, index);
        guint *list =
            node->parent == NO_NODE ? &tree->roots : &node_at(tree, node->parent)->first_child;
        node->next = *list;
        *list = index;
    }
}

static gboolean large_enough(const Tree *tree, const Node *node)
{
    double share = tree->context->options->min_percent / 100.0;
    if (node->beyond)
        return FALSE;
    return share <= 0 || (double)node->total_ns >= share * (double)tree->context->model->base_ns;
}

/* ---- Printing -------------------------------------------------------------------- */

/* The lines that lead from ancestors to later siblings.  Drawn at all levels they would take the
 * square of the tree's depth: gigabytes where that is 60,000. */
static void append_guides(const Tree *tree, GString *text, const GArray *path)
{
    gboolean utf8 = fc_render_utf8(tree->context->render);
    if (fc_format_is_csv())
        return;
    if (path->len > GUIDES_MAX)
    {
        g_string_append_printf(text, "level %u: ", path->len);
        return;
    }
    for (guint level = 1; level < path->len; level++)
    {
        const Node *node = node_at(tree, g_array_index(path, guint, level));
        guint next = node->next;
        gboolean last = next == NO_NODE || !large_enough(tree, node_at(tree, next));
        if (level + 1 < path->len)
            g_string_append(text, last ? "   " : utf8 ? "│  " : "|  ");
        else
            g_string_append(text, utf8 ? (last ? "└─ " : "├─ ") : (last ? "`- " : "|- "));
    }
}

/* An inlined function has the call site of what it was inlined into (see callsites.c). */
static gboolean is_inlined(const Tree *tree, const FcProfileContext *context)
{
    const GArray *contexts = tree->context->model->profile->contexts;
    return context->parent != FC_NONE &&
           g_array_index(contexts, FcProfileContext, context->parent).site.address ==
               context->site.address;
}

static char *format_node(const Tree *tree, const Node *node, const GArray *path)
{
    const FcModel *model = tree->context->model;
    GString *text = g_string_new(NULL);
    append_guides(tree, text, path);
    g_string_append_printf(
        text,
        is_shown(tree, node) || node->function == NO_FUNCTION || fc_format_is_csv() ? "%s" : "(%s)",
        name_of(tree, node));
    if (tree->context->options->details && node->function != NO_FUNCTION)
    {
        const FcProfileContext *first =
            &g_array_index(model->profile->contexts, FcProfileContext, node->context);
        g_autofree char *source = fc_report_source(tree->context, &first->site, TRUE);
        if (is_inlined(tree, first))
            g_string_append(text, "  inlined");
        else if (source)
            g_string_append_printf(text, "  at %s", source);
    }
    return g_string_free(text, FALSE);
}

/* Begins the row of the last node of `path`. */
static void begin_row(Tree *tree, FcTable *table, FcStyle style, const GArray *path)
{
    Node *node = node_at(tree, g_array_index(path, guint, path->len - 1));
    node->number = ++tree->printed;
    fc_table_row(table, style);
    const gboolean csv = fc_format_is_csv(); /* there may be a million rows */
    const guint parent = node->parent == NO_NODE ? 0 : node_at(tree, node->parent)->number;
    fc_table_cell(table, csv ? fc_format_count(node->number) : NULL);
    fc_table_cell(table, csv ? fc_format_count(parent) : NULL);
    fc_table_cell(table, csv ? fc_format_count(path->len - 1) : NULL);
}

/* The node of folded contexts has no calls of its own, and the callers of its children are not
 * known: it has only a time. */
static void add_folded_node(Tree *tree, FcTable *table, const Node *node, const GArray *path)
{
    begin_row(tree, table, FC_STYLE_DIM, path);
    fc_table_cell(table, fc_format_time(node->total_ns));
    fc_table_cell(table, fc_report_share(tree->context->model, node->total_ns));
    fc_table_cell(table, tree->waits ? fc_format_time(node->total_wait_ns) : NULL);
    fc_table_cell(table, NULL);
    fc_table_cell(table, NULL);
    fc_table_cell(table, format_node(tree, node, path));
}

static void add_node(Tree *tree, FcTable *table, const Node *node, const GArray *path)
{
    const FcModel *model = tree->context->model;
    if (node->function == NO_FUNCTION)
    {
        add_folded_node(tree, table, node, path);
        return;
    }
    tree->at_most = tree->at_most || node->at_most;
    gboolean shown = fc_model_function(model, node->function)->shown;
    begin_row(tree, table, shown ? fc_render_heat(node->local_ns, model->base_ns) : FC_STYLE_DIM,
              path);
    const FcProfileFunction *figures = &fc_model_function(model, node->function)->figures;
    const gboolean estimated = fc_report_is_estimated(figures);
    g_autofree char *time = fc_format_time(node->total_ns);
    fc_table_cell(table, fc_format_is_csv() ? g_strdup(time)
                                            : g_strdup_printf("%s%s%s", node->at_most ? "<" : "",
                                                              estimated ? "~" : "", time));
    fc_table_cell(table, fc_report_share(model, node->total_ns));
    fc_table_cell(table, tree->waits ? fc_format_time(node->total_wait_ns) : NULL);
    fc_table_cell(table, fc_report_mark(fc_format_time(node->local_ns),
                                        fc_report_is_local_estimated(figures)));
    fc_table_cell(table, fc_report_calls(figures, fc_report_mark(fc_format_count(node->calls),
                                                                 node->apportioned)));
    fc_table_cell(table, format_node(tree, node, path));
}

/* How many siblings begin at `first`. */
static guint count_siblings(const Tree *tree, guint first)
{
    guint count = 0;
    for (guint next = first; next != NO_NODE; next = node_at(tree, next)->next)
        count++;
    return count;
}

/* Depth first without recursion: `path` holds the nodes from the root to here. */
static void add_nodes(Tree *tree, FcTable *table)
{
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
    guint depth = tree->context->options->depth;
    guint current = tree->roots;
    while (current != NO_NODE || path->len > 0)
    {
        if (current != NO_NODE && !large_enough(tree, node_at(tree, current)))
        {
            tree->small += count_siblings(tree, current); /* those that follow are smaller */
            current = NO_NODE;
        }
        if (current == NO_NODE)
        {
            if (path->len == 0)
                break;
            current = node_at(tree, g_array_index(path, guint, path->len - 1))->next;
            g_array_set_size(path, path->len - 1);
            continue;
        }
        const Node *node = node_at(tree, current);
        g_array_append_val(path, current);
        add_node(tree, table, node, path);
        current = node->first_child;
        if (depth != 0 && path->len >= depth)
        {
            tree->deep += count_siblings(tree, current);
            current = NO_NODE;
        }
    }
}

static void print_notes(const Tree *tree)
{
    FcRender *render = tree->context->render;
    if (tree->folded != NO_NODE)
        fc_render_note(render,
                       "Calls in contexts beyond FC_CONTEXTS stand under %s, one line for each "
                       "function:\nset FC_CONTEXTS=%" G_GUINT64_FORMAT " to tell them apart.",
                       FC_MODEL_FOLDED, fc_profile_contexts_wanted(tree->context->model->profile));
    if (tree->beyond > 0)
        fc_render_note(render, "%u more context%s with --all.", tree->beyond,
                       tree->beyond == 1 ? "" : "s");
    else if (tree->small > 0)
        fc_render_note(render, "%u branch%s left out by --min.", tree->small,
                       tree->small == 1 ? "" : "es");
    if (tree->deep > 0)
        fc_render_note(render, "%u branch%s below level %u left out; --depth=0 shows all.",
                       tree->deep, tree->deep == 1 ? "" : "es", tree->context->options->depth);
}

static void render_tree(const FcReportContext *context)
{
    if (fc_report_lacks_contexts(context, "Calling-context tree"))
        return;
    Tree tree = {.context = context,
                 .nodes = g_array_new(FALSE, TRUE, sizeof(Node)),
                 .roots = NO_NODE,
                 .folded = NO_NODE};
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    tree.waits = fc_report_shows_waits(context) || fc_format_is_csv();
    if (!tree.waits)
        fc_table_hide(table, WAIT_COLUMN);
    merge_contexts(&tree);
    bound_nodes(&tree);
    mark_wanted(&tree);
    link_nodes(&tree);
    add_nodes(&tree, table);
    fc_render_title(context->render, "Calling-context tree");
    if (tree.roots == NO_NODE)
    {
        fc_render_line(context->render, context->model->profile->extended
                                            ? "No context to show."
                                            : "A version 3.0 profile has no calling contexts.");
    }
    else
    {
        fc_render_note(context->render, "A recursive call is counted with its function's first "
                                        "activation on the way.");
        if (tree.at_most)
            fc_render_note(context->render, "< at most: several call sites may be active at the "
                                            "same time; --details tells them apart.");
        fc_table_print(table, context->render);
        fc_report_note_marks(context);
        print_notes(&tree);
    }
    g_array_unref(tree.nodes);
}

const FcReport fc_report_tree = {"tree", "calling-context tree", FC_REPORT_ON_REQUEST, render_tree,
                                 .shows_diff = TRUE};
