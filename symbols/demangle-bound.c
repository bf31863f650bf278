/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Walks the tree of a C++ name as libiberty does when it prints it, and counts steps: see
 * demangle-bound.h.
 */
#include "symbols/demangle-bound.h"

#define DEPTH_MAX 1024u /* libiberty goes no deeper, too */

typedef struct demangle_component Component;

/* The arguments of the templates around a node, the innermost template first.  Never changes. */
typedef struct Templates
{
    const struct Templates *outer;
    const Component *template;
} Templates;

typedef struct
{
    gsize left; /* steps; 0: it is too much */
    guint depth;
    guint lambdas; /* whose parameters we are among: these are called auto */
    int pack_index;
    const Templates *templates;
    const Component *innermost;  /* template that is being written */
    GPtrArray *all;              /* Templates, owned */
    GHashTable *seen_references; /* reference -> the Templates that it was first met with */
} Walk;

static void step(Walk *walk, gsize steps)
{
    walk->left -= MIN(walk->left, steps);
}

static const Component *list_item(const Component *list, long index)
{
    for (; list && list->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST;
         list = list->u.s_binary.right, index--)
        if (index <= 0)
            return list->u.s_binary.left;
    return NULL;
}

static int list_length(const Component *list)
{
    int length = 0;
    for (; list && list->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST && list->u.s_binary.left;
         list = list->u.s_binary.right)
        length++;
    return length;
}

/* What parameter `node` stands for; NULL: nothing. */
static const Component *argument_of(const Walk *walk, const Component *node)
{
    return walk->templates
               ? list_item(walk->templates->template->u.s_binary.right, node->u.s_number.number)
               : NULL;
}

static gboolean is_leaf(const Component *node)
{
    switch ((int)node->type)
    {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
#ifdef FC_HAVE_EXTENDED_BUILTIN_TYPE
    case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
#endif
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        return TRUE;
    default:
        return FALSE;
    }
}

/* Its parts, of which each may be NULL. */
static void parts_of(const Component *node, const Component **left, const Component **right)
{
    *left = NULL;
    *right = NULL;
    if (is_leaf(node))
        return;
    switch ((int)node->type)
    {
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        *left = node->u.s_extended_operator.name;
        break;
    case DEMANGLE_COMPONENT_FIXED_TYPE:
        *left = node->u.s_fixed.length;
        break;
    case DEMANGLE_COMPONENT_CTOR:
        *left = node->u.s_ctor.name;
        break;
    case DEMANGLE_COMPONENT_DTOR:
        *left = node->u.s_dtor.name;
        break;
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
        *left = node->u.s_unary_num.sub;
        break;
    default:
        *left = node->u.s_binary.left;
        *right = node->u.s_binary.right;
        break;
    }
}

/* Finds the pack that an expansion is repeated for. libiberty searches for it again each time. */
static const Component *find_pack(Walk *walk, const Component *node)
{
    if (!node || walk->left == 0 || walk->depth >= DEPTH_MAX)
        return NULL;
    step(walk, 1);
    if (node->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM)
    {
        const Component *argument = argument_of(walk, node);
        return argument && argument->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST ? argument : NULL;
    }
    if (node->type == DEMANGLE_COMPONENT_PACK_EXPANSION || node->type == DEMANGLE_COMPONENT_LAMBDA)
        return NULL;
    const Component *left;
    const Component *right;
    parts_of(node, &left, &right);
    walk->depth++;
    const Component *found = find_pack(walk, left);
    if (!found)
        found = find_pack(walk, right);
    walk->depth--;
    return found;
}

static void go_through(Walk *walk, const Component *node);

static void go_through_parts(Walk *walk, const Component *node)
{
    const Component *left;
    const Component *right;
    parts_of(node, &left, &right);
    go_through(walk, left);
    go_through(walk, right);
}

/* With `template`'s parameters as the innermost ones. */
static void go_through_within(Walk *walk, const Component *node, const Component *template)
{
    const Templates *outer = walk->templates;
    Templates *inner = g_new(Templates, 1);
    *inner = (Templates){outer, template};
    g_ptr_array_add(walk->all, inner);
    walk->templates = inner;
    go_through_parts(walk, node);
    walk->templates = outer;
}

/* Of a function: its name, or that of what is in a function, may be a template. */
static void go_through_typed(Walk *walk, const Component *node)
{
    const Component *name = node->u.s_binary.left;
    for (guint i = 0; name && i < DEPTH_MAX; i++)
    {
        if (name->type == DEMANGLE_COMPONENT_TEMPLATE)
        {
            go_through_within(walk, node, name);
            return;
        }
        if (name->type == DEMANGLE_COMPONENT_LOCAL_NAME ||
            name->type == DEMANGLE_COMPONENT_DEFAULT_ARG)
            name = name->type == DEMANGLE_COMPONENT_LOCAL_NAME ? name->u.s_binary.right
                                                               : name->u.s_unary_num.sub;
        else if (is_leaf(name))
            break;
        else
            name = name->type >= DEMANGLE_COMPONENT_RESTRICT_THIS &&
                           name->type <= DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS
                       ? name->u.s_binary.left
                       : NULL;
    }
    go_through_parts(walk, node);
}

static void go_through_parameter(Walk *walk, const Component *node)
{
    const Component *argument = walk->lambdas == 0 ? argument_of(walk, node) : NULL;
    if (argument && argument->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST && walk->pack_index >= 0)
        argument = list_item(argument, walk->pack_index);
    if (!argument)
        return;
    const Templates *templates = walk->templates;
    walk->templates = templates->outer;
    go_through(walk, argument);
    walk->templates = templates;
}

static void go_through_expansion(Walk *walk, const Component *node)
{
    const Component *pattern = node->u.s_binary.left;
    const Component *pack = find_pack(walk, pattern);
    const int length = pack ? list_length(pack) : 1;
    const int before = walk->pack_index;
    for (int i = 0; i < length && walk->left > 0; i++)
    {
        if (pack)
            walk->pack_index = i;
        go_through(walk, pattern);
    }
    walk->pack_index = before;
}

/* A reference to a parameter is written with the arguments of where it was first met. */
static void go_through_reference(Walk *walk, const Component *node)
{
    const Templates *templates = walk->templates;
    const Component *to = node->u.s_binary.left;
    if (to && to->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM && walk->lambdas == 0)
    {
        gpointer first;
        if (g_hash_table_lookup_extended(walk->seen_references, to, NULL, &first))
            walk->templates = first;
        else
            g_hash_table_insert(walk->seen_references, (gpointer)to, (gpointer)templates);
    }
    go_through(walk, to);
    walk->templates = templates;
}

static void go_through_one(Walk *walk, const Component *node)
{
    const Component *innermost = walk->innermost;
    switch ((int)node->type)
    {
    case DEMANGLE_COMPONENT_NAME:
        step(walk, (gsize)MAX(node->u.s_name.len, 0));
        break;
    case DEMANGLE_COMPONENT_TYPED_NAME:
        go_through_typed(walk, node);
        break;
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
        go_through_parameter(walk, node);
        break;
    case DEMANGLE_COMPONENT_PACK_EXPANSION:
        go_through_expansion(walk, node);
        break;
    case DEMANGLE_COMPONENT_REFERENCE:
    case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
        go_through_reference(walk, node);
        break;
    case DEMANGLE_COMPONENT_LAMBDA:
        walk->lambdas++;
        go_through_parts(walk, node);
        walk->lambdas--;
        break;
    case DEMANGLE_COMPONENT_TEMPLATE:
        walk->innermost = node;
        go_through_parts(walk, node);
        walk->innermost = innermost;
        break;
    case DEMANGLE_COMPONENT_CONVERSION:
        if (innermost)
            go_through_within(walk, node, innermost);
        else
            go_through_parts(walk, node);
        break;
    default:
        go_through_parts(walk, node);
        break;
    }
}

static void go_through(Walk *walk, const Component *node)
{
    if (!node || walk->left == 0 || walk->depth >= DEPTH_MAX)
        return;
    step(walk, 1);
    walk->depth++;
    go_through_one(walk, node);
    walk->depth--;
}

gboolean fc_demangle_is_bounded(const struct demangle_component *tree, gsize limit)
{
    Walk walk = {.left = limit, .pack_index = 0};
    walk.all = g_ptr_array_new_with_free_func(g_free);
    walk.seen_references = g_hash_table_new(NULL, NULL);
    go_through(&walk, tree);
    g_ptr_array_unref(walk.all);
    g_hash_table_unref(walk.seen_references);
    return walk.left > 0;
}
