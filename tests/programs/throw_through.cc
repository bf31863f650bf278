// SPDX-License-Identifier: GPL-3.0-or-later
//
// Target: exceptions that pass through frames: instrumented and not, with objects to destroy
// and without, caught at once, caught and thrown on, and in threads.
// Usage: throw_through COUNT
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

extern "C"
{
    static int steps;
    __attribute__((noinline)) void step()
    {
        __atomic_fetch_add(&steps, 1, __ATOMIC_SEQ_CST);
    }
}

struct Guard
{
    ~Guard()
    {
        step();
    }
};

__attribute__((noinline)) static void plain(int depth)
{
    step();
    if (depth == 0)
        throw std::runtime_error("bottom");
    plain(depth - 1);
    step();
}

__attribute__((noinline)) static void guarded(int depth)
{
    Guard guard;
    if (depth == 0)
        throw depth;
    guarded(depth - 1);
    step();
}

__attribute__((noinline, no_instrument_function)) static void hidden(int depth)
{
    Guard guard;
    if (depth % 2 == 0)
        plain(depth);
    else
        guarded(depth);
    step();
}

__attribute__((noinline)) static void rethrows(int depth)
{
    try
    {
        hidden(depth);
    }
    catch (...)
    {
        step();
        throw;
    }
}

__attribute__((noinline)) static void never_throws() noexcept
{
    try
    {
        plain(2);
    }
    catch (const std::exception &)
    {
        step();
    }
    step();
}

__attribute__((noinline)) static int once(int number)
{
    try
    {
        switch (number % 5)
        {
        case 0:
            plain(number % 7);
            break;
        case 1:
            guarded(number % 7);
            break;
        case 2:
            hidden(number % 6);
            break;
        case 3:
            rethrows(number % 6);
            break;
        default:
            never_throws();
            throw 4;
        }
    }
    catch (const std::exception &)
    {
        step();
        return 1;
    }
    catch (int)
    {
        step();
        step();
        return 2;
    }
    return 0;
}

static void run(int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
    {
        sum += once(i);
        step();
    }
    if (sum == 0)
        std::abort();
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? std::atoi(argv[1]) : 100;
    run(count);
    std::thread one(run, count);
    std::thread other(run, count);
    one.join();
    other.join();
    std::printf("%d\n", steps);
    return 0;
}
