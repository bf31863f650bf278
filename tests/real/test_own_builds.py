#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs are built by their own build systems with CFLAGS="-O2 -g $(fc-config --cflags)" and nothing else, as README.md
says: mawk (autotools), jq and xz (with libtool), git (make), leveldb (CMake, C++).  They do their work, and every count is the oracle's.

Usage: test_own_builds.py [Mawk|Leveldb|Jq|Xz|Git]...; FCTEST_OFFLINE as in test_real.py.  Of processor time mawk takes 8 s and leveldb
25, which ./check runs; jq takes 40 s, xz 40 and git 150: these are run by hand.
"""

import glob
import json
import lzma
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from real import RealProgram, fcprofile, fctest, main  # noqa: E402
from programs import copy_as_released, run  # noqa: E402

AWK = """
function fold(n) { return n < 2 ? n : fold(n - 1) + fold(n - 2) }
BEGIN {
    for (i = 0; i < 30000; i++) { word = sprintf("w%d", i * 7919 % 1009); count[word]++; gsub(/[0-4]/, "x", word); seen[word] = i }
    for (each in count) sum += count[each]
    for (each in seen) kinds++
    print sum, kinds, fold(15), length(substr("functions", 3)), toupper("done")
}
"""
STORE = """
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include <cstdio>
#include <memory>
#include <string>
static std::string key(int i) { return "key" + std::to_string(i * 7919 % 20011); }
int main(int, char **words)
{
    leveldb::DB *opened;
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 1 << 18;
    if (!leveldb::DB::Open(options, words[1], &opened).ok()) return 1;
    std::unique_ptr<leveldb::DB> db(opened);
    for (int i = 0; i < 20011; i++)
        if (!db->Put(leveldb::WriteOptions(), key(i), "value " + std::to_string(i)).ok()) return 2;
    db->CompactRange(nullptr, nullptr);
    std::string value;
    for (int i = 0; i < 20011; i += 7)
        if (!db->Get(leveldb::ReadOptions(), key(i), &value).ok() || value != "value " + std::to_string(i)) return 3;
    int count = 0;
    std::unique_ptr<leveldb::Iterator> at(db->NewIterator(leveldb::ReadOptions()));
    for (at->SeekToFirst(); at->Valid(); at->Next()) count++;
    std::printf("%d\\n", count);
    return 0;
}
"""


class OwnBuild(RealProgram):
    config = []

    def build(self, package, *commands, names="CFLAGS"):
        """In a copy of the package's source, with that in the environment of each command, for a shell; the folder."""
        folder = copy_as_released(package, self.path("source"))
        flags = "-O2 -g -w " + self.command(["sh", "-c", f"'{fctest.tool('fc-config')}' --cflags"]).strip()
        for words in commands:
            run(["sh", "-ec", words], folder, package, FC_QUIET=1, **dict.fromkeys(names.split(), flags))
        return folder

    def check(self, program, *arguments, least_calls, has=(), is_threaded=False, libraries=""):
        """Runs it, with the libraries of that folder; its counts are the oracle's.  What it printed."""
        done = self.run_beside_oracle([program, *arguments], self.path("out"), env={"FC_DUMP_PATH": self.folder, "LD_LIBRARY_PATH": libraries})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        counted, = glob.glob(self.path("out.*"))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertGreater(self.assert_counts_equal(counted, profile), least_calls)
        if not is_threaded:
            self.check_times(profile)
        names = {function.name for function in profile.functions}
        self.assertLessEqual(set(has), names)
        for path in (counted, self.path("functioncheck.fc")):
            os.unlink(path)
        return done.stdout


class Mawk(OwnBuild):
    def test_autotools(self):
        folder = self.build("mawk", "./configure", "make -j2 mawk")
        said = self.check(os.path.join(folder, "mawk"), AWK, least_calls=100000, has=("main", "execute", "bi_sprintf"))
        kinds = {re.sub("[0-4]", "x", f"w{i * 7919 % 1009}") for i in range(30000)}
        self.assertEqual(said, b"30000 %d 610 7 DONE\n" % len(kinds))
        self.assertEqual(self.check(os.path.join(folder, "mawk"), "{ n += NF } END { print NR, n }", self.write_text("text", 200000), least_calls=1000),
                         self.command(["awk", "{ n += NF } END { print NR, n }", self.path("text")]).encode())


class Leveldb(OwnBuild):
    def test_cmake(self):
        store = self.write("store.cc", STORE)
        folder = self.build(
            "leveldb", "cmake -S . -B b -DCMAKE_BUILD_TYPE=Release -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF", "make -j2 -C b leveldb",
            f"g++ $CXXFLAGS -std=c++11 -Iinclude -o store '{store}' b/libleveldb.a -lpthread",
            names="CFLAGS CXXFLAGS")
        said = self.check(os.path.join(folder, "store"), self.path("base"), least_calls=100000, is_threaded=True)
        self.assertEqual(said, b"20011\n")


class Jq(OwnBuild):
    def test_libtool(self):
        folder = self.build("jq", "autoreconf -fi", "./configure --disable-docs --disable-maintainer-mode", "make src/builtin.inc", "make -j2")
        records = [{"name": f"n{i * 7919 % 1007}", "kind": i % 7} for i in range(3000)]
        self.write("records.json", json.dumps(records))
        said = self.check(os.path.join(folder, ".libs/jq"), "-c", "map(select(.kind > 2)) | group_by(.kind) | map({kind: .[0].kind, n: length})",
                          self.path("records.json"), least_calls=100000, has=("main", "jq_next"),
                          libraries=os.path.join(folder, ".libs"))
        self.assertEqual(json.loads(said), [{"kind": kind, "n": sum(each["kind"] == kind for each in records)} for kind in range(3, 7)])


class Xz(OwnBuild):
    def test_libtool(self):
        folder = self.build("xz-utils", "./configure --disable-nls --disable-doc --disable-scripts", "make -j2")
        text = self.write_text("text", 300000)
        packed = self.check(os.path.join(folder, "src/xz/.libs/xz"), "-6", "-k", "-c", text, least_calls=1000, has=("main", "lzma_code"),
                            libraries=os.path.join(folder, "src/liblzma/.libs"))
        with open(text, "rb") as stream:
            self.assertEqual(lzma.decompress(packed), stream.read())


class Git(OwnBuild):
    def test_make(self):
        without = " ".join(f"NO_{what}=1" for what in ("CURL", "EXPAT", "GETTEXT", "TCLTK", "PERL", "PYTHON"))
        folder = self.build("git", f"make -j2 {without} CFLAGS=\"$CFLAGS\" git")
        git = os.path.join(folder, "git")
        base = self.path("base")
        for words in (["init", "-q", base], ["-C", base, "config", "user.email", "a@example.org"], ["-C", base, "config", "user.name", "a"]):
            self.command([git, *words])
        for i in range(20):
            self.write(os.path.join(base, f"file{i % 5}"), f"{i}\n" * 50)
            self.command([git, "-C", base, "add", "."])
            self.command([git, "-C", base, "-c", "gc.auto=0", "commit", "-q", "-m", f"change {i}"])
        said = self.check(git, "-C", base, "log", "--stat", "--format=%s", least_calls=10000, has=("cmd_log",))
        self.assertEqual(re.findall(rb"^change (\d+)$", said, re.M), [b"%d" % i for i in reversed(range(20))])


PACKAGES = {"Mawk": "mawk", "Leveldb": "leveldb", "Jq": "jq", "Xz": "xz-utils", "Git": "git"}

if __name__ == "__main__":
    main(*(PACKAGES[name] for name in PACKAGES if name in sys.argv or len(sys.argv) == 1))
