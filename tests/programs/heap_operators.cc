/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: all forms of new and delete, each pair in a function of its own, and three pairs that
 * do not belong together (in `mismatched`).  Prints FUNCTION ALLOCATIONS BYTES.
 */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

struct alignas(64) Aligned
{
    char bytes[64];
};
struct Small
{
    ~Small()
    {
        bytes[0] = 1;
    }
    char bytes[24];
};

static void single()
{
    Small *object = new Small;
    delete object;
}

static void array()
{
    Small *objects = new Small[4]; /* and the count of them */
    delete[] objects;
}

static void nothrow()
{
    int *object = new (std::nothrow) int;
    int *objects = new (std::nothrow) int[5];
    operator delete(object, std::nothrow);
    operator delete[](objects, std::nothrow);
}

static void aligned()
{
    Aligned *object = new Aligned;
    Aligned *objects = new Aligned[3];
    delete object;
    delete[] objects;
}

static void aligned_nothrow()
{
    Aligned *object = new (std::nothrow) Aligned;
    Aligned *objects = new (std::nothrow) Aligned[2];
    operator delete(object, std::align_val_t(64), std::nothrow);
    operator delete[](objects, std::align_val_t(64), std::nothrow);
}

static void sized()
{
    operator delete(operator new(40), size_t(40));
    operator delete[](operator new[](41), size_t(41));
    operator delete(operator new(64, std::align_val_t(64)), size_t(64), std::align_val_t(64));
    operator delete[](operator new[](128, std::align_val_t(64)), size_t(128), std::align_val_t(64));
}

static void thrown()
{
    volatile size_t too_much = size_t(1) << 62;
    try
    {
        char *volatile none = static_cast<char *>(operator new(too_much));
        operator delete(none);
    }
    catch (const std::bad_alloc &)
    {
    }
    operator delete(nullptr);
}

static void mismatched()
{
    int *volatile objects = new int[3];
    free(objects);
    int *volatile block = static_cast<int *>(malloc(4));
    delete block;
    int *volatile object = new int;
    delete[] object;
}

int main()
{
    single();
    array();
    nothrow();
    aligned();
    aligned_nothrow();
    sized();
    thrown();
    mismatched();
    static const char text[] = "single() 1 24\narray() 1 104\nnothrow() 2 24\naligned() 2 256\n"
                               "aligned_nothrow() 2 192\nsized() 4 273\nmismatched() 3 20\n";
    return write(1, text, sizeof text - 1) < 0;
}
