/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Uses its restartable sequences itself, as librseq does: has the registered area's pointer lead to
 * a descriptor of its own around a critical section, and to nothing behind it.  Functions that wait
 * and work are called while it stands, and prints what its own clocks say of them: "NAME WALL CPU"
 * in ns, CPU with what was stolen from the machine.  Status 77: there is no such area; 2: the
 * pointer was taken from it; 3: a section did not do what it should.
 */
#define _GNU_SOURCE
#include "stolen.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/rseq.h>
#include <time.h>

#define ALONE __attribute__((noinline))
#define PLAIN __attribute__((no_instrument_function))
#define ROUNDS 2000

typedef struct
{
    uint64_t wall;
    uint64_t cpu;
} Times;

static uint64_t stolen;
static volatile uint64_t sum;

PLAIN static Times now(void)
{
    return (Times){stolen_clock_ns(CLOCK_MONOTONIC),
                   stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID) + stolen};
}

PLAIN static struct rseq *area(void)
{
    return (struct rseq *)(void *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

/* The kernel's struct rseq_cs, of code that is never run: what is called while it stands is
 * outside. */
static const uint32_t unused[4] = {RSEQ_SIG, RSEQ_SIG, RSEQ_SIG, RSEQ_SIG};
static const struct
{
    _Alignas(32) uint32_t version;
    uint32_t flags;
    const void *start;
    uint64_t bytes;
    const void *abort;
} own = {.start = &unused[0], .bytes = 1, .abort = &unused[2]};

PLAIN static void lead_to(const void *descriptor)
{
    __atomic_store_n((uintptr_t *)&area()->rseq_cs, (uintptr_t)descriptor, __ATOMIC_RELAXED);
}

PLAIN static int stands(void)
{
    return __atomic_load_n((uintptr_t *)&area()->rseq_cs, __ATOMIC_RELAXED) == (uintptr_t)&own;
}

/* A real one: adds 1, after some time, or nothing where it is cut short. */
PLAIN static int add_one(uint64_t *to)
{
    struct rseq *here = area();
    __asm__ goto(".pushsection own_rseq_cs, \"aw\"\n"
                 ".balign 32\n"
                 "3: .long 0, 0\n"
                 ".quad 1f, 2f - 1f, 4f\n"
                 ".popsection\n"
                 "leaq 3b(%%rip), %%rax\n"
                 "movq %%rax, %c[pointer](%[area])\n"
                 "1:\n"
                 "movl $3000, %%ecx\n"
                 "5: decl %%ecx\n"
                 "jnz 5b\n"
                 "addq $1, (%[to])\n"
                 "2:\n"
                 "movq $0, %c[pointer](%[area])\n"
                 ".pushsection own_rseq_abort, \"ax\"\n"
                 ".byte 0x0f, 0xb9, 0x3d\n"
                 ".long 0x53053053\n"
                 "4: jmp %l[cut_short]\n"
                 ".popsection\n"
                 :
                 : [area] "r"(here), [to] "r"(to), [pointer] "i"(offsetof(struct rseq, rseq_cs))
                 : "rax", "rcx", "memory", "cc"
                 : cut_short);
    return 1;
cut_short:
    return 0;
}

ALONE void tiny(void)
{
    sum++;
}

ALONE void sleeps(void)
{
    struct timespec time = {0, 300000000};
    tiny();
    nanosleep(&time, NULL);
}

ALONE void works(void)
{
    tiny();
    stolen += stolen_from_work(300000000u);
    tiny();
}

/* How often it still stands behind hooks: not where the thread was switched out meanwhile. */
ALONE unsigned stay(void)
{
    unsigned stayed = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
    {
        lead_to(&own);
        tiny();
        stayed += stands() != 0;
        lead_to(NULL);
    }
    return stayed;
}

ALONE uint64_t sections(void)
{
    uint64_t sum_of_all = 0;
    for (uint64_t done = 0; done < 20 * ROUNDS;)
    {
        done += add_one(&sum_of_all) != 0;
        tiny();
    }
    return sum_of_all;
}

#define MEASURE(function)                                                                          \
    do                                                                                             \
    {                                                                                              \
        Times from = now();                                                                        \
        lead_to(&own);                                                                             \
        function();                                                                                \
        lead_to(NULL);                                                                             \
        Times to = now();                                                                          \
        printf("%s %llu %llu\n", #function, (unsigned long long)(to.wall - from.wall),             \
               (unsigned long long)(to.cpu - from.cpu));                                           \
    } while (0)

int main(void)
{
    if (__rseq_size == 0 || (int32_t)area()->cpu_id < 0)
        return 77;
    if (stay() < ROUNDS / 2)
        return 2;
    if (sections() != 20 * ROUNDS)
        return 3;
    MEASURE(sleeps);
    MEASURE(works);
    return 0;
}
