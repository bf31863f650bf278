/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: every register that may hold an argument or a result holds one, in functions that are
 * called often enough for a hook to take its slow path at the entry and at the return of each.
 * Prints how many values were wrong.
 */
#include <complex.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLED __attribute__((noinline, noclone))

static long wrong;

static void expect(int is_right)
{
    wrong += !is_right;
}

struct two
{
    long a, b;
};
struct mixed
{
    double a;
    long b;
};
struct two_doubles
{
    double a, b;
};

CALLED static long integers(long a, long b, long c, long d, long e, long f, long g)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}

CALLED static double doubles(double a, double b, double c, double d, double e, double f, double g,
                             double h)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

CALLED static double variable(int count, ...)
{
    va_list list;
    va_start(list, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum = 2 * sum + va_arg(list, double);
    va_end(list);
    return sum;
}

CALLED static struct two make_two(long a)
{
    return (struct two){a, ~a};
}

CALLED static struct mixed make_mixed(long a)
{
    return (struct mixed){(double)a, -a};
}

CALLED static struct two_doubles make_doubles(long a)
{
    return (struct two_doubles){(double)a, 0.5 * (double)a};
}

CALLED static long double long_double(long double a)
{
    return a / 3;
}

CALLED static complex long double complex_long(long double a)
{
    return CMPLXL(a, -a);
}

CALLED static complex double complex_double(double a)
{
    return CMPLX(a, -a);
}

CALLED static __int128 wide(__int128 a)
{
    return a * 3;
}

CALLED static void through_static_chain(long times)
{
    long seen = 0;
    CALLED void nested(long a)
    {
        seen += a;
    }
    for (long i = 0; i < times; i++)
        nested(i);
    expect(seen == times * (times - 1) / 2);
}

CALLED static int sets_errno(int value)
{
    errno = value;
    return value;
}

#if defined(__x86_64__)
typedef double V4 __attribute__((vector_size(32)));
typedef double V8 __attribute__((vector_size(64)));

CALLED static __attribute__((target("avx"))) V4 add4(V4 a, V4 b)
{
    return a + b;
}

__attribute__((target("avx"))) static void check_avx(double value)
{
    V4 a = {value, value + 1, value + 2, value + 3};
    V4 sum = add4(a, a);
    for (int i = 0; i < 4; i++)
        expect(sum[i] == 2 * a[i]);
}

CALLED static __attribute__((target("avx512f"))) V8 add8(V8 a, V8 b)
{
    return a + b;
}

__attribute__((target("avx512f"))) static void check_avx512(double value)
{
    V8 a = {value, value + 1, value + 2, value + 3, value + 4, value + 5, value + 6, value + 7};
    V8 sum = add8(a, a);
    for (int i = 0; i < 8; i++)
        expect(sum[i] == 2 * a[i]);
}

static void check_vectors(double value)
{
    if (__builtin_cpu_supports("avx"))
        check_avx(value);
    if (__builtin_cpu_supports("avx512f"))
        check_avx512(value);
}
#else
static void check_vectors(double value)
{
    (void)value;
}
#endif

static void check_all(long n)
{
    double x = (double)n;
    expect(integers(n, 1, 2, 3, 4, 5, 6) == n + 2 + 6 + 12 + 20 + 30 + 42);
    expect(doubles(x, 1, 2, 3, 4, 5, 6, 7) == x + 2 + 6 + 12 + 20 + 30 + 42 + 56);
    expect(variable(3, x, 1.0, 2.0) == 4 * x + 4);
    struct two two = make_two(n);
    expect(two.a == n && two.b == ~n);
    struct mixed mixed = make_mixed(n);
    expect(mixed.a == x && mixed.b == -n);
    struct two_doubles both = make_doubles(n);
    expect(both.a == x && both.b == 0.5 * x);
    long double third = 1.0L + (long double)n;
    expect(long_double(third) == third / 3);
    complex long double turned = complex_long(third);
    expect(creall(turned) == third && cimagl(turned) == -third);
    complex double number = complex_double(x);
    expect(creal(number) == x && cimag(number) == -x);
    __int128 large = (__int128)n << 70 | n;
    expect(wide(large) == 3 * large);
    expect(sets_errno((int)(n % 100)) == (int)(n % 100) && errno == (int)(n % 100));
    check_vectors(x);
}

int main(int argc, char **argv)
{
    long times = argc > 1 ? atol(argv[1]) : 1000;
    for (long n = 0; n < times; n++)
        check_all(n);
    through_static_chain(times);
    printf("%ld\n", wrong);
    return wrong != 0;
}
