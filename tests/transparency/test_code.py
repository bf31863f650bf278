#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the code of a program relies on stays: a hundred million tail calls on a small stack, naked functions, code
without vector registers, what is kept below the stack pointer."""

import resource
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

STACK_BYTES = 1 << 20
TAIL_CALLS = 100_000_000


class Code(fctest.Case):
    config = []
    built = 0

    def check(self, compiler, *flags, config=(), tail_calls=TAIL_CALLS):
        """Output and end are those of the plain program; the counts of what does not tail-call are right."""
        self.built += 1
        words = {"compiler": compiler, "output": f"plain-{self.built}"}
        plain = self.compile("machine.c", *flags, profiled=False, **words)
        words["output"] = f"profiled-{self.built}"
        program = self.compile("machine.c", *flags, config=config, **words)

        def with_small_stack():
            resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES))
        expected = self.run_quiet([plain, str(tail_calls)], preexec_fn=with_small_stack)
        self.assertEqual((expected.returncode, expected.stderr), (0, b""))
        done = self.run_quiet([program, str(tail_calls)], preexec_fn=with_small_stack)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected.stdout, b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        calls = {function.name: function.calls for function in profile.functions}
        self.assertEqual(calls["main"], 1)
        for name in ("below", "leaf"):
            self.assertEqual(calls[name], 20000)
        self.assertEqual(sum(calls[name] for name in ("add", "twist", "back")), tail_calls + 1)

    def test_tail_calls_of_gcc(self):
        if MACHINE != "x86_64":
            self.skipTest("gcc has hooks in every function here, which leave no tail calls")
        self.check("gcc", "-O2")

    def test_tail_calls_of_clang(self):
        if not shutil.which("clang"):
            self.skipTest("no clang here")
        self.check("clang", "-O2", "-DMUST", "-DLEFT_OUT")

    def test_other_code(self):
        """With hooks in every function, too, which leave gcc's tail calls no room: few of these."""
        flags = [["-O2"], ["-O1"], ["-O0"], ["-O3", "-fomit-frame-pointer"], ["-O2", "-fno-omit-frame-pointer"]]
        if MACHINE == "x86_64":
            flags += [["-O2", "-mgeneral-regs-only"], ["-O2", "-mred-zone"], ["-O2", "-mno-red-zone"], ["-O2", "-mgeneral-regs-only", "-fPIC"]]
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for words in flags:
                for config in ([], ["--every-function"]):
                    with self.subTest(compiler=compiler, flags=words, config=config):
                        # those hooks, and those of clang 16, are in naked functions, too: the manual says what helps
                        classic = compiler == "clang" or config or "-O0" in words or MACHINE != "x86_64"
                        self.check(compiler, *words, *(["-DLEFT_OUT"] if classic else []), config=config, tail_calls=1000)


if __name__ == "__main__":
    fctest.main()
