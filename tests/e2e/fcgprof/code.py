#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that fcgprof -c finds in machine code, against objdump.

The code of what every system has (the C and C++ libraries, the compiler's own
driver, Python) is walked by both.  Arguments: the probe of code_probe.c.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402
import sanitized  # noqa: E402

PROBE = None
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)")
LIMIT = 4_000_000  # bytes of code of one file
LIMIT_SANITIZED = 300_000  # under the sanitizers, which look at memory and not at what is found


def output(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, env=fctest.plain_environment(),
                          timeout=fctest.TIMEOUT_S, **options).stdout


def section(path, name):
    """Address and bytes of a section."""
    for line in output("readelf", "-SW", path).decode().splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1] == name:
            address, offset, size = (int(field, 16) for field in fields[3:6])
            with open(path, "rb") as stream:
                stream.seek(offset)
                return address, stream.read(min(size, LIMIT_SANITIZED if sanitized.is_sanitized(PROBE) else LIMIT))
    raise AssertionError(f"{path} has no {name}")


def disassemble(tool, path, start, stop, *options):
    """(address, bytes, text) of what may be calls, one instruction in twenty."""
    text = output(tool, "-d", "--section=.text", f"--start-address={start:#x}",
                  f"--stop-address={stop:#x}", *options, path).decode("utf-8", "replace")
    for line in text.splitlines():
        match = INSTRUCTION.match(line) if "call" in line else None
        if match:
            yield int(match.group(1), 16), len(match.group(2).split()), match.group(3)


class X86(fctest.Case):
    def files(self):
        found = []
        for pattern in ("/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6",
                        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                        shutil.which("gcc"), shutil.which("python3")):
            found += glob.glob(pattern)[:1]
        return [path for path in found if os.path.getsize(os.path.realpath(path)) > 300_000]

    def probe(self, what, address, code):
        return output(PROBE, what, f"{address:x}", input=code).decode().splitlines()

    def listed(self, path, start, stop):
        return list(disassemble("objdump", path, start, stop, "-w", "--insn-width=16"))

    def listed_calls(self, path, address, code):
        """(site, target) of the calls that objdump sees."""
        calls = set()
        for at, size, text in self.listed(path, address, address + len(code)):
            direct = re.search(r"\bcall\s+([0-9a-f]+)\b", text)
            pointer = re.search(r"\bcall\s+\*\S+\(%rip\)\s+# ([0-9a-f]+)", text)
            if direct:
                calls.add((at + size, direct.group(1)))
            elif pointer:
                calls.add((at + size, "*" + pointer.group(1)))
        self.assertGreater(len(calls), 50, path)
        return calls

    def probed_calls(self, address, code):
        return {(int(line.split()[0], 16), line.split()[1])
                for line in self.probe("x86-64", address, code)}

    def test_all_calls(self):
        self.assertGreater(len(self.files()), 2)
        for path in self.files():
            address, code = section(path, ".text")
            missing = self.listed_calls(path, address, code) - self.probed_calls(address, code)
            # objdump itself loses the thread where data lies between functions
            self.assertLess(len(missing), len(code) / 200000 + 1, f"{path}: {sorted(missing)[:20]}")

    def test_only_calls(self):
        # Bytes within other instructions look like calls as well.  What counts is that next to none of
        # them leads to where a function begins: which bytes there are is up to the compiler.
        for name in ("fcgprof", "fcdump", "fcmanager"):
            path = fctest.tool(name)
            address, code = section(path, ".text")
            starts = {line.split()[0].lstrip("0") for line in output("nm", path).decode().splitlines()
                      if line.split()[-2] in "tT"}
            theirs = {call for call in self.listed_calls(path, address, code) if call[1] in starts}
            ours = self.probed_calls(address, code)
            found = {call for call in ours if call[1] in starts}
            self.assertEqual(theirs - found, set())
            self.assertLess(len(found - theirs), len(code) / 200000 + 1, f"{path}: {sorted(found - theirs)}")
            self.assertGreater(len(ours), len(theirs))

    def test_anything_goes(self):
        # Every byte in every place, also cut short: no crash, no hang.
        code = bytes((i * 7 + i // 251) & 255 for i in range(300_000))
        self.assertTrue(self.probe("x86-64", 0, code))
        for size in range(0, 16):
            self.probe("x86-64", 0, bytes(range(0xe0, 0xe0 + size)))
            self.probe("x86-64", 0, (b"\xff\x15" * 8)[:size])
            self.probe("aarch64", 0, b"\x94" * size)


class AArch64(fctest.Case):
    def test_calls(self):
        # bl forward, backward, to itself; b, blr and ret are no calls that are known
        words = [0x94000002, 0xd503201f, 0x97ffffff, 0x94000000, 0x14000001, 0xd63f0000, 0xd65f03c0]
        code = b"".join(word.to_bytes(4, "little") for word in words)
        self.assertEqual(output(PROBE, "aarch64", "1000", input=code).decode().splitlines(),
                         ["1004 1008", "100c 1004", "1010 100c"])

    def test_compiled(self):
        source = self.write("calls.c", """
            __attribute__((noinline)) static int one(int n) { return n * 3 + 1; }
            __attribute__((noinline)) static int two(int n) { return one(n) + one(n - 1); }
            int three(int n) { return two(n) - one(n); }
            """)
        objdump = next((tool for tool in ("llvm-objdump", "llvm-objdump-14")
                        if shutil.which(tool)), None)
        done = subprocess.run(["clang", "--target=aarch64-linux-gnu", "-O1", "-c", source, "-o",
                               self.path("calls.o")], capture_output=True,
                              env=fctest.plain_environment())
        if done.returncode != 0 or not objdump:
            self.skipTest("no compiler or disassembler for AArch64")
        address, code = section(self.path("calls.o"), ".text")
        text = output(objdump, "-d", self.path("calls.o")).decode()
        theirs = [(int(at, 16) + 4, int(target, 16)) for at, target in re.findall(
            r"^\s*([0-9a-f]+):.*\tbl\t0x([0-9a-f]+)", text, re.M)]
        ours = [tuple(int(word, 16) for word in line.split())
                for line in output(PROBE, "aarch64", f"{address:x}", input=code).decode()
                .splitlines()]
        self.assertEqual(ours, theirs)
        self.assertEqual(len(ours), 4)


if __name__ == "__main__":
    PROBE = os.path.abspath(sys.argv.pop(1))
    fctest.main()
