/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the blocks that can still be reached: see scan.h.  Scans all private writable memory of the
 * process for references, except the blocks themselves, the rest of the heap, and libfc's own
 * memory.  Then it scans the blocks that were found, and so on.  A word that happens to look like a
 * pointer makes a lost block look reachable.  A reachable block looks lost only if all references
 * to it are in shared mappings.
 *
 * Memory is read by a system call, which skips pages that are not readable.  The tables used here
 * are in shared mappings, which are not scanned.
 */
#include "libfc/memory/scan.h"

#include "libfc/base/config.h"
#include "libfc/base/file.h"
#include "libfc/base/loader.h"
#include "libfc/base/notice.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/memory/stop.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define PIECE_BYTES 65536u
#define PAGE_BYTES 4096u
#define MAPS_MAX (8u << 20)
#define RED_ZONE 128u /* a function may use this many bytes below its stack pointer */

static struct
{
    struct FcLiveList *list;    /* a copy of fcmanager's */
    struct FcLiveBlock *blocks; /* in the list, in order of address */
    size_t count;
    uint32_t *work; /* indexes of the blocks still to scan */
    size_t work_count;
    char *piece;
    uintptr_t own_start; /* libfc itself */
    uintptr_t own_end;
    uintptr_t stack;                /* stack memory below this is not in use */
    const struct FcStopped *others; /* NULL: there is no other thread */
    uintptr_t guard_end;            /* the end of the previous mapping, a guard; 0: no guard */
    long pid;
    bool is_libc; /* libc's data is being scanned */
    bool failed;
} scan;

static void *map_shared(size_t bytes)
{
    long at = fc_sys(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

/* Returns the number of blocks that begin at or below `address`.  The last of them is at this
 * index minus one. */
static size_t find_end(uintptr_t address)
{
    size_t low = 0;
    size_t high = scan.count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (scan.blocks[middle].pointer <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the address of glibc's next chunk header behind the block.  It overlaps the last word
 * of a block without unused bytes at its end. */
static uintptr_t next_chunk(const struct FcLiveBlock *block)
{
    uintptr_t bytes = (block->bytes + 8 + 15) & ~(uintptr_t)15;
    return block->pointer - 16 + (bytes > 32 ? bytes : 32);
}

static void mark(uintptr_t word, enum FcLiveState state)
{
    if (word < scan.blocks[0].pointer)
        return;
    struct FcLiveBlock *block = &scan.blocks[find_end(word) - 1];
    if (block->state != FC_LIVE_LOST || word - block->pointer >= (block->bytes | !block->bytes))
        return;
    if (scan.is_libc && word == next_chunk(block))
        return; /* the allocator's own pointer to the next chunk */
    block->state = state;
    scan.work[scan.work_count++] = (uint32_t)(block - scan.blocks);
}

/* Marks the blocks that the words of [start, end) refer to. */
static void scan_words(uintptr_t start, uintptr_t end, enum FcLiveState state)
{
    start = (start + 7) & ~(uintptr_t)7;
    while (start < end && end - start >= sizeof(uintptr_t) && !scan.failed)
    {
        size_t bytes = end - start < PIECE_BYTES ? end - start : PIECE_BYTES;
        struct iovec into = {scan.piece, bytes};
        struct iovec from = {(void *)start, bytes};
        long got = fc_sys(SYS_process_vm_readv, scan.pid, &into, 1L, &from, 1L, 0L);
        if (got == -EFAULT)
        {
            start = (start | (PAGE_BYTES - 1)) + 1;
            continue;
        }
        if (got <= 0)
        {
            scan.failed = true;
            return;
        }
        for (size_t at = 0; at + sizeof(uintptr_t) <= (size_t)got; at += sizeof(uintptr_t))
        {
            uintptr_t word;
            memcpy(&word, scan.piece + at, sizeof word);
            mark(word, state);
        }
        start += (size_t)got & ~(size_t)7;
        if ((size_t)got < sizeof(uintptr_t))
            start += sizeof(uintptr_t);
    }
}

static void follow(enum FcLiveState state)
{
    while (scan.work_count > 0)
    {
        const struct FcLiveBlock *block = &scan.blocks[scan.work[--scan.work_count]];
        scan_words(block->pointer, block->pointer + block->bytes, state);
    }
}

/* ---- Where references can be ---------------------------------------------------- */

/* Scans a mapping, except for the blocks in it and for libfc's memory. */
static void scan_range(uintptr_t start, uintptr_t end)
{
    if (start < scan.own_end && end > scan.own_start)
    {
        if (start < scan.own_start)
            scan_range(start, scan.own_start);
        if (end > scan.own_end)
            scan_range(scan.own_end, end);
        return;
    }
    size_t next = find_end(start);
    if (next > 0 && scan.blocks[next - 1].pointer + scan.blocks[next - 1].bytes > start)
        start = scan.blocks[next - 1].pointer + scan.blocks[next - 1].bytes;
    for (; next < scan.count && scan.blocks[next].pointer < end && start < end; next++)
    {
        scan_words(start, scan.blocks[next].pointer, FC_LIVE_REACHABLE);
        start = scan.blocks[next].pointer + scan.blocks[next].bytes;
    }
    if (start < end)
        scan_words(start, end, FC_LIVE_REACHABLE);
}

static uintptr_t read_hex(const char **at)
{
    uintptr_t value = 0;
    for (;; (*at)++)
    {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value << 4 | (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uintptr_t)(c - 'a' + 10);
        else
            return value;
    }
}

/* Returns the lowest address in use of a mapping, which is above `start` for a thread's stack.
 * A mapping counts as another thread's stack only if it comes after a guard, as in the stacks
 * that the C library makes. */
static uintptr_t used_from(uintptr_t start, uintptr_t end)
{
    if (start < scan.stack && scan.stack < end)
        return scan.stack;
    for (uint32_t i = 0; scan.others && start == scan.guard_end && i < scan.others->count; i++)
    {
        const uintptr_t stack = scan.others->registers[i][FC_STOP_SP] - RED_ZONE;
        if (start < stack && stack < end)
            return stack;
    }
    return start;
}

/* One line of /proc/self/maps: START-END PERM OFFSET DEV INODE PATH */
static void take_mapping(const char *line)
{
    uintptr_t start = read_hex(&line);
    line += *line == '-';
    uintptr_t end = read_hex(&line);
    /* a device, but not a file in /dev/shm, which may be the program itself */
    bool is_device = strstr(line, " /dev/") && !strstr(line, " /dev/shm/");
    const bool is_guard = strncmp(line, " ---", 4) == 0;
    const uintptr_t used = used_from(start, end);
    scan.guard_end = is_guard ? end : 0;
    if (strncmp(line, " rw", 3) != 0 || line[4] != 'p' || strstr(line, " [heap]") || is_device)
        return;
    start = used;
    scan.is_libc = strstr(line, "/libc.so.6") != NULL;
    scan_range(start, end);
    scan.is_libc = false;
}

/* Reads a file into `text` as a string.  NULL: it does not fit, or can't be read. */
static char *read_text(const char *path, char *text, size_t room)
{
    size_t used = fc_file_read(path, text, room - 1);
    text[used] = '\0';
    return used > 0 && used < room - 1 ? text : NULL;
}

static void scan_registers(void)
{
    for (uint32_t i = 0; scan.others && i < scan.others->count; i++)
        for (uint32_t k = 0; k < FC_STOP_REGISTERS; k++)
            mark(scan.others->registers[i][k], FC_LIVE_REACHABLE);
    follow(FC_LIVE_REACHABLE);
}

/* Scans all memory that may hold references.  False: a part could not be scanned. */
static bool scan_all(char *maps)
{
    if (!read_text("/proc/self/maps", maps, MAPS_MAX))
        return false;
    scan_registers();
    for (char *line = maps; *line != '\0';)
    {
        char *newline = strchr(line, '\n');
        if (!newline)
            break;
        *newline = '\0';
        take_mapping(line);
        follow(FC_LIVE_REACHABLE);
        line = newline + 1;
    }
    return !scan.failed;
}

/* Marks the blocks that are referenced only by lost blocks. */
static void find_indirect(void)
{
    for (size_t i = 0; i < scan.count; i++)
    {
        struct FcLiveBlock *block = &scan.blocks[i];
        if (block->state != FC_LIVE_LOST)
            continue;
        block->state = FC_LIVE_INDIRECT; /* a reference from the block to itself does not count */
        scan_words(block->pointer, block->pointer + block->bytes, FC_LIVE_INDIRECT);
        follow(FC_LIVE_INDIRECT);
        block->state = FC_LIVE_LOST;
    }
}

/* ---- The whole -------------------------------------------------------------------- */

static bool is_alone(char *text)
{
    const char *line = read_text("/proc/self/status", text, PIECE_BYTES);
    line = line ? strstr(line, "\nThreads:\t") : NULL;
    return line != NULL && strncmp(line + 10, "1\n", 2) == 0;
}

/* Asks fcmanager for its list of blocks.  Returns the list's descriptor, or -1. */
static int open_list(int manager_pid)
{
    uint32_t index = fc_chunks_take_for_answer();
    struct FcMessage message = {.type = FC_MSG_LIVE, .thread = fc_thread.number, .argument = index};
    if (index == 0 || index == FC_NO_ANSWER || !fc_channel_send(&message, NULL, 0))
        return -1;
    size_t bytes = 0;
    const char *text = fc_chunks_wait_for_answer(index, &bytes);
    if (!text || bytes == 0 || bytes > 9)
        return -1;
    int number = 0;
    for (size_t i = 0; i < bytes && text[i] >= '0' && text[i] <= '9'; i++)
        number = 10 * number + (text[i] - '0');
    return fc_channel_open_of_manager(manager_pid, number, O_RDWR);
}

/* Reads or writes the whole list by the system call `call`.  The file is not mapped, since other
 * processes can change it, even its size. */
static bool transfer(long call, int fd)
{
    size_t bytes = sizeof *scan.list + scan.count * sizeof *scan.blocks;
    for (size_t done = 0; done < bytes;)
    {
        long part = fc_sys(call, fd, (char *)scan.list + done, bytes - done, done);
        if (part <= 0)
            return false;
        done += (size_t)part;
    }
    return true;
}

static bool read_list(int fd)
{
    long size = fc_sys(SYS_lseek, fd, 0L, SEEK_END);
    if (size < (long)(sizeof *scan.list + sizeof *scan.blocks))
        return false;
    scan.count = ((size_t)size - sizeof *scan.list) / sizeof *scan.blocks;
    scan.list = map_shared((size_t)size);
    scan.work = map_shared(scan.count * sizeof *scan.work);
    if (!scan.list || !scan.work || !transfer(SYS_pread64, fd))
        return false;
    scan.blocks = scan.list->blocks;
    scan.list->is_done = 0;
    /* the search needs distinct addresses in ascending order */
    for (size_t i = 0; i < scan.count; i++)
    {
        scan.blocks[i].state = FC_LIVE_LOST;
        if (i > 0 && scan.blocks[i].pointer <= scan.blocks[i - 1].pointer)
            return false;
    }
    return true;
}

/* Tells fcmanager, for the profile, that nothing was scanned, and prints the reason. */
static void send_not_done(long error)
{
    struct FcLine line;
    struct FcMessage message = {.type = FC_MSG_NOT_SCANNED, .thread = fc_thread.number};
    fc_channel_send(&message, NULL, 0);
    fc_line_start(&line, "FCheck: FC_MEMORY_SCAN was not done: ");
    fc_line_add(&line, error == -EPERM || error == -EACCES
                           ? "the kernel forbids to stop the other threads (ptrace)"
                       : error != 0 ? "the other threads could not be stopped"
                                    : "no list of blocks, or no memory");
    fc_notice_line(&line);
}

/* Scans for the blocks of the list.  Everything that may need a lock or another process is done
 * before the threads are stopped, since a stopped thread may hold the lock. */
static bool scan_list(int list, char *maps, long *error)
{
    struct FcStopped *stopped = NULL;
    if (fc_loader_find_bounds(&scan, &scan.own_start, &scan.own_end))
        scan.own_end = (scan.own_end + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
    if (!read_list(list))
        return false;
    if (!is_alone(scan.piece))
    {
        stopped = fc_stop_others(error);
        if (!stopped)
            return false;
    }
    scan.others = stopped;
    const bool is_done = scan_all(maps);
    if (is_done)
        find_indirect();
    if (stopped)
        fc_stop_end(stopped);
    return is_done && !scan.failed;
}

__attribute__((noinline)) void fc_scan_run(int manager_pid)
{
    __builtin_unwind_init(); /* saves all callee-saved registers on the stack */
    scan.stack = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
    if (!fc_config.memory_scan)
        return;
    char *maps = map_shared(MAPS_MAX);
    long error = 0;
    bool is_done = false;
    scan.piece = map_shared(PIECE_BYTES);
    int list = maps && scan.piece ? open_list(manager_pid) : -1;
    scan.pid = fc_sys(SYS_getpid);
    fc_thread.last_freed = NULL;
    if (list >= 0)
    {
        is_done = scan_list(list, maps, &error);
        if (is_done)
        {
            scan.list->is_done = 1;
            is_done = transfer(SYS_pwrite64, list);
        }
        fc_sys(SYS_close, list);
    }
    if (!is_done)
        send_not_done(error);
}
