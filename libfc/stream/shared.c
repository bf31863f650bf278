/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See shared.h. Any process of the session can change the memory at any time.  So no number that
 * is read from it is used as an address or a size.
 */
#include "libfc/stream/shared.h"

#include "libfc/base/sys.h"
#include "libfc/stream/memfd.h"

#include <sys/mman.h>
#include <sys/resource.h>

#define CHUNKS_MAX 1024u
#define CHUNKS_MIN 16u

/* At an address that is a multiple of FC_CHUNK_BYTES. */
static struct FcShared *map_aligned(int fd, size_t bytes)
{
    long start = fc_sys(SYS_mmap, NULL, bytes + FC_CHUNK_BYTES, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (start < 0 && start > -4096)
        return NULL;
    char *at = (char *)start;
    char *aligned =
        (char *)(((uintptr_t)at + FC_CHUNK_BYTES - 1) & ~(uintptr_t)(FC_CHUNK_BYTES - 1));
    if (fc_sys(SYS_mmap, aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd) < 0)
    {
        fc_unmap(at, bytes + FC_CHUNK_BYTES);
        return NULL;
    }
    if (aligned > at)
        fc_unmap(at, (size_t)(aligned - at));
    char *end = aligned + bytes;
    fc_unmap(end, (size_t)(at + bytes + FC_CHUNK_BYTES - end)); /* at least a page is left */
    return (struct FcShared *)aligned;
}

static uint64_t limit_of(int which)
{
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    fc_sys(SYS_prlimit64, 0, which, NULL, &limit);
    return limit.rlim_cur;
}

static uint32_t affordable_chunks(void)
{
    uint64_t most = (uint64_t)CHUNKS_MAX * FC_CHUNK_BYTES;
    if (limit_of(RLIMIT_AS) / 16 < most)
        most = limit_of(RLIMIT_AS) / 16;
    /* ftruncate beyond this limit would raise SIGXFSZ */
    if (limit_of(RLIMIT_FSIZE) < most)
        most = limit_of(RLIMIT_FSIZE);
    uint64_t chunks = most / FC_CHUNK_BYTES;
    return chunks > CHUNKS_MIN ? (uint32_t)chunks - 1 : 0;
}

int fc_shared_make(struct FcShared **mapping, uint32_t *chunks)
{
    *chunks = affordable_chunks();
    if (*chunks == 0)
        return -1;
    size_t bytes = (size_t)(1 + *chunks) * FC_CHUNK_BYTES;
    int fd = fc_memfd_make("functioncheck", bytes);
    if (fd < 0)
        return -1;
    *mapping = map_aligned(fd, bytes);
    if (!*mapping)
    {
        fc_sys(SYS_close, fd);
        return -1;
    }
    (*mapping)->magic = FC_SHARED_MAGIC;
    (*mapping)->version = FC_WIRE_VERSION;
    (*mapping)->chunk_count = *chunks;
    return fd;
}

struct FcShared *fc_shared_map(int fd, uint32_t *chunks)
{
    long bytes = fc_memfd_bytes(fd);
    if (bytes < 2 * (long)FC_CHUNK_BYTES || bytes > (long)UINT32_MAX * FC_CHUNK_BYTES)
        return NULL;
    struct FcShared *mapping = map_aligned(fd, (size_t)bytes);
    *chunks = (uint32_t)(bytes / FC_CHUNK_BYTES) - 1;
    if (!mapping || (mapping->magic == FC_SHARED_MAGIC && mapping->version == FC_WIRE_VERSION))
        return mapping;
    fc_shared_unmap(mapping, *chunks);
    return NULL;
}

void fc_shared_unmap(struct FcShared *mapping, uint32_t chunks)
{
    fc_unmap(mapping, (size_t)(1 + chunks) * FC_CHUNK_BYTES);
}
