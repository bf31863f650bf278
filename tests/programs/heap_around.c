/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: memory around main: from heap_around_lib.c's constructor, which runs before libfc, and
 * from its own; inside dlsym; from destructors of thread-specific data, and what libc
 * frees behind them; after exit began.  All of it is freed again, but for the one block that
 * `left` leaves.  Usage: heap_around THREADS
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern void early_free(void);

static pthread_key_t keys[3];

__attribute__((constructor)) static void before_main(void)
{
    free(malloc(11));
}

/* Frees what the key had and sets it anew, as often as libc goes round. */
static void at_thread_end(void *block)
{
    free(block);
    free(malloc(13));
    static __thread int rounds;
    if (pthread_getspecific(keys[0]) == NULL && rounds++ < 2)
        pthread_setspecific(keys[0], malloc(14));
}

static void *work(void *unused)
{
    for (int i = 0; i < 3; i++)
        pthread_setspecific(keys[i], malloc(12));
    /* libc keeps these for the thread and frees them behind all destructors */
    (void)strerror(12345);
    (void)dlsym(RTLD_DEFAULT, "no such symbol");
    (void)dlerror();
    return unused;
}

static void at_exit(void)
{
    free(malloc(15));
}

__attribute__((destructor)) static void behind_exit(void)
{
    free(malloc(16));
}

static void *volatile kept;

__attribute__((noinline)) static void left(void)
{
    kept = malloc(17);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 10;
    atexit(at_exit);
    for (int i = 0; i < 3; i++)
        pthread_key_create(&keys[i], at_thread_end);
    for (int i = 0; i < threads; i++)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            return 2;
        pthread_join(thread, NULL);
    }
    early_free();
    left();
    return 0;
}
