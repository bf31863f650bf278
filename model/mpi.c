/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See mpi.h.
 */
#include "model/mpi.h"

#include <string.h>

#define NOTABLE 0.1 /* of the longest wait */

gboolean fc_mpi_is_function(const FcProfile *profile, const FcProfileFunction *function)
{
    if (function->location.module == FC_NONE)
        return FALSE;
    const char *path =
        g_array_index(profile->modules, FcProfileModule, function->location.module).path;
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    return name && (g_str_has_prefix(name, "libmpi") || g_str_has_prefix(name, "libpmpi"));
}

/* Returns the name without MPI_ or PMPI_: "Barrier" in C, "barrier_" in Fortran.  NULL: it is no
 * function of MPI. */
static const char *plain_name(const FcFunction *function)
{
    const char *name = function->name;
    if (g_ascii_strncasecmp(name, "P", 1) == 0)
        name++;
    return g_ascii_strncasecmp(name, "MPI_", 4) == 0 ? name + 4 : NULL;
}

static gboolean begins_with_any(const char *name, const char *const *starts, guint count)
{
    for (guint i = 0; i < count; i++)
        if (g_ascii_strncasecmp(name, starts[i], strlen(starts[i])) == 0)
            return TRUE;
    return FALSE;
}

/* Whether every rank has to come before any may leave, or nearly so. */
static gboolean is_collective(const char *name)
{
    static const char *const starts[] = {
        "Barrier", "Bcast", "Reduce", "Allreduce", "Allgather",  "Alltoall", "Gather",
        "Scatter", "Scan",  "Exscan", "Comm_dup",  "Comm_split", "Win_fence"};
    return begins_with_any(name, starts, G_N_ELEMENTS(starts));
}

static gboolean is_start_or_end(const char *name)
{
    static const char *const starts[] = {"Init", "Finalize"};
    return begins_with_any(name, starts, G_N_ELEMENTS(starts));
}

/* Returns the rank's figures for the function; NULL: it has none. */
static const FcInputFunction *find_function(const FcModel *model, const FcInput *input,
                                            guint function)
{
    for (guint i = 0; i < input->mpi->len; i++)
    {
        const FcInputFunction *one = &g_array_index(input->mpi, FcInputFunction, i);
        if (model->function_of[one->function] == function)
            return one;
    }
    return NULL;
}

static gboolean is_rank(const FcInput *input)
{
    return input->mpi && input->mpi->len > 0;
}

/* Measures the ranks' waits in the function.  FALSE: not all ranks call it equally often. */
static gboolean measure(const FcModel *model, guint function, FcMpiWait *wait)
{
    guint64 sum_ns = 0;
    guint64 most_ns = 0;
    guint64 calls = 0;
    *wait = (FcMpiWait){.function = function, .late = FC_NONE, .late_ns = G_MAXUINT64};
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        const FcInputFunction *own = is_rank(input) ? find_function(model, input, function) : NULL;
        if (is_rank(input) && (!own || (wait->ranks > 0 && own->calls != calls)))
            return FALSE;
        if (!own)
            continue;
        if (own->local_ns < wait->late_ns)
            wait->late = input->header->job.rank;
        wait->late_ns = MIN(wait->late_ns, own->local_ns);
        most_ns = MAX(most_ns, own->local_ns);
        sum_ns += own->local_ns;
        calls = own->calls;
        wait->ranks++;
        wait->run_ns += input->header->run_ns;
    }
    for (guint i = 0; wait->ranks > 1 && i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        const FcInputFunction *own = is_rank(input) ? find_function(model, input, function) : NULL;
        wait->waiting += own && (double)(own->local_ns - wait->late_ns) >
                                    NOTABLE * (double)(most_ns - wait->late_ns);
    }
    wait->wait_ns = wait->ranks > 1 ? sum_ns - wait->ranks * wait->late_ns : 0;
    return wait->ranks > 1;
}

/* Whether the function was called on communicators of some ranks only.  Then each of them may have
 * waited for another rank. */
static gboolean has_groups(const FcModel *model, const FcFunction *function)
{
    const FcProfileLocation *own = &function->figures.location;
    for (guint i = 0; i < model->profile->collectives->len; i++)
    {
        const FcProfileCollective *one =
            &g_array_index(model->profile->collectives, FcProfileCollective, i);
        if (one->group != 0 && one->function.module == own->module &&
            one->function.offset == own->offset)
            return TRUE;
    }
    return FALSE;
}

gboolean fc_mpi_find_wait(const FcModel *model, FcMpiWait *wait)
{
    *wait = (FcMpiWait){.late = FC_NONE};
    for (guint i = 0; i < model->functions->len; i++)
    {
        FcMpiWait one;
        const FcFunction *function = fc_model_function(model, i);
        const char *name =
            fc_mpi_is_function(model->profile, &function->figures) ? plain_name(function) : NULL;
        if (!name || is_start_or_end(name) || !measure(model, i, &one) ||
            one.wait_ns <= wait->wait_ns)
            continue;
        *wait = one;
        if (!is_collective(name) || has_groups(model, function))
            wait->late = FC_NONE;
    }
    return wait->wait_ns > 0;
}

gboolean fc_mpi_has_skew(const FcProfileCollective *collective)
{
    return collective->ranks > 1 && collective->calls_least == collective->calls_most;
}

guint64 fc_mpi_waited_ns(const FcProfileCollective *collective)
{
    if (!fc_mpi_has_skew(collective))
        return 0;
    const guint64 least_ns = collective->least_ns;
    /* a file may be wrong: the difference must not wrap */
    return least_ns > collective->sum_ns / collective->ranks
               ? 0
               : collective->sum_ns - collective->ranks * least_ns;
}
