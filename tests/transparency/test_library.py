#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What libfc.so brings into a process: the names it exports, the libraries it needs."""

import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402


# Every name that libfc looks for elsewhere, and why it is safe though the program may define it.
# What libfc needs of the C library besides, libfc/base/libc.c takes from the library itself.
IMPORTS = {
    "environ": "data, and meant to be the program's",
    "__libc_stack_end": "data of the loader; read only",
    "_r_debug": "data, made by the loader for debuggers; read only",
    "__libc_single_threaded": "data; read only",
    "__rseq_offset": "data; read only, weak",
    "__rseq_size": "likewise",
    "malloc": "own_new() in interpose-cxx.c stands in for an operator of the program, which calls it",
    "free": "likewise, in an operator delete",
    "posix_memalign": "likewise",
    "_ZSt15get_new_handlerv": "likewise; weak",
    "__cxa_allocate_exception": "likewise, to throw std::bad_alloc; weak",
    "__cxa_throw": "likewise; weak",
    "_ZTISt9bad_alloc": "likewise, data; weak",
    "_ZTVSt9bad_alloc": "likewise, data; weak",
    "_ZNSt9bad_allocD1Ev": "likewise; weak",
    "__cxa_finalize": "of the compiler's start files, which every library has; weak",
    "__gmon_start__": "likewise; weak",
    "_ITM_registerTMCloneTable": "likewise; weak",
    "_ITM_deregisterTMCloneTable": "likewise; weak",
}

HOOKS = {"__cyg_profile_func_enter", "__cyg_profile_func_exit",
         # of the hooks that are linked into modules
         "__functioncheck_enter", "__functioncheck_exit", "__functioncheck_refill",
         "__functioncheck_hooks_4",
         # what include/fc.h calls
         "__functioncheck_label", "__functioncheck_pause", "__functioncheck_snapshot",
         "__functioncheck_record_entry_4", "__functioncheck_record_exit_4"}
if MACHINE == "x86_64":
    HOOKS |= {"__fentry__", "__return__", "__functioncheck_fentry", "__functioncheck_fentry_refill",
              "__functioncheck_return", "__functioncheck_entries"}


def documented():
    """The names that the manual's section on the functions that libfc interposes gives."""
    with open(os.path.join(fctest.SOURCE_ROOT, "doc", "inside.texi"), encoding="utf-8") as file:
        text = file.read()
    section = text[text.index("@node Interposed Functions"):text.index("@node Limits")]
    names = set(re.findall(r"@code\{(\w+)\}", section))
    return names | HOOKS


def is_operator(name):
    return re.match(r"_Z(n|d)(w|a|l)", name) is not None


class Library(fctest.Case):
    def libraries(self):
        found = glob.glob(os.path.join(fctest.PREFIX, "**", "libfc.so.4"), recursive=True)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def output(self, *words):
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def test_exports(self):
        text = self.output("nm", "-D", "--defined-only", self.libraries())
        names = [line.split()[-1].split("@")[0] for line in text.splitlines()
                 if " A " not in line]  # the version's own name
        self.assertLessEqual(HOOKS, set(names))
        self.assertEqual(sorted({name for name in names if not is_operator(name)}),
                         sorted(documented()))

    def test_imports(self):
        """The relocations tell, not the undefined symbols alone: what libfc exports itself it
        finds in the program, too, if that defines it."""
        names = set()
        for line in self.output("readelf", "-rW", self.libraries()).splitlines():
            words = line.split()
            if len(words) >= 5 and re.match(r"R_\w+$", words[2]):
                names.add(words[4].split("@")[0])
        self.assertEqual(sorted(names), sorted(IMPORTS))

    def test_needs(self):
        names = fctest.needed(self.libraries())
        self.assertIn("libc.so.6", names)
        self.assertEqual([name for name in names
                          if not re.match(r"libc\.so|ld-linux|libunwind", name)], [])

    def test_no_executable_stack_nor_text_relocation(self):
        text = self.output("readelf", "-dlW", self.libraries())
        self.assertNotIn("TEXTREL", text)
        self.assertRegex(text, r"GNU_STACK.* RW ")

    def test_soname_is_versioned(self):
        text = self.output("readelf", "-dW", self.libraries())
        self.assertRegex(text, r"SONAME.*\[libfc\.so\.\d+\]")


if __name__ == "__main__":
    fctest.main()
