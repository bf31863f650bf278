/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looking at what threads are at, with threads of the test's own.
 */
#include "fcmanager/estimate/observe.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ONE G_GUINT64_CONSTANT(0x1111)
#define OTHER G_GUINT64_CONSTANT(0x2222)
#define WATCHED_US 20000

/* A thread that goes from one place to the other until it is told to stop, or sleeps until then. */
typedef struct
{
    guint64 current_word;
    gboolean sleeps;
    gboolean stays; /* at one place */
    int wake[2];
    gint stop;
    gint64 tid; /* atomic; 0: not known yet */
} Worker;

static gpointer work(gpointer data)
{
    Worker *worker = data;
    char byte;
    __atomic_store_n(&worker->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
    if (worker->sleeps)
        g_assert_cmpint(read(worker->wake[0], &byte, 1), ==, 1);
    while (g_atomic_int_get(&worker->stop) == 0)
    {
        if (worker->stays)
            continue;
        __atomic_store_n(&worker->current_word, ONE, __ATOMIC_RELAXED);
        __atomic_store_n(&worker->current_word, OTHER, __ATOMIC_RELAXED);
    }
    return NULL;
}

static GThread *start(Worker *worker)
{
    g_assert_cmpint(pipe(worker->wake), ==, 0);
    GThread *thread = g_thread_new("worker", work, worker);
    while (__atomic_load_n(&worker->tid, __ATOMIC_ACQUIRE) == 0)
        g_thread_yield();
    return thread;
}

static void stop(Worker *worker, GThread *thread)
{
    g_atomic_int_set(&worker->stop, 1);
    g_assert_cmpint(write(worker->wake[1], "", 1), ==, 1);
    g_thread_join(thread);
    close(worker->wake[0]);
    close(worker->wake[1]);
}

static void wait_until_asleep(gint64 tid)
{
    g_autofree char *path = g_strdup_printf("/proc/self/task/%" G_GINT64_FORMAT "/stat", tid);
    for (gboolean asleep = FALSE; !asleep;)
    {
        g_autofree char *text = NULL;
        g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
        asleep = g_strrstr(text, ") S ") != NULL;
        g_usleep(1000);
    }
}

static FcObserved watch(FcObserver *observer, const Worker *worker)
{
    FcObserved seen;
    FcWatched *watched = fc_observer_watch(observer, &worker->current_word, getpid(), worker->tid);
    g_assert_nonnull(watched);
    g_usleep(WATCHED_US);
    fc_observer_end(watched, &seen);
    return seen;
}

static void test_running(void)
{
    FcObserver *observer = fc_observer_new();
    Worker worker = {.current_word = ONE};
    GThread *thread = start(&worker);
    /* on a busy machine nobody may look for so long */
    for (gboolean any = FALSE; !any;)
    {
        FcObserved seen = watch(observer, &worker);
        double weight = 0;
        any = seen.weight > 0;
        g_assert_cmpuint(seen.words->len, <=, 2);
        for (guint i = 0; i < seen.words->len; i++)
        {
            const FcSampledWord *word = &g_array_index(seen.words, FcSampledWord, i);
            g_assert_true(word->current_word == ONE || word->current_word == OTHER);
            g_assert_cmpfloat(word->variance, <=, word->weight * word->weight + 1e-6);
            weight += word->weight;
        }
        g_assert_cmpfloat_with_epsilon(weight, seen.weight, 1e-6);
        g_array_unref(seen.words);
    }
    stop(&worker, thread);
    fc_observer_free(observer);
}

/* Nobody is anywhere while he waits. */
static void test_asleep(void)
{
    FcObserver *observer = fc_observer_new();
    Worker worker = {.current_word = ONE, .sleeps = TRUE};
    GThread *thread = start(&worker);
    wait_until_asleep(worker.tid);
    FcObserved seen = watch(observer, &worker);
    g_assert_cmpfloat(seen.weight, ==, 0);
    g_assert_cmpuint(seen.words->len, ==, 0);
    g_array_unref(seen.words);
    stop(&worker, thread);
    fc_observer_free(observer);
}

/* Both on one processor, which `worker` is given only when nobody else wants it. */
static void compete(const Worker *worker, const Worker *other)
{
    cpu_set_t allowed;
    cpu_set_t one;
    const struct sched_param none = {0};
    CPU_ZERO(&one);
    g_assert_cmpint(sched_getaffinity(0, sizeof allowed, &allowed), ==, 0);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            CPU_SET(cpu, &one);
    g_assert_cmpint(sched_setaffinity((pid_t)worker->tid, sizeof one, &one), ==, 0);
    g_assert_cmpint(sched_setaffinity((pid_t)other->tid, sizeof one, &one), ==, 0);
    g_assert_cmpint(sched_setscheduler((pid_t)worker->tid, SCHED_IDLE, &none), ==, 0);
}

/* While it is preempted the time is not that of where it is, though it is ready to run: of an idle
 * thread beside a busy one that is a hundredth of what passes. */
static void test_preempted(void)
{
    FcObserver *observer = fc_observer_new();
    Worker worker = {.current_word = ONE, .stays = TRUE};
    Worker other = {.current_word = ONE, .stays = TRUE};
    GThread *threads[] = {start(&worker), start(&other)};
    compete(&worker, &other);
    gint64 elapsed = g_get_monotonic_time();
    FcWatched *watched = fc_observer_watch(observer, &worker.current_word, getpid(), worker.tid);
    g_usleep(10 * WATCHED_US);
    FcObserved seen;
    fc_observer_end(watched, &seen);
    elapsed = g_get_monotonic_time() - elapsed;
    g_assert_cmpfloat(seen.weight, <, 0.5 * (double)elapsed);
    g_array_unref(seen.words);
    stop(&worker, threads[0]);
    stop(&other, threads[1]);
    fc_observer_free(observer);
}

/* More threads than are looked at each time: all have their turn. */
static void test_many(void)
{
    enum
    {
        COUNT = 40
    };
    FcObserver *observer = fc_observer_new();
    Worker worker = {.current_word = ONE};
    GThread *thread = start(&worker);
    for (guint missing = COUNT; missing > 0;)
    {
        FcWatched *watched[COUNT];
        missing = 0;
        for (guint i = 0; i < COUNT; i++)
            watched[i] = fc_observer_watch(observer, &worker.current_word, getpid(), worker.tid);
        g_usleep(5 * WATCHED_US);
        for (guint i = 0; i < COUNT; i++)
        {
            FcObserved seen;
            fc_observer_end(watched[i], &seen);
            missing += seen.weight <= 0;
            g_array_unref(seen.words);
        }
    }
    stop(&worker, thread);
    fc_observer_free(observer);
}

/* There is no such thread. */
static void test_nobody(void)
{
    FcObserver *observer = fc_observer_new();
    const guint64 current_word = ONE;
    g_assert_null(fc_observer_watch(observer, &current_word, getpid(), 0));
    fc_observer_free(observer);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/observe/running", test_running);
    g_test_add_func("/observe/asleep", test_asleep);
    g_test_add_func("/observe/preempted", test_preempted);
    g_test_add_func("/observe/many", test_many);
    g_test_add_func("/observe/nobody", test_nobody);
    return g_test_run();
}
