/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: coroutines that switch by a few lines of assembly, as libraries of them do, on stacks
 * that nobody is told of and that lie side by side.  x86-64 only.
 * Usage: own_coroutines COUNT STACK_BYTES [thread]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TURNS 30
#define UNINSTRUMENTED __attribute__((no_instrument_function))

struct coroutine
{
    void *stack_pointer;
    struct coroutine *resumed_by;
    int is_done;
    long value;
};

static __thread struct coroutine *current;
static int count;
static size_t stack_bytes;

void switch_stacks(void **save, void *to) UNINSTRUMENTED;
__asm__(".text\n"
        ".type switch_stacks, @function\n"
        "switch_stacks:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n"
        "    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n"
        "    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size switch_stacks, .-switch_stacks\n");

static void yield(struct coroutine *self)
{
    switch_stacks(&self->stack_pointer, self->resumed_by->stack_pointer);
    current = self;
}

static void resume(struct coroutine *self)
{
    self->resumed_by = current;
    current = self;
    switch_stacks(&self->resumed_by->stack_pointer, self->stack_pointer);
    current = self->resumed_by;
}

static long leaf(long value)
{
    return value + 1;
}

static void yield_below(struct coroutine *self, int depth)
{
    volatile char frame[200];
    frame[depth] = 1;
    self->value = leaf(self->value);
    if (depth == 0)
        yield(self);
    else
        yield_below(self, depth - frame[depth]);
}

static void body(struct coroutine *self)
{
    for (int i = 0; i < TURNS; i++)
    {
        yield(self);
        yield_below(self, i % 20);
    }
}

UNINSTRUMENTED static void begin(void)
{
    struct coroutine *self = current;
    body(self);
    self->is_done = 1;
    switch_stacks(&self->stack_pointer, self->resumed_by->stack_pointer);
    abort();
}

static void *run(void *unused)
{
    struct coroutine first = {0};
    struct coroutine *all = calloc((size_t)count, sizeof *all);
    char *stacks = mmap(NULL, (size_t)count * stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;
    if (all == NULL || stacks == MAP_FAILED)
        abort();
    current = &first;
    for (int i = 0; i < count; i++)
    {
        void **top = (void **)(stacks + (size_t)(i + 1) * stack_bytes);
        top[-2] = (void *)begin;
        all[i].stack_pointer = top - 8; /* six registers, all 0 */
    }
    for (int live = count; live > 0;)
        for (int i = live = 0; i < count; i++)
        {
            if (!all[i].is_done)
                resume(&all[i]);
            live += !all[i].is_done;
        }
    for (int i = 0; i < count; i++)
        sum += all[i].value;
    printf("%ld\n", sum);
    free(all);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 3)
        return 2;
    count = atoi(argv[1]);
    stack_bytes = strtoul(argv[2], NULL, 10);
    if (argc < 4)
        run(NULL);
    else if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
        abort();
    return 0;
}
