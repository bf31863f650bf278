/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: blocks that can still be reached at the end, by every kind of reference, and blocks
 * that can't.  The size of each tells what it is: 1000 and up reachable, 2000 and up lost,
 * 3000 and up by way of lost ones alone.  Usage: heap_scan [thread]
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct node
{
    struct node *next;
    struct node *other;
};

static void *in_data = &in_data;
static void *in_bss;
static __thread void *in_tls;
static char *within;
static struct node *list;
static void **in_mapping;

__attribute__((noinline)) static struct node *node(size_t bytes)
{
    struct node *made = malloc(bytes);
    made->next = NULL;
    made->other = NULL;
    return made;
}

__attribute__((noinline)) static void reachable(void)
{
    in_data = malloc(1001);
    in_bss = malloc(1002);
    in_tls = malloc(1003);
    within = (char *)malloc(1004) + 1003;
    list = node(1005);
    list->next = node(1006);
    list->next->next = node(1007);
    list->next->next->other = list; /* and round */
    in_mapping = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    in_mapping[4000] = malloc(1008);
    setenv("HEAP_SCAN", "x", 1); /* libc refers to its copy */
    list->other = node(1 << 20); /* in a mapping of its own */
    list->other->next = node(1009);
    list->other->other = calloc(1, 1010); /* empty */
}

__attribute__((noinline)) static void lost(void)
{
    struct node *volatile head = node(2001);
    head->next = node(3001);
    head->next->next = node(3002);
    head = node(2002);
    head->next = node(3003);
    head->next->next = head; /* a ring */
    head = node(2003);
    head = malloc(2024); /* fills its chunk: what the allocator notes of its end is no reference */
    head = malloc(0);
    head = NULL;
}

/* What calls left on the stack is no reference. */
__attribute__((noinline)) static void wipe_stack(void)
{
    volatile char space[16384];
    memset((char *)space, 0, sizeof space);
}

static void *wait_forever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    void *volatile on_stack;
    (void)argv;
    reachable();
    lost();
    wipe_stack();
    on_stack = malloc(1011);
    wipe_stack();
    if (argc > 1)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
            return 2;
    }
    exit(on_stack == NULL);
}
