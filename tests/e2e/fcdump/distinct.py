#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions of one name are told apart: overloads by their parameters, static functions by
# their file or module; what is the only one of its name keeps its short one.

import json
import os
import subprocess

from fcfile import classic, contains, equal, folder, rows, run

BINDIR = os.environ["FC_BINDIR"]


def shell(command, **env):
    subprocess.run(command, shell=True, check=True, stdin=subprocess.DEVNULL,
                   env={**os.environ, "FC_QUIET": "1", "PATH": f"{BINDIR}:{os.environ['PATH']}",
                        **env})


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def shown(*arguments):
    return sorted(row[-1] for row in rows(classic("--names=full", *arguments), "Flat profile"))


keep = folder()
write("over.cc", """#include <string>
namespace { int twice(int n) { return 2 * n; } int twice(const std::string &s) { return (int)s.size(); } }
static int once(int n) { return n; }
int main() { return twice(1) + twice(std::string("x")) + once(1) == 4 ? 0 : 1; }
""")
shell("g++ -g -O0 $(fc-config --cflags-libs) -o over over.cc && ./over")
SHORT = "(anonymous namespace)::twice"
LONG = [f"{SHORT}(int)", f"{SHORT}(std::string const&)"]
equal(shown("functioncheck.fc"), LONG + ["main", "once"], "overloads")
# either name selects
equal(shown("functioncheck.fc", f"--only={LONG[1]}"), LONG[1:], "the one that is named")
equal(shown("functioncheck.fc", f"--only={SHORT}"), LONG, "all of that name")
equal(len(shown("functioncheck.fc", "--no-demangle")), 4, "linkage names differ anyway")
names = sorted(f["name"] for f in json.loads(classic("functioncheck.fc", "--json"))["functions"])
equal(names, [SHORT, SHORT, "main", "once"], "names in JSON are as they were asked for")

write("main.c", """static int usage(void) { return 1; }
int other(void); int third(void);
int main(void) { return usage() + other() + third() == 6 ? 0 : 1; }
""")
write("other.c", "static int usage(void) { return 2; }\nint other(void) { return usage(); }\n")
write("third.c", "static int usage(void) { return 3; }\nint third(void) { return usage(); }\n")
shell("gcc -g -O0 $(fc-config --cflags-libs) -o files main.c other.c third.c && ./files")
equal(shown("functioncheck.fc"),
      ["main", "other", "third", "usage [main.c]", "usage [other.c]", "usage [third.c]"],
      "static functions of several files")
equal(shown("functioncheck.fc", "--only=usage [other.c]"), ["usage [other.c]"], "one of them")

# Files of one name lie in folders.
for folder_name in ("here", "there"):
    os.mkdir(folder_name)
    with open("third.c" if folder_name == "here" else "other.c", encoding="ascii") as file:
        write(f"{folder_name}/same.c", file.read())
shell("gcc -g -O0 $(fc-config --cflags-libs) -o folders main.c here/same.c there/same.c && ./folders")
equal(shown("functioncheck.fc"), ["main", "other", "third", "usage [here/same.c]",
                                  "usage [main.c]", "usage [there/same.c]"], "folders")

# Two functions of one destructor, one within the other, and two of one constructor.
write("variants.cc", """struct Root { Root() {} virtual ~Root() {} };
struct Tree : virtual Root { Tree() {} ~Tree() override {} };
struct Leaf : Tree { Leaf() {} ~Leaf() override {} };
int main() { Root *root = new Leaf; delete root; Tree tree; return 0; }
""")
shell("g++ -O0 $(fc-config --cflags-libs) -o variants variants.cc && ./variants")
equal(shown("functioncheck.fc"),
      ["Leaf::Leaf", "Leaf::~Leaf [complete]", "Leaf::~Leaf [deleting]", "Root::Root",
       "Root::~Root", "Tree::Tree [base]", "Tree::Tree [complete]", "Tree::~Tree [base]",
       "Tree::~Tree [complete]", "main"], "constructors and destructors")
equal(shown("functioncheck.fc", "--only=Tree::Tree [base]"), ["Tree::Tree [base]"], "one of them")
equal(shown("functioncheck.fc", "--demangle=params", "--only=Leaf::~Leaf"),
      ["Leaf::~Leaf() [complete]", "Leaf::~Leaf() [deleting]"], "all of that name")

# Names of operators are full of what separates names.
write("operators.cc", """struct V { int x; };
namespace { int operator<(V a, V b) { return a.x < b.x; }
int operator<<(V a, int b) { return a.x << b; }
int operator,(V a, V b) { return a.x + b.x; }
struct Call { int operator()(int n) { return n; } int operator->*(int n) { return n; } }; }
int main() { V v{1}; Call c; return (v < v) + (v << 1) + (v, v) + c(1) + c->*1 == 6 ? 0 : 1; }
""")
shell("g++ -O0 $(fc-config --cflags-libs) -o operators operators.cc && ./operators")
SPACE = "(anonymous namespace)::"
for listed, expected in (("operator<,operator<<,main", ["operator<", "operator<<", "main"]),
                         ("operator,,operator()", ["operator,"]),
                         ("main,Call::operator->*,Call::operator()",
                          ["main", "Call::operator->*", "Call::operator()"])):
    words = listed.replace("operator", SPACE + "operator") if "Call" not in listed else \
        listed.replace("Call", SPACE + "Call")
    for style in ("plain", "params"):
        found = [row[-1].split("(V")[0].split("(int")[0] for row in
                 rows(run("--classic", "--names=full", "functioncheck.fc", "--only=" + words,
                          *(["--demangle=params"] if style == "params" else [])).out, "Flat profile")]
        equal(sorted(found), sorted(name if name == "main" else SPACE + name for name in expected),
              f"{listed} ({style})")

# Without lines the module is what is left, and where that is the same too, the place in it.
shell("gcc -g0 -shared -fPIC $(fc-config --cflags-libs) -o libthird.so third.c && "
      "gcc -g0 $(fc-config --cflags-libs) -o modules main.c other.c -L. -lthird -Wl,-rpath,. && "
      "./modules")
found = shown("functioncheck.fc")
equal([name.split("+")[0] for name in found],
      ["main", "other", "third", "usage [libthird.so]", "usage [modules] [", "usage [modules] ["],
      "modules")
symbols = subprocess.run(["nm", "modules"], check=True, capture_output=True, text=True).stdout
equal(sorted(name.split("+0x")[1].rstrip("]") for name in found if "+" in name),
      sorted(line.split()[0].lstrip("0") for line in symbols.splitlines()
             if line.endswith(" usage")), "places in a module")

# A build folder's way back to its sources is not shown.
os.mkdir("build")
shell("cd build && gcc -g -O0 $(fc-config --cflags-libs) -o ../up $PWD/../main.c $PWD/../other.c $PWD/../third.c"
      " && cd .. && ./up")
text = classic("functioncheck.fc", "--details", "--only=other")
contains(text, f"other  {os.path.realpath('other.c')}:2", "a whole path")
