#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A package of the autotools whose makefiles put LIBS through libtool and sed, xz, is built with
the very line that README.md has for such packages, but for -O0 in place of -O2 -g, which takes half of the
compiler's time.  What it then packs, the system's xz unpacks.  Over half a minute, and two
minutes beside other tests: 30 s of processor time, half of it for configure and half for make of xz, once for each
compiler, as what is shown is that both get through them.  libtool and configure are bash's once, which
configure looks for, and once those of /bin/sh, which take a quarter of the time less.
"""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from real import TRANSPORTS, RealProgram, fcprofile, fctest, main  # noqa: E402
from programs import copy_as_released, run  # noqa: E402

SMALL = (" --disable-nls --disable-doc --disable-scripts --disable-static --disable-xzdec"
         " --disable-lzmadec --disable-lzmainfo --disable-microlzma --disable-lzip-decoder"
         " --enable-encoders=lzma1,lzma2 --enable-decoders=lzma1,lzma2 --enable-match-finders=bt4"
         " --enable-checks=crc32,crc64 --disable-dependency-tracking")


def readme_line(has_libs):
    """What README.md says of the autotools, for the shell: with LIBS, or with CFLAGS alone."""
    with open(os.path.join(fctest.SOURCE_ROOT, "README.md"), encoding="utf-8") as stream:
        lines = re.findall(r"^    (\./configure .*)$", stream.read(), re.MULTILINE)
    line, = [line for line in lines if ("LIBS=" in line) == has_libs]
    start = './configure CFLAGS="-O2 -g '
    assert line.startswith(start), line
    return './configure CFLAGS="-O0 ' + line.removeprefix(start)


class Flags(RealProgram):
    def test_gcc(self):
        self.check_readme("gcc", False)

    def test_clang(self):
        self.check_readme("clang", True, CONFIG_SHELL="/bin/sh")

    def check_readme(self, compiler, has_libs, **shell):
        folder = copy_as_released("xz-utils", self.path("source"))
        run(["sh", "-c", readme_line(has_libs) + SMALL + " CC=" + compiler], folder, "configuration of xz",
            PATH=f"{fctest.BINDIR}:{os.environ['PATH']}", FC_QUIET=1, **shell)
        run(["make", "-j2"], folder, "xz", FC_QUIET=1)
        # libtool hands LIBS on to the library, of CFLAGS what it knows
        built = "src/liblzma/.libs/liblzma.so.?" if has_libs else "src/xz/.libs/xz"
        needed = self.command(["readelf", "-dW", *glob.glob(os.path.join(folder, built))])
        self.assertIn("[libfc.so.4]", needed)
        text = self.write_text("text", 150000)
        for transport in TRANSPORTS:
            done = self.run_quiet([os.path.join(folder, "src/xz/xz"), "-6", "-k", "-c", text],
                                  env={"FC_TRANSPORT": transport})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            with open(self.path("text.xz"), "wb") as stream:
                stream.write(done.stdout)
            with open(text, encoding="utf-8") as stream:
                self.assertTrue(self.command(["xz", "-dc", "text.xz"]) == stream.read())
            profile = fcprofile.load(self.path("functioncheck.fc"))
            self.check_times(profile)
            calls = {function.name: function.calls for function in profile.functions}
            self.assertEqual(calls["main"], 1)
            self.assertGreater(calls["lzma_code"], 10)
            self.assertEqual({os.path.basename(function.module).split(".")[0]
                              for function in profile.functions}, {"xz", "liblzma"})


if __name__ == "__main__":
    main("xz-utils")
