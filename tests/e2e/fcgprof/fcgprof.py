# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of fcgprof on profiles share: a program recorded with the test clock,
and its reports by name.  Imported by the scripts beside it.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../..", "support"))
import fctest  # noqa: E402
import gproftext  # noqa: E402

OUTSIDE = {"<spontaneous>": (None, None, None, None)}


def plain(name):
    """Without the address of -l."""
    return re.sub(r" @ [0-9a-f]+\)", ")", name)


class Case(fctest.Case):
    def record(self, source, *flags, **options):
        """Compiles a target, and runs it with the test clock."""
        program = self.compile(os.path.join(HERE, source), *flags, **options)
        self.record_program(program)
        return program

    def record_program(self, program):
        done = self.run_test_clock([program])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def run_tool(self, *words, preexec_fn=None):
        return subprocess.run([fctest.tool("fcgprof"), *words], capture_output=True, text=True,
                              cwd=self.folder, env=fctest.plain_environment(),
                              timeout=fctest.TIMEOUT_S, check=False, preexec_fn=preexec_fn)

    def report(self, *words):
        done = self.run_tool(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def flat(self, *words):
        """The flat profile, and self, calls, self and total for a call by name."""
        flat = gproftext.parse_flat(self.report("-b", "-p", *words))
        return flat, {plain(row.name): (row.self, row.calls, row.self_call, row.total_call)
                      for row in flat.rows}

    def graph(self, *words):
        """The graph, and by name the figures of an entry, its callers and its callees: self,
        children, calls, and of how many or the recursive ones."""
        graph = gproftext.parse_graph(gproftext.reports(self.report("-b", "-q", *words))[0])
        entries = {}
        for entry in graph.entries:
            self.assertNotIn(plain(entry.name), entries)
            entries[plain(entry.name)] = (
                (entry.self, entry.children, entry.called, entry.total),
                self.lines(entry.parents), self.lines(entry.children_lines))
        return graph, entries

    def lines(self, records):
        found = {plain(line.name): (line.self, line.children, line.called, line.total)
                 for line in records}
        self.assertEqual(len(found), len(records))
        return found


main = fctest.main
