/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The nearest code symbol below an address; where debugging information names no
 * function, reports take this one.  See line-funcs.h.
 */
#include "fcgprof/line-funcs.h"

#include <gelf.h>
#include <stdlib.h>

typedef struct
{
    const FcGImageSym *sym;
    guint order; /* in the symbol table */
} TextSym;

struct FcGTextSyms
{
    TextSym *syms; /* by address, then in file order */
    guint n;
    const FcGImageSym *last;
};

static guint64 size_of(const FcGImageSym *sym)
{
    return sym->size ? sym->size : 1;
}

static gboolean is_candidate(const FcGImageSym *sym)
{
    if (!sym->in_text)
        return FALSE;
    switch (sym->type)
    {
    case STT_SECTION:
    case STT_FILE:
    case STT_OBJECT:
    case STT_COMMON:
    case STT_TLS:
        return FALSE;
    default:
        break;
    }
    /* Markers that compiler plugins leave: hidden, local, typeless, empty. */
    return !(sym->size == 0 && sym->binding == STB_LOCAL && sym->type == STT_NOTYPE &&
             sym->visibility == STV_HIDDEN);
}

static int compare_text_syms(const void *a, const void *b)
{
    const TextSym *left = a, *right = b;

    if (left->sym->addr != right->sym->addr)
        return left->sym->addr < right->sym->addr ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

FcGTextSyms *fc_gtext_syms_new(const FcGImage *image)
{
    FcGTextSyms *syms = g_new0(FcGTextSyms, 1);
    guint n_all = 0;
    const FcGImageSym *all = image ? fc_gimage_symbols(image, &n_all) : NULL;

    syms->syms = g_new(TextSym, (gsize)n_all + 1);
    for (guint i = 0; i < n_all; i++)
    {
        if (!is_candidate(&all[i]) || all[i].addr < fc_gimage_text_start(image))
            continue;
        syms->syms[syms->n++] = (TextSym){&all[i], i};
    }
    qsort(syms->syms, syms->n, sizeof(TextSym), compare_text_syms);
    return syms;
}

void fc_gtext_syms_free(FcGTextSyms *syms)
{
    if (!syms)
        return;
    g_free(syms->syms);
    g_free(syms);
}

static gboolean is_last(const FcGTextSyms *syms, guint64 addr)
{
    return syms->last && addr >= syms->last->addr && addr - syms->last->addr < size_of(syms->last);
}

const FcGImageSym *fc_gtext_syms_find(FcGTextSyms *syms, guint64 addr)
{
    guint low = 0, high = syms->n, first, best;

    if (is_last(syms, addr))
        return syms->last;
    syms->last = NULL;
    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (syms->syms[middle].sym->addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    for (first = low - 1; first > 0; first--)
    {
        if (syms->syms[first - 1].sym->addr != syms->syms[low - 1].sym->addr)
            break;
    }
    best = first;
    for (guint i = first + 1; i < low; i++)
    {
        if (size_of(syms->syms[i].sym) > size_of(syms->syms[best].sym))
            best = i;
    }
    syms->last = syms->syms[best].sym;
    return syms->last;
}

guint64 fc_gtext_syms_same_until(const FcGTextSyms *syms, guint64 addr)
{
    if (is_last(syms, addr))
        return syms->last->addr + size_of(syms->last);
    if (syms->last)
        return addr + 1;
    return syms->n > 0 ? syms->syms[0].sym->addr : G_MAXUINT64;
}
