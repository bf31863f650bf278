/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that free what they must not, once each: the C library ends most of them.  As
 * leaks.c; each allocation, first free and wrong one has a line of its own.
 */
#include "in_turn.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

static void *allocate(size_t bytes)
{
    return malloc(bytes);
}

static void release(void *pointer)
{
    free(pointer);
}

template <typename T> static T *hidden(T *pointer)
{
    __asm__ volatile("" : "+r"(pointer));
    return pointer;
}

static void double_free()
{
    void *block = hidden(allocate(24));
    release(block);
    free(hidden(block));
}

static void double_free_after_others()
{
    void *other = allocate(16);
    void *block = hidden(allocate(5000));
    free(block);
    free(other);
    release(hidden(block));
}

static void double_delete()
{
    int *number = hidden(new int(3));
    delete number;
    delete hidden(number);
}

static void inside()
{
    char *block = hidden(static_cast<char *>(allocate(100)));
    free(hidden(block + 16));
}

static void inside_unaligned()
{
    char *block = hidden(static_cast<char *>(allocate(100)));
    release(hidden(block + 7));
}

static void of_stack()
{
    char text[64] __attribute__((aligned(16)));
    memset(text, 0, sizeof text);
    free(hidden(text + 16));
}

static void *thread_frees_stack(void *)
{
    char text[64] __attribute__((aligned(16)));
    memset(text, 0, sizeof text);
    free(hidden(text + 16));
    return nullptr;
}

static void of_thread_stack()
{
    pthread_t id;
    pthread_create(&id, nullptr, thread_frees_stack, nullptr);
    pthread_join(id, nullptr);
}

static char data[64] __attribute__((aligned(16)));

static void of_data()
{
    free(hidden(data + 16));
}

static void realloc_of_freed()
{
    void *block = hidden(allocate(200));
    release(block);
    void *more = realloc(hidden(block), 300);
    (void)more;
}

static void realloc_inside()
{
    char *block = hidden(static_cast<char *>(allocate(100)));
    void *more = realloc(hidden(block + 32), 300);
    (void)more;
}

static void new_freed()
{
    free(hidden(new int(1)));
}

static void new_array_freed()
{
    free(hidden(new int[5]));
}

static void malloc_deleted()
{
    delete static_cast<int *>(hidden(allocate(4)));
}

static void malloc_deleted_array()
{
    delete[] static_cast<int *>(hidden(allocate(40)));
}

static void new_array_deleted()
{
    delete hidden(new int[6]);
}

static void new_deleted_array()
{
    delete[] hidden(new int(6));
}

static void new_reallocated()
{
    void *more = realloc(hidden(new int(7)), 70);
    free(more);
}

static void *thread_frees_twice(void *block)
{
    release(block);
    free(hidden(block));
    return nullptr;
}

static void other_thread()
{
    pthread_t id;
    pthread_create(&id, nullptr, thread_frees_twice, allocate(45));
    pthread_join(id, nullptr);
}

static void nothing_wrong()
{
    free(allocate(10));
    delete new int(1);
    delete[] new int[2];
    free(realloc(allocate(20), 30));
}

static const struct
{
    const char *name;
    void (*run)();
} cases[] = {
    {"double-free", double_free},
    {"double-free-after-others", double_free_after_others},
    {"double-delete", double_delete},
    {"inside", inside},
    {"inside-unaligned", inside_unaligned},
    {"of-stack", of_stack},
    {"of-thread-stack", of_thread_stack},
    {"of-data", of_data},
    {"realloc-of-freed", realloc_of_freed},
    {"realloc-inside", realloc_inside},
    {"new-freed", new_freed},
    {"new-array-freed", new_array_freed},
    {"malloc-deleted", malloc_deleted},
    {"malloc-deleted-array", malloc_deleted_array},
    {"new-array-deleted", new_array_deleted},
    {"new-deleted-array", new_deleted_array},
    {"new-reallocated", new_reallocated},
    {"other-thread", other_thread},
    {"nothing-wrong", nothing_wrong},
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
