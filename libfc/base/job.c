/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See job.h. If a launcher gives its job no name, libfc makes one from what all ranks of a step
 * have in common.  That is the host and port at which Hydra (the mpirun of MPICH) listens, from
 * the command line of its proxy.  Without Hydra it is the host, and the pid and start time of the
 * parent process.
 */
#include "libfc/base/job.h"

#include "libfc/base/file.h"
#include "libfc/base/libc.h"
#include "libfc/base/sys.h"
#include "libfc/base/text.h"

#include <string.h>
#include <sys/utsname.h>

struct FcJob fc_job = {.rank = FC_JOB_UNKNOWN, .local_rank = FC_JOB_UNKNOWN};

/* The variables that launchers put into the environment; NULL: there is none.  The first launcher
 * found is used, so one that another launcher may start comes before that other one. */
static const struct Launcher
{
    const char *name;
    const char *rank;
    const char *size;
    const char *local_rank;
    const char *job;
} launchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "PMIX_NAMESPACE"},
    {"PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "PMIX_NAMESPACE"},
    {"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "PMI_JOBID"},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", NULL},
    {"PALS", "PALS_RANKID", NULL, "PALS_LOCAL_RANKID", "PALS_APID"},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL},
};

#define ANCESTORS_MAX 8 /* a wrapper or two, and the proxy */
#define TEXT_BYTES 4096

/* The decimal number in `text`; FC_JOB_UNKNOWN: it is no number, or too large. */
static uint32_t number_of(const char *text)
{
    uint64_t number = 0;
    const char *at = text;
    for (; at && *at >= '0' && *at <= '9' && number < FC_JOB_UNKNOWN; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return at && at != text && *at == '\0' && number < FC_JOB_UNKNOWN ? (uint32_t)number
                                                                      : FC_JOB_UNKNOWN;
}

static uint32_t number_in(const char *variable)
{
    return variable ? number_of(fc_libc_getenv(variable)) : FC_JOB_UNKNOWN;
}

/* ---- The name ---------------------------------------------------------------------------- */

static void add_name(const char *text, size_t bytes)
{
    size_t end = strlen(fc_job.name);
    for (size_t i = 0; i < bytes && end + 1 < sizeof fc_job.name; i++)
    {
        const char c = text[i];
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '.' || c == '+';
        fc_job.name[end++] = is_plain ? c : '_';
    }
    fc_job.name[end] = '\0';
}

static void add_number(uint64_t number)
{
    char digits[24];
    add_name(digits, (size_t)(fc_text_number(digits, number) - digits));
}

static void add_host(void)
{
    struct utsname host;
    if (fc_sys(SYS_uname, &host) == 0)
        add_name(host.nodename, strlen(host.nodename));
}

/* Reads a file that /proc has for process `pid`, and adds a NUL.  Returns its length. */
static size_t read_process(uint64_t pid, const char *file, char text[TEXT_BYTES])
{
    char path[64] = "/proc/";
    strcpy(fc_text_number(path + strlen(path), pid), file);
    const size_t bytes = fc_file_read(path, text, TEXT_BYTES - 1);
    text[bytes] = '\0';
    return bytes;
}

/* The argument after `option`.  Each argument in `text` ends with a NUL.  NULL: there is none. */
static const char *argument_behind(const char *option, const char *text, size_t bytes)
{
    for (const char *at = text; at < text + bytes; at += strlen(at) + 1)
        if (strcmp(at, option) == 0)
            return at + strlen(at) + 1 < text + bytes ? at + strlen(at) + 1 : NULL;
    return NULL;
}

/* HOST.PORT.GROUP of Hydra; each MPI_Comm_spawn makes another group. */
static bool name_by_hydra(const char *text, size_t bytes)
{
    const char *port = argument_behind("--control-port", text, bytes);
    const char *group = argument_behind("--pgid", text, bytes);
    const char *colon = port ? strrchr(port, ':') : NULL;
    if (!colon)
        return false;
    add_name(port, (size_t)(colon - port));
    add_name(".", 1);
    add_name(colon + 1, strlen(colon + 1));
    add_name(".", 1);
    add_name(group ? group : "0", group ? strlen(group) : 1);
    fc_job.launcher = "Hydra";
    return true;
}

/* The value of a field of /proc/PID/stat, by its number in proc(5).  Only for fields after the
 * name, which is field 2. */
static uint64_t field_of(const char *stat, int number)
{
    const char *at = strrchr(stat, ')');
    for (int field = 2; at && field < number; field++)
        at = strchr(at + 1, ' ');
    uint64_t value = 0;
    for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

#define STAT_PARENT 4
#define STAT_START 22

static void name_by_parent(void)
{
    char text[TEXT_BYTES];
    const uint64_t parent = (uint64_t)fc_sys(SYS_getppid);
    uint64_t process = parent;
    for (int i = 0; i < ANCESTORS_MAX && process > 1; i++)
    {
        const size_t bytes = read_process(process, "/cmdline", text);
        if (name_by_hydra(text, bytes))
            return;
        read_process(process, "/stat", text);
        process = field_of(text, STAT_PARENT);
    }
    read_process(parent, "/stat", text);
    add_host();
    add_name(".", 1);
    add_number(parent);
    add_name(".", 1);
    add_number(field_of(text, STAT_START));
}

/* In a batch job of Slurm the name begins with the job's number.  The step follows: its number,
 * or, if another launcher was started in the batch job, that launcher's name for its job.  A
 * batch script has a rank, but is no step. */
static void find_name(const struct Launcher *launcher)
{
    static const char prefix[] = "slurm.pmix.";
    const char *job = launcher->job ? fc_libc_getenv(launcher->job) : NULL;
    const char *batch = fc_libc_getenv("SLURM_JOB_ID");
    const bool is_step = strcmp(launcher->rank, "SLURM_PROCID") == 0;
    const size_t bytes = batch ? strlen(batch) : 0;
    if (job && strncmp(job, prefix, strlen(prefix)) == 0)
        job += strlen(prefix);
    if (is_step)
        job = batch ? fc_libc_getenv("SLURM_STEP_ID") : NULL;
    else if (batch && job && strncmp(job, batch, bytes) == 0 && job[bytes] == '.')
    {
        job += bytes + 1;
        fc_job.launcher = "Slurm";
        fc_job.local_rank = number_in("SLURM_LOCALID");
    }
    if (is_step && !job)
        return;
    if (batch)
    {
        add_name(batch, bytes);
        add_name(".", 1);
    }
    if (job && *job != '\0')
        add_name(job, strlen(job));
    else
        name_by_parent();
}

/* ---- All of it ----------------------------------------------------------------------------- */

void fc_job_find(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    {
        const struct Launcher *launcher = &launchers[i];
        const uint32_t rank = number_in(launcher->rank);
        if (rank == FC_JOB_UNKNOWN)
            continue;
        const uint32_t size = number_in(launcher->size);
        fc_job.rank = rank;
        fc_job.size = size != FC_JOB_UNKNOWN && size > rank ? size : 0;
        fc_job.local_rank = number_in(launcher->local_rank);
        fc_job.launcher = launcher->name;
        find_name(launcher);
        return;
    }
}

uint64_t fc_job_key(void)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    if (fc_job.rank == FC_JOB_UNKNOWN)
        return 0;
    for (const char *at = fc_job.name; *at != '\0'; at++)
        key = (key ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    key = (key ^ fc_job.rank) * UINT64_C(0x100000001b3);
    return key != 0 ? key : 1;
}

static bool take_number(const char **at, uint64_t *number)
{
    const char *digits = *at;
    for (*number = 0; **at >= '0' && **at <= '9' && *number < FC_JOB_UNKNOWN; ++*at)
        *number = *number * 10 + (uint64_t)(**at - '0');
    return *at != digits;
}

bool fc_job_is_listed(const char *list, bool *good)
{
    const char *at = list;
    bool is_listed = false;
    do
    {
        uint64_t first;
        *good = take_number(&at, &first);
        uint64_t last = first;
        if (*good && *at == '-')
        {
            at++;
            *good = take_number(&at, &last) && first <= last;
        }
        is_listed |= fc_job.rank >= first && fc_job.rank <= last;
    } while (*good && *at++ == ',');
    *good = *good && at[-1] == '\0';
    return is_listed;
}
