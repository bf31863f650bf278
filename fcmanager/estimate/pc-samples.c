/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See pc-samples.h, and perf_event_open(2).
 */
#include "fcmanager/estimate/pc-samples.h"

#include "fcmanager/estimate/unwind.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ns of a thread's CPU time per sample.  At first samples are closer together, as a short run has
 * few of them, but only for a tenth of a second: on a virtual machine an interrupt takes some 20
 * us. */
#define SAMPLE_NS 1000000
#define FIRST_SAMPLE_NS 250000
#define FIRST_SAMPLES 400u
/* Bytes of the stack that a sample has, and of the buffer.  That holds some 30 samples with stacks,
 * or 1,000 without.  It is read when it is half full, and at least this often. */
#define STACK_BYTES 4096u
#define BUFFER_BYTES (1u << 17)
#define SMALL_BUFFER_BYTES (1u << 14)
#define DRAIN_MS 250
/* Bounds our memory if a program executes code everywhere.  Further stacks are kept as their place
 * alone, and further places as one. */
#define STACKS_MAX (1u << 16)
#define PLACES_MAX (1u << 18)

/* The registers by which callers are found: their bits in the kernel's numbering, then their
 * numbers in DWARF. */
#define REGISTERS_WANTED 0xff01c2u
static const guint8 REGISTERS[] = {3,  FC_UNWIND_BP, FC_UNWIND_SP, FC_UNWIND_IP, 8,  9,
                                   10, 11,           12,           13,           14, 15};

G_STATIC_ASSERT(G_N_ELEMENTS(REGISTERS) == FC_PLACE_REGISTERS);

struct FcPcSampled
{
    FcPcSampler *sampler;
    guint64 key;
    int fd;       /* -1: its timer sends the samples */
    void *memory; /* a page that the kernel writes, and the buffer */
    gsize buffer_bytes;
    FcUnwinder *unwinder; /* NULL: there are no stacks */
    GHashTable *known;    /* the stacks of `seen` */
    FcPcSamples seen;
    guint64 slow_from; /* samples from this byte on are SAMPLE_NS apart, though the kernel still
                          reports the first period */
};

struct FcPcSampler
{
    GThread *thread;
    GMutex lock;
    GPtrArray *sampled; /* FcPcSampled */
    int wake_fd;        /* readable when `sampled` or `is_ending` has changed */
    gboolean is_ending;
    pid_t process; /* the process that the buffers belong to */
};

/* The kernel's record of a sample with a stack. */
typedef struct
{
    guint64 place;
    guint64 abi;
    guint64 registers[G_N_ELEMENTS(REGISTERS)];
    guint64 stack_bytes;
    guint8 stack[STACK_BYTES];
    guint64 stack_copied;
} Sample;

static guint hash_stack(gconstpointer data)
{
    const FcPcStack *stack = data;
    guint64 hash = stack->count;
    for (guint i = 0; i < stack->count; i++)
        hash = (hash ^ stack->places[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static gboolean are_equal(gconstpointer a, gconstpointer b)
{
    const FcPcStack *one = a;
    const FcPcStack *other = b;
    return one->count == other->count &&
           memcmp(one->places, other->places, one->count * sizeof *one->places) == 0;
}

static void add(FcPcSampled *sampled, const guint64 *places, guint count, double ns)
{
    FcPcSamples *seen = &sampled->seen;
    const gsize bytes = sizeof(FcPcStack) + FC_PC_DEPTH_MAX * sizeof *places;
    FcPcStack *like = g_alloca(bytes);
    *like = (FcPcStack){0};
    like->count = seen->stacks->len < STACKS_MAX ? count : 1;
    memcpy(like->places, places, like->count * sizeof *places);
    FcPcStack *stack = g_hash_table_lookup(sampled->known, like);
    if (!stack && seen->stacks->len >= PLACES_MAX)
    {
        like->places[0] = 0;
        stack = g_hash_table_lookup(sampled->known, like);
    }
    if (!stack)
    {
        stack = g_memdup2(like, sizeof *like + like->count * sizeof *places);
        g_ptr_array_add(seen->stacks, stack);
        g_hash_table_add(sampled->known, stack);
    }
    stack->samples++;
    stack->ns += ns;
    stack->variance += ns * ns;
    seen->samples++;
}

/* Finds the stack of a sample and adds it. */
static void walk(FcPcSampled *sampled, const guint64 *values, const guint8 *stack, gsize bytes,
                 double ns)
{
    guint64 places[FC_PC_DEPTH_MAX];
    FcUnwindRegisters registers = {.known = 0};
    for (guint i = 0; i < G_N_ELEMENTS(REGISTERS); i++)
    {
        registers.value[REGISTERS[i]] = values[i];
        registers.known |= 1u << REGISTERS[i];
    }
    const guint count =
        fc_unwinder_walk(sampled->unwinder, registers, stack, bytes, places, FC_PC_DEPTH_MAX);
    add(sampled, places, count, ns);
}

static void take_sample(FcPcSampled *sampled, const Sample *sample, double ns)
{
    if (sampled->unwinder && sample->abi == PERF_SAMPLE_REGS_ABI_64 &&
        sample->stack_bytes == STACK_BYTES)
        walk(sampled, sample->registers, sample->stack, MIN(sample->stack_copied, STACK_BYTES), ns);
    else
        add(sampled, &sample->place, 1, ns);
}

static void copy_out(const FcPcSampled *sampled, guint64 from, void *into, gsize bytes)
{
    const gsize page = (gsize)sysconf(_SC_PAGESIZE);
    const guint8 *buffer = (const guint8 *)sampled->memory + page;
    const gsize at = from % sampled->buffer_bytes;
    const gsize first = MIN(bytes, sampled->buffer_bytes - at);
    memcpy(into, buffer + at, first);
    memcpy((guint8 *)into + first, buffer, bytes - first);
}

static void drain(FcPcSampled *sampled)
{
    struct perf_event_mmap_page *page = sampled->memory;
    if (!page)
        return;
    /* acquire: pairs with the kernel's store of data_head, after it wrote the records */
    const guint64 head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    guint64 at = page->data_tail;
    while (head - at >= sizeof(struct perf_event_header))
    {
        struct perf_event_header header;
        Sample sample;
        copy_out(sampled, at, &header, sizeof header);
        if (header.size < sizeof header || header.size > head - at)
            break;
        const gsize bytes = MIN(sizeof sample, header.size - sizeof header);
        memset(&sample, 0, offsetof(Sample, stack));
        sample.stack_copied = 0;
        copy_out(sampled, at + sizeof header, &sample, bytes);
        if (header.type == PERF_RECORD_SAMPLE)
            take_sample(sampled, &sample, at < sampled->slow_from ? FIRST_SAMPLE_NS : SAMPLE_NS);
        else if (header.type == PERF_RECORD_LOST)
            sampled->seen.lost += sample.abi; /* the number of lost samples is the second word */
        at += header.size;
    }
    /* release: the kernel may write to this part again */
    __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
    if (sampled->slow_from == G_MAXUINT64 && sampled->seen.samples >= FIRST_SAMPLES)
    {
        const guint64 period_ns = SAMPLE_NS;
        if (ioctl(sampled->fd, PERF_EVENT_IOC_PERIOD, &period_ns) == 0)
            sampled->slow_from = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED);
    }
}

static void drain_all(const FcPcSampler *sampler)
{
    for (guint i = 0; i < sampler->sampled->len; i++)
        drain(g_ptr_array_index(sampler->sampled, i));
}

/* Waits until a buffer is half full or the list changes.  If anything is sampled, waits for a
 * limited time. */
static void wait_for_samples(FcPcSampler *sampler, GArray *waited)
{
    const struct pollfd wake = {.fd = sampler->wake_fd, .events = POLLIN};
    g_array_set_size(waited, 0);
    g_array_append_val(waited, wake);
    for (guint i = 0; i < sampler->sampled->len; i++)
    {
        const struct pollfd one = {
            /* -1: poll leaves it out */
            .fd = ((const FcPcSampled *)g_ptr_array_index(sampler->sampled, i))->fd,
            .events = POLLIN};
        g_array_append_val(waited, one);
    }
    const int most_ms = sampler->sampled->len > 0 ? DRAIN_MS : -1;
    g_mutex_unlock(&sampler->lock);
    poll((struct pollfd *)(gpointer)waited->data, waited->len, most_ms);
    g_mutex_lock(&sampler->lock);
    if ((g_array_index(waited, struct pollfd, 0).revents & POLLIN) != 0)
    {
        eventfd_t count;
        eventfd_read(sampler->wake_fd, &count);
    }
}

static gpointer run(gpointer data)
{
    FcPcSampler *sampler = data;
    g_autoptr(GArray) waited = g_array_new(FALSE, FALSE, sizeof(struct pollfd));
    g_mutex_lock(&sampler->lock);
    while (!sampler->is_ending)
    {
        wait_for_samples(sampler, waited);
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
    sampler->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (sampler->wake_fd < 0)
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
        eventfd_write(sampler->wake_fd, 1);
        g_mutex_unlock(&sampler->lock);
        g_thread_join(sampler->thread);
    }
    if (sampler->wake_fd >= 0)
        close(sampler->wake_fd);
    g_ptr_array_unref(sampler->sampled);
    g_mutex_clear(&sampler->lock);
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

/* Returns a descriptor and sets *memory.  -1: the kernel does not allow it. */
static int open_event(gint64 tid, gboolean has_stacks, gsize buffer_bytes, void **memory)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_SW_CPU_CLOCK,
                                         .sample_period = FIRST_SAMPLE_NS,
                                         .sample_type = PERF_SAMPLE_IP,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1,
                                         .watermark = 1,
                                         .wakeup_watermark = (guint32)buffer_bytes / 2};
    if (has_stacks)
    {
        attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attributes.sample_regs_user = REGISTERS_WANTED;
        attributes.sample_stack_user = STACK_BYTES;
    }
    const gsize page = (gsize)sysconf(_SC_PAGESIZE);
    errno = ESRCH;
    if (tid <= 0)
        return -1;
    const int fd =
        (int)syscall(SYS_perf_event_open, &attributes, (pid_t)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -1;
    *memory = mmap(NULL, page + buffer_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*memory != MAP_FAILED)
        return fd;
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* Returns the process's unwinder, which its threads share. */
static FcUnwinder *unwinder_of(const FcPcSampler *sampler, guint64 key, gint pid)
{
    for (guint i = 0; i < sampler->sampled->len; i++)
    {
        const FcPcSampled *other = g_ptr_array_index(sampler->sampled, i);
        if (other->key == key && other->unwinder)
            return fc_unwinder_ref(other->unwinder);
    }
    return fc_unwinder_new(pid);
}

static FcPcSampled *sampled_new(FcPcSampler *sampler, guint64 key)
{
    FcPcSampled *sampled = g_new0(FcPcSampled, 1);
    sampled->sampler = sampler;
    sampled->key = key;
    sampled->known = g_hash_table_new(hash_stack, are_equal);
    sampled->seen.stacks = g_ptr_array_new_with_free_func(g_free);
    return sampled;
}

FcPcSampled *fc_pc_sampler_watch(FcPcSampler *sampler, guint64 key, gint pid, gint64 tid,
                                 gboolean *is_denied)
{
    void *memory = NULL;
    gsize buffer_bytes = BUFFER_BYTES;
    gboolean has_stacks = TRUE;
    if (!sampler->thread) /* started only now, as most sessions have nothing to sample here */
        sampler->thread = g_thread_try_new("samples", run, sampler, NULL);
    int fd = sampler->thread ? open_event(tid, TRUE, buffer_bytes, &memory) : -1;
    if (fd < 0 && sampler->thread && errno != ESRCH)
    {
        has_stacks = FALSE;
        buffer_bytes = SMALL_BUFFER_BYTES;
        fd = open_event(tid, FALSE, buffer_bytes, &memory);
    }
    *is_denied = fd < 0 && errno != ESRCH;
    if (fd < 0)
        return NULL;
    FcPcSampled *sampled = sampled_new(sampler, key);
    sampled->fd = fd;
    sampled->slow_from = G_MAXUINT64;
    sampled->memory = memory;
    sampled->buffer_bytes = buffer_bytes;
    g_mutex_lock(&sampler->lock);
    sampled->unwinder = has_stacks ? unwinder_of(sampler, key, pid) : NULL;
    g_ptr_array_add(sampler->sampled, sampled);
    eventfd_write(sampler->wake_fd, 1);
    g_mutex_unlock(&sampler->lock);
    return sampled;
}

FcPcSampled *fc_pc_sampler_follow(FcPcSampler *sampler, guint64 key, gint pid)
{
    FcPcSampled *sampled = sampled_new(sampler, key);
    sampled->fd = -1;
    sampled->seen.is_timed = TRUE;
    g_mutex_lock(&sampler->lock);
    sampled->unwinder = unwinder_of(sampler, key, pid);
    g_ptr_array_add(sampler->sampled, sampled);
    g_mutex_unlock(&sampler->lock);
    return sampled;
}

void fc_pc_sampler_take(FcPcSampled *sampled, const struct FcPlace *place, const guint8 *stack,
                        gsize bytes)
{
    g_mutex_lock(&sampled->sampler->lock); /* other threads share the unwinder */
    walk(sampled, place->registers, stack, bytes, (double)place->cpu_ns);
    g_mutex_unlock(&sampled->sampler->lock);
}

void fc_pc_sampler_end(FcPcSampled *sampled, FcPcSamples *seen)
{
    FcPcSampler *sampler = sampled->sampler;
    const gboolean is_ours = sampler->process == getpid();
    g_mutex_lock(&sampler->lock);
    g_ptr_array_remove_fast(sampler->sampled, sampled);
    if (is_ours)
        drain(sampled);
    fc_unwinder_unref(sampled->unwinder);
    g_mutex_unlock(&sampler->lock);
    g_hash_table_unref(sampled->known);
    if (seen)
        *seen = sampled->seen;
    else
        g_ptr_array_unref(sampled->seen.stacks);
    if (is_ours && sampled->memory) /* the kernel does not map the buffer in a child */
        munmap(sampled->memory, (gsize)sysconf(_SC_PAGESIZE) + sampled->buffer_bytes);
    if (sampled->fd >= 0)
        close(sampled->fd);
    g_free(sampled);
}
