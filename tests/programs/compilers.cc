// SPDX-License-Identifier: GPL-3.0-or-later
//
// compilers: what C++ compilers make different things of, for tests/compilers: exceptions through
// many frames, thrown again and in threads, templates, virtual functions, lambdas, what runs before
// and after main; of later standards concepts, comparison, coroutines, objects as parameters.
// Prints its own counts; see compilers.h.
#include "compilers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#if defined __cpp_impl_coroutine && __has_include(<coroutine>)
#include <coroutine>
#endif

namespace
{
constexpr int rounds = 300;

struct whole_global
{
    WHOLE whole_global()
    {
        COUNT("whole_global");
    }
    WHOLE ~whole_global()
    {
        COUNT("~whole_global");
    }
};
whole_global before_main;

struct shape
{
    virtual ~shape() = default;
    virtual int whole_area() const = 0;
};

struct square : shape
{
    int side;
    explicit square(int length) : side(length)
    {
    }
    WHOLE int whole_area() const override
    {
        COUNT("whole_area");
        return side * side;
    }
};

struct other_base
{
    long more = 0;
    virtual ~other_base() = default;
    virtual int whole_second() const
    {
        return 0;
    }
};

struct both : square, other_base // called by a thunk
{
    both() : square(2)
    {
    }
    WHOLE int whole_second() const override
    {
        COUNT("whole_second");
        return side;
    }
};

template <class T> WHOLE T whole_template(T x)
{
    COUNT("whole_template");
    return x + x;
}

template <class... Ts> int small_all(Ts... values)
{
    COUNT("small_all");
    return (0 + ... + static_cast<int>(values));
}

struct whole_guard
{
    int &left;
    explicit whole_guard(int &counter) : left(counter)
    {
    }
    WHOLE ~whole_guard()
    {
        COUNT("~whole_guard");
        left++;
    }
};

WHOLE int whole_throws(int depth, int &left)
{
    COUNT("whole_throws");
    whole_guard guard(left);
    if (depth == 0)
        throw std::runtime_error("at the bottom");
    return whole_throws(depth - 1, left) + 1;
}

WHOLE int whole_throws_again(int depth)
{
    COUNT("whole_throws_again");
    int left = 0;
    try
    {
        return whole_throws(depth, left);
    }
    catch (const std::runtime_error &)
    {
        if (depth % 3 == 0)
            throw;
        throw depth;
    }
}

WHOLE int whole_catches(int depth) noexcept
{
    COUNT("whole_catches");
    try
    {
        return whole_throws_again(depth);
    }
    catch (int number)
    {
        return number + whole_template(1);
    }
    catch (const std::exception &error)
    {
        return small_all(1, 2.0, error.what()[0]);
    }
}

WHOLE bool whole_less(int a, int b)
{
    COUNT("whole_less");
    return a < b;
}

WHOLE int whole_static(int x)
{
    COUNT("whole_static");
    static const std::string kept(20, 'a');
    thread_local std::vector<int> own(3, 1);
    return static_cast<int>(kept.size()) + own[static_cast<size_t>(x) % 3];
}

WHOLE int whole_in_thread(int number)
{
    COUNT("whole_in_thread");
    int sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += whole_catches(i % 5) + whole_static(i) + whole_other_unit(i);
    return sum + number;
}

#if __cplusplus >= 202002L && defined __cpp_concepts
template <class T>
concept number = requires(T x)
{
    x + x;
};

WHOLE int whole_constrained(number auto x)
{
    COUNT("whole_constrained");
    return static_cast<int>(x + x);
}

struct point
{
    int x, y;
    auto operator<=>(const point &) const = default;
};

WHOLE bool whole_ordered(int i)
{
    COUNT("whole_ordered");
    return point{i, 1} < point{i, 2};
}
#else
int whole_constrained(int x)
{
    return x;
}
bool whole_ordered(int)
{
    return true;
}
#endif

#if defined __cpp_impl_coroutine && defined __cpp_lib_coroutine
struct task
{
    struct promise_type
    {
        int value = 0;
        task get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(int x)
        {
            value = x;
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
        }
    };
    std::coroutine_handle<promise_type> handle;
};

task numbers_to(int end)
{
    for (int i = 0; i < end; i++)
        co_yield whole_template(i);
}

WHOLE int whole_resumes(int end)
{
    COUNT("whole_resumes");
    int sum = 0;
    task made = numbers_to(end);
    for (made.handle.resume(); !made.handle.done(); made.handle.resume())
        sum += made.handle.promise().value;
    made.handle.destroy();
    return sum;
}
#else
int whole_resumes(int x)
{
    return x;
}
#endif

#if defined __cpp_explicit_this_parameter
struct chain
{
    int length = 0;
    WHOLE int whole_this(this auto &&self, int more)
    {
        COUNT("whole_this");
        return self.length += more;
    }
};
#else
struct chain
{
    int whole_this(int more)
    {
        return more;
    }
};
#endif
} // namespace

int main()
{
    COUNT("whole_main");
    std::vector<std::unique_ptr<shape>> shapes;
    std::map<std::string, int> names;
    both twofold;
    const other_base &second = twofold;
    int sum = 0;
    std::thread one([&] { whole_in_thread(1); }), two(whole_in_thread, 2);
    for (int i = 0; i < rounds; i++)
    {
        shapes.push_back(std::make_unique<square>(i));
        names[std::to_string(i % 10)] += shapes.back()->whole_area() + second.whole_second();
        sum += whole_catches(i % 9) + whole_constrained(i) + whole_ordered(i) +
               whole_resumes(i % 4) + chain{}.whole_this(i) +
               static_cast<int>(whole_template(1.5)) + small_all(i, 'c');
    }
    std::vector<int> numbers;
    for (int i = 0; i < rounds; i++)
        numbers.push_back(i * 7919 % 1009);
    std::sort(numbers.begin(), numbers.end(), whole_less);
    std::function<int(int)> kept = [&](int x) { return x + sum; };
    sum +=
        std::count_if(numbers.begin(), numbers.end(), [&](int n) { return kept(n) % 2 == 0; }) > 3;
    sum += whole_calls_back([](int x) { return whole_template(x); }, rounds);
    one.join();
    two.join();
    return sum == 0 || names.size() != 10;
}
