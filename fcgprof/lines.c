/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts together what DWARF, ELF symbols and stabs say of an address.  See lines.h.
 */
#include "fcgprof/lines.h"

#include "fcgprof/debug-file.h"
#include "fcgprof/line-stabs.h"
#include "fcgprof/line-units.h"
#include <string.h>

struct FcGLines
{
    FcGDebugFile *file;
    GStringChunk *strings;
    FcGLineUnits *units; /* NULL: no DWARF */
    FcGTextSyms *text_syms;
    FcGLineStabs *stabs; /* NULL: none */
    guint64 next_change;
    guint64 shift; /* from an image's addresses to those of the debugging information */
};

FcGLines *fc_glines_new(FcGImage *image)
{
    FcGLines *lines = g_new0(FcGLines, 1);

    lines->strings = g_string_chunk_new(4096);
    lines->stabs = fc_gline_stabs_new(image, lines->strings);
    lines->file = fc_gdebug_file_open(image);
    lines->units = fc_gline_units_new(image, lines->file, lines->strings);
    lines->shift = fc_gdebug_file_text_shift(lines->file);
    return lines;
}

void fc_glines_free(FcGLines *lines)
{
    if (!lines)
        return;
    fc_gline_units_free(lines->units);
    fc_gtext_syms_free(lines->text_syms);
    fc_gline_stabs_free(lines->stabs);
    g_string_chunk_free(lines->strings);
    fc_gdebug_file_free(lines->file);
    g_free(lines);
}

static const FcGImageSym *find_text_sym(FcGLines *lines, guint64 addr)
{
    if (!lines->text_syms)
        lines->text_syms = fc_gtext_syms_new(fc_gdebug_file_symbols(lines->file));
    return fc_gtext_syms_find(lines->text_syms, addr);
}

/* A function whose DWARF name is not what the linker calls it gets the name of the ELF
 * symbol once; for good only if both start at the same place. */
static const char *name_function(FcGLines *lines, guint64 addr, FcGLineFunc *func)
{
    const FcGImageSym *sym;

    if (func && func->is_linkage)
        return func->name;
    sym = find_text_sym(lines, addr);
    lines->next_change = addr + 1; /* the answer may be another one the next time */
    if (func)
    {
        func->is_linkage = TRUE;
        if (!sym)
            return func->name;
        if (sym->addr + lines->shift == func->low)
            func->name = sym->name;
    }
    return sym ? sym->name : NULL;
}

/* Where there is DWARF, an ELF symbol is an answer as well: one without a line. */
static gboolean is_answered(FcGLines *lines, guint64 addr)
{
    const FcGImageSym *sym;

    if (!lines->units)
        return FALSE;
    sym = find_text_sym(lines, addr);
    lines->next_change = MIN(lines->next_change, fc_gtext_syms_same_until(lines->text_syms, addr));
    return sym != NULL;
}

/* Stabs are asked where there is no other answer. */
static gboolean ask_stabs(FcGLines *lines, guint64 addr, FcGLine *out)
{
    guint line = 0;

    lines->next_change = addr + 1; /* each question may change the answer to the next */
    fc_gline_stabs_find(lines->stabs, addr, &out->file, &out->function, &line);
    out->line = (int)line;
    return out->file && out->function && out->line != 0;
}

static gboolean ask_units(FcGLines *lines, guint64 addr, FcGLineAnswer *answer)
{
    guint64 until;
    gboolean is_good;

    if (!lines->units)
        return FALSE;
    is_good = fc_gline_units_ask(lines->units, addr + lines->shift, answer, &until);
    if (until != G_MAXUINT64)
        lines->next_change = until - lines->shift;
    return is_good;
}

gboolean fc_glines_find(FcGLines *lines, guint64 addr, FcGLine *out)
{
    FcGLineAnswer answer;

    lines->next_change = G_MAXUINT64;
    memset(out, 0, sizeof *out);
    if (!ask_units(lines, addr, &answer))
        return !is_answered(lines, addr) && lines->stabs && ask_stabs(lines, addr, out);
    out->function = name_function(lines, addr, answer.func);
    if (!answer.row || !answer.row->file || answer.row->line == 0)
        return FALSE;
    out->file = answer.row->file;
    out->line = (int)answer.row->line;
    return out->function != NULL;
}

guint64 fc_glines_next_change(const FcGLines *lines)
{
    return lines->next_change;
}
