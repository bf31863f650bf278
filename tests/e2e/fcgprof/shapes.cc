// SPDX-License-Identifier: GPL-3.0-or-later
//
// Target: overloads, templates, methods and operators of C++.  See agree.py.
namespace shapes
{
struct Shape
{
    explicit Shape(int size) : size_(size)
    {
        adjust(size);
        adjust(0.5);
    }
    virtual ~Shape()
    {
    }
    virtual int area() const
    {
        return size_ * size_;
    }
    void adjust(int by)
    {
        size_ += by;
    }
    void adjust(double by)
    {
        size_ += static_cast<int>(by);
    }
    bool operator<(const Shape &other) const
    {
        return area() < other.area();
    }
    int size_;
};

struct Circle : Shape
{
    using Shape::Shape;
    int area() const override
    {
        return 3 * Shape::area();
    }
};

template <typename T> T largest(const T *items, int n)
{
    T best = items[0];

    for (int i = 1; i < n; i++)
        best = best < items[i] ? items[i] : best;
    return best;
}
} // namespace shapes

static int measure(const shapes::Shape &shape)
{
    auto twice = [](int n) { return 2 * n; };

    return twice(shape.area());
}

int main()
{
    const int numbers[] = {3, 1, 4, 1, 5};
    const shapes::Circle circles[] = {shapes::Circle(2), shapes::Circle(3)};
    shapes::Shape square(4);

    return (measure(circles[0]) + measure(circles[1]) + measure(square) +
            shapes::largest(numbers, 5) + shapes::largest(circles, 2).size_) == 0;
}
