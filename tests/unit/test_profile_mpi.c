/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of MPI: merged, in whatever groups; bounded; subtracted; and files that say anything.
 */
#include "profile_fixture.h"

static void add_partner(FcProfile *profile, gint64 rank, gint64 peer, guint64 width, guint64 sent)
{
    const FcProfilePartner partner = {.rank = rank,
                                      .peer = peer,
                                      .width = width,
                                      .sent = sent,
                                      .sent_bytes = 10 * sent,
                                      .received = sent / 2,
                                      .posted = sent % 7};
    g_array_append_val(profile->partners, partner);
}

static void add_collective(FcProfile *profile, guint64 site, guint64 group, gint64 rank,
                           guint64 calls, guint64 ns)
{
    const FcProfileCollective one = {.function = {.address = 5, .offset = 5, .module = FC_NONE},
                                     .site = {.address = site, .offset = site, .module = FC_NONE},
                                     .group = group,
                                     .size = 3,
                                     .ranks = 1,
                                     .calls = calls,
                                     .calls_least = calls,
                                     .calls_most = calls,
                                     .sum_ns = ns,
                                     .least_ns = ns,
                                     .least_rank = rank,
                                     .most_ns = ns,
                                     .most_rank = rank};
    g_array_append_val(profile->collectives, one);
}

static guint64 sum_sent(const FcProfile *profile)
{
    guint64 sum = 0;
    for (guint i = 0; i < profile->partners->len; i++)
        sum += g_array_index(profile->partners, FcProfilePartner, i).sent;
    return sum;
}

static FcProfile *reread(const FcProfile *profile)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = fc_profile_format(profile);
    FcProfile *read = fc_profile_parse(text->str, text->len, &error);
    g_assert_no_error(error);
    return read;
}

/* A rank that talks with some others, with many ranks more than the bound allows of pairs. */
static FcProfile *make_rank(GRand *rand, guint rank, guint ranks, guint64 *sent)
{
    FcProfile *profile = fixture_plain_new();
    const guint step = 1 + ranks / 40;
    add_partner(profile, rank, FC_PARTNER_ELSEWHERE, 1, 3);
    *sent += 3;
    for (guint peer = rank % step; peer < ranks; peer += step)
    {
        const guint64 messages = 1 + (guint64)g_rand_int_range(rand, 0, 1000);
        add_partner(profile, rank, peer, 1, messages);
        *sent += messages;
    }
    for (guint site = 1; site < 4; site++)
        add_collective(profile, 100 * site, site % 2, rank, 2,
                       (guint64)g_rand_int_range(rand, 1, 9));
    return profile;
}

/* Merges of merges, in whatever groups and through files, are the merge of all, and have no more
 * records than they may. */
static void test_groups(void)
{
    const guint counts[] = {5, 40, 1200};
    for (guint round = 0; round < G_N_ELEMENTS(counts); round++)
    {
        const guint ranks = counts[round];
        guint64 sent = 0;
        g_autoptr(GRand) rand = g_rand_new_with_seed(round);
        g_autoptr(FcProfile) all = fc_profile_new();
        g_autoptr(FcProfile) merged = fc_profile_new();
        g_autoptr(FcProfile) group = fc_profile_new();
        for (guint rank = 0; rank < ranks; rank++)
        {
            g_autoptr(FcProfile) one = make_rank(rand, rank, ranks, &sent);
            fc_profile_merge(all, one);
            fc_profile_merge(group, one);
            if (g_rand_int_range(rand, 0, 9) > 0 && rank + 1 < ranks)
                continue;
            g_autoptr(FcProfile) read = reread(group);
            fc_profile_merge(merged, read);
            g_clear_pointer(&group, fc_profile_free);
            group = fc_profile_new();
        }
        g_autoptr(GString) a = fc_profile_format(all);
        g_autoptr(GString) b = fc_profile_format(merged);
        g_assert_cmpstr(a->str, ==, b->str);
        g_assert_cmpuint(sum_sent(all), ==, sent);
        g_assert_cmpuint(all->partners->len, <=, FC_PROFILE_PARTNERS_MAX);
        const FcProfilePartner *first = &g_array_index(all->partners, FcProfilePartner, 0);
        g_assert_cmpint(first->peer, ==, FC_PARTNER_ELSEWHERE);
        g_assert_cmpuint(first->sent, ==, 3 * MIN(first->width, ranks));
        g_assert_cmpint(first->width > 1, ==, ranks == 1200);
    }
}

/* By hand: three ranks, the last of which is the first to leave. */
static void test_collectives(void)
{
    const guint64 ns[] = {700, 900, 100};
    g_autoptr(FcProfile) sum = fc_profile_new();
    for (guint rank = 0; rank < G_N_ELEMENTS(ns); rank++)
    {
        g_autoptr(FcProfile) one = fixture_plain_new();
        add_collective(one, 7, 0, rank, rank == 1 ? 5 : 4, ns[rank]);
        add_collective(one, 7, rank + 1, rank, 1, 1);
        fc_profile_merge(sum, one);
    }
    g_assert_cmpuint(sum->collectives->len, ==, 4);
    const FcProfileCollective *one = &g_array_index(sum->collectives, FcProfileCollective, 0);
    g_assert_cmpuint(one->ranks, ==, 3);
    g_assert_cmpuint(one->calls, ==, 13);
    g_assert_cmpuint(one->calls_least, ==, 4);
    g_assert_cmpuint(one->calls_most, ==, 5);
    g_assert_cmpuint(one->sum_ns, ==, 1700);
    g_assert_cmpuint(one->least_ns, ==, 100);
    g_assert_cmpint(one->least_rank, ==, 2);
    g_assert_cmpuint(one->most_ns, ==, 900);
    g_assert_cmpint(one->most_rank, ==, 1);
}

/* A later snapshot less an earlier one. */
static void test_difference(void)
{
    g_autoptr(FcProfile) later = fixture_plain_new();
    g_autoptr(FcProfile) earlier = fixture_plain_new();
    add_partner(earlier, 0, 1, 1, 10);
    add_partner(earlier, 0, 4, 1, 6);
    add_collective(earlier, 7, 0, 0, 4, 50);
    add_collective(earlier, 8, 0, 0, 4, 50);
    add_partner(later, 0, 1, 1, 10);
    add_partner(later, 0, 3, 1, 2);
    add_partner(later, 0, 4, 1, 13);
    add_collective(later, 8, 0, 0, 9, 80);
    add_collective(later, 8, 1, 0, 1, 5);
    add_collective(later, 7, 0, 0, 4, 50);
    fc_profile_take_off_mpi(later, earlier);
    g_assert_cmpuint(later->partners->len, ==, 2);
    g_assert_cmpuint(g_array_index(later->partners, FcProfilePartner, 0).sent, ==, 2);
    g_assert_cmpuint(g_array_index(later->partners, FcProfilePartner, 1).sent, ==, 7);
    g_assert_cmpuint(g_array_index(later->partners, FcProfilePartner, 1).sent_bytes, ==, 70);
    g_assert_cmpuint(later->collectives->len, ==, 2);
    const FcProfileCollective *one = &g_array_index(later->collectives, FcProfileCollective, 0);
    g_assert_cmpuint(one->calls, ==, 5);
    g_assert_cmpuint(one->calls_most, ==, 5);
    g_assert_cmpuint(one->sum_ns, ==, 30);
    g_assert_cmpuint(one->most_ns, ==, 30);
}

/* Widths and ranks that no manager writes: the merge ends, and loses nothing. */
static void test_hostile(void)
{
    const guint64 widths[] = {0, 3, G_MAXUINT64, 1};
    const gint64 ranks[] = {G_MAXINT64, G_MININT64, -1, 0};
    g_autoptr(FcProfile) sum = fc_profile_new();
    for (guint i = 0; i < G_N_ELEMENTS(widths); i++)
        for (guint j = 0; j < G_N_ELEMENTS(ranks); j++)
        {
            g_autoptr(FcProfile) one = fixture_plain_new();
            add_partner(one, ranks[j], ranks[(j + i) % 4], widths[i], 1);
            add_partner(one, ranks[(j + 1) % 4], ranks[j], widths[j], 1);
            fc_profile_merge(sum, one);
        }
    g_assert_cmpuint(sum_sent(sum), ==, 32);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/profile/mpi/groups", test_groups);
    g_test_add_func("/profile/mpi/collectives", test_collectives);
    g_test_add_func("/profile/mpi/difference", test_difference);
    g_test_add_func("/profile/mpi/hostile", test_hostile);
    return g_test_run();
}
