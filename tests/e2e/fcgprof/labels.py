#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof on profiles with functions of one name: each is shown by a name of its own."""

import os
import shutil

import fcgprof
import fctest
import gproftext

HOST = """
#include <dlfcn.h>
static int helper(int n) { return n; }
int main(void)
{
    int sum = helper(1);
    for (int i = 0; i < 2; i++)
    {
        void *handle = dlopen(i ? "./new/libp.so" : "./old/libp.so", RTLD_NOW);
        sum += ((int (*)(int))dlsym(handle, "work"))(i);
        dlclose(handle);
    }
    return sum == 0;
}
"""


class Labels(fcgprof.Case):
    def write_in(self, folder, name, text):
        os.makedirs(self.path(folder), exist_ok=True)
        return self.write(os.path.join(folder, name), text)

    def calls(self, *words):
        """Calls by the names that are shown, each of which is there once."""
        rows = gproftext.parse_flat(self.report("-b", "-p", *words)).rows
        found = {row.name: row.calls for row in rows}
        self.assertEqual(len(found), len(rows), [row.name for row in rows])
        return found

    def test_libraries_of_one_name(self):
        for folder, times in (("old", 2), ("new", 3)):
            source = self.write_in(folder, "p.c", f"""
                static int helper(int n) {{ return n + 1; }}
                int work(int n)
                {{
                    for (int i = 0; i < {times}; i++)
                        n = helper(n);
                    return n;
                }}""")
            self.compile(source, "-shared", "-fPIC", output=folder + "/libp.so")
        self.record_program(self.compile(self.write("host.c", HOST), "-ldl"))
        self.assertEqual(self.calls("functioncheck.fc"), {
            "main": 1, "helper (host)": 1, "work (old/libp.so)": 1, "helper (old/libp.so)": 2,
            "work (new/libp.so)": 1, "helper (new/libp.so)": 3})
        _, entries = self.graph("functioncheck.fc")
        self.assertEqual(set(entries["work (new/libp.so)"][2]), {"helper (new/libp.so)"})
        # lines have what their function has
        rows = self.flat("-l", "functioncheck.fc")[1]
        self.assertEqual(rows["work (old/libp.so) (p.c:6)"][1], 2)
        self.assertEqual(rows["work (new/libp.so) (p.c:6)"][1], 3)

    def test_files_of_one_name(self):
        sources = [self.write_in(folder, "u.c", f"""
            static int init(void) {{ return 1; }}
            int go_{folder}(void) {{ return init(); }}""") for folder in "xy"]
        library = self.compile(self.write("h.c", """
            static int init(void) { return 2; }
            int go_h(void) { return init() + init(); }"""), "-shared", "-fPIC",
            output="libh.so")
        main = self.write("main.c", """
            int go_x(void), go_y(void), go_h(void);
            int main(void) { return go_x() + go_y() + go_h() == 0; }""")
        self.record_program(self.compile(main, *sources, "-Wl,--no-as-needed", library,
                                         "-Wl,-rpath," + self.folder))
        self.assertEqual(self.calls("functioncheck.fc"), {
            "main": 1, "go_x": 1, "go_y": 1, "go_h": 1, "init (main, x/u.c)": 1,
            "init (main, y/u.c)": 1, "init (libh.so)": 2})
        # and each has its annotated source
        self.assertEqual(self.report("-A", "-y", "-b", "functioncheck.fc"), "")
        texts = []
        for name in ("u.c-ann", "u.c-ann.2"):
            with open(self.path(name), encoding="utf-8") as stream:
                texts.append(stream.read())
        self.assertEqual(["go_x" in text for text in texts], ["go_y" not in text for text in texts])
        self.assertEqual(sum("go_x" in text for text in texts), 1)
        self.assertFalse(os.path.exists(self.path("u.c-ann.3")))

    def test_no_files(self):
        main = self.write("main.c", """
            int other(void);
            static int init(void) { return 0; }
            int main(void) { return init() + other(); }""")
        other = self.write("other.c", """
            static int init(void) { return 0; }
            int other(void) { return init() + init(); }""")
        program = self.compile(main, other, "-g0")
        self.record_program(program)
        places = {line.split()[0].lstrip("0") for line in self.command(["nm", program]).split("\n")
                  if line.endswith(" init")}
        found = self.calls("functioncheck.fc")
        self.assertEqual(set(found), {"main", "other"} | {f"init (@ {at})" for at in places})
        self.assertEqual(sorted(found.values()), [1, 1, 1, 2])

    def test_destructors(self):
        source = self.write("kinds.cc", """
            struct Root { virtual ~Root() {} };
            struct Tree : virtual Root { ~Tree() override {} };
            struct Leaf : Tree { ~Leaf() override {} };
            int main() { delete (Root *)new Leaf; Tree tree; return 0; }""")
        self.record_program(self.compile(source, "-fno-inline", compiler="g++"))
        found = self.calls("functioncheck.fc")
        self.assertEqual({name: calls for name, calls in found.items() if "~" in name}, {
            "Root::~Root()": 2, "Tree::~Tree() (base)": 1, "Tree::~Tree() (complete)": 1,
            "Leaf::~Leaf() (complete)": 1, "Leaf::~Leaf() (deleting)": 1})
        self.assertIn("_ZN4TreeD2Ev", self.calls("--no-demangle", "functioncheck.fc"))

    def test_builds(self):
        # two builds of a program in one place, the first of which is kept elsewhere
        for number, body in enumerate(("", "int more(void) { return 2; }")):
            program = self.compile(self.write("prog.c", f"{body} int main(void) {{ return 0; }}"))
            self.record_program(program)
            os.rename(self.path("functioncheck.fc"), self.path(f"{number}.fc"))
            shutil.copy(program, self.path(f"prog.{number}"))
        done = self.run_tool("-b", "-p", "prog.0", "0.fc", "1.fc")
        names = [row.name for row in gproftext.parse_flat(done.stdout).rows]
        self.assertEqual(len(set(names)), 2, names)
        for name in names:
            self.assertRegex(name, r"^main \(prog [0-9a-f]{8}\)$")


if __name__ == "__main__":
    fctest.main()
