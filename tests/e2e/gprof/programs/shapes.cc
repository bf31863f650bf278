// SPDX-License-Identifier: GPL-3.0-or-later
//
// C++: virtual functions, templates, overloads, operators, lambdas, namespaces,
// exceptions, static construction, containers of the standard library.
#include "burn.h"
#include "include/inlined.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace geometry
{
class Shape
{
  public:
    explicit Shape(int id) : id_(id)
    {
        burn(1);
    }
    virtual ~Shape()
    {
        burn(1);
    }
    virtual double area() const = 0;
    virtual double scaled(double by) const
    {
        return area() * by;
    }
    bool operator<(const Shape &other) const
    {
        return area() < other.area();
    }
    int id() const
    {
        return id_;
    }

  private:
    int id_;
};

class Square : public Shape
{
  public:
    Square(int id, double side) : Shape(id), side_(side)
    {
    }
    double area() const override
    {
        burn(1);
        return side_ * side_;
    }

  private:
    double side_;
};

class Circle final : public Shape
{
  public:
    Circle(int id, double radius) : Shape(id), radius_(radius)
    {
    }
    double area() const override
    {
        burn(2);
        return 3.14 * radius_ * radius_;
    }
    double scaled(double by) const override
    {
        return Shape::scaled(by) + 1;
    }

  private:
    double radius_;
};

namespace
{
int hidden(int n)
{
    burn(3);
    return from_header(n);
}
} // namespace
} // namespace geometry

template <typename T, int N> struct Stack
{
    T items[N];
    int count = 0;
    void push(const T &item)
    {
        if (count == N)
            throw std::overflow_error("full");
        items[count++] = item;
    }
    T pop()
    {
        return items[--count];
    }
};

template <typename T> T biggest(const std::vector<T> &of)
{
    T best = of.at(0);
    for (const auto &item : of)
        best = std::max(best, item);
    return best;
}

static int overloaded(int n)
{
    burn(1);
    return n;
}
static int overloaded(double n)
{
    burn(1);
    return static_cast<int>(n) + 1;
}
int overloaded(const std::string &n, const char *const *)
{
    return static_cast<int>(n.size());
}

struct Global
{
    Global()
    {
        burn(20);
    }
    ~Global()
    {
        burn(20);
    }
    int value = 3;
} global;

int thrower(int n)
{
    if (n % 5 == 0)
        throw std::runtime_error("five");
    return n;
}

int catcher(int n)
{
    try
    {
        return thrower(n);
    }
    catch (const std::exception &)
    {
        burn(1);
        return -1;
    }
}

extern "C" int plain_c_name(int n)
{
    auto twice = [n](int k)
    {
        burn(1);
        return n * k;
    };
    return twice(2) + twice(3);
}

int main()
{
    std::vector<std::unique_ptr<geometry::Shape>> shapes;
    std::map<std::string, std::function<int(int)>> table;
    Stack<int, 8> stack;
    Stack<std::string, 2> names;
    double sum = 0;

    for (int i = 0; i < 300; i++)
    {
        if (i % 2)
            shapes.push_back(std::make_unique<geometry::Square>(i, i));
        else
            shapes.push_back(std::make_unique<geometry::Circle>(i, 300 - i));
    }
    std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) { return *a < *b; });
    for (const auto &shape : shapes)
        sum += shape->scaled(2) + geometry::hidden(shape->id());
    table["c"] = plain_c_name;
    table["catch"] = catcher;
    table["lambda"] = [&](int n) { return overloaded(n) + overloaded(n / 2.0); };
    for (int i = 0; i < 200; i++)
    {
        for (const auto &entry : table)
            sum += entry.second(i);
        stack.push(i);
        sum += stack.pop();
    }
    try
    {
        names.push("one");
        names.push("two");
        names.push("three");
    }
    catch (const std::overflow_error &)
    {
        sum += overloaded(names.pop(), nullptr);
    }
    sum += biggest(std::vector<int>{1, 5, 3}) + biggest(std::vector<double>{1.5, 2.5});
    std::printf("%.0f\n", sum + global.value);
    return 0;
}
