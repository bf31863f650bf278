/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of MPI when profiles are merged and subtracted; see fc-profile.h.
 *
 * Partners of many ranks would be too many records.  So from FC_PROFILE_PARTNERS_MAX on, two
 * neighbouring ranks are taken together, then four, and so on.  How many depends on the pairs
 * alone, so merges of merges are the same as the merge of all.
 */
#include "profile/field.h"

/* Beyond all numbers of ranks. */
#define WIDTH_MAX (G_GUINT64_CONSTANT(1) << 32)

static gint compare_partners(gconstpointer a, gconstpointer b)
{
    const FcProfilePartner *one = a;
    const FcProfilePartner *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->peer < other->peer ? -1 : one->peer > other->peer;
}

static void add_partner(FcProfilePartner *into, const FcProfilePartner *other)
{
    const FcSection *section = &fc_sections[FC_SECTION_MPI_PARTNERS];
    for (guint i = 0; i < section->field_count; i++)
        fc_field_merge(&section->fields[i], into, other);
}

/* Adds `record` behind those of `into`, or to the last one if that has the same ranks. */
static void append(GArray *into, const FcProfilePartner *record)
{
    FcProfilePartner *last =
        into->len > 0 ? &g_array_index(into, FcProfilePartner, into->len - 1) : NULL;
    if (last && compare_partners(last, record) == 0)
        add_partner(last, record);
    else
        g_array_append_vals(into, record, 1);
}

static gint64 first_of(gint64 rank, guint64 width)
{
    return rank < 0 ? rank : rank - (gint64)((guint64)rank % width);
}

static guint64 width_of(const GArray *partners)
{
    guint64 width = 1;
    for (guint i = 0; i < partners->len; i++)
    {
        const guint64 own = g_array_index(partners, FcProfilePartner, i).width;
        while (width < own && width < WIDTH_MAX)
            width *= 2;
    }
    return width;
}

/* Returns the partners with that width, in order.  The caller unrefs the array. */
static GArray *widen(const GArray *partners, guint64 width)
{
    g_autoptr(GArray) wide = g_array_copy((GArray *)partners);
    GArray *result = g_array_new(FALSE, TRUE, sizeof(FcProfilePartner));
    for (guint i = 0; i < wide->len; i++)
    {
        FcProfilePartner *record = &g_array_index(wide, FcProfilePartner, i);
        record->rank = first_of(record->rank, width);
        record->peer = first_of(record->peer, width);
        record->width = width;
    }
    g_array_sort(wide, compare_partners);
    for (guint i = 0; i < wide->len; i++)
        append(result, &g_array_index(wide, FcProfilePartner, i));
    return result;
}

/* Returns the sum of two lists in order.  The caller unrefs it. */
static GArray *merge_partners(const GArray *one, const GArray *other)
{
    GArray *sum = g_array_sized_new(FALSE, TRUE, sizeof(FcProfilePartner), one->len + other->len);
    guint i = 0;
    guint j = 0;
    while (i < one->len || j < other->len)
    {
        const gboolean is_first =
            j >= other->len ||
            (i < one->len && compare_partners(&g_array_index(one, FcProfilePartner, i),
                                              &g_array_index(other, FcProfilePartner, j)) <= 0);
        append(sum, is_first ? &g_array_index(one, FcProfilePartner, i++)
                             : &g_array_index(other, FcProfilePartner, j++));
    }
    return sum;
}

void fc_profile_add_partners(FcProfile *into, const FcProfile *other)
{
    if (other->partners->len == 0)
        return;
    const guint64 own_width = width_of(into->partners);
    guint64 width = MAX(own_width, width_of(other->partners));
    g_autoptr(GArray) own =
        own_width == width ? g_array_ref(into->partners) : widen(into->partners, width);
    g_autoptr(GArray) others = widen(other->partners, width);
    GArray *sum = merge_partners(own, others);
    while (sum->len > FC_PROFILE_PARTNERS_MAX && width < WIDTH_MAX)
    {
        g_autoptr(GArray) narrow = sum;
        width *= 2;
        sum = widen(narrow, width);
    }
    g_array_unref(into->partners);
    into->partners = sum;
}

void fc_profile_add_collective(FcProfileCollective *into, const FcProfileCollective *other)
{
    into->calls_least = MIN(into->calls_least, other->calls_least);
    into->calls_most = MAX(into->calls_most, other->calls_most);
    /* of several the lowest rank, so that the order of merging makes no difference */
    if (other->least_ns < into->least_ns)
        into->least_rank = other->least_rank;
    else if (other->least_ns == into->least_ns)
        into->least_rank = MIN(into->least_rank, other->least_rank);
    if (other->most_ns > into->most_ns)
        into->most_rank = other->most_rank;
    else if (other->most_ns == into->most_ns)
        into->most_rank = MIN(into->most_rank, other->most_rank);
    into->least_ns = MIN(into->least_ns, other->least_ns);
    into->most_ns = MAX(into->most_ns, other->most_ns);
}

/* ---- Differences ---------------------------------------------------------------------------- */

static void take_off(guint64 *from, guint64 amount)
{
    *from -= MIN(*from, amount);
}

static void take_off_partners(GArray *partners, const GArray *part)
{
    guint kept = 0;
    for (guint i = 0, j = 0; i < partners->len; i++)
    {
        FcProfilePartner record = g_array_index(partners, FcProfilePartner, i);
        while (j < part->len &&
               compare_partners(&g_array_index(part, FcProfilePartner, j), &record) < 0)
            j++;
        const FcProfilePartner *amount =
            j < part->len ? &g_array_index(part, FcProfilePartner, j) : NULL;
        if (amount && compare_partners(amount, &record) == 0)
        {
            take_off(&record.sent, amount->sent);
            take_off(&record.sent_bytes, amount->sent_bytes);
            take_off(&record.received, amount->received);
            take_off(&record.received_bytes, amount->received_bytes);
            take_off(&record.posted, amount->posted);
            take_off(&record.posted_bytes, amount->posted_bytes);
        }
        if (record.sent > 0 || record.received > 0 || record.posted > 0)
            g_array_index(partners, FcProfilePartner, kept++) = record;
    }
    g_array_set_size(partners, kept);
}

static const FcProfileCollective *find_collective(const GArray *collectives,
                                                  const FcProfileCollective *like)
{
    for (guint i = 0; i < collectives->len; i++)
    {
        const FcProfileCollective *one = &g_array_index(collectives, FcProfileCollective, i);
        if (one->function.address == like->function.address &&
            one->site.address == like->site.address && one->group == like->group)
            return one;
    }
    return NULL;
}

static void take_off_collectives(GArray *collectives, const GArray *part)
{
    guint kept = 0;
    for (guint i = 0; i < collectives->len; i++)
    {
        FcProfileCollective record = g_array_index(collectives, FcProfileCollective, i);
        const FcProfileCollective *amount = find_collective(part, &record);
        if (amount)
        {
            take_off(&record.calls, amount->calls);
            take_off(&record.sum_ns, amount->sum_ns);
            record.calls_least = record.calls_most = record.calls;
            record.least_ns = record.most_ns = record.sum_ns;
        }
        if (record.calls > 0)
            g_array_index(collectives, FcProfileCollective, kept++) = record;
    }
    g_array_set_size(collectives, kept);
}

void fc_profile_take_off_mpi(FcProfile *profile, const FcProfile *part)
{
    take_off_partners(profile->partners, part->partners);
    take_off_collectives(profile->collectives, part->collectives);
}
