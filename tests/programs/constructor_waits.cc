// SPDX-License-Identifier: GPL-3.0-or-later
//
// Target: a library's constructor waits for a thread that calls for the first time what libfc
// stands in for: nothing that the thread does may wait for the loader, whose lock is taken by who
// loads a library.  Compiled with -DLIBRARY it is that library, without it what loads it.
// Usage: constructor_waits LIBRARY WAY: "goes-on", or "quits" with status 3
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(LIBRARY)
extern "C" pid_t _Fork(void) __attribute__((weak)); // glibc has it since 2.34

struct alignas(64) Wide
{
    char bytes[64];
};

static void *volatile kept; // so that nothing is optimised away

static void await(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 5)
        std::abort();
}

static int be_child(void *)
{
    return 5;
}

static void make_children()
{
    alignas(16) static char stack[1 << 16];
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    await(child);
    child = _Fork ? _Fork() : fork();
    if (child == 0)
        _exit(5);
    await(child);
    await(clone(be_child, stack + sizeof stack, SIGCHLD, nullptr));
}

template <typename T> static void allocate()
{
    T *one = new T;
    kept = one;
    delete one;
    T *many = new T[3];
    kept = many;
    delete[] many;
    one = new (std::nothrow) T;
    kept = one;
    delete one;
    many = new (std::nothrow) T[3];
    kept = many;
    delete[] many;
}

static void *run(void *way)
{
    allocate<int>();
    allocate<Wide>();
    if (prctl(PR_GET_DUMPABLE) < 0 || (mlockall(MCL_CURRENT) == 0 && munlockall() != 0))
        std::abort();
    make_children();
    if (std::strcmp(static_cast<const char *>(way), "quits") == 0)
        std::quick_exit(3);
    return nullptr;
}

__attribute__((constructor)) static void built()
{
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run, std::getenv("WAY")) != 0)
        std::abort();
    pthread_join(thread, nullptr);
}
#else
int main(int argc, char **argv)
{
    // the program is linked with the C++ runtime, whatever it needs of it
    if (argc < 3 || setenv("WAY", argv[2], 1) != 0 || std::uncaught_exceptions() != 0)
        return 2;
    std::puts(dlopen(argv[1], RTLD_NOW) ? "loaded" : dlerror());
    return 0;
}
#endif
