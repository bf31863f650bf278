/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See suggest.h.  Chooses functions that save much overhead and have little time of their own; then
 * takes back those that turn out not to be needed.
 */
#include "model/suggest.h"

#include "libfc/fc-format.h"

#include <string.h>

/* If the percentage is out of reach, names are dropped as long as they save together
 * less than one part in WORTH_SHORT of the whole saving. */
#define WORTH_SHORT 20.0
/* A function that saves at most 1 / WORTH of all costs is not worth its place in a list. */
#define WORTH 1000.0
#define PS_OF_NS 1000.0

/* What is known of a function of the model. */
typedef struct
{
    char *name; /* as compilers and FC_FILTER know it, without parameters; NULL: not known */
    guint64 calls;
    double local_ns; /* CPU time */
    double cost_ns;
    double skipped_ns; /* cost of its calls if FC_FILTER skips them */
} Candidate;

/* One name to leave out, and all functions that it leaves out. */
typedef struct
{
    char *text;
    GArray *members; /* guint: functions */
    double score;
} Word;

typedef struct
{
    Candidate *candidates;
    guint count;
    FcSuggestWay way;
    gboolean by_part; /* a word means every function whose name contains it */
    GArray *words;    /* Word */
    guint *taken_by;  /* by function: how many chosen words leave it out */
} Work;

/* ---- What calls cost ----------------------------------------------------------------- */

static char *name_of(const FcFunction *function)
{
    if (!function->symbol.raw_name)
        return NULL;
    char *name = fc_demangle_name(function->symbol.raw_name, FC_DEMANGLE_PLAIN);
    if (!name)
        name = g_strdup(function->symbol.raw_name);
    static const char *const suffixes[] = {" [clone", "[abi:", "."};
    for (guint i = 0; i < G_N_ELEMENTS(suffixes); i++)
    {
        char *suffix = strstr(name, suffixes[i]);
        if (suffix && suffix != name)
            *suffix = '\0';
    }
    return name;
}

static Candidate *make_candidates(const FcModel *model)
{
    const guint64 *costs_ps = model->profile->costs_ps;
    const double recorded_ns = (double)costs_ps[0] / PS_OF_NS;
    const double counted_ns = (double)costs_ps[2] / PS_OF_NS;
    Candidate *candidates = g_new0(Candidate, model->functions->len + 1);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        const FcProfileFunction *figures = &function->figures;
        const double unrecorded =
            (double)MIN(figures->counted - MIN(figures->timed, figures->counted), figures->calls);
        const guint64 wait_ns = model->time == FC_TIME_PART_WALL ? figures->times.local_wait_ns : 0;
        candidates[i] = (Candidate){
            .name = name_of(function),
            .calls = figures->calls,
            .local_ns = (double)(figures->times.local_ns - MIN(wait_ns, figures->times.local_ns)),
            .cost_ns =
                ((double)figures->calls - unrecorded) * recorded_ns + unrecorded * counted_ns,
            .skipped_ns = (double)figures->calls * counted_ns};
    }
    return candidates;
}

/* Scales the costs to the overhead that was really subtracted from the functions' times.  Before
 * that, they are from what a call cost when the process started. */
static void scale_costs(const FcModel *model, Candidate *candidates)
{
    double expected_ns = 0;
    double taken_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        expected_ns += candidates[i].cost_ns;
        taken_ns += (double)fc_model_function(model, i)->figures.times.local_cost_ns;
    }
    if (expected_ns <= 0 || taken_ns <= 0)
        return;
    for (guint i = 0; i < model->functions->len; i++)
    {
        candidates[i].cost_ns *= taken_ns / expected_ns;
        candidates[i].skipped_ns *= taken_ns / expected_ns;
    }
}

/* ---- Names ----------------------------------------------------------------------------- */

/* Returns a text that -finstrument-functions-exclude-function-list finds in gcc's form of the name.
 * NULL: none is certain, as gcc and demanglers write template arguments, unnamed namespaces,
 * lambdas and conversions in different ways.  The caller owns the result. */
static char *flag_text(const char *name)
{
    if (strpbrk(name, "{\\") || strstr(name, "operator"))
        return NULL;
    if (!strpbrk(name, "<( "))
        return g_strdup(name);
    int depth = 0;
    const char *last = NULL; /* the last "::" outside of angle brackets */
    for (const char *at = name; *at != '\0'; at++)
    {
        depth += (*at == '<') - (*at == '>');
        if (depth == 0 && strncmp(at, "::", 2) == 0)
            last = at;
    }
    const char *start = last ? last : name;
    const gsize length = strcspn(start, "<( ");
    return length > 2 ? g_strndup(start, length) : NULL;
}

static gboolean matches(const Work *work, const Word *word, const Candidate *candidate)
{
    if (!candidate->name)
        return FALSE;
    return work->by_part ? strstr(candidate->name, word->text) != NULL
                         : strcmp(candidate->name, word->text) == 0;
}

static double saved_ns(const Work *work, const Candidate *candidate)
{
    const double left = work->way == FC_SUGGEST_FILTER ? candidate->skipped_ns : 0;
    return candidate->cost_ns - left;
}

static void clear_word(gpointer data)
{
    Word *word = data;
    g_free(word->text);
    g_array_unref(word->members);
}

static int compare_words(gconstpointer a, gconstpointer b)
{
    const Word *first = a;
    const Word *second = b;
    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return strcmp(first->text, second->text);
}

/* Makes a word for each function that is worth one.  The best ones come first. */
static void find_words(Work *work, double least_ns)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < work->count; i++)
    {
        const Candidate *candidate = &work->candidates[i];
        if (!candidate->name || saved_ns(work, candidate) <= least_ns)
            continue;
        Word word = {.text =
                         work->by_part ? flag_text(candidate->name) : g_strdup(candidate->name)};
        if (!word.text || g_hash_table_contains(known, word.text))
        {
            g_free(word.text);
            continue;
        }
        g_hash_table_add(known, word.text);
        double saved = 0;
        double local_ns = 1;
        word.members = g_array_new(FALSE, FALSE, sizeof(guint));
        for (guint j = 0; j < work->count; j++)
            if (matches(work, &word, &work->candidates[j]))
            {
                g_array_append_val(word.members, j);
                saved += saved_ns(work, &work->candidates[j]);
                local_ns += work->candidates[j].local_ns;
            }
        word.score = saved / local_ns;
        g_array_append_val(work->words, word);
    }
    g_array_sort(work->words, compare_words);
}

/* ---- The choice ------------------------------------------------------------------------ */

static FcSuggestRun predict(const Work *work, double plain_ns)
{
    FcSuggestRun run = {0};
    for (guint i = 0; i < work->count; i++)
    {
        const Candidate *candidate = &work->candidates[i];
        const gboolean is_left = work->taken_by[i] == 0;
        run.calls += is_left ? candidate->calls : 0;
        run.hidden_ns += is_left ? 0 : candidate->local_ns;
        run.cost_ns += candidate->cost_ns - (is_left ? 0 : saved_ns(work, candidate));
    }
    run.percent = run.cost_ns / plain_ns * 100;
    return run;
}

static void take(Work *work, const Word *word)
{
    for (guint i = 0; i < word->members->len; i++)
        work->taken_by[g_array_index(word->members, guint, i)]++;
}

static void take_back(Work *work, const Word *word)
{
    for (guint i = 0; i < word->members->len; i++)
        work->taken_by[g_array_index(word->members, guint, i)]--;
}

static gboolean takes_any(const Work *work, const Word *word)
{
    for (guint i = 0; i < word->members->len; i++)
        if (work->taken_by[g_array_index(word->members, guint, i)] == 0)
            return TRUE;
    return FALSE;
}

/* Appends the functions that the word leaves out, but that it was not made for. */
static void list_others(const Work *work, const Word *word, GPtrArray *others)
{
    for (guint i = 0; i < word->members->len; i++)
    {
        const char *name = work->candidates[g_array_index(word->members, guint, i)].name;
        g_autofree char *text = flag_text(name);
        if (g_strcmp0(text, word->text) != 0 &&
            !g_ptr_array_find_with_equal_func(others, name, g_str_equal, NULL))
            g_ptr_array_add(others, g_strdup(name));
    }
}

/* Takes back each name without which the percentage is still reached, the best one first. */
static void drop_unneeded(Work *work, double plain_ns, double percent, gboolean *chosen,
                          FcSuggestRun *run)
{
    for (guint i = 0; i < work->words->len; i++)
    {
        const Word *word = &g_array_index(work->words, Word, i);
        if (!chosen[i])
            continue;
        take_back(work, word);
        const FcSuggestRun without = predict(work, plain_ns);
        chosen[i] = without.percent > percent;
        if (chosen[i])
            take(work, word);
        else
            *run = without;
    }
}

/* What a chosen name saves in addition to the others. */
typedef struct
{
    double gain_ns;
    guint word;
} Gain;

static int compare_gains(gconstpointer a, gconstpointer b)
{
    const Gain *first = a;
    const Gain *second = b;
    if (first->gain_ns != second->gain_ns)
        return first->gain_ns < second->gain_ns ? -1 : 1;
    return first->word > second->word ? -1 : 1; /* the one with the lower score first */
}

/* Takes names back if the percentage is out of reach.  Those that save least come first, as long as
 * all that are taken back save little together: one of many similar names never saves much alone.
 */
static void drop_small(Work *work, const FcSuggestion *suggestion, gboolean *chosen,
                       FcSuggestRun *run)
{
    const double least_ns = run->cost_ns;
    const double spared_ns = (suggestion->now.cost_ns - least_ns) / WORTH_SHORT;
    g_autoptr(GArray) gains = g_array_new(FALSE, FALSE, sizeof(Gain));
    for (guint i = 0; i < work->words->len; i++)
    {
        const Word *word = &g_array_index(work->words, Word, i);
        if (!chosen[i])
            continue;
        take_back(work, word);
        const Gain gain = {predict(work, suggestion->plain_ns).cost_ns - least_ns, i};
        g_array_append_val(gains, gain);
        take(work, word);
    }
    g_array_sort(gains, compare_gains);
    for (guint i = 0; i < gains->len; i++)
    {
        const guint number = g_array_index(gains, Gain, i).word;
        const Word *word = &g_array_index(work->words, Word, number);
        take_back(work, word);
        const FcSuggestRun without = predict(work, suggestion->plain_ns);
        chosen[number] = without.cost_ns - least_ns >= spared_ns;
        if (chosen[number])
            take(work, word);
        else
            *run = without;
    }
}

static void choose(Work *work, const FcSuggestion *suggestion, double percent, FcSuggested *result)
{
    const guint count = work->words->len;
    g_autofree gboolean *chosen = g_new0(gboolean, count + 1);
    result->run = suggestion->now;
    for (guint i = 0; i < count && result->run.percent > percent; i++)
    {
        const Word *word = &g_array_index(work->words, Word, i);
        chosen[i] = takes_any(work, word);
        if (chosen[i])
            take(work, word);
        result->run = predict(work, suggestion->plain_ns);
    }
    result->reached = result->run.percent <= percent;
    if (result->reached)
        drop_unneeded(work, suggestion->plain_ns, percent, chosen, &result->run);
    else
        drop_small(work, suggestion, chosen, &result->run);
    for (guint i = 0; i < count; i++)
    {
        const Word *word = &g_array_index(work->words, Word, i);
        if (!chosen[i])
            continue;
        g_ptr_array_add(result->names, g_strdup(word->text));
        if (work->by_part)
            list_others(work, word, result->others);
    }
}

static void suggest_way(Candidate *candidates, guint count, FcSuggestWay way, double percent,
                        FcSuggestion *suggestion)
{
    Work work = {.candidates = candidates,
                 .count = count,
                 .way = way,
                 .by_part = way == FC_SUGGEST_COMPILED && !suggestion->lacks_option,
                 .words = g_array_new(FALSE, FALSE, sizeof(Word)),
                 .taken_by = g_new0(guint, count + 1)};
    g_array_set_clear_func(work.words, clear_word);
    suggestion->now = predict(&work, suggestion->plain_ns);
    if (suggestion->now.percent > percent)
    {
        find_words(&work, suggestion->now.cost_ns / WORTH);
        choose(&work, suggestion, percent, &suggestion->ways[way]);
    }
    g_array_unref(work.words);
    g_free(work.taken_by);
}

static int compare_files(gconstpointer a, gconstpointer b)
{
    const FcSuggestFile *first = a;
    const FcSuggestFile *second = b;
    if (first->cost_ns != second->cost_ns)
        return first->cost_ns > second->cost_ns ? -1 : 1;
    return g_strcmp0(first->file, second->file);
}

static GArray *find_files(const FcModel *model, const Candidate *candidates)
{
    GArray *files = g_array_new(FALSE, FALSE, sizeof(FcSuggestFile));
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < model->functions->len; i++)
    {
        FcSymbol symbol;
        fc_symbols_find(model->symbols, model->profile,
                        &fc_model_function(model, i)->figures.location, FALSE, &symbol);
        const char *name = symbol.file;
        const char *key = name ? name : "";
        gpointer at;
        if (!g_hash_table_lookup_extended(known, key, NULL, &at))
        {
            const FcSuggestFile file = {.file = name};
            at = GUINT_TO_POINTER(files->len);
            g_hash_table_insert(known, (gpointer)key, at);
            g_array_append_val(files, file);
        }
        FcSuggestFile *file = &g_array_index(files, FcSuggestFile, GPOINTER_TO_UINT(at));
        file->functions++;
        file->calls += candidates[i].calls;
        file->cost_ns += candidates[i].cost_ns;
    }
    g_array_sort(files, compare_files);
    return files;
}

static gboolean is_of_clang(const FcModel *model)
{
    for (guint i = 0; i < model->functions->len; i++)
    {
        FcProducer producer;
        fc_symbols_find_producer(model->symbols, model->profile,
                                 &fc_model_function(model, i)->figures.location, &producer);
        if (producer.compiler == FC_COMPILER_CLANG)
            return TRUE;
    }
    return FALSE;
}

FcSuggestion *fc_suggest(const FcModel *model, double percent)
{
    if (model->profile->costs_ps[0] == 0 || model->time == FC_TIME_PART_WAIT)
        return NULL;
    const guint count = model->functions->len;
    FcSuggestion *suggestion = g_new0(FcSuggestion, 1);
    Candidate *candidates = make_candidates(model);
    scale_costs(model, candidates);
    for (guint i = 0; i < count; i++)
    {
        suggestion->plain_ns += candidates[i].local_ns;
        suggestion->after_inlining =
            suggestion->after_inlining ||
            fc_symbols_is_after_inlining(model->symbols, model->profile,
                                         &fc_model_function(model, i)->figures.location);
    }
    suggestion->lacks_option = suggestion->after_inlining || is_of_clang(model);
    suggestion->plain_ns = MAX(suggestion->plain_ns, 1);
    for (FcSuggestWay way = 0; way < FC_SUGGEST_WAYS; way++)
    {
        suggestion->ways[way].names = g_ptr_array_new_with_free_func(g_free);
        suggestion->ways[way].others = g_ptr_array_new_with_free_func(g_free);
        suggest_way(candidates, count, way, percent, suggestion);
    }
    suggestion->files = find_files(model, candidates);
    for (guint i = 0; i < count; i++)
        g_free(candidates[i].name);
    g_free(candidates);
    return suggestion;
}

void fc_suggestion_free(FcSuggestion *suggestion)
{
    if (!suggestion)
        return;
    for (FcSuggestWay way = 0; way < FC_SUGGEST_WAYS; way++)
    {
        g_ptr_array_unref(suggestion->ways[way].names);
        g_ptr_array_unref(suggestion->ways[way].others);
    }
    g_array_unref(suggestion->files);
    g_free(suggestion);
}
