/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: a binary heap that is asked through a pointer what comes first, a list whose nodes lie far
 * apart, and sums by two callers of one function, of which one's calls take ten times as long.
 */
#include "phases.h"

#define ROOM 2048
#define NODES 100000
typedef int Before(uint32_t one, uint32_t other);
static uint32_t heap[ROOM + 1];
static int used;
static struct Node
{
    struct Node *next;
    uint64_t value[5];
} * nodes;

NOINLINE static int is_less(uint32_t one, uint32_t other)
{
    return one < other;
}

NOINLINE static void swap(int one, int other)
{
    const uint32_t kept = heap[one];
    heap[one] = heap[other];
    heap[other] = kept;
}

NOINLINE static void push(uint32_t value, Before *before)
{
    int place = ++used;
    heap[place] = value;
    for (; place > 1 && before(heap[place], heap[place / 2]); place /= 2)
        swap(place, place / 2);
}

NOINLINE static uint32_t pop(Before *before)
{
    const uint32_t first = heap[1];
    heap[1] = heap[used--];
    for (int place = 1; 2 * place <= used;)
    {
        int child = 2 * place;
        child += child < used && before(heap[child + 1], heap[child]);
        if (!before(heap[child], heap[place]))
            break;
        swap(child, place);
        place = child;
    }
    return first;
}

static Before *volatile before = is_less;

PHASE(heap)
{
    uint32_t state = 7;
    for (int i = 0; i < ROOM; i++)
        push(phase_random(&state), before);
    for (int i = 0; i < ROOM; i++)
        sink += pop(before);
}

NOINLINE static const struct Node *next_of(const struct Node *node)
{
    return node->next;
}

PHASE(list)
{
    if (!nodes)
    {
        nodes = malloc(NODES * sizeof *nodes);
        for (int i = 0; i < NODES; i++) /* 7919 is prime to NODES: all in one circle */
            nodes[i] = (struct Node){&nodes[(i + 7919) % NODES], {(uint64_t)i}};
    }
    const struct Node *node = nodes;
    for (int i = 0; i < 2000; i++, node = next_of(node))
        sink += node->value[0];
}

NOINLINE static uint32_t sum_of(uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum = sum * 31 + i;
    return sum;
}

PHASE(small_sums)
{
    for (int i = 0; i < 40000; i++)
        sink += sum_of(8 + (i & 1));
}

PHASE(large_sums)
{
    for (int i = 0; i < 4000; i++)
        sink += sum_of(80 + (i & 7));
}

PHASES_MAIN(PHASE_ROW(heap), PHASE_ROW(list), PHASE_ROW(small_sums), PHASE_ROW(large_sums))
