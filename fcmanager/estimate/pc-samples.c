/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See pc-samples.h, and perf_event_open(2).
 */
#include "fcmanager/estimate/pc-samples.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A sample in so many ns of a thread's time on the CPU. */
#define SAMPLE_NS 1000000
/* The buffer of a thread has so many bytes, for 1,000 samples, and is emptied so often. */
#define BUFFER_BYTES (1u << 14)
#define DRAIN_US 250000
/* Other places of a program that executes everywhere are not told apart. */
#define PLACES_MAX (1u << 20)

struct FcPcSampled
{
    FcPcSampler *sampler;
    int fd;
    void *memory; /* a page of the kernel's, and the buffer */
    gsize bytes;
    GHashTable *at; /* by address: index in `seen.places` + 1 */
    FcPcSamples seen;
};

struct FcPcSampler
{
    GThread *thread;
    GMutex lock;
    GCond changed;
    GPtrArray *sampled; /* FcPcSampled */
    gboolean is_ending;
    pid_t process; /* whose buffers they are */
};

static void add(FcPcSampled *sampled, guint64 address)
{
    GArray *places = sampled->seen.places;
    gsize at = GPOINTER_TO_SIZE(g_hash_table_lookup(sampled->at, GSIZE_TO_POINTER(address)));
    if (at == 0 && places->len >= PLACES_MAX)
    {
        sampled->seen.lost++;
        return;
    }
    if (at == 0)
    {
        const FcPcPlace place = {.address = address};
        g_array_append_val(places, place);
        at = places->len;
        g_hash_table_insert(sampled->at, GSIZE_TO_POINTER(address), GSIZE_TO_POINTER(at));
    }
    g_array_index(places, FcPcPlace, at - 1).samples++;
    sampled->seen.samples++;
}

static void copy_out(const FcPcSampled *sampled, guint64 from, void *into, gsize bytes)
{
    const guint8 *buffer = (const guint8 *)sampled->memory + (sampled->bytes - BUFFER_BYTES);
    const gsize at = from % BUFFER_BYTES;
    const gsize first = MIN(bytes, BUFFER_BYTES - at);
    memcpy(into, buffer + at, first);
    memcpy((guint8 *)into + first, buffer, bytes - first);
}

static void drain(FcPcSampled *sampled)
{
    struct perf_event_mmap_page *page = sampled->memory;
    /* acquire: pairs with the kernel's store, before which the records are there */
    const guint64 head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    guint64 at = page->data_tail;
    while (head - at >= sizeof(struct perf_event_header))
    {
        struct perf_event_header header;
        guint64 values[2] = {0, 0};
        copy_out(sampled, at, &header, sizeof header);
        if (header.size < sizeof header || header.size > head - at)
            break;
        copy_out(sampled, at + sizeof header, values,
                 MIN(sizeof values, header.size - sizeof header));
        if (header.type == PERF_RECORD_SAMPLE)
            add(sampled, values[0]);
        else if (header.type == PERF_RECORD_LOST)
            sampled->seen.lost += values[1];
        at += header.size;
    }
    /* release: the kernel may write there again */
    __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
}

static void drain_all(const FcPcSampler *sampler)
{
    for (guint i = 0; i < sampler->sampled->len; i++)
        drain(g_ptr_array_index(sampler->sampled, i));
}

static gpointer run(gpointer data)
{
    FcPcSampler *sampler = data;
    g_mutex_lock(&sampler->lock);
    while (!sampler->is_ending)
    {
        if (sampler->sampled->len == 0)
            g_cond_wait(&sampler->changed, &sampler->lock);
        else
            g_cond_wait_until(&sampler->changed, &sampler->lock, g_get_monotonic_time() + DRAIN_US);
        drain_all(sampler);
    }
    g_mutex_unlock(&sampler->lock);
    return NULL;
}

FcPcSampler *fc_pc_sampler_new(void)
{
    FcPcSampler *sampler = g_new0(FcPcSampler, 1);
    sampler->sampled = g_ptr_array_new();
    sampler->process = getpid();
    g_mutex_init(&sampler->lock);
    g_cond_init(&sampler->changed);
    sampler->thread = g_thread_try_new("samples", run, sampler, NULL);
    if (!sampler->thread)
        g_clear_pointer(&sampler, fc_pc_sampler_free);
    return sampler;
}

void fc_pc_sampler_free(FcPcSampler *sampler)
{
    if (!sampler)
        return;
    if (sampler->thread)
    {
        g_mutex_lock(&sampler->lock);
        sampler->is_ending = TRUE;
        g_cond_signal(&sampler->changed);
        g_mutex_unlock(&sampler->lock);
        g_thread_join(sampler->thread);
    }
    g_ptr_array_unref(sampler->sampled);
    g_mutex_clear(&sampler->lock);
    g_cond_clear(&sampler->changed);
    g_free(sampler);
}

void fc_pc_sampler_hold(FcPcSampler *sampler)
{
    g_mutex_lock(&sampler->lock);
    drain_all(sampler);
}

void fc_pc_sampler_release(FcPcSampler *sampler)
{
    g_mutex_unlock(&sampler->lock);
}

FcPcSampled *fc_pc_sampler_watch(FcPcSampler *sampler, gint64 tid)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_SW_CPU_CLOCK,
                                         .sample_period = SAMPLE_NS,
                                         .sample_type = PERF_SAMPLE_IP,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    const gsize bytes = (gsize)sysconf(_SC_PAGESIZE) + BUFFER_BYTES;
    const int fd = tid > 0 ? (int)syscall(SYS_perf_event_open, &attributes, (pid_t)tid, -1, -1,
                                          PERF_FLAG_FD_CLOEXEC)
                           : -1;
    if (fd < 0)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
    {
        close(fd);
        return NULL;
    }
    FcPcSampled *sampled = g_new0(FcPcSampled, 1);
    sampled->sampler = sampler;
    sampled->fd = fd;
    sampled->memory = memory;
    sampled->bytes = bytes;
    sampled->at = g_hash_table_new(NULL, NULL);
    sampled->seen.places = g_array_new(FALSE, FALSE, sizeof(FcPcPlace));
    sampled->seen.sample_ns = SAMPLE_NS;
    g_mutex_lock(&sampler->lock);
    g_ptr_array_add(sampler->sampled, sampled);
    g_cond_signal(&sampler->changed);
    g_mutex_unlock(&sampler->lock);
    return sampled;
}

void fc_pc_sampler_end(FcPcSampled *sampled, FcPcSamples *seen)
{
    FcPcSampler *sampler = sampled->sampler;
    g_mutex_lock(&sampler->lock);
    g_ptr_array_remove_fast(sampler->sampled, sampled);
    g_mutex_unlock(&sampler->lock);
    const gboolean is_ours = sampler->process == getpid();
    if (is_ours)
        drain(sampled);
    if (seen)
        *seen = sampled->seen;
    else
        g_array_unref(sampled->seen.places);
    g_hash_table_unref(sampled->at);
    if (is_ours) /* the kernel does not map it in a child */
        munmap(sampled->memory, sampled->bytes);
    close(sampled->fd);
    g_free(sampled);
}
