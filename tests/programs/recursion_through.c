/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a recursion that goes through a library, which is unloaded and loaded again meanwhile.
 * Compiled with LIBRARY it is that library.
 * Usage: recursion_through LIBRARY; prints the calls that it made, by name.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int Function(int depth);
typedef int Through(Function *back, int depth);

#if defined(LIBRARY)
Through through;
int through(Function *back, int depth)
{
    return back(depth - 1) + 1;
}
#else
#define TURNS 20
#define REPEATS 300
#define DEPTH 60

static Through *through;

static int descend(int depth)
{
    if (depth == 0)
        return 0;
    return depth % 3 == 0 ? through(descend, depth) : descend(depth - 1) + 1;
}

int main(int argc, char **argv)
{
    void *first = NULL;
    int sum = 0;
    for (int turn = 0; turn < TURNS; turn++)
    {
        void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
        if (library == NULL)
            abort();
        *(void **)&through = dlsym(library, "through");
        if (turn == 0)
            first = *(void **)&through;
        else if (*(void **)&through != first)
            return 3; /* not at one address: this shows nothing */
        for (int i = 0; i < REPEATS; i++)
            sum += descend(DEPTH);
        dlclose(library);
    }
    if (sum != TURNS * REPEATS * DEPTH)
        abort();
    printf("descend %d\nthrough %d\n", TURNS * REPEATS * (DEPTH + 1), sum / 3);
    return 0;
}
#endif
