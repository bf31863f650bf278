/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See rebuild.h.
 */
#include "fcdump/rebuild.h"

#include "fcdump/report-suggest.h"

#define NAMES_MAX 3          /* of functions whose hooks took most */
#define NAMED_MAX 6          /* of functions to leave out in the source, on one line */
#define NOTABLE_PART 0.1     /* of all overhead: functions with less are not named */
#define EXAMINED_MAX 100u    /* functions whose compiler is looked up */
#define AS_USERS_BUILD "-O2" /* if users' own flags are not known */

/* What to do about the overhead. */
typedef enum
{
    NOT_KNOWN,
    OPTIMIZE,       /* the flags of fc-config, with optimization */
    NAME_BY_FLAG,   /* gcc's option: hooks are put in before inlining, whatever the flags */
    NAME_IN_SOURCE, /* the attribute: they are put in after inlining, or it is clang */
    REMEDIES,
} Remedy;

typedef struct
{
    guint function;
    guint64 cost_ns;
} Costly;

static int compare_costs(gconstpointer a, gconstpointer b)
{
    const Costly *first = a;
    const Costly *second = b;
    if (first->cost_ns != second->cost_ns)
        return first->cost_ns > second->cost_ns ? -1 : 1;
    return first->function < second->function ? -1 : 1;
}

/* The functions with overhead, Costly, the largest first. */
static GArray *list_costly(const FcModel *model)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(Costly));
    for (guint i = 0; i < model->functions->len; i++)
    {
        const Costly costly = {i, fc_model_function(model, i)->figures.times.local_cost_ns};
        if (costly.cost_ns > 0)
            g_array_append_val(list, costly);
    }
    g_array_sort(list, compare_costs);
    return list;
}

/* ---- How it was compiled ----------------------------------------------------------------- */

/* Whether clang put hooks into what it inlined: there are calls of it. */
static gboolean has_hooks_in_inlined(const FcModel *model)
{
    for (guint i = 0; i < model->profile->arcs->len; i++)
        if (model->inlined[i])
            return TRUE;
    return FALSE;
}

static Remedy find_remedy(const FcModel *model, guint function, gboolean is_before,
                          FcProducer *producer)
{
    const FcProfileLocation *place = &fc_model_function(model, function)->figures.location;
    fc_symbols_find_producer(model->symbols, model->profile, place, producer);
    if (producer->optimized == FC_OPTIMIZED_NO)
        return OPTIMIZE;
    if (fc_symbols_is_after_inlining(model->symbols, model->profile, place))
        return NAME_IN_SOURCE;
    if (producer->compiler == FC_COMPILER_GCC)
        return producer->is_only_classic ? NAME_BY_FLAG : OPTIMIZE;
    if (producer->compiler == FC_COMPILER_CLANG)
        return is_before ? OPTIMIZE : NAME_IN_SOURCE;
    return NOT_KNOWN;
}

/* What helps against most of the overhead.  *producer: how the costliest of its functions was
 * compiled. */
static Remedy choose_remedy(const FcModel *model, const GArray *costly, FcProducer *producer)
{
    const gboolean is_before = has_hooks_in_inlined(model);
    guint64 sums_ns[REMEDIES] = {0};
    FcProducer producers[REMEDIES] = {0};
    Remedy best = NOT_KNOWN;
    for (guint i = 0; i < MIN(costly->len, EXAMINED_MAX); i++)
    {
        const Costly *each = &g_array_index(costly, Costly, i);
        FcProducer found;
        const Remedy remedy = find_remedy(model, each->function, is_before, &found);
        if (sums_ns[remedy] == 0)
            producers[remedy] = found;
        sums_ns[remedy] += each->cost_ns;
        if (sums_ns[remedy] > sums_ns[best])
            best = remedy;
    }
    *producer = producers[best];
    return best;
}

/* ---- What to say -------------------------------------------------------------------------- */

/* Appends the functions whose hooks took most time. */
static void append_dearest(GString *text, const FcModel *model, const GArray *costly)
{
    guint64 all_ns = 0;
    for (guint i = 0; i < costly->len; i++)
        all_ns += g_array_index(costly, Costly, i).cost_ns;
    for (guint i = 0; i < MIN(costly->len, NAMES_MAX); i++)
    {
        const Costly *each = &g_array_index(costly, Costly, i);
        if ((double)each->cost_ns < NOTABLE_PART * (double)all_ns)
            break;
        g_autofree char *name = fc_format_text(fc_model_function(model, each->function)->label);
        g_string_append_printf(text, "%s%s", i == 0 ? ", most for " : ", ", name);
    }
}

static void append_names(GString *text, const GPtrArray *names)
{
    const guint shown = names->len > NAMED_MAX ? NAMED_MAX - 1 : names->len;
    for (guint i = 0; i < shown; i++)
    {
        g_autofree char *name = fc_format_text(names->pdata[i]);
        g_string_append_printf(text, "%s%s", i == 0 ? "" : ", ", name);
    }
    if (shown < names->len)
        g_string_append_printf(text, " and %u more", names->len - shown);
}

/* Appends the names of functions to leave out, as --suggest-filter does.  FALSE if none is worth
 * it. */
static gboolean append_left_out(GString *text, const FcReportContext *context, gboolean by_flag)
{
    g_autoptr(FcSuggestion) suggestion = fc_suggest(context->model, FC_SUGGEST_PERCENT);
    const GPtrArray *names = suggestion ? suggestion->ways[FC_SUGGEST_COMPILED].names : NULL;
    if (!names || names->len == 0)
        return FALSE;
    if (by_flag && !suggestion->lacks_option)
    {
        g_autofree char *flag = fc_suggestion_flag(suggestion);
        g_string_append_printf(text, "; compile with %s", flag);
        return TRUE;
    }
    g_string_append(text, "; write __attribute__((no_instrument_function)) before ");
    append_names(text, names);
    return TRUE;
}

char *fc_rebuild_advise(const FcReportContext *context, gboolean *says_what)
{
    const FcModel *model = context->model;
    GString *text = g_string_new(NULL);
    g_autoptr(GArray) costly = list_costly(model);
    FcProducer producer;
    *says_what = TRUE;
    const Remedy remedy = choose_remedy(model, costly, &producer);
    if ((remedy == NAME_BY_FLAG || remedy == NAME_IN_SOURCE) &&
        append_left_out(text, context, remedy == NAME_BY_FLAG))
        return g_string_free(text, FALSE);
    append_dearest(text, model, costly);
    *says_what = remedy == OPTIMIZE;
    if (*says_what)
        g_string_append_printf(text, "; compile with %s=\"%s -g $(fc-config --cflags)\"",
                               producer.is_cxx ? "CXXFLAGS" : "CFLAGS",
                               producer.optimized == FC_OPTIMIZED_YES && producer.level[0] != '\0'
                                   ? producer.level
                                   : AS_USERS_BUILD);
    return g_string_free(text, FALSE);
}
