#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Short names of a C++20 program: in each report, for two functions that would look alike, in JSON beside the
# whole ones; whole names with --names=full and in exports; the first screen on 80 columns and 24 lines.

import json
import os
import re
import subprocess

from fcfile import contains, equal, fail, folder, good, rows, run

BINDIR = os.environ["FC_BINDIR"]
keep = folder()


def shell(command):
    subprocess.run(command, shell=True, check=True, stdin=subprocess.DEVNULL,
                   env={**os.environ, "FC_QUIET": "1", "PATH": f"{BINDIR}:{os.environ['PATH']}"})


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


write("db.cc", """#include <coroutine>
#include <map>
#include <string>
#include <thread>
#include <vector>
namespace store {
inline namespace v2 { int twice(int n) { return 2 * n; } }
template <class K, class V> struct List { std::map<K, V> map; int find(const K &key); int find(int at) const; };
template <class K, class V> int List<K, V>::find(const K &key) { return (int)map.count(key); }
template <class K, class V> int List<K, V>::find(int at) const { return at; }
namespace { struct Hidden { int get() { return 1; } int get() const { return 2; } }; }
namespace inner { struct Node { int go() { return 3; } }; int go() { return 4; } }
namespace other { struct Node { int go() { return 5; } }; }
class Log {
  public:
    int put(const std::string &line) { return (int)line.size(); }
    int put(int number) { return number; }
    int each(int n) { auto add = [&](int x) { return x + n; }; return add(1) + [&] { return n; }(); }
    int local(int n) { struct Counter { int n; int up() { return ++n; } }; return Counter{n}.up(); }
};
struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
task job(int n) { twice(n); co_return; }
} // namespace store
using namespace store;
template <class F> int apply(F f) { return f(3); }
int main()
{
    List<std::string, std::vector<int>> strings; List<int, std::vector<std::string>> numbers;
    Log log; Hidden hidden; const Hidden fixed; inner::Node node; other::Node second;
    int sum = strings.find("a") + strings.find(1) + numbers.find(2) + log.put("a") + log.put(1) + log.each(2);
    sum += log.local(1) + hidden.get() + fixed.get() + node.go() + second.go() + inner::go();
    sum += apply([](int x) { return x; }) + apply([](int x) { return x + 1; });
    job(1);
    std::thread other([&] { sum += twice(1); }); other.join();
    return sum > 0 ? 0 : 1;
}
""")
shell("g++ -std=c++20 -g -O0 $(fc-config --cflags-libs --every-function) -o db db.cc && ./db")


def shown(*words):
    return [row[-1] for row in rows(good("--flat", "--width=0", *words, "functioncheck.fc"), "Flat profile")]


def line_of(part):
    with open("db.cc", encoding="ascii") as file:
        return next(number for number, line in enumerate(file, 1) if part in line)


names = shown()
equal(len(names), len(set(names)), "no two look the same")
for name in ("main", "v2::twice", "Log::put(int)", "Log::put(std::string const&)", "Log::each", "Log::local > Counter::up",
             "Hidden::get()", "Hidden::get() const", "inner::Node::go", "other::Node::go", "inner::go",
             "job", "job (coroutine)",
             f"main > lambda at db.cc:{line_of('sum += twice(1)')}"):
    if name not in names:
        fail(f"the short name {name}", "\n".join(names))
lists = sorted(name for name in names if "::find" in name)
equal(lists, ["List<...>::find(int const&)", "List<...>::find(int)", "List<...>::find(std::string const&)"], "lists")
lambdas = [name for name in names if name.startswith("Log::each > lambda")]
equal(len(lambdas), 2, f"two lambdas of one line: {lambdas}")

# Whole names, and either name selects.
whole = shown("--names=full")
contains("\n".join(whole), "store::(anonymous namespace)::Hidden::get() const", "--names=full")
equal(sorted(shown("--demangle=none")), sorted(shown("--demangle=none", "--names=full")), "linkage names stay")
for pattern, expected in (("Log::put(int)", ["Log::put(int)"]), ("store::inner::go", ["inner::go"]),
                          ("List::find", lists), ("Log::local > Counter::up", ["Log::local > Counter::up"])):
    equal(sorted(row.split("(int) const")[0] for row in shown("--only=" + pattern)), expected, f"--only={pattern}")

contains(good("--peek=inner::go", "functioncheck.fc"), "inner::go: store::inner::go\n", "the whole name with --peek")

# JSON has both; exports have whole names.
functions = json.loads(good("--json", "functioncheck.fc"))["functions"]
short = {function["short_name"] for function in functions}
for name in names:
    ours = name.replace("<...>", "\u2039\u2026\u203a").replace(" > ", " \u203a ")
    if ours not in short:
        fail(f"{ours} in JSON", "\n".join(sorted(short)))
equal(run("--folded", "functioncheck.fc").out, run("--folded", "--names=full", "functioncheck.fc").out, "an export")
contains(run("--csv", "functioncheck.fc").out, "store::Log::each", "--csv")
for report in ("--tree", "--graph", "--heaviest", "--hot-path", "--summary"):
    text = good(report, "functioncheck.fc", "--width=0")
    if "store::Log" in text or "basic_string" in text:
        fail(f"whole names with {report}", text)
if "'long' is none of short, full" not in run("--names=long").err:
    fail("a word that is none", run("--names=long").err)

# The first screen: a row for each function, on 80 columns.
screen = good("--width=80", "functioncheck.fc").rstrip("\n").split("\n")
if len(screen) > 24 or max(map(len, screen)) > 80:
    fail("the first screen has 24 lines of 80 columns", "\n".join(screen))

contains(good("--width=150", "functioncheck.fc"), " f(int): one of several f. ", "why some names have parameters")
if "several f" in good("--width=150", "--only=Log::each", "functioncheck.fc"):
    fail("no parameters are shown", "")

# A name that does not fit loses its scopes first, never the function.
write("wide.cc", """namespace outermost_of_all { namespace second_of_them_all { struct AnythingThatIsLong {
struct AnotherInsideOfThat { int a_function_that_counts() { return 1; } int another_one() { return 2; } }; }; } }
int main() { outermost_of_all::second_of_them_all::AnythingThatIsLong::AnotherInsideOfThat it;
    return it.a_function_that_counts() + it.another_one() - 3; }
""")
shell("g++ -g -O0 $(fc-config --cflags-libs --every-function) -o wide wide.cc && ./wide")
narrow = good("--flat", "--width=70", "functioncheck.fc")
contains(good("--graph", "--width=64", "functioncheck.fc"), "-> ...::a_function_that_counts\n", "an arrow is never cut")
contains(narrow, "...::a_function_that_counts\n", "the function is whole")
contains(narrow, "...::another_one\n", "the other one, too")

# However long the names are: findings say what they say, on one line each, and rows have the function.
write("long.cc", """#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
namespace company { namespace product_line_of_the_year {
template <class Key, class Value> struct AssociativeContainerWithHistory {
    std::map<Key, std::vector<Value>> entries;
    int look_up_with_every_possible_fallback_strategy(const Key &k, int n)
    { int sum = 0; for (int i = 0; i < n; i++) sum += (int)entries[k].size() + i; return sum; }
};
struct ApplicationConfigurationManager { struct SynchronizedConfigurationStore {
    std::mutex lock; AssociativeContainerWithHistory<std::string, std::pair<int, std::string>> values;
    int read_configuration_value_synchronously_from_storage(int n)
    { std::lock_guard<std::mutex> held(lock); return values.look_up_with_every_possible_fallback_strategy("abc", n); }
}; }; } }
int main()
{
    company::product_line_of_the_year::ApplicationConfigurationManager::SynchronizedConfigurationStore store;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] { for (int j = 0; j < 100; j++)
            store.read_configuration_value_synchronously_from_storage(3000); });
    for (auto &thread : threads) thread.join();
    return 0;
}
""")
shell("g++ -g -O1 -pthread $(fc-config --cflags-libs --every-function) -o long long.cc && ./long")
screen = good("--width=80", "functioncheck.fc").rstrip("\n").split("\n")
if len(screen) > 24 or max(map(len, screen)) > 80:
    fail("the first screen has 24 lines of 80 columns", "\n".join(screen))
text = "\n".join(screen)
for part in ("* look_up_with_every_possible_fallb... itself takes ", "read_configurati", "...::~SynchronizedConfigurationStore"):
    contains(text, part, "functions of long names")
if "Associative" in text.split("own", 1)[0]:
    fail("scopes go before the function's own name", text)
if any(line.startswith("* ") and re.search(r"(\.\.\.|…)(: --\S+)?$", line) for line in screen):
    fail("a finding is cut", text)

# gcc's clones are their function; calls of all are summed.
write("clones.c", """static int offset;
static __attribute__((noinline)) int work(const int *p, int n, int kind)
{
    int sum = offset;
    for (int i = 0; i < *p; i++)
        sum += kind ? i * n : i ^ n;
    if (kind)
        for (int i = 0; i < n; i++)
            sum ^= i * sum;
    return sum;
}
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += work(&argc, i, 1) + work(&argc, i, 0) + work(&argc, i, argc);
    return sum == 47;
}
""")
shell("gcc -g -O2 -fipa-cp-clone $(fc-config --cflags-libs --after-inlining) -o clones clones.c && ./clones")
symbols = subprocess.run("nm clones", shell=True, check=True, stdout=subprocess.PIPE, text=True).stdout
if symbols.count(" work.") < 2:
    fail("gcc made clones", symbols)


def works(*words):
    return [(row[-1], row[-2]) for row in rows(good("--flat", "--width=0", *words, "functioncheck.fc"), "Flat profile")
            if "work" in row[-1]]


equal(works(), [("work", "30")], "the clones are one row")
split = works("--split")
equal((sum(int(calls) for name, calls in split), len({name for name, calls in split})), (30, symbols.count(" work.")),
      "apart with --split")
equal(works("--only=work"), [("work", "30")], "the function is named as in its source")
