! SPDX-License-Identifier: GPL-3.0-or-later
!
! Fortran: a module, contained procedures, recursion, entries.
module tools
  implicit none
contains
  recursive function fact(n) result(f)
    integer, intent(in) :: n
    real(8) :: f
    if (n <= 1) then
      f = 1
    else
      f = n * fact(n - 1)
    end if
  end function
  subroutine work(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = inner(i) + fact(mod(i, 9))
    end do
  contains
    function inner(k) result(r)
      integer, intent(in) :: k
      real(8) :: r
      r = sqrt(real(k, 8))
    end function
  end subroutine
end module
program numbers
  use tools
  implicit none
  real(8) :: a(1000)
  integer :: i
  do i = 1, 200
    call work(a, 1000)
  end do
  print *, sum(a) > 0
end program
