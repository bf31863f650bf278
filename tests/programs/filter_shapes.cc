// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions to choose from: main calls outer, that middle, that inner, that Box<int>::get.  With an
// argument it executes itself first.
#include "filter_shapes.h"

#include <unistd.h>

static int inner(int x)
{
    Box<int> box = {x};
    return box.get();
}

static int middle(int x)
{
    return inner(x) + inner(x) + inner(x);
}

extern "C" int outer(int x)
{
    return middle(x) + middle(x);
}

int main(int argc, char **argv)
{
    char *const again[] = {argv[0], nullptr};
    if (argc > 1)
        return execve(argv[0], again, environ);
    int sum = 0;
    for (int i = 0; i < 300; i++)
        sum += outer(i);
    return sum == 1;
}
