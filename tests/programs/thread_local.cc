// SPDX-License-Identifier: GPL-3.0-or-later
//
// Target: thread_local objects and keys of threads, whose destructors are instrumented and
// run when the thread's own function is over, one of them in each of the C library's rounds, the
// last included.  Usage: thread_local THREADS
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

extern "C"
{
    static int steps;
    void step()
    {
        __atomic_fetch_add(&steps, 1, __ATOMIC_SEQ_CST);
    }
    void key_ends(void *value)
    {
        step();
        std::free(value);
    }
    static pthread_key_t stubborn_key;
    void stays(void *value)
    {
        step();
        pthread_setspecific(stubborn_key, value);
    }
}

struct Holder
{
    Holder()
    {
        step();
    }
    ~Holder()
    {
        step();
        step();
    }
    int value = 0;
};

static thread_local Holder holder;
static pthread_key_t key;

static void run()
{
    holder.value++;
    pthread_setspecific(key, std::malloc(8));
    pthread_setspecific(stubborn_key, &steps);
    step();
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? std::atoi(argv[1]) : 4;
    if (pthread_key_create(&key, key_ends) != 0 || pthread_key_create(&stubborn_key, stays) != 0)
        return 1;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; i++)
        threads.emplace_back(run);
    for (auto &thread : threads)
        thread.join();
    run();
    std::printf("%d\n", steps);
    return 0;
}
