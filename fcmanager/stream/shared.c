/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Access to the shared chunks: see shared.h.  No other file of the manager writes to them.
 */
#include "fcmanager/stream/shared.h"

#include "fcmanager/base/memfd.h"

#include <errno.h>

#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct FcSharedMap
{
    struct FcShared *header;
    gsize bytes;
    int fd;              /* -1: not known */
    guint32 chunk_count; /* a copy: a program may change the one in the header */
    guint8 *taken;       /* by chunk index: 1 if the manager has taken it */
    gboolean freed_some; /* a chunk was freed since the last fc_shared_wake */
    GArray *awaited;     /* guint32: chunks freed since then that a thread waits for */
};

FcSharedMap *fc_shared_map(int fd, GError **error)
{
    goffset size = fc_memfd_seal_size(fd);
    if (size < 2 * (goffset)FC_CHUNK_BYTES || size % FC_CHUNK_BYTES != 0)
    {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    size < 0 ? "can't seal shared memory" : "bad shared memory");
        return NULL;
    }
    gsize bytes = (gsize)size;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
    {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno),
                    "can't map shared memory: %s", g_strerror(errno));
        return NULL;
    }
    FcSharedMap *shared = fc_shared_new(memory, bytes, error);
    if (shared)
        shared->fd = fd;
    else
        munmap(memory, bytes);
    return shared;
}

FcSharedMap *fc_shared_new(void *memory, gsize bytes, GError **error)
{
    struct FcShared *header = memory;
    guint32 chunk_count = header->chunk_count;
    if (header->magic != FC_SHARED_MAGIC || header->version != FC_WIRE_VERSION ||
        chunk_count != bytes / FC_CHUNK_BYTES - 1)
    {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "libfc and fcmanager are of different versions");
        return NULL;
    }
    FcSharedMap *shared = g_new0(FcSharedMap, 1);
    shared->header = header;
    shared->bytes = bytes;
    shared->fd = -1;
    shared->chunk_count = chunk_count;
    shared->taken = g_new0(guint8, chunk_count + 1);
    shared->awaited = g_array_new(FALSE, FALSE, sizeof(guint32));
    return shared;
}

void fc_shared_unmap(FcSharedMap *shared)
{
    if (!shared)
        return;
    munmap(shared->header, shared->bytes);
    g_free(shared->taken);
    g_array_unref(shared->awaited);
    g_free(shared);
}

static struct FcChunk *chunk_at(const FcSharedMap *shared, guint32 index)
{
    return (struct FcChunk *)((char *)shared->header + (gsize)index * FC_CHUNK_BYTES);
}

/* The first chunk from `index` on that was ever written to; one behind the last: there is none.
 * Most sessions use a few of a thousand chunks.  Reading the others would allocate a page for each,
 * which would be most of the manager's work for a process that makes few calls. */
static guint32 first_written(const FcSharedMap *shared, guint32 index)
{
    off_t at = shared->fd < 0 ? -1 : lseek(shared->fd, (off_t)index * FC_CHUNK_BYTES, SEEK_DATA);
    if (at >= 0)
        return (guint32)MIN(at / FC_CHUNK_BYTES, shared->chunk_count + 1);
    return shared->fd >= 0 && errno == ENXIO ? shared->chunk_count + 1 : index;
}

/* Whether `process` owns the chunk.  When a page of the mapping is read, the kernel maps the whole
 * chunk into the manager's resident memory, for all chunks 64 MiB.  So chunks that are usually not
 * mapped are read by pread.  The others are read from memory, since pread for all would take too
 * long when many processes end one after the other. */
static gboolean is_owned(const FcSharedMap *shared, guint32 index, guint64 process)
{
    const off_t at = (off_t)index * FC_CHUNK_BYTES + (off_t)offsetof(struct FcChunk, owner);
    guint64 owner;
    if (index <= FC_SHARED_RESIDENT || shared->fd < 0 ||
        pread(shared->fd, &owner, sizeof owner, at) != sizeof owner)
        owner = __atomic_load_n(&chunk_at(shared, index)->owner, __ATOMIC_RELAXED);
    return owner == process;
}

/* Fills in `view`.  FALSE: `process` does not own the chunk, its header is not complete, or it is
 * of another kind. */
static gboolean view_chunk(FcSharedMap *shared, guint32 index, guint64 process,
                           enum FcChunkKind kind, FcChunkView *view)
{
    struct FcChunk *chunk = chunk_at(shared, index);
    if (__atomic_load_n(&chunk->owner, __ATOMIC_RELAXED) != process)
        return FALSE;
    /* acquire: pairs with the release that completes the header */
    if (__atomic_load_n(&chunk->ready, __ATOMIC_ACQUIRE) != 1)
        return FALSE;
    view->index = index;
    view->thread = __atomic_load_n(&chunk->thread, __ATOMIC_RELAXED);
    view->sequence = __atomic_load_n(&chunk->sequence, __ATOMIC_RELAXED);
    view->generation = __atomic_load_n(&chunk->generation, __ATOMIC_RELAXED);
    view->stopped = __atomic_load_n(&chunk->stopped, __ATOMIC_RELAXED) == 1;
    view->units = chunk->units;
    view->counts = chunk->counts;
    view->current_word = &chunk->current_word;
    view->pages = (const guint8 *)chunk;
    view->mpi = &chunk->mpi;
    return __atomic_load_n(&chunk->kind, __ATOMIC_RELAXED) == kind && view->thread != 0 &&
           view->generation >= 1 && view->generation <= G_MAXUINT16;
}

static gboolean take(FcSharedMap *shared, guint32 index, guint64 process, enum FcChunkKind kind,
                     FcChunkView *view)
{
    if (index < 1 || index > shared->chunk_count || shared->taken[index] ||
        !view_chunk(shared, index, process, kind, view))
        return FALSE;
    shared->taken[index] = 1;
    return TRUE;
}

gboolean fc_shared_take(FcSharedMap *shared, guint32 index, guint64 process, FcChunkView *view)
{
    return take(shared, index, process, FC_CHUNK_OF_RECORDS, view);
}

gboolean fc_shared_take_counts(FcSharedMap *shared, guint32 index, guint64 process,
                               FcChunkView *view)
{
    return take(shared, index, process, FC_CHUNK_OF_COUNTS, view);
}

gboolean fc_shared_take_entries(FcSharedMap *shared, guint32 index, guint64 process,
                                FcChunkView *view)
{
    return take(shared, index, process, FC_CHUNK_OF_ENTRIES, view);
}

gboolean fc_shared_take_mpi(FcSharedMap *shared, guint32 index, guint64 process, FcChunkView *view)
{
    return take(shared, index, process, FC_CHUNK_OF_MPI, view);
}

static gint compare_views(gconstpointer a, gconstpointer b)
{
    const FcChunkView *one = a;
    const FcChunkView *other = b;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    if (one->sequence != other->sequence)
        return (gint32)(one->sequence - other->sequence) < 0 ? -1 : 1;
    return one->index < other->index ? -1 : 1;
}

GArray *fc_shared_owned(FcSharedMap *shared, guint64 process, enum FcChunkKind kind)
{
    GArray *views = g_array_new(FALSE, FALSE, sizeof(FcChunkView));
    FcChunkView view;
    for (guint32 i = first_written(shared, 1); i <= shared->chunk_count;
         i = first_written(shared, i + 1))
        if (!shared->taken[i] && is_owned(shared, i, process) &&
            view_chunk(shared, i, process, kind, &view))
            g_array_append_val(views, view);
    g_array_sort(views, compare_views);
    return views;
}

static void wake(guint32 *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, G_MAXINT, NULL, NULL, 0);
}

static void free_chunk(FcSharedMap *shared, guint32 index)
{
    struct FcChunk *chunk = chunk_at(shared, index);
    /* Generations start again at the first: records of earlier uses must not look new. */
    if (chunk->generation >= FC_GENERATION_LAST)
        for (guint32 i = 0; i < FC_CHUNK_UNITS; i++)
            chunk->units[i].last = 0;
    __atomic_store_n(&chunk->ready, 0, __ATOMIC_RELAXED);
    /* pairs with the claim's acquire; seq_cst: and with the store of `is_awaited` before the wait
     */
    __atomic_store_n(&chunk->owner, 0, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&chunk->is_awaited, __ATOMIC_SEQ_CST) != 0)
    {
        __atomic_store_n(&chunk->is_awaited, 0, __ATOMIC_RELAXED);
        g_array_append_val(shared->awaited, index);
    }
    shared->taken[index] = 0;
    if (index > FC_SHARED_RESIDENT)
        madvise(chunk, FC_CHUNK_BYTES, MADV_DONTNEED);
}

void fc_shared_free(FcSharedMap *shared, guint32 index)
{
    free_chunk(shared, index);
    shared->freed_some = TRUE;
    __atomic_add_fetch(&shared->header->freed, 1, __ATOMIC_SEQ_CST);
}

void fc_shared_free_all(FcSharedMap *shared, guint64 process)
{
    for (guint32 i = first_written(shared, 1); i <= shared->chunk_count;
         i = first_written(shared, i + 1))
        if (is_owned(shared, i, process))
            free_chunk(shared, i);
    shared->freed_some = TRUE;
    __atomic_add_fetch(&shared->header->freed, 1, __ATOMIC_SEQ_CST);
}

void fc_shared_answer_pause(FcSharedMap *shared, guint32 number)
{
    guint32 *place = &shared->header->pause_answers[number % FC_PAUSE_ANSWERS];
    /* release: pairs with the acquire of the thread that waits */
    __atomic_store_n(place, number, __ATOMIC_RELEASE);
    wake(place);
}

void fc_shared_count_round(FcSharedMap *shared)
{
    __atomic_add_fetch(&shared->header->rounds, 1, __ATOMIC_RELAXED);
}

gboolean fc_shared_wake(FcSharedMap *shared)
{
    /* pairs with the waiter's increment, which comes before its wait compares `freed` */
    const gboolean is_any_awaited =
        shared->freed_some && __atomic_load_n(&shared->header->waiters, __ATOMIC_SEQ_CST) != 0;
    const gboolean is_one_awaited = shared->awaited->len > 0;
    if (is_any_awaited)
        wake(&shared->header->freed);
    shared->freed_some = FALSE;
    for (guint i = 0; i < shared->awaited->len; i++)
        wake((guint32 *)&chunk_at(shared, g_array_index(shared->awaited, guint32, i))->owner);
    g_array_set_size(shared->awaited, 0);
    return is_any_awaited || is_one_awaited;
}

gboolean fc_shared_is_streamed(const FcSharedMap *shared)
{
    return __atomic_load_n(&shared->header->is_streamed, __ATOMIC_RELAXED) != 0;
}

gboolean fc_shared_answer(FcSharedMap *shared, guint32 index, guint64 process, const char *text)
{
    if (index < 1 || index > shared->chunk_count)
        return FALSE;
    struct FcChunk *chunk = chunk_at(shared, index);
    if (__atomic_load_n(&chunk->owner, __ATOMIC_RELAXED) != process)
        return FALSE;
    gsize bytes = MIN(strlen(text), sizeof chunk->records);
    memcpy(chunk->records, text, bytes);
    chunk->answer_bytes = (guint32)bytes;
    /* release: pairs with the acquire of the thread that waits */
    __atomic_store_n(&chunk->answer, 1, __ATOMIC_RELEASE);
    wake(&chunk->answer);
    return TRUE;
}

/* ---- A copy ------------------------------------------------------------------------- */

guint32 fc_shared_count_used(const FcSharedMap *shared, guint32 *all)
{
    guint32 used = 0;
    *all = shared->chunk_count;
    for (guint32 i = first_written(shared, 1); i <= shared->chunk_count;
         i = first_written(shared, i + 1))
        used += !is_owned(shared, i, 0);
    return used;
}

/* Copies the units from the last to the first, so that a copy which has a unit also has all that
 * its thread stored before. */
static void copy_backwards(struct FcUnit *to, const struct FcUnit *from)
{
    for (guint32 i = FC_CHUNK_UNITS; i-- > 0;)
    {
        /* acquire: pairs with the release that completes a record or a counter */
        to[i].last = __atomic_load_n(&from[i].last, __ATOMIC_ACQUIRE);
        to[i].first = __atomic_load_n(&from[i].first, __ATOMIC_ACQUIRE);
    }
}

static gboolean is_one_of(guint64 owner, const GArray *processes)
{
    for (guint i = 0; i < processes->len; i++)
        if (g_array_index(processes, guint64, i) == owner)
            return TRUE;
    return FALSE;
}

typedef struct
{
    guint64 owner;
    enum FcChunkKind kind;
    FcChunkView view;
} Kept;

typedef struct
{
    struct FcChunk chunk;
    guint32 index;
} CopiedChunk;

struct FcSharedCopy
{
    guint count;
    CopiedChunk chunks[];
};

/* Orders by owner and kind, then as compare_views(). */
static gint compare_kept(gconstpointer a, gconstpointer b)
{
    const Kept *one = a;
    const Kept *other = b;
    if (one->owner != other->owner)
        return one->owner < other->owner ? -1 : 1;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    return compare_views(&one->view, &other->view);
}

/* The chunks (Kept, sorted) that `processes` own now.  The caller unrefs the array. */
static GArray *find_kept(FcSharedMap *shared, const GArray *processes)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(Kept));
    for (guint32 i = first_written(shared, 1); i <= shared->chunk_count;
         i = first_written(shared, i + 1))
    {
        Kept kept = {.owner = __atomic_load_n(&chunk_at(shared, i)->owner, __ATOMIC_RELAXED)};
        if (kept.owner == 0 || !is_one_of(kept.owner, processes))
            continue;
        while (kept.kind < FC_CHUNK_KINDS &&
               !view_chunk(shared, i, kept.owner, kept.kind, &kept.view))
            kept.kind++;
        if (kept.kind < FC_CHUNK_KINDS)
            g_array_append_val(found, kept);
    }
    g_array_sort(found, compare_kept);
    return found;
}

/* Whether `before` has this chunk of the thread or one that it claimed later. */
static gboolean was_there(const Kept *kept, const GArray *before)
{
    for (guint i = before->len; i-- > 0;)
    {
        const Kept *one = &g_array_index(before, Kept, i);
        if (one->owner == kept->owner && one->kind == kept->kind &&
            one->view.thread == kept->view.thread)
            return (gint32)(one->view.sequence - kept->view.sequence) >= 0;
    }
    return FALSE;
}

/* A thread may claim chunks during the search, so that a chunk is found but not the one before it.
 * So this searches twice, and drops each chunk that is later than the thread's last one of the
 * first search. */
FcSharedCopy *fc_shared_copy(FcSharedMap *shared, const GArray *processes)
{
    g_autoptr(GArray) first = find_kept(shared, processes);
    g_autoptr(GArray) kept = find_kept(shared, processes);
    guint count = 0;
    for (guint i = 0; i < kept->len; i++)
        if (was_there(&g_array_index(kept, Kept, i), first))
            g_array_index(kept, Kept, count++) = g_array_index(kept, Kept, i);
    const gsize bytes = sizeof(FcSharedCopy) + count * sizeof(CopiedChunk);
    FcSharedCopy *copy = g_try_malloc(bytes);
    if (!copy)
        return NULL;
    copy->count = count;
    for (guint i = count; i-- > 0;)
    {
        CopiedChunk *one = &copy->chunks[i];
        one->index = g_array_index(kept, Kept, i).view.index;
        const struct FcChunk *chunk = chunk_at(shared, one->index);
        copy_backwards(one->chunk.units, chunk->units);
        memcpy(&one->chunk, chunk, offsetof(struct FcChunk, units));
    }
    return copy;
}

gboolean fc_shared_freeze(FcSharedMap *shared, const FcSharedCopy *copy)
{
    if (shared->fd < 0 ||
        mmap(shared->header, shared->bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, shared->fd, 0) == MAP_FAILED)
        return FALSE;
    g_autofree guint8 *is_kept = g_new0(guint8, shared->chunk_count + 1);
    for (guint i = 0; i < copy->count; i++)
    {
        const CopiedChunk *one = &copy->chunks[i];
        memcpy(chunk_at(shared, one->index), &one->chunk, sizeof one->chunk);
        is_kept[one->index] = 1;
    }
    for (guint32 i = 1; i <= shared->chunk_count; i++)
        if (!is_kept[i])
            shared->taken[i] = 1;
    shared->fd = -1; /* the file has later data than the copy */
    return TRUE;
}
