/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections about how long the calls by each arc took, and about the slowest calls.
 * Called by parse-sections.c.
 */
#include "profile/parse.h"

gboolean fc_parse_latency(FcParser *parser)
{
    FcText *text = &parser->text;
    GArray *latencies = parser->profile->latencies;
    guint64 buckets[FC_LATENCY_BUCKETS]; /* of which only those that are read are set */
    guint64 least_bucket = 0;
    gint arc;
    if (!fc_text_index(text, "the arc", parser->profile->arcs->len, FALSE, &arc))
        return FALSE;
    if (latencies->len > 0 &&
        g_array_index(latencies, FcProfileLatency, latencies->len - 1).arc >= (guint)arc)
        return fc_text_fail(text, "arc %d is out of order", arc);
    while (fc_text_has_word(text))
    {
        if (!fc_parse_bucket(text, buckets, FC_LATENCY_BUCKETS, &least_bucket))
            return FALSE;
        const FcProfileLatency latency = {.arc = (guint)arc,
                                          .bucket = (guint)least_bucket - 1,
                                          .calls = buckets[least_bucket - 1]};
        if (latency.calls > 0)
            g_array_append_val(latencies, latency);
    }
    return TRUE;
}

gboolean fc_parse_slowest(FcParser *parser)
{
    FcText *text = &parser->text;
    const FcProfile *profile = parser->profile;
    FcProfileSlowCall call = {0};
    gint function;
    if (!fc_text_index(text, "the function", profile->functions->len, FALSE, &function) ||
        !fc_text_index(text, "the context", profile->contexts->len, TRUE, &call.context) ||
        !fc_text_signed(text, "the thread", &call.tid) ||
        !fc_text_number(text, "the time of day", &call.realtime_ns) ||
        !fc_text_number(text, "the total time", &call.total_ns))
        return FALSE;
    call.function = (guint)function;
    g_array_append_val(profile->slowest, call);
    return TRUE;
}
