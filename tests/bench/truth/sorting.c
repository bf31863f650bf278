/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: a sort whose recursion goes as deep as its data has it, and what it takes to sort it
 * otherwise.
 */
#include "phases.h"

#define COUNT 20000

static int values[COUNT];

OUTSIDE void fill(void)
{
    uint32_t state = 1;
    for (int i = 0; i < COUNT; i++)
        values[i] = (int)phase_random(&state);
}

NOINLINE static int partition(int *of, int first, int last)
{
    const int pivot = of[(first + last) / 2];
    int i = first - 1, j = last + 1;
    for (;;)
    {
        while (of[++i] < pivot)
            continue;
        while (of[--j] > pivot)
            continue;
        if (i >= j)
            return j;
        const int kept = of[i];
        of[i] = of[j];
        of[j] = kept;
    }
}

NOINLINE static void quicksort(int *of, int first, int last)
{
    if (first >= last)
        return;
    const int middle = partition(of, first, last);
    quicksort(of, first, middle);
    quicksort(of, middle + 1, last);
}

PHASE(quick)
{
    fill();
    quicksort(values, 0, COUNT - 1);
    sink += (uint64_t)values[COUNT / 2];
}

NOINLINE static void sift(int *of, int root, int count)
{
    const int kept = of[root];
    for (int child; (child = 2 * root + 1) < count; root = child)
    {
        child += child + 1 < count && of[child + 1] > of[child];
        if (of[child] <= kept)
            break;
        of[root] = of[child];
    }
    of[root] = kept;
}

PHASE(heap)
{
    fill();
    for (int i = COUNT / 2; i-- > 0;)
        sift(values, i, COUNT);
    for (int i = COUNT; --i > 0;)
    {
        const int kept = values[0];
        values[0] = values[i];
        values[i] = kept;
        sift(values, 0, i);
    }
    sink += (uint64_t)values[COUNT / 2];
}

/* Short strings, as keys of a table are. */
NOINLINE static uint32_t hash(const char *text)
{
    uint32_t sum = 5381;
    for (; *text != '\0'; text++)
        sum = sum * 33 + (uint8_t)*text;
    return sum;
}

PHASE(hash)
{
    static const char *const keys[] = {"a",      "of",       "key",        "value",
                                       "length", "register", "identifier", "it"};
    for (int i = 0; i < 150000; i++)
        sink += hash(keys[i & 7]);
}

/* Radix sort: no calls. */
PHASE(radix)
{
    static int other[COUNT];
    int *from = values, *to = other;
    fill();
    for (int shift = 0; shift < 24; shift += 8)
    {
        int start[257] = {0};
        for (int i = 0; i < COUNT; i++)
            start[(from[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            start[i + 1] += start[i];
        for (int i = 0; i < COUNT; i++)
            to[start[from[i] >> shift & 255]++] = from[i];
        int *const kept = from;
        from = to;
        to = kept;
    }
    sink += (uint64_t)from[COUNT / 2];
}

PHASES_MAIN(PHASE_ROW(quick), PHASE_ROW(heap), PHASE_ROW(hash), PHASE_ROW(radix))
