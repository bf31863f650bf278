/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What goes between ranks, and how long they are in collective calls: sums in the table of
 * fc-mpi.h. The stubs of mpi-calls.S call this around functions that have such figures.
 *
 * A rank of a communicator is translated to one of the world by the program's own library.  So are
 * sizes.  It is asked only after a call of the program's with the same arguments succeeded, so none
 * of its error handlers runs.  Two families of libraries have different handles and statuses: Open
 * MPI, and MPICH with its kin.  In others, nothing is known of partners and communicators.
 */
#include "libfc/process/mpi-figures.h"

#include "libfc/base/libc.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/process/mpi-calls.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/pool.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)

void *fc_mpi_functions[FC_MPI_MAX] __attribute__((visibility("hidden")));
uint8_t fc_mpi_kinds[FC_MPI_MAX] __attribute__((visibility("hidden")));

/* ---- The functions ----------------------------------------------------------------------
 *
 * Positions of arguments, from 0; NOT: there is none. */

#define NOT (-1)
struct Part
{
    int8_t count, type, peer;
};
#define NO_PART                                                                                    \
    {                                                                                              \
        NOT, NOT, NOT                                                                              \
    }

struct Kind
{
    const char *name;
    int8_t arguments; /* how many in C; Fortran's have one more, the error */
    int8_t comm;
    int8_t status;
    bool is_collective;
    bool is_posted; /* what it receives comes later */
    bool is_end;    /* of a communicator, whose handle may then be another's */
    struct Part send, receive;
};

#define SEND(name, arguments)                                                                      \
    {                                                                                              \
        name, arguments, 5, NOT, false, false, false, {1, 2, 3}, NO_PART                           \
    }
#define COLLECTIVE(name, arguments, comm)                                                          \
    {                                                                                              \
        name, arguments, comm, NOT, true, false, false, NO_PART, NO_PART                           \
    }
static const struct Kind kinds[] = {
    SEND("Send", 6),
    SEND("Ssend", 6),
    SEND("Bsend", 6),
    SEND("Rsend", 6),
    SEND("Isend", 7),
    SEND("Issend", 7),
    SEND("Ibsend", 7),
    SEND("Irsend", 7),
    {"Recv", 7, 5, 6, false, false, false, NO_PART, {1, 2, 3}},
    {"Irecv", 7, 5, NOT, false, true, false, NO_PART, {1, 2, 3}},
    {"Mrecv", 5, NOT, 4, false, false, false, NO_PART, {1, 2, NOT}},
    {"Sendrecv", 12, 10, 11, false, false, false, {1, 2, 3}, {6, 7, 8}},
    {"Sendrecv_replace", 9, 7, 8, false, false, false, {1, 2, 3}, {1, 2, 5}},
    {"Isendrecv", 12, 10, NOT, false, true, false, {1, 2, 3}, {6, 7, 8}},
    {"Isendrecv_replace", 9, 7, NOT, false, true, false, {1, 2, 3}, {1, 2, 5}},
    COLLECTIVE("Barrier", 1, 0),
    COLLECTIVE("Bcast", 5, 4),
    COLLECTIVE("Reduce", 7, 6),
    COLLECTIVE("Allreduce", 6, 5),
    COLLECTIVE("Reduce_scatter", 6, 5),
    COLLECTIVE("Reduce_scatter_block", 6, 5),
    COLLECTIVE("Gather", 8, 7),
    COLLECTIVE("Gatherv", 9, 8),
    COLLECTIVE("Scatter", 8, 7),
    COLLECTIVE("Scatterv", 9, 8),
    COLLECTIVE("Allgather", 7, 6),
    COLLECTIVE("Allgatherv", 8, 7),
    COLLECTIVE("Alltoall", 7, 6),
    COLLECTIVE("Alltoallv", 9, 8),
    COLLECTIVE("Alltoallw", 9, 8),
    COLLECTIVE("Scan", 6, 5),
    COLLECTIVE("Exscan", 6, 5),
    COLLECTIVE("Comm_dup", 2, 0),
    COLLECTIVE("Comm_split", 4, 0),
    COLLECTIVE("Comm_split_type", 5, 0),
    COLLECTIVE("Comm_create", 3, 0),
    {"Comm_free", 1, 0, NOT, false, false, true, NO_PART, NO_PART},
    {"Comm_disconnect", 1, 0, NOT, false, false, true, NO_PART, NO_PART},
};
#define KINDS (sizeof kinds / sizeof *kinds)
/* In a stub's kind, beside the number of the kind from 1. */
#define FORTRAN 0x80u
#define LARGE 0x40u /* counts have 64 bits */
_Static_assert(KINDS < LARGE, "a stub's kind");

/* Whether the first letters are those of the kind's name: Fortran's are small. */
static bool is_name(const struct Kind *kind, const char *letters, size_t length)
{
    if (strlen(kind->name) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((kind->name[i] | 0x20) != (letters[i] | 0x20))
            return false;
    return true;
}

uint8_t fc_mpi_kind_of(const char *name)
{
    const bool is_fortran = name[0] == 'm';
    const char *start = name + strlen("MPI_");
    size_t length = strlen(start);
    uint8_t flags = is_fortran ? FORTRAN : 0;
    if (is_fortran)
        length--; /* the last underscore */
    if (is_fortran && length > 4 && memcmp(start + length - 4, "_f08", 4) == 0)
        length -= 4;
    if (length > 2 && memcmp(start + length - 2, "_c", 2) == 0)
    {
        length -= 2;
        flags |= LARGE;
    }
    for (size_t i = 0; i < KINDS; i++)
        if (is_name(&kinds[i], start, length))
            return (uint8_t)(flags | (i + 1));
    return 0;
}

/* ---- The library ------------------------------------------------------------------------ */

typedef int64_t Count;

static struct
{
    uint32_t state; /* atomic, LIBRARY_*; the rest is set before it becomes LIBRARY_KNOWN */
    bool is_open_mpi;
    uint64_t world, byte; /* handles */
    int64_t any_source, proc_null;
    uint64_t status_ignore;
    const uint64_t *fortran_status_ignore; /* NULL: there is none */
    size_t source_at;                      /* in a status */
    int (*comm_rank)(uint64_t comm, int *rank);
    int (*comm_group)(uint64_t comm, uint64_t *group);
    int (*comm_remote_group)(uint64_t comm, uint64_t *group);
    int (*comm_test_inter)(uint64_t comm, int *is_inter);
    int (*group_size)(uint64_t group, int *size);
    int (*group_free)(uint64_t *group);
    int (*translate)(uint64_t group, int count, const int *ranks, uint64_t to, int *translated);
    int (*type_size)(uint64_t type, Count *size);
    int (*elements)(const void *status, uint64_t type, Count *count);
    uint64_t (*comm_f2c)(int comm); /* Open MPI's; the others' handles are the same in Fortran */
    uint64_t (*type_f2c)(int type);
} library;

enum
{
    LIBRARY_NEW,
    LIBRARY_UNKNOWN,
    LIBRARY_KNOWN,
};

static void *find(const char *name)
{
    return fc_libc()->dlsym(RTLD_DEFAULT, name);
}

static bool find_functions(void)
{
    struct
    {
        const char *name;
        void *pointer;
    } const wanted[] = {
        {"PMPI_Comm_rank", &library.comm_rank},
        {"PMPI_Comm_group", &library.comm_group},
        {"PMPI_Comm_remote_group", &library.comm_remote_group},
        {"PMPI_Comm_test_inter", &library.comm_test_inter},
        {"PMPI_Group_size", &library.group_size},
        {"PMPI_Group_free", &library.group_free},
        {"PMPI_Group_translate_ranks", &library.translate},
        {"PMPI_Type_size_x", &library.type_size},
        {"PMPI_Get_elements_x", &library.elements},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    {
        void *function = find(wanted[i].name);
        if (!function)
            return false;
        memcpy(wanted[i].pointer, &function, sizeof function);
    }
    return true;
}

/* The handles and the status of each family, as its mpi.h has them. */
static bool find_family(void)
{
    static char text[8192]; /* MPI_MAX_LIBRARY_VERSION_STRING of all is at most this */
    int length = 0;
    int (*version)(char *text, int *length) =
        (int (*)(char *, int *))find("PMPI_Get_library_version");
    if (!version || version(text, &length) != 0)
        return false;
    library.fortran_status_ignore = find("MPI_F_STATUS_IGNORE");
    if (strncmp(text, "Open MPI", strlen("Open MPI")) == 0)
    {
        library.is_open_mpi = true;
        library.world = (uint64_t)find("ompi_mpi_comm_world");
        library.byte = (uint64_t)find("ompi_mpi_byte");
        library.any_source = -1;
        library.proc_null = -2;
        library.comm_f2c = (uint64_t(*)(int))find("PMPI_Comm_f2c");
        library.type_f2c = (uint64_t(*)(int))find("PMPI_Type_f2c");
        return library.world != 0 && library.byte != 0 && library.comm_f2c && library.type_f2c;
    }
    if (!strstr(text, "MPICH") && !strstr(text, "Intel(R) MPI"))
        return false;
    library.world = 0x44000000;
    library.byte = 0x4c00010d;
    library.any_source = -2;
    library.proc_null = -1;
    library.status_ignore = 1;
    library.source_at = 8;
    return true;
}

/* ---- The table -------------------------------------------------------------------------- */

static struct
{
    uint32_t lock;    /* of the communicators as well */
    uint64_t process; /* atomic: whose table it is, after `at` */
    struct FcMpiTable *at;
    bool is_private; /* fcmanager does not see it */
} table;

/* In a chunk, else in private memory. */
static struct FcMpiTable *make_table(void)
{
    struct FcChunk *chunk = fc_thread.number != 0 ? fc_pool_claim_mpi() : NULL;
    table.is_private = !chunk;
    struct FcMpiTable *made = chunk ? &chunk->mpi : fc_map(sizeof *made);
    int rank;
    if (made && library.comm_rank(library.world, &rank) == 0)
        made->rank = (uint64_t)rank + 1;
    return made;
}

/* The process's table; NULL: there is none, or the library is not known. */
static struct FcMpiTable *own_table(void)
{
    /* acquire: pairs with the release below */
    if (__atomic_load_n(&table.process, __ATOMIC_ACQUIRE) == fc_state_key)
        return table.at;
    if (__atomic_load_n(&library.state, __ATOMIC_RELAXED) == LIBRARY_UNKNOWN)
        return NULL;
    const uint64_t old = fc_block_signals();
    fc_lock(&table.lock);
    if (library.state == LIBRARY_NEW)
        __atomic_store_n(&library.state,
                         find_functions() && find_family() ? LIBRARY_KNOWN : LIBRARY_UNKNOWN,
                         __ATOMIC_RELAXED);
    if (library.state == LIBRARY_KNOWN && table.process != fc_state_key)
    {
        table.at = make_table();
        __atomic_store_n(&table.process, fc_state_key, __ATOMIC_RELEASE);
    }
    fc_unlock(&table.lock);
    fc_restore_signals(old);
    return library.state == LIBRARY_KNOWN ? table.at : NULL;
}

void fc_mpi_send_private(void)
{
    struct FcMessage message = {.type = FC_MSG_MPI, .thread = fc_thread.number};
    if (__atomic_load_n(&table.process, __ATOMIC_ACQUIRE) == fc_state_key && table.at &&
        table.is_private)
        fc_channel_send(&message, table.at, sizeof *table.at);
}

static void add(uint64_t *sum, uint64_t number)
{
    __atomic_fetch_add(sum, number, __ATOMIC_RELAXED);
}

/* How many places are tried before there is said to be no room. */
#define TRIES 16u

/* Returns where `key` is, or makes it; NULL: no room.  `first`: the first key of a row of `count`.
 */
static void *find_place(void *first, size_t bytes, uint32_t count, uint64_t key)
{
    for (uint32_t i = 0; i < TRIES; i++)
    {
        uint64_t *place = (uint64_t *)((char *)first + (key + i) % count * bytes);
        uint64_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);
        if (seen == 0 && __atomic_compare_exchange_n(place, &seen, key, false, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED))
            return place;
        if (seen == key)
            return place;
    }
    return NULL;
}

/* The last row is of those for which there is no room. */
static struct FcMpiPartner *find_partner(struct FcMpiTable *own, int64_t partner)
{
    const uint64_t key = (uint64_t)(partner - FC_MPI_PARTNER_LEAST + 1);
    struct FcMpiPartner *others = &own->partners[FC_MPI_PARTNERS - 1];
    struct FcMpiPartner *found =
        find_place(own->partners, sizeof *others, FC_MPI_PARTNERS - 1, key);
    if (found)
        return found;
    __atomic_store_n(&others->key, FC_MPI_OTHERS - FC_MPI_PARTNER_LEAST + 1, __ATOMIC_RELAXED);
    return others;
}

/* ---- Communicators ------------------------------------------------------------------------ */

/* The ranks of a communicator; of one between two groups, those of the other group. */
struct Comm
{
    uint64_t handle; /* 0: not in use */
    uint64_t group;  /* as in FcMpiCollective */
    bool is_inter;
    uint32_t size, first;
    int *world; /* the rank in the world of each; mapped */
};

/* Communicators that are remembered, each with a number by rank. */
#define COMMS 64u
static struct Comm comms[COMMS];
static uint32_t next_comm;

static void forget(struct Comm *comm)
{
    if (comm->world)
        fc_unmap(comm->world, 2 * sizeof *comm->world * comm->size);
    *comm = (struct Comm){0};
}

/* Equal for the same ranks in any order. */
static uint64_t mix(uint64_t number)
{
    number = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

static void name_group(struct Comm *comm, int world_size)
{
    comm->first = UINT32_MAX;
    for (uint32_t i = 0; i < comm->size; i++)
    {
        if (comm->world[i] < 0)
            continue;
        comm->group += mix((uint64_t)comm->world[i]);
        comm->first =
            (uint32_t)comm->world[i] < comm->first ? (uint32_t)comm->world[i] : comm->first;
    }
    if (comm->size == (uint32_t)world_size && !comm->is_inter)
        comm->group = 0;
}

/* Asks the library.  False: it does not know. */
static bool read_comm(struct Comm *comm, uint64_t handle)
{
    uint64_t group = 0;
    uint64_t world = 0;
    int is_inter = 0;
    int size = 0;
    int world_size = 0;
    *comm = (struct Comm){.handle = handle};
    if (library.comm_test_inter(handle, &is_inter) != 0 ||
        (is_inter ? library.comm_remote_group : library.comm_group)(handle, &group) != 0)
        return false;
    comm->is_inter = is_inter != 0;
    if (library.comm_group(library.world, &world) == 0 &&
        library.group_size(world, &world_size) == 0 && library.group_size(group, &size) == 0 &&
        size > 0)
    {
        comm->size = (uint32_t)size;
        comm->world = fc_map(2 * sizeof *comm->world * comm->size);
    }
    int *ranks = comm->world ? comm->world + size : NULL;
    for (int i = 0; ranks && i < size; i++)
        ranks[i] = i;
    const bool is_good = ranks && library.translate(group, size, ranks, world, comm->world) == 0;
    library.group_free(&group);
    if (world != 0)
        library.group_free(&world);
    if (is_good)
        name_group(comm, world_size);
    return is_good;
}

/* Returns the communicator, made if it is new; NULL: the library does not know it.  Under the
 * lock. */
static const struct Comm *find_comm(uint64_t handle)
{
    for (uint32_t i = 0; i < COMMS; i++)
        if (comms[i].handle == handle)
            return &comms[i];
    struct Comm *comm = &comms[next_comm++ % COMMS];
    forget(comm);
    if (read_comm(comm, handle))
        return comm;
    forget(comm);
    return NULL;
}

static void forget_comm(uint64_t handle)
{
    const uint64_t old = fc_block_signals();
    fc_lock(&table.lock);
    for (uint32_t i = 0; i < COMMS; i++)
        if (comms[i].handle == handle)
            forget(&comms[i]);
    fc_unlock(&table.lock);
    fc_restore_signals(old);
}

/* Returns the rank in the world of `rank` of the communicator. */
static int64_t find_rank(uint64_t handle, int64_t rank)
{
    if (handle == library.world)
        return rank;
    int64_t found = FC_MPI_ELSEWHERE;
    const uint64_t old = fc_block_signals();
    fc_lock(&table.lock);
    const struct Comm *comm = rank >= 0 ? find_comm(handle) : NULL;
    if (comm && rank < comm->size && comm->world[rank] >= 0)
        found = comm->world[rank];
    fc_unlock(&table.lock);
    fc_restore_signals(old);
    return found;
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static uint64_t *argument_at(struct FcMpiCall *call, int position)
{
    return position < FC_MPI_REGISTER_ARGUMENTS
               ? &call->arguments[position]
               : &call->stack[position - FC_MPI_REGISTER_ARGUMENTS];
}

static bool is_fortran(const struct FcMpiCall *call)
{
    return (fc_mpi_kinds[call->number] & FORTRAN) != 0;
}

static const struct Kind *kind_of(const struct FcMpiCall *call)
{
    return &kinds[(fc_mpi_kinds[call->number] & (LARGE - 1)) - 1];
}

/* Fortran's arguments are references. */
static int64_t number_of(struct FcMpiCall *call, int position, bool is_large)
{
    const uint64_t word = *argument_at(call, position);
    if (is_fortran(call))
        return is_large ? *(const int64_t *)word : *(const int32_t *)word;
    return is_large ? (int64_t)word : (int32_t)word;
}

/* `convert`: of Fortran's handles, in Open MPI. */
static uint64_t handle_of(struct FcMpiCall *call, int position, uint64_t (*convert)(int))
{
    const int64_t number = number_of(call, position, false);
    if (!library.is_open_mpi)
        return (uint32_t)number;
    return is_fortran(call) ? convert((int)number) : *argument_at(call, position);
}

static bool has_failed(struct FcMpiCall *call, const struct Kind *kind)
{
    if (!is_fortran(call))
        return (int32_t)call->result != 0;
    const uint64_t error = *argument_at(call, kind->arguments);
    return error != 0 && *(const int32_t *)error != 0; /* Fortran 2008 may leave it out */
}

/* ---- Messages ------------------------------------------------------------------------------- */

static uint64_t size_of(struct FcMpiCall *call, const struct Part *part)
{
    const bool is_large = (fc_mpi_kinds[call->number] & LARGE) != 0;
    const int64_t count = number_of(call, part->count, is_large);
    Count size = 0;
    if (count <= 0 ||
        library.type_size(handle_of(call, part->type, library.type_f2c), &size) != 0 || size <= 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

static int64_t partner_of(struct FcMpiCall *call, const struct Kind *kind, int64_t rank)
{
    if (rank == library.any_source)
        return FC_MPI_ANY;
    return kind->comm == NOT ? FC_MPI_ELSEWHERE
                             : find_rank(handle_of(call, kind->comm, library.comm_f2c), rank);
}

static void note_sent(struct FcMpiTable *own, struct FcMpiCall *call, const struct Kind *kind)
{
    const int64_t rank = number_of(call, kind->send.peer, false);
    if (rank == library.proc_null)
        return;
    struct FcMpiPartner *partner = find_partner(own, partner_of(call, kind, rank));
    add(&partner->sent, 1);
    add(&partner->sent_bytes, size_of(call, &kind->send));
}

static void note_posted(struct FcMpiTable *own, struct FcMpiCall *call, const struct Kind *kind)
{
    const int64_t rank = number_of(call, kind->receive.peer, false);
    if (rank == library.proc_null)
        return;
    struct FcMpiPartner *partner = find_partner(own, partner_of(call, kind, rank));
    add(&partner->posted, 1);
    add(&partner->posted_bytes, size_of(call, &kind->receive));
}

static void note_received(struct FcMpiTable *own, struct FcMpiCall *call, const struct Kind *kind)
{
    const char *status = (const char *)*argument_at(call, kind->status);
    int32_t rank;
    Count bytes = 0;
    memcpy(&rank, status + library.source_at, sizeof rank);
    if (rank == library.proc_null)
        return;
    if (library.elements(status, library.byte, &bytes) != 0 || bytes < 0)
        bytes = 0;
    struct FcMpiPartner *partner = find_partner(own, partner_of(call, kind, rank));
    add(&partner->received, 1);
    add(&partner->received_bytes, (uint64_t)bytes);
}

/* ---- Collective calls ------------------------------------------------------------------------ */

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    fc_libc()->clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool find_group(uint64_t handle, struct FcMpiCollective *group)
{
    const uint64_t old = fc_block_signals();
    fc_lock(&table.lock);
    const struct Comm *comm = find_comm(handle);
    if (comm)
    {
        group->group = comm->group;
        group->first = comm->first;
        group->size = comm->size;
    }
    const bool is_found = comm && !comm->is_inter && comm->size > 1;
    fc_unlock(&table.lock);
    fc_restore_signals(old);
    return is_found;
}

static void note_collective(struct FcMpiTable *own, struct FcMpiCall *call, const struct Kind *kind)
{
    struct FcMpiCollective what = {.function = (uint64_t)fc_mpi_functions[call->number],
                                   .site = call->site};
    const uint64_t ns = now_ns() - call->begun_ns;
    if (!find_group(handle_of(call, kind->comm, library.comm_f2c), &what))
        return;
    what.key = mix(what.function ^ mix(what.site ^ mix(what.group))) | 1;
    struct FcMpiCollective *place =
        find_place(own->collectives, sizeof *own->collectives, FC_MPI_COLLECTIVES, what.key);
    if (!place)
    {
        add(&own->others, 1);
        return;
    }
    if (__atomic_load_n(&place->function, __ATOMIC_RELAXED) == 0)
    {
        place->site = what.site;
        place->group = what.group;
        place->first = what.first;
        place->size = what.size;
        /* release: the manager reads the others after it */
        __atomic_store_n(&place->function, what.function, __ATOMIC_RELEASE);
    }
    add(&place->calls, 1);
    add(&place->ns, ns);
}

/* ---- Around a call ----------------------------------------------------------------------------
 */

void fc_mpi_before(struct FcMpiCall *call)
{
    const struct Kind *kind = kind_of(call);
    call->begun_ns = 0;
    if (fc_state_is_off())
        return;
    if (kind->is_collective)
        call->begun_ns = now_ns();
    if (kind->is_end)
    {
        /* whatever handles look like in C, what is at the address is one */
        const uint64_t at = *argument_at(call, 0);
        if (__atomic_load_n(&table.process, __ATOMIC_ACQUIRE) == fc_state_key && at != 0)
            forget_comm(!library.is_open_mpi ? *(const uint32_t *)at
                        : is_fortran(call)   ? library.comm_f2c(*(const int *)at)
                                             : *(const uint64_t *)at);
        return;
    }
    if (kind->status == NOT || !own_table())
        return;
    uint64_t *status = argument_at(call, kind->status);
    const uint64_t ignored = !is_fortran(call)               ? library.status_ignore
                             : library.fortran_status_ignore ? *library.fortran_status_ignore
                                                             : 0;
    if (*status != ignored)
        return;
    memset(call->status, 0, sizeof call->status);
    *status = (uint64_t)call->status;
}

static void note(struct FcMpiTable *own, struct FcMpiCall *call, const struct Kind *kind)
{
    if (kind->is_collective && call->begun_ns != 0)
        note_collective(own, call, kind);
    if (kind->send.count != NOT)
        note_sent(own, call, kind);
    if (kind->receive.count == NOT)
        return;
    if (kind->is_posted)
        note_posted(own, call, kind);
    else
        note_received(own, call, kind);
}

void fc_mpi_after(struct FcMpiCall *call)
{
    const struct Kind *kind = kind_of(call);
    if (fc_state_is_off() || has_failed(call, kind))
        return;
    const int saved_errno = fc_errno;
    struct FcMpiTable *own = own_table();
    if (own)
        note(own, call, kind);
    fc_errno = saved_errno;
}

#else
void fc_mpi_send_private(void)
{
}
#endif
