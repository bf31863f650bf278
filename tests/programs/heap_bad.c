/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: one wrong call, at which libc usually ends the program.
 * Usage: heap_bad double|inside|stack|unknown|realloc|thread
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *volatile block;

__attribute__((noinline)) static void make(void)
{
    block = malloc(100);
}

__attribute__((noinline)) static void release(void)
{
    free(block);
}

__attribute__((noinline)) static void wrong(void *pointer)
{
    free(pointer);
}

__attribute__((noinline)) static void wrong_realloc(void *pointer)
{
    block = realloc(pointer, 200);
}

static void *in_thread(void *unused)
{
    wrong(block);
    return unused;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "double";
    volatile char local[64] = "";
    make();
    if (strcmp(what, "double") == 0)
    {
        release();
        wrong(block);
    }
    else if (strcmp(what, "thread") == 0)
    {
        pthread_t thread;
        release();
        if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
            return 2;
        pthread_join(thread, NULL);
    }
    else if (strcmp(what, "inside") == 0)
        wrong((char *)block + 16);
    else if (strcmp(what, "stack") == 0)
        wrong((void *)(((uintptr_t)local + 15) & ~(uintptr_t)15));
    else if (strcmp(what, "unknown") == 0)
        wrong((void *)(uintptr_t)0x123456789abcu);
    else
    {
        release();
        wrong_realloc(block);
    }
    return 0;
}
