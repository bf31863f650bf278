/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * partners: messages with figures that are known, on the world, on halves of it (even and odd
 * ranks, in reverse order) and between threads; and calls that fail.  At least 4 ranks, an even
 * number. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) check(condition, __LINE__)

static int rank, size;

static void check(int is_right, int line)
{
    if (is_right)
        return;
    fprintf(stderr, "rank %d: line %d\n", rank, line);
    MPI_Abort(MPI_COMM_WORLD, line);
}

/* All to rank 0, which takes them from any: 3 messages of 10 * rank numbers, the room for 1000. */
static void gather(void)
{
    static double numbers[1000];
    int seen = 0;
    for (int i = 0; i < 3 && rank > 0; i++)
        MPI_Send(numbers, 10 * rank, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < 3 * (size - 1); i++)
    {
        MPI_Status status;
        int count;
        if (i % 2 == 0)
        {
            MPI_Recv(numbers, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_DOUBLE, &count);
            CHECK(count == 10 * status.MPI_SOURCE && status.MPI_TAG == 1);
        }
        else
            MPI_Recv(numbers, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        seen++;
    }
    CHECK(rank > 0 || seen == 3 * (size - 1));
}

/* In each half, a ring of 7 bytes without waiting; nobody is nobody's partner. */
static void halves(void)
{
    MPI_Comm half;
    MPI_Request requests[3];
    char out[7] = "abcdef", in[7];
    int own, count;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Comm_size(half, &count);
    MPI_Irecv(in, 7, MPI_CHAR, (own + 1) % count, 2, half, &requests[0]);
    MPI_Isend(out, 7, MPI_CHAR, (own + count - 1) % count, 2, half, &requests[1]);
    MPI_Isend(out, 7, MPI_CHAR, MPI_PROC_NULL, 2, half, &requests[2]);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != requests[0]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL &&
          strcmp(in, out) == 0);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    CHECK(half == MPI_COMM_NULL);
    /* another one that may have the same handle, of one rank alone with its neighbour */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Sendrecv(out, 3, MPI_CHAR, 1 - own, 4, in, 7, MPI_CHAR, 1 - own, 4, half,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
}

/* Errors are the program's as before; what failed is no message. */
static void fail(void)
{
    MPI_Comm own;
    MPI_Status status;
    char byte = 0;
    int class;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    const int error = MPI_Send(&byte, 1, MPI_CHAR, size + 5, 0, own);
    MPI_Error_class(error, &class);
    CHECK(class == MPI_ERR_RANK);
    MPI_Error_class(MPI_Bcast(&byte, 1, MPI_CHAR, -7, own), &class);
    CHECK(class == MPI_ERR_ROOT);
    const int next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    char two[2] = {1, 2};
    MPI_Error_class(
        MPI_Sendrecv(two, 2, MPI_CHAR, next, 5, &byte, 1, MPI_CHAR, before, 5, own, &status),
        &class);
    CHECK(class == MPI_ERR_TRUNCATE);
    MPI_Comm_free(&own);
}

static void *talk(void *data)
{
    const int number = *(int *)data;
    const int other = rank ^ 1;
    for (int i = 0; i < 50; i++)
    {
        int out = 100 * number + i, in = -1;
        MPI_Status status;
        MPI_Sendrecv(&out, 1, MPI_INT, other, 100 + number, &in, 1, MPI_INT, other, 100 + number,
                     MPI_COMM_WORLD, &status);
        CHECK(in == out && status.MPI_SOURCE == other && status.MPI_TAG == 100 + number);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[2];
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, talk, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

/* What is between these is not in the profile. */
static void paused(void)
{
    char bytes[5] = "";
    MPI_Pcontrol(0);
    MPI_Sendrecv_replace(bytes, 5, MPI_CHAR, rank ^ 1, 6, rank ^ 1, 6, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gather();
    halves();
    fail();
    threads();
    paused();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
