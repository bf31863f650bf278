/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From frames to lines of the source; see memory-lines.h.
 */
#include "model/memory-lines.h"

#include "model/labels.h"

#include <string.h>

static gboolean is_systems_module(const FcModel *model, const FcProfileLocation *location)
{
    if (location->module == FC_NONE)
        return FALSE;
    const char *path =
        g_array_index(model->profile->modules, FcProfileModule, location->module).path;
    return g_str_has_prefix(path, "/usr/lib") || g_str_has_prefix(path, "/lib");
}

static void add_line(const FcModel *model, GArray *lines, const FcMemoryFrame *frame,
                     FcMemoryLine line)
{
    line.address = frame->location.address;
    line.is_systems = line.file ? fc_symbols_is_system_file(line.file)
                                : is_systems_module(model, &frame->location);
    g_array_append_val(lines, line);
}

/* Appends the lines of one frame.  `outer` gets the names of the functions that its innermost
 * function was inlined into. */
static void add_frame(const FcModel *model, GArray *lines, const FcMemoryFrame *frame,
                      GPtrArray *outer)
{
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &frame->location, TRUE, &symbol);
    FcMemoryLine line = {
        .name = frame->name, .label = frame->label, .file = symbol.file, .line = symbol.line};
    g_autoptr(GArray) chain =
        fc_symbols_find_chain(model->symbols, model->profile, &frame->location);
    for (guint i = 0; i < chain->len; i++)
    {
        const FcInlinedCall *call = &g_array_index(chain, FcInlinedCall, i);
        line.name = call->name;
        line.label = fc_labels_of_name(model, call->name);
        add_line(model, lines, frame, line);
        if (i > 0)
            g_ptr_array_add(outer, (gpointer)call->name);
        line.file = call->file;
        line.line = call->line;
    }
    if (chain->len > 0)
    {
        /* The last line is of the function whose machine code is at the location. */
        const gboolean is_own = strcmp(frame->name, symbol.name) == 0 || !symbol.raw_name;
        line.name = is_own ? frame->name : symbol.name;
        line.label = is_own ? frame->label : fc_labels_of_name(model, symbol.name);
        g_ptr_array_add(outer, (gpointer)symbol.name);
    }
    add_line(model, lines, frame, line);
}

/* Removes `name` and all names before it from `outer`.  FALSE: `outer` does not have it. */
static gboolean take_outer(GPtrArray *outer, const char *name)
{
    for (guint i = 0; i < outer->len; i++)
        if (strcmp(outer->pdata[i], name) == 0)
        {
            g_ptr_array_remove_range(outer, 0, i + 1);
            return TRUE;
        }
    return FALSE;
}

GArray *fc_memory_lines(const FcModel *model, const FcProfileHeapPoint *point)
{
    g_autoptr(GArray) stack = fc_memory_stack(model, point);
    g_autoptr(GPtrArray) outer = g_ptr_array_new(); /* not repeated by a context yet */
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(FcMemoryLine));
    for (guint i = 0; i < stack->len; i++)
    {
        const FcMemoryFrame *frame = &g_array_index(stack, FcMemoryFrame, i);
        if (!frame->no_line)
        {
            g_ptr_array_set_size(outer, 0);
            add_frame(model, lines, frame, outer);
        }
        else if (!take_outer(outer, frame->name))
            add_line(model, lines, frame,
                     (FcMemoryLine){.name = frame->name, .label = frame->label});
    }
    return lines;
}

guint fc_memory_own_line(const GArray *lines)
{
    for (guint i = 0; i < lines->len; i++)
        if (!g_array_index(lines, FcMemoryLine, i).is_systems)
            return i;
    return 0;
}
