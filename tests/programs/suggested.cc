// SPDX-License-Identifier: GPL-3.0-or-later
//
// Small functions that are called 100 times by each middle, and larger ones: main calls outer 20
// times, that middle 10 times and Box<int>::get_rest once.
static volatile long sink;

// So long that what a hook takes is little beside it.
__attribute__((no_instrument_function)) static void work()
{
    for (int i = 0; i < 5000; i++)
        sink = sink + i;
}

template <class T> struct Box
{
    T value;
    T get()
    {
        return value;
    }
    T get_rest()
    {
        work();
        return value;
    }
};

static int tiny(int x)
{
    return x + 1;
}

static void middle(Box<long> &box)
{
    work();
    for (int i = 0; i < 100; i++)
        sink = box.get() + tiny(i);
}

static void outer()
{
    Box<long> box = {1};
    Box<int> other = {2};
    work();
    for (int i = 0; i < 10; i++)
        middle(box);
    sink = other.get_rest();
}

int main()
{
    work();
    for (int i = 0; i < 20; i++)
        outer();
    return 0;
}
