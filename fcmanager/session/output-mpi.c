/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of MPI in a profile.  The program may have written anything into their table.
 */
#include "fcmanager/session/output-build.h"

_Static_assert(FC_MPI_OTHERS == FC_PARTNER_OTHERS && FC_MPI_ELSEWHERE == FC_PARTNER_ELSEWHERE &&
                   FC_MPI_ANY == FC_PARTNER_ANY,
               "the same numbers");

/* No job has more ranks. */
#define RANKS_MAX (G_GUINT64_CONSTANT(1) << 31)

static gint compare_peers(gconstpointer a, gconstpointer b)
{
    const FcProfilePartner *one = a;
    const FcProfilePartner *other = b;
    return one->peer < other->peer ? -1 : one->peer > other->peer;
}

static void add_partners(FcOutputBuild *build, const struct FcMpiTable *mpi, gint64 rank)
{
    for (guint i = 0; i < FC_MPI_PARTNERS; i++)
    {
        const struct FcMpiPartner *from = &mpi->partners[i];
        const FcProfilePartner partner = {.rank = rank,
                                          .peer = (gint64)from->key + FC_MPI_PARTNER_LEAST - 1,
                                          .width = 1,
                                          .sent = from->sent,
                                          .sent_bytes = from->sent_bytes,
                                          .received = from->received,
                                          .received_bytes = from->received_bytes,
                                          .posted = from->posted,
                                          .posted_bytes = from->posted_bytes};
        if (from->key != 0 && from->key < RANKS_MAX &&
            partner.sent + partner.received + partner.posted > 0)
            g_array_append_val(build->profile->partners, partner);
    }
    g_array_sort(build->profile->partners, compare_peers);
}

static FcProfileLocation locate(const FcOutputBuild *build, guint64 address)
{
    return fc_output_place_of(
        build, address,
        fc_modules_find(build->process->modules, address, build->process->end_time));
}

static void add_collectives(FcOutputBuild *build, const struct FcMpiTable *mpi, gint64 rank)
{
    for (guint i = 0; i < FC_MPI_COLLECTIVES; i++)
    {
        const struct FcMpiCollective *from = &mpi->collectives[i];
        const FcProfileCollective collective = {.function = locate(build, from->function),
                                                .site = locate(build, from->site),
                                                .group = from->group,
                                                .first = from->first,
                                                .size = from->size,
                                                .ranks = 1,
                                                .calls = from->calls,
                                                .calls_least = from->calls,
                                                .calls_most = from->calls,
                                                .sum_ns = from->ns,
                                                .least_ns = from->ns,
                                                .least_rank = rank,
                                                .most_ns = from->ns,
                                                .most_rank = rank};
        if (from->key != 0 && from->function != 0 && from->calls > 0)
            g_array_append_val(build->profile->collectives, collective);
    }
}

void fc_output_add_mpi(FcOutputBuild *build)
{
    const struct FcMpiTable *mpi = build->process->mpi_copy;
    if (!mpi)
        return;
    const gint64 rank = mpi->rank != 0 && mpi->rank < RANKS_MAX ? (gint64)mpi->rank - 1 : FC_NONE;
    add_partners(build, mpi, rank);
    add_collectives(build, mpi, rank);
    if (mpi->others > 0)
        fc_profile_note(build->profile->repairs, "mpi-collectives-not-listed", mpi->others);
}
