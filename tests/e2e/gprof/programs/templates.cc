// SPDX-License-Identifier: GPL-3.0-or-later
//
// C++ names in all their forms: templates of templates, unnamed and inline namespaces,
// thunks, constructors, operators, conversions, lambdas, tags, local classes, extern "C".
#include "burn.h"
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace
{
NOINLINE int hidden(int n)
{
    burn(1);
    return n + 1;
}
struct Local
{
    int value;
    NOINLINE explicit Local(int n) : value(hidden(n))
    {
    }
    NOINLINE ~Local()
    {
        burn(1);
    }
};
} // namespace

namespace outer
{
inline namespace v2
{
template <typename T, int N> struct Ring
{
    T items[N] = {};
    int at = 0;
    NOINLINE void push(const T &item)
    {
        burn(1);
        items[at++ % N] = item;
    }
    template <typename F> NOINLINE int each(F visit)
    {
        int sum = 0;
        for (auto &item : items)
            sum += visit(item);
        return sum;
    }
};
} // namespace v2
namespace deep::deeper
{
NOINLINE int hidden(int n)
{
    burn(2);
    return ::hidden(n) * 2;
}
} // namespace deep::deeper
template <typename... T> NOINLINE int count(T... values)
{
    burn(1);
    return (0 + ... + int(values));
}
} // namespace outer

struct Left
{
    virtual ~Left() = default;
    virtual int left(int n)
    {
        burn(1);
        return n;
    }
};
struct Right
{
    virtual ~Right() = default;
    virtual int right(int n) = 0;
};
struct Both : Left, virtual Right
{
    NOINLINE int right(int n) override
    {
        burn(1);
        return left(n) + 1;
    }
    NOINLINE operator int() const
    {
        return 3;
    }
    NOINLINE int operator()(int n, char) const
    {
        burn(1);
        return n;
    }
    NOINLINE friend Both &operator<<(Both &both, int)
    {
        return both;
    }
    void *operator new(std::size_t size)
    {
        return ::operator new(size);
    }
};

template <template <typename, int> class C> NOINLINE int fill()
{
    C<int, 5> ring;
    C<std::pair<long, std::string>, 2> pairs;
    for (int i = 0; i < 9; i++)
    {
        ring.push(i);
        pairs.push({i, "text"});
    }
    int extra = 2;
    return ring.each([&](int v) { return outer::deep::deeper::hidden(v) + extra; }) +
           pairs.each([](auto &p) { return int(p.first); });
}

[[gnu::abi_tag("tagged")]] NOINLINE int tagged(int n)
{
    struct Inside
    {
        NOINLINE static int run(int n)
        {
            burn(1);
            return n;
        }
    };
    return Inside::run(n);
}

extern "C" NOINLINE int plain_c_name(int (*call)(int), int n)
{
    return call(n);
}

NOINLINE int thrower(int n)
{
    Local local(n);
    if (n % 7 == 3)
        throw std::string("three");
    return local.value;
}

static Local made_early(4);

int main()
{
    int sum = 0;
    Both *both = new Both;
    Right *right = both;
    for (int i = 0; i < 50; i++)
    {
        sum += fill<outer::Ring>() + right->right(i) + int(*both << i) + (*both)(i, 'c');
        sum += outer::count(i, 'a', 2L) + outer::count() + tagged(i);
        sum += plain_c_name(tagged, i) + plain_c_name([](int n) { return hidden(n); }, i);
        try
        {
            sum += thrower(i);
        }
        catch (const std::string &text)
        {
            sum += int(text.size());
        }
    }
    delete both;
    std::printf("%d\n", sum);
}
