/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observe.h.
 */
#include "fcmanager/estimate/observe.h"

#include "fcmanager/counts/on-cpu.h"
#include "libfc/current-word.h"

#include <math.h>
#include <time.h>

/* Poll interval in us.  It begins with the least and later is a part of the time for which the
 * youngest thread was watched, up to the most.  No time depends on it but by the number of
 * samples, as each sample has the weight of its interval.  A part of 500 gives 500 samples in the
 * first 50 ms: a tenth of them, 50, has a standard error of a seventh.  At the most, one of
 * READS_MOST reads a millisecond takes 16 us of the manager's time, less than 2% of a CPU. */
#define INTERVAL_LEAST 100.0
#define INTERVAL_MOST 1000.0
#define INTERVAL_PART 500.0
/* us: a thread that starts within this time after the last reset does not reset the interval to
 * the shortest. */
#define RESET_LEAST 2000000

/* If there are more threads than this, this many in a row are sampled each time, from a
 * random one on. */
#define THREADS_MAX 16u
/* More threads than this are not watched: each takes two descriptors, and profiles need some. */
#define WATCHED_MAX 192u
/* Bounds our memory if the program writes arbitrary words.  Words beyond this count are one. */
#define WORDS_MAX 65536u
#define WORD_OTHER FC_CURRENT_LEFT
/* A waiting thread is sampled half as often each time, down to one in this many times. */
#define EVERY_MOST 16u
#define RESTS_MOST 64u

/* A sample consists of several reads: at most READS_ALL of all threads that are sampled at once,
 * and READS_MOST of each thread.  They are READ_LEAST ns and a random time apart, so that short
 * functions that call one another are all seen.  Reads cost next to nothing, unlike a wake-up. */
#define READS_ALL 64u
#define READS_MOST 16u
#define READ_LEAST 300u
#define READ_MASK 1023u

struct FcWatched
{
    FcObserver *observer;
    const guint64 *current_word;
    FcOnCpu on_cpu;
    guint every; /* it is sampled in one of this many intervals; a sample counts for as many */
    guint rests; /* how many samples it still leaves out */
    gboolean is_paused;
    GHashTable *weights; /* current_word -> index in `seen.words`, + 1 */
    FcObserved seen;
};

struct FcObserver
{
    GThread *thread;
    GMutex lock;
    GCond changed;
    GPtrArray *watched; /* FcWatched */
    gboolean is_ending;
    gint64 last_reset; /* us: when a new thread last reset the interval */
    guint64 random;
    GArray *values; /* guint64: the words of one sample */
    GPtrArray *due; /* FcWatched: the threads of this sample */
};

static guint64 next_random(FcObserver *observer)
{
    guint64 x = observer->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return observer->random = x;
}

static FcSampledWord *find(FcWatched *watched, guint64 current_word)
{
    GArray *words = watched->seen.words;
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(watched->weights, &current_word));
    if (at == 0 && words->len >= WORDS_MAX && current_word != WORD_OTHER)
        return find(watched, WORD_OTHER);
    if (at == 0)
    {
        const FcSampledWord one = {.current_word = current_word};
        g_array_append_val(words, one);
        at = words->len;
        g_hash_table_insert(watched->weights, g_memdup2(&current_word, sizeof current_word),
                            GUINT_TO_POINTER(at));
    }
    return &g_array_index(words, FcSampledWord, at - 1);
}

static gint compare_values(gconstpointer a, gconstpointer b)
{
    const guint64 one = *(const guint64 *)a;
    const guint64 other = *(const guint64 *)b;
    return one < other ? -1 : one > other;
}

static void add(FcWatched *watched, GArray *values, double weight)
{
    const double each = weight / values->len;
    watched->seen.samples++;
    watched->seen.weight += weight;
    g_array_sort(values, compare_values);
    for (guint from = 0, to; from < values->len; from = to)
    {
        const guint64 current_word = g_array_index(values, guint64, from);
        for (to = from; to < values->len && g_array_index(values, guint64, to) == current_word;
             to++)
            continue;
        const double part = each * (to - from);
        FcSampledWord *word = find(watched, current_word);
        word->weight += part;
        word->variance += part * part;
    }
}

static guint64 now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (guint64)now.tv_sec * 1000000000 + (guint64)now.tv_nsec;
}

static void sample(FcWatched *watched, guint reads, double weight)
{
    FcObserver *observer = watched->observer;
    GArray *values = observer->values;
    gboolean is_running = FALSE;
    guint64 next = now_ns();
    g_array_set_size(values, 0);
    for (guint i = 0; i < reads; i++)
    {
        const guint64 current_word = __atomic_load_n(watched->current_word, __ATOMIC_RELAXED);
        is_running |= i > 0 && current_word != g_array_index(values, guint64, 0);
        g_array_append_val(values, current_word);
        next += READ_LEAST + (next_random(observer) >> 32 & READ_MASK);
        while (i + 1 < reads && now_ns() < next)
            continue;
    }
    const double most = weight * watched->every;
    const double ran = is_running ? most : fc_on_cpu_us(&watched->on_cpu, most);
    if (ran > 0)
        add(watched, values, ran);
    watched->every = ran >= 0 ? 1 : MIN(2 * watched->every, EVERY_MOST);
}

/* Draws how many samples the thread leaves out.  In each round it is sampled with a chance of one
 * in `every`, independent of what came before. */
static void draw_rests(FcWatched *watched)
{
    const double chance = 1.0 / watched->every;
    const double random = (double)((next_random(watched->observer) >> 32) + 1) / 0x1p32;
    watched->rests = chance < 1 ? (guint)MIN(log(random) / log(1 - chance), RESTS_MOST) : 0;
}

/* Samples the threads that are due, `rounds` intervals of `mean` us after the last time.  Returns
 * after how many more intervals a thread is due again. */
static guint sample_all(FcObserver *observer, guint rounds, double mean)
{
    GPtrArray *due = observer->due;
    guint next = RESTS_MOST;
    g_ptr_array_set_size(due, 0);
    for (guint i = 0; i < observer->watched->len; i++)
    {
        FcWatched *watched = g_ptr_array_index(observer->watched, i);
        if (watched->rests < rounds && !watched->is_paused)
            g_ptr_array_add(due, watched);
        watched->rests -= MIN(watched->rests, rounds);
    }
    const guint count = MIN(due->len, THREADS_MAX);
    const guint first = due->len > count ? (guint)(next_random(observer) >> 32) % due->len : 0;
    for (guint i = 0; i < count; i++)
        sample(g_ptr_array_index(due, (first + i) % due->len),
               CLAMP(READS_ALL / count, 1, READS_MOST), mean * due->len / count);
    for (guint i = 0; i < due->len; i++)
        draw_rests(g_ptr_array_index(due, i));
    for (guint i = 0; i < observer->watched->len; i++)
    {
        const FcWatched *watched = g_ptr_array_index(observer->watched, i);
        if (!watched->is_paused)
            next = MIN(next, watched->rests + 1);
    }
    return next;
}

static double mean_interval(const FcObserver *observer)
{
    const double age = (double)(g_get_monotonic_time() - observer->last_reset);
    return CLAMP(age / INTERVAL_PART, INTERVAL_LEAST, INTERVAL_MOST);
}

/* Sleeps between 0.5 and 1.5 times the mean, so that samples do not keep pace with a periodic
 * program. */
static void sleep_about(FcObserver *observer, double mean)
{
    const double part = 0.5 + (double)(next_random(observer) >> 40) / (double)(1 << 24);
    const double ns = mean * part * 1000;
    const struct timespec time = {0, (long)ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static gpointer run(gpointer data)
{
    FcObserver *observer = data;
    guint rounds = 1;
    g_mutex_lock(&observer->lock);
    while (!observer->is_ending)
    {
        if (observer->watched->len == 0)
        {
            g_cond_wait(&observer->changed, &observer->lock);
            continue;
        }
        const double mean = mean_interval(observer);
        g_mutex_unlock(&observer->lock);
        sleep_about(observer, mean * rounds);
        g_mutex_lock(&observer->lock);
        rounds = sample_all(observer, rounds, mean);
    }
    g_mutex_unlock(&observer->lock);
    return NULL;
}

FcObserver *fc_observer_new(void)
{
    FcObserver *observer = g_new0(FcObserver, 1);
    observer->watched = g_ptr_array_new();
    observer->due = g_ptr_array_new();
    observer->values = g_array_new(FALSE, FALSE, sizeof(guint64));
    observer->random = (guint64)g_get_monotonic_time() * 2 + 1;
    g_mutex_init(&observer->lock);
    g_cond_init(&observer->changed);
    observer->thread = g_thread_try_new("observer", run, observer, NULL);
    if (!observer->thread)
        g_clear_pointer(&observer, fc_observer_free);
    return observer;
}

void fc_observer_free(FcObserver *observer)
{
    if (!observer)
        return;
    if (observer->thread)
    {
        g_mutex_lock(&observer->lock);
        observer->is_ending = TRUE;
        g_cond_signal(&observer->changed);
        g_mutex_unlock(&observer->lock);
        g_thread_join(observer->thread);
    }
    g_ptr_array_unref(observer->watched);
    g_ptr_array_unref(observer->due);
    g_array_unref(observer->values);
    g_mutex_clear(&observer->lock);
    g_cond_clear(&observer->changed);
    g_free(observer);
}

FcWatched *fc_observer_watch(FcObserver *observer, const guint64 *current_word, gint pid,
                             gint64 tid)
{
    g_mutex_lock(&observer->lock);
    const gboolean is_full = observer->watched->len >= WATCHED_MAX;
    g_mutex_unlock(&observer->lock);
    if (is_full)
        return NULL;
    FcOnCpu on_cpu;
    if (!fc_on_cpu_open(&on_cpu, pid, tid))
        return NULL;
    FcWatched *watched = g_new0(FcWatched, 1);
    watched->observer = observer;
    watched->current_word = current_word;
    watched->on_cpu = on_cpu;
    watched->every = 1;
    watched->weights = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    watched->seen.words = g_array_new(FALSE, FALSE, sizeof(FcSampledWord));
    g_mutex_lock(&observer->lock);
    g_ptr_array_add(observer->watched, watched);
    const gint64 now = g_get_monotonic_time();
    if (observer->last_reset == 0 || now - observer->last_reset > RESET_LEAST)
        observer->last_reset = now;
    g_cond_signal(&observer->changed);
    g_mutex_unlock(&observer->lock);
    return watched;
}

void fc_observer_pause(FcWatched *watched, gboolean pauses)
{
    g_mutex_lock(&watched->observer->lock);
    watched->is_paused = pauses;
    g_mutex_unlock(&watched->observer->lock);
}

void fc_observer_hold(FcObserver *observer)
{
    g_mutex_lock(&observer->lock);
}

void fc_observer_release(FcObserver *observer)
{
    g_mutex_unlock(&observer->lock);
}

void fc_observer_end(FcWatched *watched, FcObserved *observed)
{
    FcObserver *observer = watched->observer;
    g_mutex_lock(&observer->lock);
    g_ptr_array_remove_fast(observer->watched, watched);
    g_mutex_unlock(&observer->lock);
    if (observed)
        *observed = watched->seen;
    else
        g_array_unref(watched->seen.words);
    g_hash_table_unref(watched->weights);
    fc_on_cpu_close(&watched->on_cpu);
    g_free(watched);
}
