#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An allocation site begins with the program's own line, whatever of the library's headers or of the program the
compiler inlined between that and the allocator."""

import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fctest  # noqa: E402

SOURCE = """#include <string>
#include <vector>
struct Store { std::vector<int> numbers; void put(int v);
    void grow(int v) { numbers.push_back(v); more = new std::vector<int>(v); }  // grown
    std::vector<int> *more; };
static inline __attribute__((always_inline)) std::vector<int> *make(int n)
{
    return new std::vector<int>(n);                                             // made
}
__attribute__((noinline)) void Store::put(int v) { grow(v); }                   // put
int main()
{
    Store *store = new Store;                                                   // store
    store->put(3);
    std::vector<int> *made = make(100);                                         // make
    return made->size() == 3;
}
"""


def line_of(comment):
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if line.endswith("// " + comment))


class Lines(fctest.Case):
    def check(self, *config, **env):
        with open(self.path("lines.cc"), "w", encoding="utf-8") as file:
            file.write(SOURCE)
        program = self.compile(self.path("lines.cc"), "-O2", compiler="g++", config=config)
        self.run_quiet([program], env={"FC_MEMORY": "1", **env})
        self.wait_for_file()
        done = self.run_target([fctest.tool("fcdump"), "--mem-leaks", "--basename", "--width=0"])
        rows = [line.split("live", 1)[-1].strip() for line in done.stdout.decode().splitlines()]
        data = json.loads(self.run_target([fctest.tool("fcdump"), "--json"]).stdout)
        own = {(site["own"]["short_name"], os.path.basename(site["own"]["file"]), site["own"]["line"])
               for site in data["heap"]["places"]
               if site["own"] and (site["own"]["file"] or "").endswith("lines.cc")}
        return rows, own

    def site(self, rows, first):
        """That row and those below it which are of the same stack."""
        at = rows.index(first)
        return [first, *itertools.takewhile(lambda row: row.startswith(("via ", "from ")), rows[at + 1:])]

    def test_lines(self):
        rows, own = self.check()
        made = self.site(rows, f"new in make  at lines.cc:{line_of('made')}")
        self.assertRegex(made[1], r"^via std::vector<int>::vector  at \S+:\d+$")
        self.assertEqual(made[2:], [f"from main  at lines.cc:{line_of('make')}"])
        grown = self.site(rows, f"new in Store::grow  at lines.cc:{line_of('grown')}")
        self.assertEqual([row.split("  ")[0] for row in grown[-2:]], ["from Store::put", "from main"])
        self.assertIn(f"new in main  at lines.cc:{line_of('store')}", rows)
        for name, comment in (("Store::grow", "grown"), ("make", "made"), ("main", "store")):
            self.assertIn((name, "lines.cc", line_of(comment)), own)
        self.assertEqual([row for row in rows if row.startswith("new in std::")], [])

    def test_unwound(self):
        rows, own = self.check(FC_MEMORY_UNWIND="1")
        stack = [row for row in rows if row.startswith("via std::vector<int>::push_back")]
        self.assertEqual(len(stack), 1, rows)
        self.assertEqual([row for row in rows if row.startswith("new in std::")], [])

    def test_every_function(self):
        """Where inlined functions have hooks, too, they are named once."""
        rows, own = self.check("--every-function")
        made = self.site(rows, f"new in make  at lines.cc:{line_of('made')}")
        self.assertEqual([row.split("  ")[0] for row in made if row.startswith("from")], ["from main"])


if __name__ == "__main__":
    fctest.main()
