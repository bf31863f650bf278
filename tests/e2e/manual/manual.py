#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual and man pages tell of what the programs themselves say they have: each
variable with its default, each option, each tool; and of nothing else."""

import json
import os
import re
import subprocess
import tempfile
import time
import unittest

DOC = os.path.join(os.environ["FC_SOURCE_ROOT"], "doc")
BINDIR = os.environ["FC_BINDIR"]
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("FC_", "LD_", "MALLOC_"))}
ENVIRONMENT["PATH"] = BINDIR + ":" + os.environ["PATH"]


def chapter(name):
    with open(os.path.join(DOC, name), encoding="utf-8") as file:
        return file.read()


def output(command, **more):
    done = subprocess.run(command, shell=True, env=dict(ENVIRONMENT, **more), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    return done.stdout + done.stderr


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def members(value):
    """The names of all members of all objects in `value`."""
    if isinstance(value, list):
        return set().union(*map(members, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*map(members, value.values()))


class Manual(unittest.TestCase):
    def test_variables(self):
        with tempfile.TemporaryDirectory(prefix="fc-manual-") as folder:
            program = os.path.join(folder, "program")
            output("echo 'int main(void) { return 9; }' >%s.c &&"
                   " gcc $(fc-config --cflags-libs) %s.c -o %s" % (program, program, program))
            rows = re.findall(r"^  (FC_\w+) +(.*)$", output(program, FC_HELP="1"), re.MULTILINE)
        self.assertGreater(len(rows), 10)
        text = chapter("running.texi")
        self.assertEqual({name for name, _ in rows}, set(re.findall(r"@vindex (FC_\w+)", text)))
        items = re.split(r"(?m)^@item (?=FC_)", text)
        for name, says in rows:
            default = re.search(r"\((\w+)\)$", says)
            if default:
                item = [i for i in items if "@vindex %s\n" % name in i][0]
                self.assertIn(default.group(1), item, name)

    def test_options(self):
        for tool, name in (("fc-config", "compiling.texi"), ("fcdump", "fcdump.texi"),
                           ("fcgprof", "fcgprof.texi")):
            known = options_of(output(tool + " --help"))
            told = options_of(chapter(name))
            if "--no-@var{report}" in chapter(name):
                told |= {"--no-" + option[2:] for option in told}
            self.assertGreater(len(known), 5)
            self.assertEqual(known - told, set(), "%s: not in %s" % (tool, name))

    def test_json(self):
        """Every member of the objects that --json writes is in the manual, and every member
        that is there (but for those of memory and ranks, of which there may be none) is written."""
        with tempfile.TemporaryDirectory(prefix="fc-manual-") as folder:
            with open(os.path.join(folder, "p.c"), "w", encoding="ascii") as file:
                file.write("""#include <pthread.h>
                    #include <setjmp.h>
                    #include <signal.h>
                    #include <stdlib.h>
                    #include <unistd.h>
                    static int down(int n) { return n > 0 ? down(n - 1) : 0; }
                    static void *work(void *data) { *(int *)data = down(3); return malloc(100); }
                    static jmp_buf place;
                    static int leave(int n) { if (n == 0) longjmp(place, 1); return leave(n - 1); }
                    int main(void)
                    {
                        int result;
                        if (setjmp(place) == 0)
                            leave(5);
                        down(1); /* from here it is seen that leave() is gone */
                        pthread_t thread;
                        pthread_create(&thread, NULL, work, &result);
                        pthread_join(thread, NULL);
                        return raise(SIGTERM);
                    }""")
            output("cd %s && gcc -g -pthread $(fc-config --cflags-libs) p.c -o p && ./p" % folder,
                   FC_MEMORY="1", FC_LATENCY="1", FC_TRACE="100", FC_SLOWEST="2", FC_QUIET="1",
                   PMI_RANK="0", FC_DUMP_NAME="functioncheck")
            profile = os.path.join(folder, "functioncheck.fc")
            end = time.monotonic() + 200
            while not os.path.exists(profile) and time.monotonic() < end:  # the program was killed and could not wait
                time.sleep(0.1)
            written = members(json.loads(output("fcdump --json --suggest-filter " + profile)))
        self.assertGreater(len(written), 50)
        section = chapter("formats.texi").split("@node Members of the JSON\n")[1].split("@node ")[0]
        heap = chapter("memory.texi").split("@node Memory in JSON\n")[1].split("@node ")[0]
        told = set(re.findall(r"@code\{([a-z0-9_]+)\}", section + heap))
        for item in re.findall(r"^@itemx? ([a-z_, ]+)$", section + heap, re.MULTILINE):
            told |= set(item.split(", "))
        self.assertEqual(written - told, set(), "not in the manual")
        elsewhere = re.sub(r"(?s)^@item (?:memory|mpi|ranks).*?(?=^@item |^@end table)", "", section,
                           flags=re.MULTILINE)
        elsewhere += re.sub(r"(?s)^@item bad_frees.*?(?=^@item |^@end table)", "", heap,
                            flags=re.MULTILINE)
        told = set(re.findall(r"@code\{([a-z0-9_]+)\}", elsewhere)) - {"null", "true", "false"}
        self.assertEqual(told - written, set(), "not in the output")

    def test_tests(self):
        """The tests that the manual names for its claims are there, and whatever it says of trust
        has one."""
        with open(os.path.join(os.environ["FC_BUILD_ROOT"], "meson-info/intro-tests.json"), encoding="utf-8") as file:
            known = {test["name"] for test in json.load(file)}
        # those are in the build with the sanitizers alone
        known |= {name.removesuffix(".c") for name in
                  os.listdir(os.path.join(os.environ["FC_SOURCE_ROOT"], "tests/fuzz")) if name.startswith("fuzz_")}
        for node in ("Trust", "Former Limits", "Namespaces"):
            section = re.split(r"@node %s\n" % node, chapter("inside.texi"))[1].split("@node ")[0]
            named = {name for group in re.findall(r"\((?:tests )?((?:@samp\{[\w/-]+\}[,\s]*)+)\)", section)
                     for name in re.findall(r"\{(.*?)\}", group)}
            self.assertTrue(named, node)
            self.assertEqual(named - known, set(), node)
            if node == "Trust":
                for item in section.split("@end table")[0].split("@item ")[1:]:
                    self.assertRegex(item, r"\(@samp\{[\w/-]+\}", item.splitlines()[0])

    def test_suppressions(self):
        with open(os.path.join(DOC, "..", "model", "suppress.c"), encoding="utf-8") as file:
            built_in = re.findall(r'^    "([a-z]+:.*)",$', file.read(), re.MULTILINE)
        self.assertGreater(len(built_in), 10)
        told = chapter("memory.texi").split("@node Suppressions\n")[1].split("@node ")[0]
        told = told.split("The rules are:")[1].split("@example\n")[1].split("@end example")[0]
        self.assertEqual(told.split(), built_in)

    def test_man_pages(self):
        """Each tool has one, which man reads without complaint, with all options and, where the
        variables are told, all of them."""
        told = ""
        for tool in sorted(os.listdir(BINDIR)):
            page = os.path.join(os.environ["FC_PREFIX"], "share/man/man1", tool + ".1")
            said = output("man --warnings -l %s 2>&1 >/dev/null" % page, MANROFFSEQ="", MANWIDTH="80", LC_ALL="C.UTF-8")
            self.assertEqual(said, "", tool)
            text = output("man -l %s" % page, MANWIDTH="1000", LC_ALL="C.UTF-8", MAN_KEEP_FORMATTING="")
            text = text.replace("\u2010", "-")
            told = text if tool == "fcmanager" else told
            self.assertNotIn("@", text, tool)
            known = options_of(output(tool + " --help"))
            self.assertEqual(options_of(text) ^ known, set(), tool)
        with open(os.path.join(os.environ["FC_SOURCE_ROOT"], "libfc/base/variables.h"), encoding="utf-8") as file:
            rows = re.findall(r"ROW\((\w+),", file.read())
        self.assertGreater(len(rows), 20)
        self.assertEqual(re.findall(r"(?m)^ +FC_(\w+)(?:=\w+)?$", told), rows)

    def test_own_variables(self):
        """What the tools themselves read of the environment is on their man pages."""
        root = os.environ["FC_SOURCE_ROOT"]
        for tool in ("fcdump", "fcgprof", "fcrun"):
            page = chapter(tool + ".1.in")
            for name in sorted(os.listdir(os.path.join(root, tool))):
                if name.endswith(".c"):
                    with open(os.path.join(root, tool, name), encoding="utf-8") as file:
                        for variable in re.findall(r'getenv\("(\w+)"\)', file.read()):
                            if variable != "TERM":
                                self.assertIn(variable, page, tool)

    def test_info(self):
        """The installed manual, as info finds it."""
        path = os.path.join(os.environ["FC_PREFIX"], "share/info/libfc.info")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("START-INFO-DIR-ENTRY", text)
        for node in ("Running", "Variables", "Names of Profiles"):
            self.assertIn("Node: %s," % node, text)


unittest.main(verbosity=2)
