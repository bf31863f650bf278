/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: functions of 20 to 500 ns over vectors, one that is called with very different lengths, and
 * one whose calls are few and long.
 */
#include "phases.h"

#define SIZE 64
static double rows[SIZE][SIZE];
static double columns[SIZE][SIZE];
static double out[SIZE][SIZE];

NOINLINE static double dot(const double *one, const double *other, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += one[i] * other[i];
    return sum;
}

NOINLINE static void add_scaled(double *into, const double *from, double by, int count)
{
    for (int i = 0; i < count; i++)
        into[i] += from[i] * by;
}

PHASE(product)
{
    for (int i = 0; i < 3 * SIZE; i++)
        for (int k = 0; k < SIZE; k++)
            out[i % SIZE][k] = dot(rows[i % SIZE], columns[k], SIZE);
    sink += (uint64_t)out[3][4];
}

PHASE(short_ones)
{
    double sum = 0;
    for (int i = 0; i < 90000; i++)
        sum += dot(rows[i % SIZE], columns[i / SIZE % SIZE], i % 5);
    sink += (uint64_t)sum;
}

/* Most calls are of 2 elements, one in 50 of all. */
PHASE(uneven)
{
    for (int i = 0; i < 60000; i++)
        add_scaled(out[i % SIZE], rows[i / 7 % SIZE], 1e-9, i % 50 == 0 ? SIZE : 2);
    sink += (uint64_t)out[1][1];
}

NOINLINE static double triangle(int round)
{
    double sum = 0;
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k <= i; k++)
            sum += rows[i][k] * columns[k][(i + round) % SIZE];
    return sum;
}

PHASE(long_ones)
{
    double sum = 0;
    for (int i = 0; i < 300; i++)
        sum += triangle(i);
    sink += (uint64_t)sum;
}

PHASES_MAIN(PHASE_ROW(product), PHASE_ROW(short_ones), PHASE_ROW(uneven), PHASE_ROW(long_ones))
