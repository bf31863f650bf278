#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's map of ranks and functions, in a browser: each cell is the rank's own figure.  By Debian's own Python, as
its Selenium needs."""

import unittest

import ranked
from browser import browser, click, go, show, texts, wait

fctest = ranked.fctest
RANKS = 5
PROGRAM = """
#include <stdlib.h>
static volatile long sink;
__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < 200 * n; i++) sink += i; }
__attribute__((noinline)) static void only_odd(int n) { leaf(n); }
int main(void) { int rank = atoi(getenv("PMI_RANK")); for (int i = 0; i < 50; i++) leaf(rank + 1); if (rank % 2) only_odd(9); return 0; }
"""


class Page(ranked.Case):
    def test_map(self):
        program = self.compile(self.write("program.c", PROGRAM))
        names = []
        for rank in range(RANKS):
            done = self.run_target([program], env={"PMI_RANK": str(rank), "PMI_SIZE": str(RANKS), "PMI_JOBID": "7.1", "FC_DETAIL": "all"})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            names.append(f"functioncheck.7.1-{rank}.fc")
        for page, files in (("all.html", names), ("one.html", names[:1])):
            self.run_target([fctest.tool("fcdump"), f"--html={page}", *files])
        own = [{function["name"]: function["cpu_local_ns"] for function in self.json(name)["functions"]} for name in names]
        with browser() as driver:
            show(driver, self.path("all.html"), "#view=ranks")
            rows = driver.execute_script("""return Array.from(document.querySelectorAll("#ranks .rank-row[data-function]"), (row) =>
                [row.firstElementChild.innerText.trim(), Array.from(row.querySelectorAll(".rank-cell"), (cell) => Number(cell.dataset.ns)),
                 Array.from(row.querySelectorAll(".s"), (cell) => cell.innerText)])""")
            found = {name: cells for name, cells, _ in rows}
            self.assertEqual(set(found), {"main", "leaf", "only_odd"})
            for name, cells in found.items():
                self.assertEqual(cells, [rank.get(name, 0) for rank in own], name)
            for name, cells, figures in rows:
                self.assertEqual(int(figures[2]), cells.index(max(cells)), name)
            most = [max(cells) for _, cells, _ in rows]
            self.assertEqual(most, sorted(most, reverse=True))
            for name, cells, _ in rows:
                click(driver, f'#ranks .rank-row[data-function="{self.number_of(driver, name)}"] .rank-cells')
                wait(driver, f"the histogram of {name}", lambda name=name: texts(driver, "#rank-histogram h2") == [name])
                bins = driver.execute_script('return Array.from(document.querySelectorAll("#rank-histogram i"), (bin) => Number(bin.dataset.count))')
                self.assertEqual(sum(bins), RANKS)
            go(driver, "#view=overview")
            self.assertIn("Ranks", texts(driver, "#tabs a"))
            show(driver, self.path("one.html"))
            self.assertNotIn("Ranks", texts(driver, "#tabs a"))

    def number_of(self, driver, name):
        return driver.execute_script("""return Array.from(document.querySelectorAll("#ranks .rank-row[data-function]")).find((row) =>
            row.firstElementChild.innerText.trim() === arguments[0]).dataset.function""", name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
