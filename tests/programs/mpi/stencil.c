/* A stencil whose last rank does three times as much as the others.  What the second argument says
 * happens to rank 1 half-way: kill, abort or segv. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 128
#define ROWS 32

static double now[ROWS * COLUMNS], next[ROWS * COLUMNS];
static int rank, size;

static double point(const double *at)
{
    return 0.25 * (at[-1] + at[1] + at[-COLUMNS] + at[COLUMNS]);
}

static void row(int y)
{
    for (int x = 1; x < COLUMNS - 1; x++)
        next[y * COLUMNS + x] = point(now + y * COLUMNS + x);
}

static void sweep(void)
{
    for (int y = 1; y < ROWS - 1; y++)
        row(y);
    memcpy(now, next, sizeof now);
}

static void halo(void)
{
    int up = (rank + 1) % size, down = (rank + size - 1) % size;
    MPI_Request requests[4];
    MPI_Irecv(now, COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(now + (ROWS - 1) * COLUMNS, COLUMNS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(now + (ROWS - 2) * COLUMNS, COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(now + COLUMNS, COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double sum(void)
{
    double own = 0, all = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        own += now[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void only_first(void)
{
    now[COLUMNS + 1] += 1;
}

static void happen(const char *what)
{
    if (strcmp(what, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(what, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(what, "segv") == 0)
        raise(SIGSEGV);
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int steps = count > 1 ? atoi(words[1]) : 10;
    if (rank == 0)
        only_first();
    for (int i = 0; i < steps; i++)
    {
        halo();
        for (int j = 0; j < (rank == size - 1 ? 3 : 1); j++)
            sweep();
        if (i == steps / 2 && rank == 1 && count > 2)
            happen(words[2]);
    }
    double result = sum();
    if (rank == 0)
        printf("%.17g\n", result);
    MPI_Finalize();
    return 0;
}
