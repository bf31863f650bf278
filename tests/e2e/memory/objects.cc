/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As leaks.c, in C++: all forms of new, the library's containers, exceptions, and what is
 * constructed before main.
 */
#include "in_turn.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Thing
{
    explicit Thing(int count) : data(new int[count])
    {
    }
    ~Thing()
    {
        delete[] data;
    }
    int *data;
};

struct alignas(64) Wide
{
    char bytes[64];
};

static void *kept;
static Thing *early = new Thing(9);

static void forms()
{
    kept = new int(1);
    kept = new int[10];
    kept = new (std::nothrow) char;
    kept = new (std::nothrow) char[20];
    kept = new Wide;
    kept = new Wide[2];
    kept = ::operator new(30);
    kept = ::operator new(8, std::align_val_t(4096)); /* for which the library takes a page */
    delete[] new char[0];                             /* and for this, one byte */
    delete new int(2);
    delete[] new int[11];
    delete new Wide;
    delete[] new Wide[3];
}

static void members()
{
    kept = new Thing(7);
    Thing local(8);
    std::unique_ptr<Thing> owned(new Thing(5));
    (void)early;
}

static void containers()
{
    auto *numbers = new std::vector<long>;
    for (long i = 0; i < 100; i++)
        numbers->push_back(i);
    kept = new std::string("long enough to be allocated by itself");
    std::string copy(*static_cast<std::string *>(kept));
    copy += copy;
}

static void throwing(int count)
{
    Thing local(count);
    auto *lost = new Thing(count + 1);
    if (lost != nullptr)
        throw std::runtime_error("thrown on purpose");
}

static void exceptions()
{
    for (int i = 1; i < 4; i++) /* not 0: libstdc++ makes one byte of none */
    {
        try
        {
            throwing(i);
        }
        catch (const std::runtime_error &error)
        {
            kept = strdup(error.what());
        }
    }
}

/* Not the one that throws: memcheck ends the program for it. */
static void new_fails()
{
    size_t most = static_cast<size_t>(-1) / 4;
    __asm__ volatile("" : "+r"(most));
    kept = new (std::nothrow) char[most];
    if (kept == nullptr)
        kept = new char[3];
}

static void workers()
{
    std::vector<std::thread> all;
    for (int i = 0; i < 3; i++)
        all.emplace_back([] { kept = new Thing(4); });
    for (auto &one : all)
        one.join();
}

static const struct
{
    const char *name;
    void (*run)();
} cases[] = {
    {"forms", forms},           {"members", members},     {"containers", containers},
    {"exceptions", exceptions}, {"new-fails", new_fails}, {"workers", workers},
};

int main(int argc, char **argv)
{
    const char *name = in_turn(argc, argv);

    for (const auto &one : cases)
    {
        if (argc == 1)
            std::puts(one.name);
        else if (std::strcmp(name, one.name) == 0)
        {
            one.run();
            return 0;
        }
    }
    return argc != 1;
}
