/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Losses: what is missing from the profile, printed before any figure.  Repairs: what did not fit
 * and was mended.  Neither says anything where all went well.
 */
#include "fcdump/report-header.h"

static const FcColumn columns[] = {
    {NULL, "count", FALSE}, {NULL, "kind", TRUE}, {NULL, "what it means", TRUE}};

typedef enum
{
    MENDED,        /* a repair: the figures are right */
    OTHER_MISSING, /* a loss of names, list entries or memory records */
    CALLS_MISSING, /* a loss of records of calls, wherever the file lists it */
} Weight;

static const struct
{
    const char *kind;
    const char *meaning;
    Weight weight;
} meanings[] = {
    {"jump", "calls left by longjmp, a C++ exception or the end of a thread", MENDED},
    {"missed-exit", "calls whose return was not seen, closed when their caller returned", MENDED},
    {"unmatched-exit", "returns of functions that were not active, passed over", MENDED},
    {"gaps", "records that an interrupted hook had begun and that were given up", CALLS_MISSING},
    {"contexts-folded", "calling contexts beyond FC_CONTEXTS, kept in one for each function",
     MENDED},
    {"memory-limited",
     "limit of the profile manager's memory: contexts were folded before there were FC_CONTEXTS",
     MENDED},
    {"latencies-left-out",
     "calls that are in no percentile: the arcs that they are of are too many", MENDED},
    {"mpi-collectives-not-listed",
     "collective calls that are in no figures by call site: too many sites and communicators",
     OTHER_MISSING},
    {"paused-ms",
     "milliseconds for which the profile was paused; they are in no figure but memory's", MENDED},
    {"pauses-included",
     "profiles that have the time in which they were paused, too: memory was short", OTHER_MISSING},
    {"bad-record", "records that were neither a call nor a return", CALLS_MISSING},
    {"bad-chunk", "chunks of shared memory whose description could not be true", CALLS_MISSING},
    {"malformed-messages", "messages that could not be understood", CALLS_MISSING},
    {"orphan-messages", "messages of a process that had not announced itself", CALLS_MISSING},
    {"modules-not-listed", "libraries beyond the limit: their functions have no names",
     OTHER_MISSING},
    {FC_THREADS_NOT_LISTED, "threads beyond the limit: in the sums, but not listed", MENDED},
    {"threads-not-chosen",
     "threads that --thread may have been for: they are beyond the limit and not listed",
     OTHER_MISSING},
    {"thread-arcs-not-listed",
     "threads of which it is not said which call sites they called how often: too many sites",
     MENDED},
    {"unsent-buffers", "threads that ended with their process, which may have had records to send",
     CALLS_MISSING},
    {"unseen-forks",
     "forks past the C library: a child may have recorded as its parent until it was noticed",
     CALLS_MISSING},
    {"untracked-frees", "blocks of memory that were freed unseen: their place was used again",
     OTHER_MISSING},
    {"bad-frees-not-listed", "bad frees beyond the limit", OTHER_MISSING},
    {"foreign-frees", "frees of what may be memory of libraries loaded with RTLD_DEEPBIND",
     OTHER_MISSING},
    {"not-sampled",
     "threads whose times are not known: neither the kernel nor a timer samples where they execute",
     OTHER_MISSING},
    {"not-scanned", "ends of a process at which FC_MEMORY_SCAN could not look for references",
     OTHER_MISSING},
    {"memory-not-recorded",
     "processes of which no memory was recorded: another malloc stands before libfc's, or they "
     "have no FC_MEMORY",
     OTHER_MISSING},
    {"filter-incomplete",
     "runs in which FC_FILTER could not be used for all functions: a notice says why (FC_VERBOSE)",
     OTHER_MISSING},
    {"profiling-stopped",
     "times that a thread, or the whole program, could only go on unseen: a notice says why "
     "(FC_VERBOSE)",
     CALLS_MISSING},
};

/* How grave a note is, and its explanation.  A loss of unknown kind counts as the gravest, such a
 * repair as the least. */
static Weight weigh(const FcProfileNote *note, gboolean is_loss, const char **meaning)
{
    *meaning = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(meanings); i++)
    {
        if (g_strcmp0(meanings[i].kind, note->kind) != 0)
            continue;
        *meaning = meanings[i].meaning;
        return is_loss ? MAX(meanings[i].weight, OTHER_MISSING) : meanings[i].weight;
    }
    return is_loss ? CALLS_MISSING : MENDED;
}

/* Adds rows for the losses in `notes`, or (not `losses`) for the repairs.  Returns the worst of
 * them. */
static Weight add_notes(FcTable *table, const GArray *notes, gboolean is_loss, gboolean losses)
{
    Weight worst = MENDED;
    for (guint i = 0; i < notes->len; i++)
    {
        const FcProfileNote *note = &g_array_index(notes, FcProfileNote, i);
        const char *meaning;
        Weight weight = weigh(note, is_loss, &meaning);
        worst = MAX(worst, weight);
        if ((weight != MENDED) != losses)
            continue;
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, fc_format_count(note->count));
        fc_table_cell(table, g_strdup(note->kind));
        fc_table_cell(table, g_strdup(meaning));
    }
    return worst;
}

static gboolean has_missing(const GArray *notes, gboolean is_loss)
{
    for (guint i = 0; i < notes->len; i++)
    {
        const char *meaning;
        if (weigh(&g_array_index(notes, FcProfileNote, i), is_loss, &meaning) == CALLS_MISSING)
            return TRUE;
    }
    return FALSE;
}

gboolean fc_report_misses_calls(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    return has_missing(profile->repairs, FALSE) || has_missing(profile->losses, TRUE);
}

static void render_losses(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    const Weight misfiled = add_notes(table, profile->repairs, FALSE, TRUE);
    const Weight lost = add_notes(table, profile->losses, TRUE, TRUE);
    if (fc_table_is_empty(table) && !fc_format_is_csv())
        return;
    fc_render_title(context->render, "Losses");
    fc_render_note(context->render, "%s",
                   MAX(misfiled, lost) == CALLS_MISSING
                       ? "Calls are missing from this profile: counts and times may be too low."
                       : "What is missing from this profile.");
    fc_table_print(table, context->render);
}

const FcReport fc_report_losses = {"losses", "what is missing from the profile, if anything",
                                   FC_REPORT_BOTH, render_losses};

/* Whether the header is printed, which says what limits the figures. */
static gboolean prints_header(const FcOptions *options)
{
    for (guint i = 0; options->table[i]; i++)
        if (options->table[i] == &fc_report_header)
            return (options->reports >> i & 1) != 0;
    return FALSE;
}

static void render_repairs(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    if (!prints_header(context->options))
        fc_report_header_notes(context);
    Weight worst = add_notes(table, profile->repairs, FALSE, FALSE);
    if (fc_table_is_empty(table) && !fc_format_is_csv())
        return;
    fc_render_title(context->render, "Repairs");
    fc_render_note(context->render, "Events that did not fit and were mended%s",
                   worst == MENDED && profile->losses->len == 0 ? "; counts and times are sound."
                                                                : ".");
    fc_table_print(table, context->render);
    const guint64 wanted = fc_profile_contexts_wanted(profile);
    if (wanted > 0)
        fc_render_note(context->render,
                       "Set FC_CONTEXTS=%" G_GUINT64_FORMAT " to keep all contexts apart.", wanted);
}

const FcReport fc_report_repairs = {
    "notes", "how sure the figures are; events that did not fit and were mended", FC_REPORT_CLASSIC,
    render_repairs};
