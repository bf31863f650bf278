// SPDX-License-Identifier: GPL-3.0-or-later
//
// Target: C++ objects that are made before main and destroyed after it, in the program and
// within functions.
#include <cstdio>
#include <string>
#include <vector>

extern "C"
{
    static int steps;
    __attribute__((noinline)) void step()
    {
        steps++;
    }
}

class Counter
{
  public:
    explicit Counter(const char *name) : names(1, name)
    {
        step();
    }
    ~Counter()
    {
        step();
    }
    std::size_t size() const
    {
        return names.size();
    }

  private:
    std::vector<std::string> names;
};

static Counter first("first");
static Counter second("second");

static Counter &third()
{
    static Counter counter("third");
    return counter;
}

template <typename Function> static int twice(Function function)
{
    return function() + function();
}

int main()
{
    int sum = twice([] { return static_cast<int>(third().size()); });
    std::printf("%d %d\n", steps, sum);
    return 0;
}
