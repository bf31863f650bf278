// SPDX-License-Identifier: GPL-3.0-or-later
//
// Target: like caught.c, with an exception, and a destructor on its way.
#include <cstring>

static void leaf(char *bytes)
{
    bytes[0]++;
}

static void handle()
{
    char large[4096];
    std::memset(large, 0, sizeof large);
    leaf(large);
}

static void inner()
{
    throw 1;
}

struct Guard
{
    ~Guard()
    {
        char large[4096];
        std::memset(large, 0, sizeof large);
    }
};

static void outer()
{
    Guard guard;
    inner();
}

int main()
{
    try
    {
        outer();
    }
    catch (int)
    {
        handle();
    }
}
