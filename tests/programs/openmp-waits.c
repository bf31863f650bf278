/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenMP: threads wait at a barrier for the one that sleeps, then for a critical section; and a
 * region that uses more variables than there are registers for arguments. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static int arrived, entered;

__attribute__((noinline)) static void waits(void)
{
#pragma omp parallel
    {
        if (omp_get_thread_num() != 0)
            __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
        else
        {
            while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) != omp_get_num_threads() - 1)
                ;
            nanosleep(&(struct timespec){0, 300000000}, NULL);
        }
#pragma omp barrier
#pragma omp critical
        entered++;
    }
}

__attribute__((noinline)) static long many(long a, long b, long c, long d, long e, long f, long g)
{
    long h = a + 1, i = b + 2, j = c + 3, k = d + 4, l = e + 5, m = f + 6, n = g + 7, sum = 0;
#pragma omp parallel
    {
#pragma omp atomic
        a++;
#pragma omp atomic
        b++;
#pragma omp atomic
        c++;
#pragma omp atomic
        d++;
#pragma omp atomic
        e++;
#pragma omp atomic
        f++;
#pragma omp atomic
        g++;
#pragma omp atomic
        h++;
#pragma omp atomic
        i++;
#pragma omp atomic
        j++;
#pragma omp atomic
        k++;
#pragma omp atomic
        l++;
#pragma omp atomic
        m++;
#pragma omp atomic
        n++;
    }
#pragma omp parallel
    {
#pragma omp atomic
        sum += a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
               12 * l + 13 * m + 14 * n;
    }
    return sum;
}

int main(void)
{
    omp_set_dynamic(0);
    waits();
    printf("%d %ld\n", entered, many(1, 2, 3, 4, 5, 6, 7));
    return 0;
}
