/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cycles of the call graph and a topological numbering.  See graph.h.  A depth-first
 * walk without recursion, so that a call chain of any length fits.
 */
#include "fcgprof/graph.h"

/* Values of top_order during the walk. */
enum
{
    UNSEEN = 0,
    BUSY = -1
};

typedef struct
{
    FcGSym *sym;
    FcGArc *next; /* next arc to follow */
    FcGSym *tail; /* last member of the list that hangs on sym, if sym heads it */
} Frame;

typedef struct
{
    GArray *stack;       /* of Frame */
    GArray *heads;       /* of guint: where on the stack are those that are in no other's cycle */
    guint *positions;    /* of each symbol on the stack, + 1; 0: not there */
    const FcGSym *first; /* of the table */
    int counter;
} Walk;

static void push(Walk *walk, FcGSym *sym)
{
    Frame frame = {sym, sym->children, sym};

    sym->top_order = BUSY;
    g_array_append_val(walk->heads, walk->stack->len);
    g_array_append_val(walk->stack, frame);
    walk->positions[sym - walk->first] = walk->stack->len;
}

/* The head of the cycle that `sym` is in so far.  Members that came with another head lead
 * there by way of that one; the way is made shorter each time, so that it stays short. */
static FcGSym *find_head(FcGSym *sym)
{
    while (sym->cycle_head != sym)
    {
        sym->cycle_head = sym->cycle_head->cycle_head;
        sym = sym->cycle_head;
    }
    return sym;
}

static Frame *frame_at(Walk *walk, guint index)
{
    return &g_array_index(walk->stack, Frame, index);
}

/* `met` is being visited already: everything above it (or above the head of its cycle)
 * on the stack is in a cycle with it. */
static void close_cycle(Walk *walk, FcGSym *met)
{
    guint position = walk->positions[met - walk->first], first_above;
    FcGSym *head = find_head(met);

    if (!position)
        position = walk->positions[head - walk->first];
    if (!position || position == walk->stack->len)
        return;
    Frame *frame = frame_at(walk, walk->positions[head - walk->first] - 1);
    first_above = walk->heads->len;
    while (first_above > 0 && g_array_index(walk->heads, guint, first_above - 1) >= position)
        first_above--;
    for (guint i = first_above; i < walk->heads->len; i++)
    {
        Frame *above = frame_at(walk, g_array_index(walk->heads, guint, i));

        frame->tail->cycle_next = above->sym;
        frame->tail = above->tail;
        above->sym->cycle_head = head;
    }
    g_array_set_size(walk->heads, first_above);
}

static void pop(Walk *walk)
{
    FcGSym *sym = frame_at(walk, walk->stack->len - 1)->sym;

    walk->positions[sym - walk->first] = 0;
    g_array_set_size(walk->stack, walk->stack->len - 1);
    if (sym->cycle_head != sym)
        return;
    g_array_set_size(walk->heads, walk->heads->len - 1);
    walk->counter++;
    for (FcGSym *member = sym; member; member = member->cycle_next)
        member->top_order = walk->counter;
}

static void visit(Walk *walk, FcGSym *start)
{
    push(walk, start);
    while (walk->stack->len > 0)
    {
        Frame *frame = &g_array_index(walk->stack, Frame, walk->stack->len - 1);
        FcGArc *arc = frame->next;

        if (!arc)
        {
            pop(walk);
            continue;
        }
        frame->next = arc->next_child;
        if (arc->child->top_order == UNSEEN)
            push(walk, arc->child);
        else if (arc->child->top_order == BUSY)
            close_cycle(walk, arc->child);
    }
}

static void count_cycle_calls(FcGSym *header)
{
    for (const FcGSym *member = header->cycle_next; member; member = member->cycle_next)
    {
        for (const FcGArc *arc = member->parents; arc; arc = arc->next_parent)
        {
            if (arc->parent == member)
                continue;
            if (arc->parent->cycle == header->cycle)
                header->self_calls += arc->count;
            else
                header->ncalls += arc->count;
        }
    }
}

static void make_headers(FcGModel *model)
{
    guint number = 0;

    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        if (sym->cycle_head == sym && sym->cycle_next)
            model->n_cycles++;
    }
    model->cycles = g_new0(FcGSym, model->n_cycles + 1);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *first = &model->symtab.syms[i], *header;

        if (first->cycle_head != first || !first->cycle_next)
            continue;
        header = &model->cycles[++number];
        fc_gsym_init(header);
        header->print_flag = TRUE;
        header->cycle = (int)number;
        header->cycle_next = first;
        for (FcGSym *member = first; member; member = member->cycle_next)
        {
            member->cycle = (int)number;
            member->cycle_head = header;
        }
        count_cycle_calls(header);
    }
}

void fc_gcycles_find(FcGModel *model)
{
    Walk walk = {.first = model->symtab.syms};

    walk.stack = g_array_new(FALSE, FALSE, sizeof(Frame));
    walk.heads = g_array_new(FALSE, FALSE, sizeof(guint));
    walk.positions = g_new0(guint, model->symtab.len + 1);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        if (model->symtab.syms[i].top_order == UNSEEN)
            visit(&walk, &model->symtab.syms[i]);
    }
    g_array_free(walk.stack, TRUE);
    g_array_free(walk.heads, TRUE);
    g_free(walk.positions);
    make_headers(model);
}
