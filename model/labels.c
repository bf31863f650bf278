/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortens the names of functions, then gives back to those that would look alike what tells them
 * apart; see labels.h.
 */
#include "model/labels.h"

#include <string.h>

#include "profile/path.h"
#include "symbols/shorten.h"

/* Labels live as long as the process.  They are in a string chunk because g_intern_string leaks its
 * table when that grows. */
static const char *intern(const char *text)
{
    static GMutex lock;
    static GStringChunk *strings;
    g_mutex_lock(&lock);
    if (!strings)
        strings = g_string_chunk_new(16384);
    const char *result = g_string_chunk_insert_const(strings, text);
    g_mutex_unlock(&lock);
    return result;
}

/* A namespace with this share of the functions is the program's own, and labels leave it out.  This
 * and the next only decide what is shown. */
#define HOME_SHARE 0.4
#define ARGUMENTS_LONG 40

/* What a label says beyond the shortest name. */
typedef struct
{
    FcShorten how;
    const char *location; /* "FILE:LINE"; NULL: not looked for, or not known */
    gboolean parameters;
    gboolean qualifiers; /* "const" after the parameters */
    gboolean variant;    /* of a constructor or destructor */
    gboolean suffix;     /* the text that distinct.c appended to the name */
    gboolean begins;     /* the location of its first line */
    gboolean whole;
} Label;

typedef struct
{
    FcModel *model;
    GArray *labels; /* Label, by function */
} Labels;

/* Changes a label so that it says more. */
typedef void More(const Labels *labels, guint function, Label *label);

static const char *name_of(const FcModel *model, guint function)
{
    const FcFunction *own = fc_model_function(model, function);
    return own->symbol.name ? own->symbol.name : own->name;
}

/* "FILE:LINE" of its first line, interned; NULL: not known. */
static const char *location_of(const FcModel *model, guint function)
{
    FcSymbol symbol;
    const FcProfileLocation *location = &fc_model_function(model, function)->figures.location;
    fc_symbols_find(model->symbols, model->profile, location, FALSE, &symbol);
    if (!symbol.file)
        return NULL;
    g_autofree char *text = g_strdup_printf("%s:%u", fc_base_name(symbol.file), symbol.line);
    return intern(text);
}

/* Whether its label contains its location, as that of a lambda or a region does. */
static gboolean is_named_by_place(const FcModel *model, guint function)
{
    return fc_shorten_is_lambda(name_of(model, function)) ||
           fc_model_function(model, function)->region != FC_REGION_NONE;
}

/* ---- The program's own namespace ---------------------------------------------------------- */

typedef struct
{
    guint functions;
    gboolean has_scopes; /* it contains classes: it is a namespace */
    gboolean is_class;
} Scope;

static GHashTable *count_scopes(const FcModel *model)
{
    GHashTable *scopes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const char *name = name_of(model, i);
        gboolean is_nested = FALSE;
        g_autofree char *outermost = fc_shorten_outermost(name, &is_nested);
        if (!outermost || strcmp(outermost, "std") == 0)
            continue;
        const char *rest = name + strlen(outermost) + 2;
        const gboolean is_class = g_str_has_prefix(name, outermost) &&
                                  g_str_has_prefix(rest + (*rest == '~'), outermost) &&
                                  strpbrk(rest + (*rest == '~') + strlen(outermost), ":<(") == NULL;
        Scope *scope = g_hash_table_lookup(scopes, outermost);
        if (!scope)
        {
            scope = g_new0(Scope, 1);
            g_hash_table_insert(scopes, g_steal_pointer(&outermost), scope);
        }
        scope->functions++;
        scope->has_scopes = scope->has_scopes || is_nested;
        scope->is_class = scope->is_class || is_class;
    }
    return scopes;
}

/* Returns the program's own namespace, interned; NULL: there is none. */
static const char *find_home(const FcModel *model)
{
    g_autoptr(GHashTable) scopes = count_scopes(model);
    GHashTableIter iter;
    gpointer name;
    gpointer value;
    const char *home = NULL;
    guint most = 0;
    g_hash_table_iter_init(&iter, scopes);
    while (g_hash_table_iter_next(&iter, &name, &value))
    {
        const Scope *scope = value;
        if (scope->functions <= most || !scope->has_scopes || scope->is_class ||
            g_ascii_isupper(*(const char *)name) ||
            scope->functions < HOME_SHARE * model->functions->len)
            continue;
        most = scope->functions;
        home = intern(name);
    }
    return home;
}

/* ---- One label ------------------------------------------------------------------------------ */

static void append_parameters(GString *text, const FcFunction *function, const Label *label)
{
    const FcShorten *how = &label->how;
    const char *raw = function->symbol.raw_name;
    g_autofree char *whole = raw ? fc_demangle_name(raw, FC_DEMANGLE_PARAMS) : NULL;
    g_autofree char *parameters =
        whole && strcmp(whole, raw) != 0 ? fc_shorten_parameters(whole, how) : NULL;
    const char *end = parameters ? strrchr(parameters, ')') : NULL;
    if (!end)
        return;
    if (strstr(text->str, " at ")) /* a lambda's location */
        g_string_append_c(text, ' ');
    g_string_append_len(text, parameters, label->qualifiers ? -1 : (gssize)(end + 1 - parameters));
}

/* Returns what distinct.c appended to the name, such as " [main.c]"; "": nothing. */
static const char *suffix_of(const FcFunction *function)
{
    const char *plain = function->symbol.name;
    const char *end = strrchr(function->name, ')'); /* end of the parameters */
    const char *rest = g_str_has_prefix(function->name, plain) ? function->name + strlen(plain)
                       : end                                   ? strstr(end, " [")
                                                               : NULL;
    return rest && g_str_has_prefix(rest, " [") ? rest : "";
}

/* Replaces the text by the name of an OpenMP region: "work: parallel at main.c:12". */
static void name_region(GString *text, const FcFunction *function, const Label *label)
{
    static const char *const words[] = {[FC_REGION_UNKNOWN] = "OpenMP",
                                        [FC_REGION_PARALLEL] = "parallel",
                                        [FC_REGION_TASK] = "task"};
    g_autofree char *owner =
        function->region_owner ? fc_shorten_name(function->region_owner, &label->how) : NULL;
    g_string_assign(text, owner ? owner : "");
    g_string_replace(text, " (OpenMP)", "", 1);
    g_string_append_printf(text, "%s%s", owner ? ": " : "", words[function->region]);
    if (label->location)
        g_string_append_printf(text, " at %s", label->location);
}

static const char *compose(const FcModel *model, guint function, const Label *label)
{
    const FcFunction *own = fc_model_function(model, function);
    if (label->whole)
        return intern(own->name);
    FcShorten how = label->how;
    how.location = label->location;
    g_autofree char *shortened = fc_shorten_name(name_of(model, function), &how);
    g_autoptr(GString) text = g_string_new(shortened);
    if (own->region != FC_REGION_NONE)
        name_region(text, own, label);
    if (label->parameters)
        append_parameters(text, own, label);
    const char *variant =
        label->variant && own->symbol.raw_name ? fc_demangle_variant(own->symbol.raw_name) : NULL;
    if (variant)
        g_string_append_printf(text, " (%s)", variant);
    if (label->suffix)
        g_string_append(text, suffix_of(own));
    if (label->begins && label->location)
        g_string_append_printf(text, " at %s", label->location);
    return intern(text->str);
}

/* ---- What tells them apart, the shortest first ---------------------------------------------- */

static void add_parameters(const Labels *labels, guint function, Label *label)
{
    label->parameters = TRUE;
}

static void add_qualifiers(const Labels *labels, guint function, Label *label)
{
    label->parameters = label->qualifiers = TRUE;
}

static void add_arguments(const Labels *labels, guint function, Label *label)
{
    label->how.arguments = ARGUMENTS_LONG;
}

static void add_scopes(const Labels *labels, guint function, Label *label)
{
    label->how.scopes = TRUE;
}

static void add_ordinals(const Labels *labels, guint function, Label *label)
{
    label->how.ordinals = TRUE;
}

static void add_clones(const Labels *labels, guint function, Label *label)
{
    label->how.clones = TRUE;
}

static void add_variant(const Labels *labels, guint function, Label *label)
{
    label->variant = TRUE;
}

static void add_suffix(const Labels *labels, guint function, Label *label)
{
    label->suffix = TRUE;
    label->variant = FALSE;
}

static void add_location(const Labels *labels, guint function, Label *label)
{
    label->location = location_of(labels->model, function);
    label->begins = !is_named_by_place(labels->model, function) ||
                    (!strstr(name_of(labels->model, function), "{") &&
                     fc_model_function(labels->model, function)->region == FC_REGION_NONE);
}

static void add_all(const Labels *labels, guint function, Label *label)
{
    label->whole = TRUE;
}

/* Lengthens the labels of functions that are `alike`, unless all would be the same again. */
static void lengthen(const Labels *labels, const GArray *alike, More *more)
{
    g_autofree Label *changed = g_new(Label, alike->len);
    g_autofree const char **texts = g_new(const char *, alike->len);
    gboolean differ = FALSE;
    for (guint i = 0; i < alike->len; i++)
    {
        const guint function = g_array_index(alike, guint, i);
        changed[i] = g_array_index(labels->labels, Label, function);
        more(labels, function, &changed[i]);
        texts[i] = compose(labels->model, function, &changed[i]);
        differ = differ || texts[i] != texts[0];
    }
    for (guint i = 0; differ && i < alike->len; i++)
    {
        const guint function = g_array_index(alike, guint, i);
        g_array_index(labels->labels, Label, function) = changed[i];
        g_array_index(labels->model->functions, FcFunction, function).label = texts[i];
    }
}

/* Whether the functions have different names. */
static gboolean have_names(const FcModel *model, const GArray *alike)
{
    for (guint i = 1; i < alike->len; i++)
        if (strcmp(fc_model_function(model, g_array_index(alike, guint, i))->name,
                   fc_model_function(model, g_array_index(alike, guint, 0))->name) != 0)
            return TRUE;
    return FALSE;
}

static gboolean lengthen_all(const Labels *labels, More *more)
{
    g_autoptr(GHashTable) groups =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    gboolean found = FALSE;
    for (guint i = 0; i < labels->model->functions->len; i++)
    {
        const char *label = fc_model_function(labels->model, i)->label; /* interned */
        GArray *group = g_hash_table_lookup(groups, label);
        if (!group)
        {
            group = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_insert(groups, (gpointer)label, group);
        }
        g_array_append_val(group, i);
    }
    GHashTableIter iter;
    gpointer group;
    g_hash_table_iter_init(&iter, groups);
    while (g_hash_table_iter_next(&iter, NULL, &group))
        if (((GArray *)group)->len > 1 && have_names(labels->model, group))
        {
            lengthen(labels, group, more);
            found = TRUE;
        }
    return found;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void shorten_all(const Labels *labels, gboolean ascii)
{
    const FcModel *model = labels->model;
    for (guint i = 0; i < model->functions->len; i++)
    {
        Label label = {
            .how = {.ascii = ascii, .home = model->home, .arguments = FC_SHORTEN_ARGUMENTS}};
        if (is_named_by_place(model, i))
            label.location = location_of(model, i);
        g_array_append_val(labels->labels, label);
        g_array_index(model->functions, FcFunction, i).label = compose(model, i, &label);
    }
}

void fc_labels_make(FcModel *model, FcLabels style)
{
    static More *const steps[] = {add_ordinals, add_parameters, add_qualifiers, add_arguments,
                                  add_clones,   add_variant,    add_scopes,     add_suffix,
                                  add_location, add_all};
    model->has_short_labels = style != FC_LABELS_WHOLE;
    model->has_ascii_labels = style == FC_LABELS_ASCII;
    if (style == FC_LABELS_WHOLE)
    {
        for (guint i = 0; i < model->functions->len; i++)
        {
            FcFunction *function = &g_array_index(model->functions, FcFunction, i);
            function->label = function->name;
        }
        return;
    }
    model->home = find_home(model);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Label));
    const Labels labels = {model, all};
    shorten_all(&labels, style == FC_LABELS_ASCII);
    for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
        if (!lengthen_all(&labels, steps[i]))
            break;
}

const char *fc_labels_of_name(const FcModel *model, const char *name)
{
    const FcShorten how = {
        .ascii = model->has_ascii_labels, .home = model->home, .arguments = FC_SHORTEN_ARGUMENTS};
    if (!model->has_short_labels)
        return name;
    g_autofree char *text = fc_shorten_name(name, &how);
    return intern(text);
}
