/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of fcmanager: the input is what comes through the pipe and, its last half once
 * more, what a program scribbled into its chunk of shared memory.  Whatever comes out in the
 * end must be a profile that the reader takes.
 */
#include "fcmanager/session/forks.h"
#include "fcmanager/session/output.h"
#include "fcmanager/session/process-messages.h"
#include "profile/fc-profile-file.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Inputs with a hello that was taken; for replay.c. */
extern unsigned fuzz_accepted;
unsigned fuzz_accepted;

#define CHUNKS 3u

/* What is to be kept besides the counts: bits of the first hello's `value`, which else says
 * nothing. */
enum
{
    WITHOUT_MEMORY = 1,
    WITH_LATENCY = 2,
    WITH_SLOWEST = 4,
    WITH_TRACE = 8,
};

typedef struct
{
    FcProcessSetup setup;
    FcTraceRoom trace_room;
    FcProcess *process; /* of the first hello */
    FcForks *forks;
} Run;

static void require(gboolean condition, const char *what)
{
    if (!condition)
        g_error("%s", what);
}

static FcSharedMap *shared_memory(struct FcShared **memory)
{
    const gsize bytes = (1 + CHUNKS) * (gsize)FC_CHUNK_BYTES;
    int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    require(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0, "no shared memory");
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    require(*memory != MAP_FAILED, "no shared memory");
    (*memory)->magic = FC_SHARED_MAGIC;
    (*memory)->version = FC_WIRE_VERSION;
    (*memory)->chunk_count = CHUNKS;
    FcSharedMap *shared = fc_shared_map(fd, NULL);
    close(fd);
    return shared;
}

static void set_up(Run *run, guint64 what)
{
    run->setup.memory = !(what & WITHOUT_MEMORY);
    run->setup.latency = (what & WITH_LATENCY) != 0;
    run->setup.slowest = what & WITH_SLOWEST ? 2 : 0;
    run->trace_room.length = what & WITH_TRACE ? 8 : 0;
}

static void take(const FcWireMessage *message, gpointer data)
{
    Run *run = data;
    struct FcHello hello;
    if (message->type == FC_MSG_HELLO && run->process == NULL && fc_decode_hello(message, &hello))
    {
        set_up(run, message->value);
        run->process = fc_process_new(&run->setup, message->process, &hello, NULL);
    }
    if (run->process == NULL)
        return;
    if (message->type == FC_MSG_FORK)
        fc_forks_add(run->forks, message->process, message->value,
                     fc_process_fork(run->process, message->thread),
                     fc_process_snapshot_heap(run->process, message->value));
    FcHeapSnapshot *heap = NULL;
    g_autoptr(GArray) frames =
        message->type == FC_MSG_FORK_DONE
            ? fc_forks_take(run->forks, message->process, message->value, &heap)
            : NULL;
    if (frames != NULL)
        fc_process_adopt(run->process, run->process, frames);
    fc_process_adopt_heap(run->process, heap);
    fc_heap_snapshot_free(heap);
    fc_process_message(run->process, message);
    fc_process_retry(run->process);
}

static void check_output(FcProcess *process)
{
    g_autoptr(FcProfile) profile = fc_output_process(process, "fuzz");
    g_autoptr(GString) text = fc_profile_format(profile);
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) again = fc_profile_parse(text->str, text->len, &error);
    if (again == NULL)
        g_error("the reader refuses what was written: %s", error->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct FcShared *memory;
    static FcSharedMap *shared;
    static gsize scribbled = FC_CHUNK_BYTES; /* of the chunk, by the input before */
    Run run = {.forks = fc_forks_new(), .trace_room = {.limit = 1 << 20}};
    if (shared == NULL)
        shared = shared_memory(&memory);
    char *chunk = (char *)memory + FC_CHUNK_BYTES;
    gsize half = MIN(bytes / 2, (gsize)FC_CHUNK_BYTES);
    memset(chunk, 0, MAX(scribbled, FC_CHUNK_HEADER_BYTES));
    scribbled = half;
    if (half > 0)
        memcpy(chunk, data + bytes - half, half);

    fc_clock_start(&run.setup.clock, FC_TIME_EXT);
    run.setup.clock.readable = FALSE;
    run.setup.profile_mode = FC_MODE_FORK;
    run.setup.shared = shared;
    run.setup.node_limit = 50;
    run.setup.trace_room = &run.trace_room;
    run.setup.memory_frames = 8;
    FcDecoder *decoder = fc_decoder_new(take, &run);
    gsize cut = bytes / 3;
    fc_decoder_push(decoder, data, cut);
    fc_decoder_push(decoder, data + cut, bytes - cut);
    fc_decoder_free(decoder);
    if (run.process != NULL)
    {
        fuzz_accepted++;
        fc_process_finish(run.process, 0, 0, TRUE);
        check_output(run.process);
        fc_shared_free_all(shared, run.process->key);
        fc_process_free(run.process);
    }
    fc_forks_free(run.forks);
    return 0;
}
