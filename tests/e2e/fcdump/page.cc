// SPDX-License-Identifier: GPL-3.0-or-later
//
// For browsed_layout.py and browsed_run.py: threads that wait for one another, templates, lambdas,
// a deep recursion, leaks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace store
{
struct Log
{
    std::mutex mutex;
    std::vector<std::string> lines;

    __attribute__((noinline)) static unsigned spin(unsigned n)
    {
        volatile unsigned x = n;
        for (unsigned i = 0; i < n; i++)
            x = x * 1664525u + 1013904223u;
        return x;
    }
    __attribute__((noinline)) void put(const std::string &line)
    {
        std::lock_guard<std::mutex> lock(mutex);
        std::this_thread::sleep_for(std::chrono::microseconds(300));
        spin(4000);
        lines.push_back(line);
    }
};

template <typename Key, typename Value, typename Compare = std::less<Key>> class SkipList
{
    std::map<Key, Value, Compare> map;

  public:
    __attribute__((noinline)) void insert(Key key, Value value)
    {
        map[key] = value;
    }
    __attribute__((noinline)) Value find(Key key) const
    {
        auto found = map.find(key);
        return found == map.end() ? Value() : found->second;
    }
};

class Table
{
    SkipList<std::string, int> list;
    Log &log;

  public:
    explicit Table(Log &to) : log(to)
    {
    }
    __attribute__((noinline)) void write(int number)
    {
        std::string key = "key" + std::to_string(number);
        list.insert(key, number);
        if (number % 50 == 0)
            log.put(key);
    }
    __attribute__((noinline)) int read(int number)
    {
        return list.find("key" + std::to_string(number * 7 % 1000));
    }
};
} // namespace store

__attribute__((noinline)) unsigned sort_all(std::vector<int> numbers)
{
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return (a ^ 0x55) < (b ^ 0x55); });
    return (unsigned)numbers[numbers.size() / 2];
}

__attribute__((noinline)) unsigned deep(int level)
{
    return level == 0 ? store::Log::spin(2000) : deep(level - 1) + 1;
}

static void writer(store::Log &log, int id)
{
    store::Table table(log);
    for (int i = 0; i < 2000; i++)
        table.write(i + id);
}

static void reader(store::Log &log)
{
    store::Table table(log);
    int sum = 0;
    for (int i = 0; i < 500; i++)
        table.write(i);
    for (int i = 0; i < 4000; i++)
        sum += table.read(i);
    std::printf("%d\n", sum);
}

static void idle()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
}

static void *volatile lost;

static inline __attribute__((always_inline)) unsigned twice(int level)
{
    return deep(level) + deep(level);
}

__attribute__((noinline)) unsigned with_lambda(int level)
{
    unsigned sum = deep(level);
    auto more = [level](int by) __attribute__((noinline))
    {
        return deep(level + by); // in the lambda
    };
    sum += more(1);
    sum += twice(level); // inlined
    return sum;
}

int main()
{
    store::Log log;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(writer, std::ref(log), i);
    threads.emplace_back(reader, std::ref(log));
    threads.emplace_back(idle);
    std::vector<int> numbers;
    for (int i = 0; i < 20000; i++)
        numbers.push_back(i * 7919 % 10007);
    unsigned sum = sort_all(numbers) + deep(12) + with_lambda(3);
    auto leak = [](int size) { lost = new char[(size_t)size * 100]; };
    for (int i = 0; i < 40; i++)
        leak(i + 1);
    lost = nullptr;
    for (auto &thread : threads)
        thread.join();
    std::printf("%u\n", sum);
}
