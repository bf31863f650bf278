/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the second part of a .fc file, the sections that format.c writes.  Called
 * by parse.c.  Sections that are not known, and known ones of a later version, are
 * passed over by their count of lines.
 */
#include "profile/parse.h"

#include <string.h>

typedef struct
{
    const char *name;
    gboolean (*begin)(FcParser *parser, guint64 count); /* may be NULL */
    gboolean (*line)(FcParser *parser);
    gboolean (*done)(FcParser *parser); /* may be NULL */
    gint needs;                         /* section without which the lines mean nothing, or -1 */
} Section;

static gboolean parse_function_index(FcParser *parser, guint *out)
{
    gint function;
    if (!fc_text_index(&parser->text, "the function", parser->profile->functions->len, FALSE,
                       &function))
        return FALSE;
    *out = (guint)function;
    return TRUE;
}

/* ---- modules and functions ---------------------------------------------------- */

/* The section replaces the libraries of the first part.  What refers to those and is not replaced
 * in its turn is located anew by place_the_rest. */
static gboolean begin_modules(FcParser *parser, guint64 count)
{
    g_array_set_size(parser->profile->modules, 0);
    return TRUE;
}

static gboolean parse_module(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileModule module = {0};
    gboolean good = fc_text_address(text, "the base", &module.base) &&
                    fc_text_address(text, "the start", &module.start) &&
                    fc_text_address(text, "the end", &module.end) &&
                    fc_text_number(text, "the time of loading", &module.load_ns) &&
                    fc_text_number(text, "the time of unloading", &module.unload_ns) &&
                    fc_text_string(text, "the build-id", FC_TEXT_NONE, &module.build_id) &&
                    fc_text_string(text, "the path", FC_TEXT_STRICT, &module.path);
    g_array_append_val(parser->profile->modules, module);
    return good;
}

/* The first part has the same functions in the same order. */
static gboolean begin_functions(FcParser *parser, guint64 count)
{
    if (count == parser->profile->functions->len)
        return TRUE;
    return fc_text_fail(&parser->text, "%" G_GUINT64_FORMAT " functions, but the first part has %u",
                        count, parser->profile->functions->len);
}

static gboolean parse_function(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileFunction *function =
        &g_array_index(parser->profile->functions, FcProfileFunction, parser->row);
    guint64 least_bucket = 0;
    guint64 buckets[FC_HISTOGRAM_BUCKETS] = {0};
    if (!fc_parse_place(parser, &function->place) ||
        !fc_text_number(text, "the number of calls", &function->calls) ||
        !fc_text_number(text, "the total time", &function->times.total_ns) ||
        !fc_text_number(text, "the local time", &function->times.local_ns) ||
        !fc_text_number(text, "the least total time", &function->bounds.total_min_ns) ||
        !fc_text_number(text, "the greatest total time", &function->bounds.total_max_ns) ||
        !fc_text_number(text, "the least local time", &function->bounds.local_min_ns) ||
        !fc_text_number(text, "the greatest local time", &function->bounds.local_max_ns))
        return FALSE;
    while (fc_text_has_word(text))
    {
        if (!fc_parse_bucket(text, buckets, FC_HISTOGRAM_BUCKETS, &least_bucket))
            return FALSE;
    }
    fc_histogram_clear(&function->histogram);
    function->histogram = fc_histogram_of(buckets, FC_HISTOGRAM_BUCKETS);
    return TRUE;
}

/* ---- threads ------------------------------------------------------------------ */

static gboolean parse_thread(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileThread thread = {0};
    guint64 ended = 0;
    gboolean good = fc_text_signed(text, "the thread id", &thread.tid) &&
                    fc_text_number(text, "the time of start", &thread.start_ns) &&
                    fc_text_number(text, "the time of the end", &thread.end_ns) &&
                    fc_text_number(text, "the time run", &thread.run_ns) &&
                    fc_text_number(text, "the number of calls", &thread.calls) &&
                    fc_text_number(text, "0 or 1", &ended) &&
                    fc_text_string(text, "the name", FC_TEXT_NONE, &thread.name);
    if (ended > 1)
        good = fc_text_fail(text, "whether it ended must be 0 or 1");
    thread.ended = ended == 1;
    thread.functions = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction));
    thread.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    g_array_append_val(parser->profile->threads, thread);
    return good;
}

static gboolean parse_thread_function(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileThreadFunction function = {0};
    FcProfileThread *thread = fc_parse_known_thread(parser);
    if (!thread || !parse_function_index(parser, &function.function) ||
        !fc_text_number(text, "the number of calls", &function.calls) ||
        !fc_text_number(text, "the total time", &function.times.total_ns) ||
        !fc_text_number(text, "the local time", &function.times.local_ns))
        return FALSE;
    g_array_append_val(thread->functions, function);
    return TRUE;
}

static gboolean parse_thread_frame(FcParser *parser)
{
    FcProfileFrame frame = {0};
    FcProfileThread *thread = fc_parse_known_thread(parser);
    if (!thread || !fc_parse_place(parser, &frame.site) ||
        !parse_function_index(parser, &frame.function))
        return FALSE;
    g_array_append_val(thread->stack, frame);
    return TRUE;
}

/* ---- arcs and contexts --------------------------------------------------------- */

static gboolean begin_arcs(FcParser *parser, guint64 count)
{
    g_array_set_size(parser->profile->arcs, 0);
    return TRUE;
}

static gboolean parse_arc(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileArc arc = {0};
    if (!fc_text_index(text, "the caller", parser->profile->functions->len, TRUE, &arc.caller) ||
        !fc_parse_place(parser, &arc.site) || !parse_function_index(parser, &arc.callee) ||
        !fc_text_number(text, "the number of calls", &arc.calls) ||
        !fc_text_number(text, "the total time", &arc.times.total_ns))
        return FALSE;
    g_array_append_val(parser->profile->arcs, arc);
    return TRUE;
}

static gboolean parse_context(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileContext context = {0};
    if (!fc_text_index(text, "the parent", parser->row, TRUE, &context.parent) ||
        !fc_parse_place(parser, &context.site) ||
        !parse_function_index(parser, &context.function) ||
        !fc_text_number(text, "the number of calls", &context.calls) ||
        !fc_text_number(text, "the total time", &context.times.total_ns) ||
        !fc_text_number(text, "the local time", &context.times.local_ns))
        return FALSE;
    g_array_append_val(parser->profile->contexts, context);
    return TRUE;
}

/* ---- notes --------------------------------------------------------------------- */

static gboolean parse_note(FcParser *parser, GArray *notes)
{
    FcProfileNote note = {0};
    gboolean good = fc_text_string(&parser->text, "the kind", FC_TEXT_STRICT, &note.kind) &&
                    fc_text_number(&parser->text, "the count", &note.count);
    if (good)
        g_array_append_val(notes, note);
    else
        g_free(note.kind);
    return good;
}

static gboolean parse_repair(FcParser *parser)
{
    return parse_note(parser, parser->profile->repairs);
}

static gboolean parse_loss(FcParser *parser)
{
    return parse_note(parser, parser->profile->losses);
}

/* ---- the sections --------------------------------------------------------------- */

static const Section sections[FC_SECTION_COUNT] = {
    [FC_SECTION_PROCESS] = {"process", NULL, fc_parse_process, fc_parse_process_done, -1},
    [FC_SECTION_CLOCK] = {"clock", NULL, fc_parse_clock, NULL, -1},
    [FC_SECTION_MODULES] = {"modules", begin_modules, parse_module, NULL, -1},
    [FC_SECTION_FUNCTIONS] = {"functions", begin_functions, parse_function, NULL, -1},
    [FC_SECTION_THREADS] = {"threads", NULL, parse_thread, NULL, -1},
    [FC_SECTION_THREAD_FUNCTIONS] = {"thread-functions", NULL, parse_thread_function, NULL,
                                     FC_SECTION_THREADS},
    [FC_SECTION_THREAD_STACKS] = {"thread-stacks", NULL, parse_thread_frame, NULL,
                                  FC_SECTION_THREADS},
    [FC_SECTION_ARCS] = {"arcs", begin_arcs, parse_arc, NULL, -1},
    [FC_SECTION_CONTEXTS] = {"contexts", NULL, parse_context, NULL, -1},
    [FC_SECTION_REPAIRS] = {"repairs", NULL, parse_repair, NULL, -1},
    [FC_SECTION_LOSSES] = {"losses", NULL, parse_loss, NULL, -1},
    [FC_SECTION_HEAP] = {"heap", fc_parse_heap_begin, fc_parse_heap, NULL, -1},
    [FC_SECTION_HEAP_FRAMES] = {"heap-frames", NULL, fc_parse_heap_frame, NULL, FC_SECTION_HEAP},
    [FC_SECTION_HEAP_ALLOC_SITES] = {"heap-places", NULL, fc_parse_heap_alloc_site, NULL,
                                     FC_SECTION_HEAP},
    [FC_SECTION_HEAP_BLOCKS] = {"heap-blocks", NULL, fc_parse_heap_block, NULL,
                                FC_SECTION_HEAP_ALLOC_SITES},
    [FC_SECTION_HEAP_BAD_FREES] = {"heap-bad-frees", NULL, fc_parse_bad_free, NULL,
                                   FC_SECTION_HEAP},
    [FC_SECTION_HEAP_SAMPLES] = {"heap-samples", NULL, fc_parse_heap_sample, NULL, FC_SECTION_HEAP},
    [FC_SECTION_COUNTED] = {"counted", NULL, fc_parse_counted, NULL, FC_SECTION_FUNCTIONS},
    [FC_SECTION_APPORTIONED_ARCS] = {"apportioned-arcs", NULL, fc_parse_apportioned_arc, NULL,
                                     FC_SECTION_ARCS},
    [FC_SECTION_APPORTIONED_CONTEXTS] = {"apportioned-contexts", NULL, fc_parse_apportioned_context,
                                         NULL, FC_SECTION_CONTEXTS},
    [FC_SECTION_COST_FUNCTIONS] = {"cost-functions", NULL, fc_parse_cost_function, NULL,
                                   FC_SECTION_FUNCTIONS},
    [FC_SECTION_COST_ARCS] = {"cost-arcs", NULL, fc_parse_cost_arc, NULL, FC_SECTION_ARCS},
    [FC_SECTION_COST_CONTEXTS] = {"cost-contexts", NULL, fc_parse_cost_context, NULL,
                                  FC_SECTION_CONTEXTS},
    [FC_SECTION_COST_THREADS] = {"cost-threads", NULL, fc_parse_cost_thread, NULL,
                                 FC_SECTION_THREAD_FUNCTIONS},
    [FC_SECTION_WAIT_THREADS] = {"wait-threads", NULL, fc_parse_wait_thread, NULL,
                                 FC_SECTION_THREADS},
    [FC_SECTION_WAIT_THREAD_FUNCTIONS] = {"wait-thread-functions", NULL,
                                          fc_parse_wait_thread_function, NULL,
                                          FC_SECTION_THREAD_FUNCTIONS},
    [FC_SECTION_WAIT_FUNCTIONS] = {"wait-functions", NULL, fc_parse_wait_function, NULL,
                                   FC_SECTION_FUNCTIONS},
    [FC_SECTION_CPU_BOUNDS] = {"cpu-bounds", NULL, fc_parse_cpu_bounds, NULL, FC_SECTION_FUNCTIONS},
    [FC_SECTION_WAIT_ARCS] = {"wait-arcs", NULL, fc_parse_wait_arc, NULL, FC_SECTION_ARCS},
    [FC_SECTION_WAIT_CONTEXTS] = {"wait-contexts", NULL, fc_parse_wait_context, NULL,
                                  FC_SECTION_CONTEXTS},
    [FC_SECTION_THREAD_ARCS] = {"thread-arcs", NULL, fc_parse_thread_arc, NULL, FC_SECTION_ARCS},
    [FC_SECTION_LATENCIES] = {"latencies", NULL, fc_parse_latency, NULL, FC_SECTION_ARCS},
    [FC_SECTION_SLOWEST] = {"slowest", NULL, fc_parse_slowest, NULL, FC_SECTION_CONTEXTS},
    [FC_SECTION_TRACE_THREADS] = {"trace-threads", NULL, fc_parse_trace_thread, NULL,
                                  FC_SECTION_THREADS},
    [FC_SECTION_TRACE] = {"trace", NULL, fc_parse_trace, NULL, FC_SECTION_TRACE_THREADS},
};

static gboolean skip_lines(FcText *text, guint64 count)
{
    while (count-- > 0)
    {
        if (!fc_text_next_line(text, "the rest of the section"))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_section(FcParser *parser, int number, guint64 count)
{
    const Section *section = &sections[number];
    FcText *text = &parser->text;

    if (section->needs >= 0 && !fc_parse_has(parser, section->needs))
        return skip_lines(text, count);
    if (section->begin && !section->begin(parser, count))
        return FALSE;
    parser->sections_read |= G_GUINT64_CONSTANT(1) << number;
    if (count > G_MAXINT32)
        return fc_text_fail(text, "no section can have so many lines");
    for (parser->row = 0; parser->row < count; parser->row++)
    {
        if (!fc_text_next_line(text, "the rest of the section") || !section->line(parser) ||
            !fc_text_end_line(text))
            return FALSE;
    }
    return section->done == NULL || section->done(parser);
}

/* Which section the current line begins; its position, FC_SECTION_COUNT for one that
 * is to be passed over, -1 for the last one. */
static gboolean read_section_header(FcParser *parser, int *number, guint64 *count)
{
    FcText *text = &parser->text;
    const char *keyword;
    const char *name;
    gsize keyword_bytes;
    gsize name_bytes;
    guint64 version;

    if (!fc_text_next_line(text, "a section") ||
        !fc_text_raw_word(text, "the word \"section\"", &keyword, &keyword_bytes))
        return FALSE;
    if (keyword_bytes != strlen("section") || memcmp(keyword, "section", keyword_bytes) != 0)
        return fc_text_fail(text, "a section must begin here");
    if (!fc_text_raw_word(text, "the section's name", &name, &name_bytes) ||
        !fc_text_number(text, "the section's version", &version) ||
        !fc_text_number(text, "the section's number of lines", count) || !fc_text_end_line(text))
        return FALSE;

    if (name_bytes == strlen("end") && memcmp(name, "end", name_bytes) == 0)
    {
        *number = -1;
        return TRUE;
    }
    for (*number = 0; *number < FC_SECTION_COUNT; ++*number)
    {
        const char *known = sections[*number].name;
        if (strlen(known) == name_bytes && memcmp(known, name, name_bytes) == 0)
            break;
    }
    if (version != 1)
        *number = FC_SECTION_COUNT;
    return TRUE;
}

/* Functions or arcs whose section is missing are those of the first part, with its libraries
 * instead of the modules: finds the modules for their addresses. */
static void place_the_rest(FcParser *parser)
{
    FcProfile *profile = parser->profile;
    if (!fc_parse_has(parser, FC_SECTION_MODULES))
        return;
    for (guint i = 0; !fc_parse_has(parser, FC_SECTION_FUNCTIONS) && i < profile->functions->len;
         i++)
    {
        FcProfilePlace *place = &g_array_index(profile->functions, FcProfileFunction, i).place;
        fc_profile_locate(profile, place->address, 0, place);
    }
    for (guint i = 0; !fc_parse_has(parser, FC_SECTION_ARCS) && i < profile->arcs->len; i++)
    {
        FcProfilePlace *place = &g_array_index(profile->arcs, FcProfileArc, i).site;
        fc_profile_locate(profile, place->address, 0, place);
    }
}

gboolean fc_parse_sections(FcParser *parser)
{
    FcText *text = &parser->text;
    int last = -1;
    for (;;)
    {
        int number = FC_SECTION_COUNT;
        guint64 count = 0;
        if (!read_section_header(parser, &number, &count))
            return FALSE;
        if (number < 0)
        {
            if (!skip_lines(text, count))
                return FALSE;
            break;
        }
        if (number == FC_SECTION_COUNT)
        {
            if (!skip_lines(text, count))
                return FALSE;
            continue;
        }
        if (number <= last)
            return fc_text_fail(text, "section %s is out of order", sections[number].name);
        last = number;
        if (!read_section(parser, number, count))
            return FALSE;
    }
    if (!fc_text_at_end(text))
    {
        text->line++;
        return fc_text_fail(text, "nothing may follow the last section");
    }
    const guint64 required = (G_GUINT64_CONSTANT(1) << FC_SECTION_REQUIRED_COUNT) - 1;
    parser->is_partial = (parser->sections_read & required) != required;
    place_the_rest(parser);
    return TRUE;
}
