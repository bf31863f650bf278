/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * calls ROUNDS: functions of MPI with few and with many arguments, one that calls the program back,
 * and a barrier for which the last rank is late by half a second.  Rank 0 prints a sum of all
 * results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RANKS_MAX 16

static int rank, size;

static void combine(void *in, void *into, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)into)[i] += 2 * ((double *)in)[i];
}

static double ring(double x)
{
    double y = 0;
    MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 3, &y, 1, MPI_DOUBLE,
                 (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return y;
}

static double reduce(MPI_Op op, double x)
{
    double sum = 0;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return sum;
}

static double exchange(double x)
{
    double from[RANKS_MAX], to[RANKS_MAX], sum = 0;
    int counts[RANKS_MAX], places[RANKS_MAX];
    MPI_Datatype types[RANKS_MAX];
    for (int i = 0; i < size; i++)
    {
        from[i] = x + i;
        counts[i] = 1;
        places[i] = i * (int)sizeof(double);
        types[i] = MPI_DOUBLE;
    }
    MPI_Alltoallw(from, counts, places, types, to, counts, places, types, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        sum += to[i];
    return sum;
}

static double without_waiting(double x)
{
    MPI_Request requests[2];
    double y = 0;
    MPI_Irecv(&y, 1, MPI_DOUBLE, (rank + 1) % size, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&x, 1, MPI_DOUBLE, (rank + size - 1) % size, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return y;
}

static void spin(double seconds)
{
    struct timespec now;
    double end = 0;
    do
    {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        end = end > 0 ? end : (double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds;
    } while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Op op;
    double x;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(combine, 1, &op);
    MPI_Pcontrol(1, 2.5);
    x = rank + (MPI_Wtime() < 0);
    for (int i = atoi(argv[1]); i > 0; i--)
    {
        x = ring(x) + 1;
        x = reduce(op, x) / 100;
        x += exchange(x) / 100;
        x += without_waiting(x + rank);
    }
    if (rank == size - 1)
        spin(0.5);
    barrier();
    if (rank == 0)
        printf("%.9g\n", x);
    MPI_Finalize();
    return 0;
}
