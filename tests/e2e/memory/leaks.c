/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that leak, one a name: differ.py runs each under other tools and under libfc,
 * and compares what they found.  No line allocates for two different reasons.
 */
#include "in_turn.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void *quiet_block(size_t bytes);
void *quiet_deep(size_t bytes);
void *quiet_call(void *(*function)(size_t), size_t bytes);

static void *kept; /* what it holds is reachable */

/* Overwrites what finished calls left on the stack, so that nothing is found there. */
__attribute__((noinline)) static void scrub(void)
{
    volatile char dirt[4096];
    for (size_t i = 0; i < sizeof dirt; i++)
        dirt[i] = 0;
}

__attribute__((noinline)) static void *lose(size_t bytes)
{
    char *block = malloc(bytes);
    block[0] = 1;
    return NULL;
}

static void simple(void)
{
    for (int i = 0; i < 5; i++)
        lose(100);
    lose(1);
    lose(0x20000 + 7);
    kept = malloc(77);
}

static void zero_sized(void)
{
    kept = malloc(0);
    lose(0 + 1);
    free(malloc(0));
    free(NULL);
}

struct Node
{
    struct Node *next;
    char text[40];
};

/* Lost as a whole: all but the first block are so indirectly. */
__attribute__((noinline)) static void make_list(int count)
{
    struct Node *first = NULL;
    for (int i = 0; i < count; i++)
    {
        struct Node *node = calloc(1, sizeof *node);
        node->next = first;
        first = node;
    }
}

static void list(void)
{
    make_list(6);
    scrub();
}

__attribute__((noinline)) static char *grow(char *block, size_t bytes)
{
    return realloc(block, bytes);
}

static void realloc_chain(void)
{
    char *block = NULL;
    for (size_t bytes = 8; bytes <= 8000; bytes *= 10)
        block = grow(block, bytes);
    kept = grow(block, 31);
    char *other = malloc(50);
    other = realloc(other, 60); /* in place or not */
    other = reallocarray(other, 7, 11);
    if (other != NULL)
        other[0] = 1;
}

static void realloc_fails(void)
{
    kept = malloc(64);
    size_t most = (size_t)-1 / 2 - 100;
    __asm__ volatile("" : "+r"(most));
    void *none = realloc(kept, most);
    if (none != NULL || errno != ENOMEM)
        abort();
    void *gone = malloc(48);
    gone = realloc(gone, 0); /* frees it */
    kept = realloc(kept, 65);
}

static void aligned(void)
{
    void *block = NULL;
    kept = memalign(64, 200);
    if (posix_memalign(&block, 128, 201) != 0)
        abort();
    block = aligned_alloc(256, 512);
    block = valloc(203);
    free(memalign(32, 33));
    (void)block;
}

static void whole_page(void)
{
    kept = pvalloc(4096);
}

static void from_libc(void)
{
    char *line = NULL;
    size_t room = 0;
    char text[] = "one line\nand more\n";
    FILE *stream = fmemopen(text, sizeof text - 1, "r");
    if (getline(&line, &room, stream) < 0)
        abort();
    fclose(stream);
    kept = strdup("a copy");
    char *shorter = strndup("a shorter copy", 9);
    char *printed = NULL;
    if (asprintf(&printed, "%d and %s", 42, "more") < 0)
        abort();
    shorter[0] = printed[0];
    puts("a buffer of the standard output");
}

static int compare(const void *a, const void *b)
{
    lose(12);
    return strcmp(a, b);
}

static void callbacks(void)
{
    char words[3][4] = {"c", "b", "a"};
    qsort(words, 3, 4, compare);
    quiet_call(lose, 13);
}

static void from_library(void)
{
    void *block = quiet_block(41);
    block = quiet_deep(42);
    kept = quiet_block(43);
    (void)block;
}

static void recursive(int depth)
{
    if (depth > 0)
        recursive(depth - 1);
    else
        lose(90);
}

static void recursion(void)
{
    recursive(4);
}

static void *thread_body(void *data)
{
    for (long i = 0; i < 20; i++)
        lose((size_t)(20 + i % 3 * 20));
    free(data);
    return malloc(15);
}

static void threads(void)
{
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, thread_body, malloc(25));
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
}

static pthread_key_t key;

static void at_thread_exit(void *data)
{
    lose(61);
    free(data);
}

static void *thread_with_key(void *data)
{
    pthread_setspecific(key, malloc(62));
    return data;
}

static void thread_exit(void)
{
    pthread_t id;
    pthread_key_create(&key, at_thread_exit);
    pthread_create(&id, NULL, thread_with_key, NULL);
    pthread_join(id, NULL);
}

static void forked(void)
{
    lose(71);
    char *block = malloc(72);
    pid_t child = fork();
    if (child == 0)
    {
        free(block);
        lose(73);
        exit(0);
    }
    waitpid(child, NULL, 0);
    lose(74);
    kept = block;
}

static void crash(void)
{
    lose(81);
    kept = malloc(82);
    *(volatile int *)16 = 0;
}

static void aborted(void)
{
    lose(91);
    abort();
}

static void hard_exit(void)
{
    lose(92);
    _exit(3);
}

static void leave(void)
{
    lose(101);
}

static void exit_handler(void)
{
    atexit(leave);
    lose(102);
}

static void freed(void)
{
    void *blocks[100];
    for (size_t i = 0; i < 100; i++)
        blocks[i] = malloc(i);
    for (size_t i = 0; i < 100; i++)
        free(blocks[i]);
}

__attribute__((constructor)) static void before_main(void)
{
    lose(111);
    scrub(); /* main's caller may leave a part of its frame, which is where that was, as it is */
}

static const struct
{
    const char *name;
    void (*run)(void);
} cases[] = {
    {"simple", simple},
    {"zero-sized", zero_sized},
    {"list", list},
    {"realloc-chain", realloc_chain},
    {"realloc-fails", realloc_fails},
    {"aligned", aligned},
    {"whole-page", whole_page},
    {"from-libc", from_libc},
    {"callbacks", callbacks},
    {"from-library", from_library},
    {"recursion", recursion},
    {"threads", threads},
    {"thread-exit", thread_exit},
    {"forked", forked},
    {"crash", crash},
    {"aborted", aborted},
    {"hard-exit", hard_exit},
    {"exit-handler", exit_handler},
    {"freed", freed},
};

int main(int argc, char **argv)
{
    const char *name = in_turn(argc, argv);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        if (argc == 1)
            puts(cases[i].name);
        else if (strcmp(name, cases[i].name) == 0)
        {
            cases[i].run();
            scrub();
            return 0;
        }
    }
    return argc != 1;
}
