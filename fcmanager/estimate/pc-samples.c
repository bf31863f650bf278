/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See pc-samples.h, and perf_event_open(2).
 */
#include "fcmanager/estimate/pc-samples.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ns of a thread's CPU time per sample.  On a virtual machine an interrupt takes some 20 us. */
#define SAMPLE_NS 1000000u
/* A thread's first sample comes after a random time of at least this: of many threads that end
 * within SAMPLE_NS, some have one. */
#define FIRST_LEAST_NS (SAMPLE_NS / 10)
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
    guint64 first_ns;      /* the first period, that of samples before */
    guint64 usual_from;    /* this byte of the buffer */
    gboolean has_kernel;   /* there are samples of the kernel, too */
    guint64 off_ns;        /* when the kernel took the thread off the CPU; 0: it executes */
    gboolean is_preempted; /* it was ready */
    gboolean has_ended;
};

struct FcPcSampler
{
    GThread *thread;
    GMutex lock;
    GPtrArray *sampled; /* FcPcSampled */
    int wake_fd;        /* readable when `sampled` or `is_ending` has changed */
    gboolean is_ending;
    pid_t process; /* the process that the buffers belong to */
    gboolean is_kernel_denied;
};

/* The kernel's record of a sample with a stack.  Other records' time is at another offset. */
typedef struct
{
    guint64 place;
    guint64 time_ns; /* by CLOCK_MONOTONIC */
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
        hash = (hash ^ stack->frames[i].place) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static gboolean are_equal(gconstpointer a, gconstpointer b)
{
    const FcPcStack *one = a;
    const FcPcStack *other = b;
    if (one->count != other->count)
        return FALSE;
    for (guint i = 0; i < one->count; i++)
        if (one->frames[i].place != other->frames[i].place)
            return FALSE;
    return TRUE;
}

static void add(FcPcSampled *sampled, const FcUnwindFrame *frames, guint count, double ns)
{
    FcPcSamples *seen = &sampled->seen;
    const gsize bytes = sizeof(FcPcStack) + FC_PC_DEPTH_MAX * sizeof *frames;
    FcPcStack *like = g_alloca(bytes);
    *like = (FcPcStack){0};
    like->count = seen->stacks->len < STACKS_MAX ? count : 1;
    memcpy(like->frames, frames, like->count * sizeof *frames);
    FcPcStack *stack = g_hash_table_lookup(sampled->known, like);
    if (!stack && seen->stacks->len >= PLACES_MAX)
    {
        like->frames[0] = (FcUnwindFrame){0};
        stack = g_hash_table_lookup(sampled->known, like);
    }
    if (!stack)
    {
        stack = g_memdup2(like, sizeof *like + like->count * sizeof *frames);
        g_ptr_array_add(seen->stacks, stack);
        g_hash_table_add(sampled->known, stack);
    }
    stack->samples++;
    stack->ns += ns;
    stack->variance += ns * ns;
    seen->samples++;
    seen->ns += ns;
}

/* Finds the stack of a sample and adds it. */
static void walk(FcPcSampled *sampled, const guint64 *values, const guint8 *stack, gsize bytes,
                 double ns)
{
    FcUnwindFrame frames[FC_PC_DEPTH_MAX];
    FcUnwindRegisters registers = {.known = 0};
    for (guint i = 0; i < G_N_ELEMENTS(REGISTERS); i++)
    {
        registers.value[REGISTERS[i]] = values[i];
        registers.known |= 1u << REGISTERS[i];
    }
    const guint count =
        fc_unwinder_walk(sampled->unwinder, registers, stack, bytes, frames, FC_PC_DEPTH_MAX);
    add(sampled, frames, count, ns);
}

static void take_sample(FcPcSampled *sampled, const Sample *sample, double ns)
{
    if (sampled->unwinder && sample->abi == PERF_SAMPLE_REGS_ABI_64 &&
        sample->stack_bytes == STACK_BYTES)
        walk(sampled, sample->registers, sample->stack, MIN(sample->stack_copied, STACK_BYTES), ns);
    else
        add(sampled, &(FcUnwindFrame){.place = sample->place}, 1, ns);
}

/* Takes a record that the thread was taken off the CPU, or got it back. */
static void take_switch(FcPcSampled *sampled, guint64 time_ns, guint16 flags)
{
    if ((flags & PERF_RECORD_MISC_SWITCH_OUT) != 0)
    {
        sampled->off_ns = time_ns;
        sampled->is_preempted = (flags & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
        return;
    }
    const guint64 off_ns =
        sampled->off_ns != 0 && time_ns > sampled->off_ns ? time_ns - sampled->off_ns : 0;
    sampled->seen.wait_ns += off_ns;
    sampled->seen.preempted_ns += sampled->is_preempted ? off_ns : 0;
    sampled->off_ns = 0;
}

static guint64 now_ns(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (guint64)now.tv_sec * 1000000000 + (guint64)now.tv_nsec;
}

/* The CPU time that the next sample stands for, which is at byte `at` of the buffer.  The first one
 * stands for as much as most do, so that the sum over many threads is their time. */
static double sample_ns(const FcPcSampled *sampled, guint64 at)
{
    const gboolean is_early = sampled->seen.samples > 0 && at < sampled->usual_from;
    return is_early ? (double)sampled->first_ns : SAMPLE_NS;
}

static void take_record(FcPcSampled *sampled, guint64 at, const struct perf_event_header *header,
                        const Sample *record)
{
    if (header->type == PERF_RECORD_SAMPLE)
        take_sample(sampled, record, sample_ns(sampled, at));
    else if (header->type == PERF_RECORD_LOST)
        sampled->seen.lost += record->time_ns; /* the number is the second word */
    else if (header->type == PERF_RECORD_SWITCH)
        take_switch(sampled, record->place, header->misc); /* the time is the first word */
    else if (header->type == PERF_RECORD_EXIT)
        sampled->has_ended = TRUE;
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
        take_record(sampled, at, &header, &sample);
        at += header.size;
    }
    /* release: the kernel may write to this part again */
    __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
    const guint64 period_ns = SAMPLE_NS;
    if (sampled->usual_from == G_MAXUINT64 && sampled->seen.samples > 0 &&
        ioctl(sampled->fd, PERF_EVENT_IOC_PERIOD, &period_ns) == 0)
        sampled->usual_from = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED);
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
static int open_event(gint64 tid, gboolean has_stacks, gboolean has_kernel, guint64 first_ns,
                      gsize buffer_bytes, void **memory)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attributes,
                                         .config = PERF_COUNT_SW_CPU_CLOCK,
                                         .sample_period = first_ns,
                                         .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
                                         .sample_id_all = 1,
                                         .context_switch = 1,
                                         .task = 1,
                                         .use_clockid = 1,
                                         .clockid = CLOCK_MONOTONIC,
                                         .exclude_kernel = !has_kernel,
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
    return fc_unwinder_new(pid, NULL);
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
    gboolean has_kernel = !sampler->is_kernel_denied;
    const guint64 first_ns = (guint64)g_random_int_range(FIRST_LEAST_NS, SAMPLE_NS);
    int fd = -1;
    if (sampler->thread && has_kernel)
        fd = open_event(tid, TRUE, TRUE, first_ns, buffer_bytes, &memory);
    if (fd < 0 && sampler->thread && (!has_kernel || errno == EACCES))
    {
        sampler->is_kernel_denied = TRUE;
        has_kernel = FALSE;
        fd = open_event(tid, TRUE, FALSE, first_ns, buffer_bytes, &memory);
    }
    if (fd < 0 && sampler->thread && errno != ESRCH)
    {
        has_stacks = FALSE;
        buffer_bytes = SMALL_BUFFER_BYTES;
        fd = open_event(tid, FALSE, has_kernel, first_ns, buffer_bytes, &memory);
    }
    *is_denied = fd < 0 && errno != ESRCH;
    if (fd < 0)
        return NULL;
    FcPcSampled *sampled = sampled_new(sampler, key);
    sampled->fd = fd;
    sampled->has_kernel = has_kernel;
    sampled->first_ns = first_ns;
    sampled->usual_from = G_MAXUINT64;
    sampled->seen.has_waits = TRUE;
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

/* What the kernel counted: a wait that goes on, and time in the kernel without samples. */
static void add_rest(FcPcSampled *sampled)
{
    FcPcSamples *seen = &sampled->seen;
    guint64 cpu_ns = 0;
    if (seen->has_waits && sampled->off_ns != 0 && !sampled->has_ended)
        take_switch(sampled, now_ns(), 0);
    if (sampled->has_kernel || sampled->fd < 0 ||
        read(sampled->fd, &cpu_ns, sizeof cpu_ns) != (ssize_t)sizeof cpu_ns)
        return;
    seen->unsampled_ns = (gint64)cpu_ns - (gint64)seen->ns - (gint64)(seen->lost * SAMPLE_NS);
}

void fc_pc_sampler_end(FcPcSampled *sampled, FcPcSamples *seen)
{
    FcPcSampler *sampler = sampled->sampler;
    const gboolean is_ours = sampler->process == getpid();
    g_mutex_lock(&sampler->lock);
    g_ptr_array_remove_fast(sampler->sampled, sampled);
    if (is_ours)
        drain(sampled);
    add_rest(sampled);
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
