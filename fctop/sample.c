/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See sample.h.
 */
#include "fctop/sample.h"

#include "control/control.h"
#include "profile/difference.h"
#include "profile/fc-profile-file.h"
#include "profile/plain.h"
#include "symbols/shorten.h"
#include "symbols/symbols.h"

struct FcTop
{
    gint pid;
    FcSymbols *symbols;
    FcProfile *earlier; /* NULL: none yet */
};

FcTop *fc_top_new(gint pid)
{
    FcTop *top = g_new0(FcTop, 1);
    top->pid = pid;
    top->symbols = fc_symbols_new(FC_DEMANGLE_PLAIN, NULL);
    return top;
}

void fc_top_free(FcTop *top)
{
    if (!top)
        return;
    fc_profile_free(top->earlier);
    fc_symbols_free(top->symbols);
    g_free(top);
}

static void row_clear(gpointer data)
{
    FcTopRow *row = data;
    g_free(row->name);
    g_free(row->detail);
}

static GArray *rows_new(void)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(FcTopRow));
    g_array_set_clear_func(rows, row_clear);
    return rows;
}

void fc_top_sample_free(FcTopSample *sample)
{
    if (!sample)
        return;
    g_free(sample->program);
    g_array_unref(sample->functions);
    g_array_unref(sample->threads);
    g_free(sample);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static char *name_of(const FcTop *top, const FcProfile *profile, guint function)
{
    FcSymbol symbol;
    fc_symbols_find_name(top->symbols, profile,
                         &g_array_index(profile->functions, FcProfileFunction, function).location,
                         FALSE, &symbol);
    g_autofree char *bare = fc_shorten_bare(symbol.name);
    return fc_plain_text(bare);
}

static guint64 less(guint64 all, guint64 part)
{
    return all - MIN(all, part);
}

/* Whether the function's time is no more than what two estimates of the same calls differ by. */
static gboolean is_noise(const FcProfileFunction *function)
{
    return function->calls == 0 && function->local_error_ns > 0 &&
           function->times.local_ns <= function->local_error_ns &&
           function->times.total_ns <= function->total_error_ns;
}

static void add_functions(const FcTop *top, FcTopSample *sample, const FcProfile *profile)
{
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *from = &g_array_index(profile->functions, FcProfileFunction, i);
        if (is_noise(from))
            continue;
        const FcTopRow row = {.name = name_of(top, profile, i),
                              .cpu_ns = less(from->times.local_ns, from->times.local_wait_ns),
                              .total_ns = less(from->times.total_ns, from->times.total_wait_ns),
                              .wait_ns = from->times.local_wait_ns,
                              .calls = from->calls};
        sample->cpu_ns += row.cpu_ns;
        sample->wait_ns += row.wait_ns;
        sample->calls += row.calls;
        g_array_append_val(sample->functions, row);
    }
}

/* A thread's times are the sums of its functions'. */
static void add_thread(const FcTop *top, FcTopSample *sample, const FcProfile *profile,
                       const FcProfileThread *thread)
{
    FcTopRow row = {.calls = thread->calls};
    guint64 most_ns = 0;
    guint hottest = 0;
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *from =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        const guint64 cpu_ns = less(from->times.local_ns, from->times.local_wait_ns);
        row.cpu_ns += cpu_ns;
        row.wait_ns += from->times.local_wait_ns;
        if (cpu_ns > most_ns)
            hottest = from->function;
        most_ns = MAX(most_ns, cpu_ns);
    }
    g_autofree char *name = fc_plain_text(thread->name ? thread->name : "");
    row.total_ns = row.cpu_ns;
    row.name = g_strdup_printf("%" G_GINT64_FORMAT " %s", thread->tid, name);
    row.detail = most_ns > 0 ? name_of(top, profile, hottest) : NULL;
    g_array_append_val(sample->threads, row);
}

static FcTopSample *make_sample(const FcTop *top, const FcProfile *profile)
{
    FcTopSample *sample = g_new0(FcTopSample, 1);
    g_autofree char *base =
        g_path_get_basename(profile->executable ? profile->executable : "(unknown)");
    sample->pid = top->pid;
    sample->program = fc_plain_text(base);
    sample->functions = rows_new();
    sample->threads = rows_new();
    add_functions(top, sample, profile);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        if (!thread->ended || thread->calls > 0 || thread->run_ns > 0)
            add_thread(top, sample, profile, thread);
    }
    return sample;
}

/* ---- Snapshots --------------------------------------------------------------------------- */

static FcProfile *ask(gint pid, FcProfile **again, GError **error)
{
    g_autoptr(GString) text = fc_control_ask(pid, FC_CONTROL_SNAPSHOT, error);
    g_autoptr(FcProfile) profile = text ? fc_profile_parse(text->str, text->len, error) : NULL;
    *again = profile ? fc_profile_parse(text->str, text->len, error) : NULL;
    return *again ? g_steal_pointer(&profile) : NULL;
}

FcTopSample *fc_top_take(FcTop *top, GError **error)
{
    FcProfile *kept;
    g_autoptr(FcProfile) profile = ask(top->pid, &kept, error);
    if (!profile)
        return NULL;
    const FcProfile *earlier = top->earlier;
    const gboolean is_part = earlier && fc_profile_subtract(profile, earlier, NULL);
    FcTopSample *sample = make_sample(top, profile);
    const gint64 from_ns = is_part ? earlier->end_realtime_ns : kept->start_realtime_ns;
    sample->span_ns = (guint64)MAX(kept->end_realtime_ns - from_ns, 1);
    sample->run_ns = (guint64)MAX(kept->end_realtime_ns - kept->start_realtime_ns, 1);
    sample->has_heap = kept->heap.recorded;
    sample->live_bytes = kept->heap.live_bytes;
    sample->live_blocks = kept->heap.live_blocks;
    sample->allocations = less(kept->heap.allocations, is_part ? earlier->heap.allocations : 0);
    fc_profile_free(top->earlier);
    top->earlier = kept;
    return sample;
}
