! SPDX-License-Identifier: GPL-3.0-or-later
!
! exchange: messages and collective calls of Fortran with known figures, with statuses and without, on the
! world and on one half of it; the profile paused in between.  An even number of ranks.
program exchange
  use mpi
  implicit none
  integer :: rank, ranks, error, half, own, i, count, status(MPI_STATUS_SIZE), request, other
  double precision :: numbers(20), sum
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, half, error)
  call MPI_Comm_rank(half, own, error)
  other = 1 - own
  numbers = rank
  do i = 1, 3
    if (own == 0) then
      call MPI_Send(numbers, 5 * i, MPI_DOUBLE_PRECISION, other, i, half, error)
    else if (i == 2) then
      call MPI_Recv(numbers, 20, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, i, half, status, error)
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, error)
      if (count /= 10 .or. status(MPI_SOURCE) /= other) call MPI_Abort(MPI_COMM_WORLD, 1, error)
    else
      call MPI_Recv(numbers, 20, MPI_DOUBLE_PRECISION, other, i, half, MPI_STATUS_IGNORE, error)
    end if
  end do
  call MPI_Irecv(numbers, 2, MPI_INTEGER, mod(rank + ranks - 1, ranks), 9, MPI_COMM_WORLD, request, error)
  call MPI_Ssend(own, 1, MPI_INTEGER, mod(rank + 1, ranks), 9, MPI_COMM_WORLD, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Pcontrol(0)
  call MPI_Send(own, 1, MPI_INTEGER, MPI_PROC_NULL, 9, half, error)
  call MPI_Pcontrol(1)
  call late(sum)
  call MPI_Comm_free(half, error)
  if (rank == 0) print '(F8.1)', sum
  call MPI_Finalize(error)
contains
  subroutine late(sum)
    double precision, intent(out) :: sum
    double precision :: own_number, start, now
    own_number = rank
    call cpu_time(start)
    now = start
    do while (rank == 1 .and. now < start + 0.5)
      call cpu_time(now)
    end do
    call MPI_Allreduce(own_number, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end subroutine
end program
