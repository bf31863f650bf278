/* Two ranks that MPI_Comm_spawn two more, which are ranks 0 and 1 again. */
#include <mpi.h>

static void parent_part(char *program)
{
    MPI_Comm children;
    int errors[2];
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, errors);
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
}

static void child_part(MPI_Comm parents)
{
    MPI_Barrier(parents);
    MPI_Comm_disconnect(&parents);
}

int main(int count, char **words)
{
    MPI_Comm parents;
    MPI_Init(&count, &words);
    MPI_Comm_get_parent(&parents);
    if (parents == MPI_COMM_NULL)
        parent_part(words[0]);
    else
        child_part(parents);
    MPI_Finalize();
    return 0;
}
