/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the manager had to mend and what was lost.  Says nothing where all went well.
 */
#include "fcdump/report.h"

static const FcColumn columns[] = {
    {NULL, "count", FALSE}, {NULL, "kind", TRUE}, {NULL, "what it means", TRUE}};

static const struct
{
    const char *kind;
    const char *meaning;
} meanings[] = {
    {"jump", "calls left by longjmp, a C++ exception or the end of a thread"},
    {"missed-exit", "calls whose return was not seen, closed when their caller returned"},
    {"unmatched-exit", "returns of functions that were not active, passed over"},
    {"gaps", "places that an interrupted hook had reserved and never filled"},
    {"contexts-folded", "calling contexts beyond FC_CONTEXTS, kept in one for each function"},
    {"bad-record", "records that were neither a call nor a return"},
    {"bad-chunk", "pieces of shared memory whose description was not to be believed"},
    {"malformed-messages", "messages that were not to be understood"},
    {"orphan-messages", "messages of a process that had not announced itself"},
    {"modules-not-listed", "libraries beyond the limit: their functions have no names"},
    {"threads-not-listed", "threads beyond the limit: in the sums, but not listed"},
    {"unsent-buffers", "threads that ended with their process, which may have had records to send"},
    {"untracked-frees", "blocks of memory that were freed unseen: their place was used again"},
    {"bad-frees-not-listed", "bad frees beyond the limit"},
    {"foreign-frees", "frees of what may be memory of libraries loaded with RTLD_DEEPBIND"},
    {"profiling-stopped", "threads that could not reach the manager any more, and went on unseen"},
};

static void add_notes(FcTable *table, const GArray *notes)
{
    for (guint i = 0; i < notes->len; i++)
    {
        const FcProfileNote *note = &g_array_index(notes, FcProfileNote, i);
        const char *meaning = NULL;
        for (guint m = 0; m < G_N_ELEMENTS(meanings); m++)
            if (g_strcmp0(meanings[m].kind, note->kind) == 0)
                meaning = meanings[m].meaning;
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, fc_format_count(note->count));
        fc_table_cell(table, g_strdup(note->kind));
        fc_table_cell(table, g_strdup(meaning));
    }
}

static void print_notes(const FcReportContext *context, const GArray *notes, const char *title,
                        const char *legend)
{
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    if (notes->len == 0)
        return;
    add_notes(table, notes);
    fc_render_title(context->render, "%s", title);
    fc_render_note(context->render, "%s", legend);
    fc_table_print(table, context->render);
}

void fc_report_notes(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    print_notes(context, profile->repairs, "Repairs",
                "Events that did not fit and were mended; counts and times are sound.");
    print_notes(context, profile->losses, "Losses", "What is missing from this profile.");
}
