#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that libfc is not written for are refused, by `meson setup` before it asks for a library and by the
compiler: none of its parts takes another machine for one that it knows.  So is a C library that is not GNU's."""

import os
import subprocess
import sys
import tempfile

ROOT = os.environ["FC_SOURCE_ROOT"]
CROSS = """
[binaries]
c = 'gcc'
pkgconfig = 'false'
[built-in options]
c_args = [{flags}]
[properties]
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '{family}'
cpu = '{family}'
endian = '{endian}'
"""
MACHINES = [("riscv64", "little", ""), ("aarch64", "big", "")]
if os.uname().machine == "x86_64":
    MACHINES.append(("x86_64", "little", "'-m32'"))
# What the compiler says of itself on these machines.
COMPILERS = {"riscv64": ["-U__x86_64__", "-U__aarch64__", "-D__riscv"], "32 bits": ["-U__LP64__"],
             "big-endian arm64": ["-U__x86_64__", "-D__aarch64__", "-D__AARCH64EB__"]}


def said(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (family, endian, flags) in enumerate(MACHINES):
            with open(f"{folder}/cross.ini", "w", encoding="utf-8") as stream:
                stream.write(CROSS.format(family=family, endian=endian, flags=flags))
            status, text = said(["meson", "setup", "--cross-file", f"{folder}/cross.ini", f"{folder}/{number}"])
            if status == 0 or "FunctionCheck is for x86-64 and arm64" not in text or "glib" in text:
                failures += 1
                print(f"meson setup for {family} {endian} {flags}: status {status}\n{text}")
        # as musl's, its header says nothing of glibc
        os.mkdir(f"{folder}/other-libc")
        with open(f"{folder}/other-libc/features.h", "w", encoding="utf-8") as stream:
            stream.write("#include_next <features.h>\n#undef __GLIBC__\n")
        status, text = said(["meson", "setup", f"-Dc_args=-I{folder}/other-libc", f"{folder}/libc"])
        if status == 0 or "FunctionCheck needs the GNU C library" not in text or "glib-2.0" in text:
            failures += 1
            print(f"meson setup with another C library: status {status}\n{text}")
    for machine, flags in COMPILERS.items():
        status, text = said(["gcc", *flags, "-E", "-I.", "libfc/base/sys.h", "-o", "/dev/null"])
        if status == 0 or "libfc is written for x86-64 and arm64" not in text:
            failures += 1
            print(f"gcc for {machine}: status {status}\n{text}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
