#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The headers of the C++ libraries with clang, which has no list of files to leave out: each that
is installed is compiled, all that it defines is emitted, and none of it calls a hook; of libstdc++ those in
folders (ext/, debug/, tr1/ ...), too, but for what other headers are made of.  Then a
program that uses what came with C++20 is profiled."""

import concurrent.futures
import os
import re
import shutil
import sys

from common import IS_FURTHER, cells, expect, finish, flags, folder, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

INSTRUMENTED = '"instrument-function-entry"="__cyg_profile_func_enter"'

# What the compiler writes itself where a class is used has no place in a header: constructors
# and destructors, inherited ones too, assignment, closures as pointers to functions, what runs at the start.
IMPLICIT = (r"(\w+)(<.*>)?::~?\1\(\)$|::(\w+)::\3\(.*\b\3 const&\)$|__uniq_ptr_data<.*>::__uniq_ptr_impl"
            r"|::(?P<assigned>\w+)::operator=\(.*::(?P=assigned) const&\)$"
            r"|\{lambda\(.*\)#\d+\}::(operator |__invoke\(.*\)$)|\{unnamed type#\d+\}::\w+\(\)$|^_GLOBAL__sub_I_")

# Of the headers in folders.
NOT_TRIED = {
    "decimal/decimal": "clang has no decimal floating point",
    "decimal/decimal.h": "clang has no decimal floating point",
    "experimental/simd": "clang's own headers, which it includes, can't all be emitted",
    "ext/rc_string_base.h": "a part of ext/vstring.h",
    "ext/ropeimpl.h": "a part of ext/rope",
    "ext/sso_string_base.h": "a part of ext/vstring.h",
    "parallel/algo.h": "a part of parallel/algorithm",
    "pstl/parallel_backend_tbb.h": "wants another library",
    "tr1/hashtable_policy.h": "a part of tr1/unordered_map",
    "tr1/unordered_map.h": "a part of tr1/unordered_map",
    "tr1/unordered_set.h": "a part of tr1/unordered_set",
    "tr2/type_traits": "for gcc alone",
}

PROGRAM = r"""
#include <barrier>
#include <bit>
#include <compare>
#include <concepts>
#include <coroutine>
#include <cstdio>
#include <latch>
#include <memory_resource>
#include <ranges>
#include <semaphore>
#include <span>
#include <stop_token>
#include <vector>
struct Point { int x, y; auto operator<=>(const Point &) const = default; };
struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
static int ran;
static Task coroutine() { ran++; co_return; }
template <std::integral T> static T own(T value) { return value + std::popcount(static_cast<unsigned>(value)); }
static int use() {
    std::pmr::monotonic_buffer_resource memory;
    std::pmr::vector<int> numbers(&memory);
    for (int i = 0; i < 100; i++) /* clang 14 can't compile the views of libstdc++ 12 */
        numbers.push_back(own(i));
    if (std::ranges::size(numbers) != 100 || *std::ranges::begin(numbers) != 0) return 0;
    std::span<int> part(numbers.data(), 10);
    int sum = 0;
    for (int n : part.subspan(2)) sum += n;
    std::latch gate(1);
    gate.count_down();
    gate.wait();
    std::counting_semaphore<4> permits(1);
    permits.acquire();
    permits.release();
    std::barrier meeting(1);
    meeting.arrive_and_wait();
    std::stop_source source;
    std::stop_callback callback(source.get_token(), [] { ran++; });
    source.request_stop();
    Task task = coroutine();
    task.handle.resume();
    task.handle.destroy();
    return sum + (Point{1, 2} < Point{1, 3}) + std::is_lt(1 <=> 2) + ran;
}
int main() { std::printf("%d\n", use()); }
"""


def library_folder(options, work):
    """Where the compiler finds <vector>; None: there is no such library."""
    done = run(["clang++", *options, "-M", "-x", "c++", "-include", "vector", "/dev/null"], work)
    found = re.findall(r"(\S+)/vector\b(?!\.)", done.stdout)
    return found[0] if done.returncode == 0 and found else None


def compile_headers(work, options, names, unit):
    """What became of the compiler, and the path of the code: as it is before passes that put the hooks where the
    attributes of functions say so, as one of those takes all away that nobody calls if there is a coroutine."""
    source = os.path.join(work, unit + ".cc")
    with open(source, "w") as file:
        file.writelines("#include <%s>\n" % name for name in names)
    return run(["clang++", *options, "-w", "-O0", "-femit-all-decls", "-S", "-emit-llvm", "-ferror-limit=1",
                "-Xclang", "-disable-llvm-passes",
                *flags("--cflags"), source, "-o", source + ".ll"], work), source + ".ll"


def check_code(path, what):
    """Functions are in it, and none of them is to call a hook."""
    with open(path) as file:
        text = file.read()
    groups = {group for group, words in re.findall(r"^attributes (#\d+) = (.*)", text, re.M) if INSTRUMENTED in words}
    functions = re.findall(r'^define [^@]*@"?([\w.$]+)"?\(.* (#\d+) .*\{$', text, re.M)
    calling = [name for name, group in functions if group in groups]
    defined = len(functions)
    expect(defined > 2000, what + ": functions are emitted", defined)
    readable = run(["c++filt", *calling], os.path.dirname(path)).stdout.splitlines() if calling else []
    foreign = [name for name in readable if not re.search(IMPLICIT, name)]
    expect(not foreign, what + ": none is instrumented", "\n".join(foreign))


def top_headers(place):
    return sorted(name for name in os.listdir(place) if "." not in name and name[0] != "_"
                  and os.path.isfile(os.path.join(place, name)))


def check_headers(work, options, dialect):
    place = library_folder(options, work)
    if place is None:
        print("not tried for want of the library: %s" % options)
        return
    names = top_headers(place)
    what = "%s %s, %d headers" % (place, dialect, len(names))
    expect(len(names) > 90, what)
    done, code = compile_headers(work, [*options, "-std=" + dialect], names, "all")
    if expect(done.returncode == 0, what + " compile", done.stderr):
        check_code(code, what)


def headers_in_folders(place):
    """{unit: headers in folders, and those of C}.  The headers before them take longer than they do, so that they
    are compiled together, but for those of experimental/, one of which does not compile behind the others."""
    found = {}
    for folder, folders, files in os.walk(place):
        below = os.path.relpath(folder, place)
        folders[:] = sorted(name for name in folders if name not in ("bits", "detail") and below != "ext/pb_ds")
        for name in sorted(files):
            if name[0] != "_" and not name.endswith(".tcc") and (below != "." or "." in name):
                unit = "experimental" if below.startswith("experimental") else "folders"
                found.setdefault(unit, []).append(os.path.normpath(os.path.join(below, name)))
    return found


def check_unit(work, place, unit, names):
    """How many of them were tried: behind all others, as parts of such stand among them; without what does
    not compile."""
    before = top_headers(place)
    names = [name for name in names if name not in NOT_TRIED]
    while names:
        done, code = compile_headers(work, ["-std=c++20"], before + names, unit)
        if done.returncode == 0:
            check_code(code, "%s: %s, %d headers" % (place, unit, len(names)))
            break
        line = re.search(r"\.cc:(\d+):", done.stderr)
        at = int(line.group(1)) - 1 - len(before) if line else -1
        if not expect(at >= 0, unit + " compile", done.stderr):
            return 0
        print("not tried: %s: %s" % (names[at], re.search("error: .*", done.stderr).group()))
        del names[at]
    return len(names)


def check_folders(work):
    place = library_folder([], work)
    if library_folder(["-stdlib=libc++"], work):
        print("not tried: headers in folders, of which another library that is installed has not all")
        return
    groups = headers_in_folders(place)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tried = sum(pool.map(lambda unit: check_unit(work, place, unit, groups[unit]), groups))
    in_all = sum(map(len, groups.values()))
    for name in sorted(set(NOT_TRIED) & set(sum(groups.values(), []))):
        print("not tried: %s: %s" % (name, NOT_TRIED[name]))
    print("%d of %d headers in folders, and %d others" % (tried, in_all, len(top_headers(place))))
    expect(tried > 0.9 * in_all, "headers in folders are tried", "%d of %d" % (tried, in_all))


def check_program(work):
    with open(os.path.join(work, "t.cc"), "w") as file:
        file.write(PROGRAM)
    done = run(["clang++", "-std=c++20", "-O0", *flags("--cflags-libs"), "t.cc", "-o", "t"], work)
    if not expect(done.returncode == 0, "a C++20 program compiles", done.stderr):
        return
    done = run(["./t"], work, FC_QUIET="1")
    expect(done.returncode == 0, "it runs", done.stderr)
    profile = fcprofile.load(os.path.join(work, "functioncheck.fc"))
    names = run(["c++filt", *(function.name for function in profile.functions)], work).stdout.splitlines()
    expect(any(name.startswith("use()") for name in names), "its own functions are there", names)
    foreign = [name for name in names if re.match(r"(.* )?(std|__gnu_cxx)::", name)
               and not re.search(IMPLICIT, name)]
    expect(not foreign, "no function of the library is in the profile", "\n".join(foreign))


def check_not_linked(work):
    """The committed header is what not-linked.py makes, where there is an assembler for it."""
    made, here = os.path.join(work, "made.h"), os.path.join(fctest.SOURCE_ROOT, "fc-config")
    if os.uname().machine != "x86_64":
        return
    done = run([os.path.join(here, "clang/not-linked.py"), os.path.join(here, "not-linked.s"),
                os.path.join(here, "clang/not-linked.h.in"), made, "gcc"], work)
    if expect(done.returncode == 0, "not-linked.py", done.stderr):
        with open(made, encoding="ascii") as one, open(os.path.join(here, "clang/functioncheck-not-linked.h"), encoding="ascii") as other:
            expect(one.read() == other.read(), "functioncheck-not-linked.h is of not-linked.s")


if not shutil.which("clang++"):
    print("not tried for want of clang++")
    sys.exit(77)
with folder() as work_folder:
    for language in cells(("c++2b",), ("c++20",)):
        check_headers(work_folder, [], language)
    if not IS_FURTHER:
        check_headers(work_folder, ["-stdlib=libc++"], "c++20")
        check_folders(work_folder)
        check_program(work_folder)
        check_not_linked(work_folder)
finish()
