/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: blocks that can still be reached at the end, by every kind of reference, and blocks
 * that can't.  The size of each tells what it is: 1000 and up reachable, 2000 and up lost,
 * 3000 and up by way of lost ones alone.
 * Usage: heap_scan [thread [forbidden]]: with two other threads at the end; the process may not
 * trace
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

static volatile int is_waiting;

/* Two of them: one waits, the other goes on, with the only pointer to a block of its own. */
static void *wait_forever(void *is_busy)
{
    void *volatile own = malloc(is_busy ? 1013 : 1012);
    is_waiting++;
    while (own)
        if (!is_busy)
            pause();
    return NULL;
}

static int forbid_tracing(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
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
        for (int i = 0; i < 2; i++)
        {
            if (pthread_create(&thread, NULL, wait_forever, i == 0 ? NULL : &in_data) != 0)
                return 2;
            while (is_waiting == i)
                usleep(1000);
        }
        if (argc > 2 && forbid_tracing() != 0)
            return 3;
    }
    exit(on_stack == NULL);
}
