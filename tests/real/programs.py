# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds real programs from their source packages, plain and with the flags of fc-config: at -O2 what
benchmarks run, too, the others at -O1, which takes two thirds of the compiler's time.

Used by the tests of this folder and by the benchmarks.  What several tests want is built once
for a build folder and copied.  Nothing is written outside of the folder that is asked for, but
that and what sources.py keeps.
"""

import fcntl
import functools
import glob
import hashlib
import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fctest  # noqa: E402
import sources  # noqa: E402

SOURCES = os.path.join(fctest.BUILD_ROOT, "sources")
BUILT = os.path.join(fctest.BUILD_ROOT, "built")
BZLIB = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib")


def source(package):
    return sources.source_folder(SOURCES, package)


def run(words, folder, what, **env):
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder,
                          env=fctest.plain_environment(**env))
    if done.returncode != 0:
        raise AssertionError(f"{what} does not build:\n{(done.stdout + done.stderr)[-3000:]}")


def profiling_flags(kind):
    """The `kind` is plain, reference (a plain one that is there for what it prints, and therefore
    compiled in half the time), profiled, after-inlining, gprof, or coverage, which counts for gcov: only what
    is left after early inlining, therefore without any.  With "-g" behind it there is debug
    information as well."""
    if kind.endswith("-g"):
        return [*profiling_flags(kind.removesuffix("-g")), "-g"]
    return {"plain": [], "reference": ["-Og"], "profiled": fctest.fc_config("--cflags-libs", "--every-function"),
            "after-inlining": fctest.fc_config("--cflags-libs", "--after-inlining"),
            "gprof": ["-pg"], "coverage": ["-O0", "--coverage"]}[kind]


def made_from(*inputs):
    """A word for what is built of these by this file, what the flags name, and the hooks that are linked."""
    digest = hashlib.sha256(repr(inputs).encode())
    specs = [word.removeprefix("-specs=") for kind in ("profiled", "after-inlining")
             for word in profiling_flags(kind) if word.startswith("-specs=")]
    hooks = glob.glob(os.path.join(fctest.PREFIX, "lib*", "**", "functioncheck", "*.[os]"), recursive=True)
    for path in (__file__, *specs, *sorted(hooks)):
        with open(path, "rb") as stream:
            digest.update(stream.read())
    for compiler in filter(shutil.which, ("gcc", "clang")):
        digest.update(subprocess.run([compiler, "--version"], check=True, capture_output=True).stdout)
    return digest.hexdigest()[:16]


def build_once(name, kind, build):
    """What build(folder) makes there, and the path that it gives, in a folder that is kept.
    Several tests may ask at a time: the first builds."""
    folder = os.path.join(BUILT, f"{name}-{kind}-{made_from(profiling_flags(kind))}")
    os.makedirs(BUILT, exist_ok=True)
    with open(folder + ".lock", "a+", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        made = lock.read()
        if not made:
            shutil.rmtree(folder, ignore_errors=True)
            made = build(folder)
            lock.write(made)
    return folder, made


def kept_folder(build):
    """For build(folder, kind), which gives a path in the folder: builds once, and copies."""
    @functools.wraps(build)
    def copy(folder, kind):
        kept, made = build_once(build.__name__, kind, lambda new: build(new, kind))
        shutil.copytree(kept, folder, symlinks=True)
        return os.path.join(folder, os.path.relpath(made, kept))
    return copy


def kept_file(build):
    """The same for build(output, kind), which gives its output.  What counts for gcov does so
    beside where it was built, and is not shared."""
    @functools.wraps(build)
    def copy(output, kind):
        if kind == "coverage":
            return build(output, kind)

        def build_in(folder):
            os.makedirs(folder)
            return build(os.path.join(folder, "program"), kind)
        _, made = build_once(build.__name__, kind, build_in)
        return shutil.copy(made, output)
    return copy


def compile_all(files, flags, output, kind, compiler="gcc", optimized="-O2"):
    """All of the source files at once.  Here as elsewhere without debug information, which takes a
    fifth of the compiler's time and which nobody reads."""
    run([compiler, optimized, *flags, "-o", output, *files, *profiling_flags(kind), "-lm",
         "-ldl"], os.path.dirname(output), os.path.basename(output))
    return output


@kept_file
def build_lua(output, kind):
    # The interpreter hashes with a seed from the clock and the layout of memory, caches
    # strings by their address and sorts from a pivot by the clock: fixed here, or no
    # two runs make the same calls.
    flags = ["-std=gnu99", "-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN", "-DLUA_COMPAT_5_3",
             "-Dluai_makeseed(state)=20001u", "-DSTRCACHE_N=1", "-DSTRCACHE_M=1",
             "-Dl_randomizePivot()=0u", "-Wl,-E", "-w"]
    # The package's rules make this header: where this machine's C modules are, of
    # which there are none here.
    include = os.path.join(os.path.dirname(output), "include")
    os.makedirs(include, exist_ok=True)
    with open(os.path.join(include, "lua5.4-deb-multiarch.h"), "w", encoding="utf-8") as stream:
        stream.write('#define DEB_HOST_MULTIARCH "none"\n')
    flags.append("-I" + include)
    folder = source("lua5.4")
    files = sorted(set(glob.glob(folder + "/src/*.c")) - {folder + "/src/luac.c"})
    return compile_all(files, flags, output, kind)


def compile_bzip2(output, kind, compiler):
    folder = source("bzip2")
    return compile_all([f"{folder}/{name}.c" for name in (*BZLIB, "bzip2")],
                       ["-D_FILE_OFFSET_BITS=64", "-w"], output, kind, compiler)


@kept_file
def build_bzip2(output, kind):
    return compile_bzip2(output, kind, "gcc")


@kept_file
def build_bzip2_by_clang(output, kind):
    return compile_bzip2(output, kind, "clang")


@kept_file
def build_pbzip2(output, kind):
    """With the library of bzip2's package within, so that it is profiled as well."""
    library = source("bzip2")
    folder = source("pbzip2")
    objects = output + ".d"
    os.makedirs(objects)
    run(["gcc", "-O1", "-w", "-D_FILE_OFFSET_BITS=64", *profiling_flags(kind), "-c",
         *(f"{library}/{name}.c" for name in BZLIB)], objects, "bzip2's library")
    return compile_all(sorted(glob.glob(folder + "/*.cpp")) + sorted(glob.glob(objects + "/*.o")),
                       ["-pthread", "-D_POSIX_PTHREAD_SEMANTICS", "-D_LARGEFILE64_SOURCE",
                        "-D_FILE_OFFSET_BITS=64", "-DUSE_STACKSIZE_CUSTOMIZATION", "-w",
                        "-I" + library], output, kind, compiler="g++", optimized="-O1")


def configure(folder, options):
    """In `folder`, a copy of the source, without the profiler's flags: these are for the program's
    own files, not for what configure tries.  One configuration will do for all kinds, then.  By the
    system's shell, or configure would look for bash, which takes longer."""
    run(["./configure", "CFLAGS=-O0 -w", "--disable-dependency-tracking", *options], folder,
        "configuration of " + folder, CONFIG_SHELL="/bin/sh")
    return folder


def make(folder, kind, program):
    flags = profiling_flags(kind)
    run(["make", "-j2", f"CFLAGS=-O1 -w {shlex.join(flags)}"], folder, program)
    return os.path.join(folder, program)


def copy_source(package, folder):
    shutil.copytree(source(package), folder, symlinks=True)
    return folder


def copy_as_released(package, folder):
    """With nothing that is older than what it was made from, as a package's patches leave it: the
    maintainer's tools that made it are not asked for."""
    copy_source(package, folder)
    for path in glob.glob(folder + "/**", recursive=True):
        os.utime(path, (0, 0))
    return folder


@kept_folder
def build_tcc(folder, kind):
    """From its one source file that includes all others, in `folder`, a copy of the source."""
    copy_source("tcc", folder)
    run(["./configure", "--cc=gcc"], folder, "configuration of tcc")
    return compile_all(["tcc.c"], ["-DONE_SOURCE=1", "-I.", "-w"], os.path.join(folder, "tcc"),
                       kind)


@kept_folder
def prepare_dash(folder, _kind):
    """The package patches Makefile.am and configure.ac, which are newer then than what was made
    of them: make would call for the maintainer's tools and configure anew in the midst of a
    parallel build, whose lines mix with the "checking ..." of that."""
    copy_source("dash", folder)
    run(["autoreconf", "-fi"], folder, "configure")
    return folder


@kept_folder
def configure_dash(folder, _kind):
    """As the package's rules do."""
    prepare_dash(folder, "plain")
    return configure(folder, ["--disable-fnmatch", "--disable-lineno", "--disable-glob"])


@kept_folder
def build_dash(folder, kind):
    configure_dash(folder, "plain")
    return make(folder, kind, "src/dash")


@kept_folder
def configure_make(folder, _kind):
    """The package has the repository's state: without a configure script, nor the translations
    that gettext's tools would bring."""
    copy_source("make-dfsg", folder)
    with open(os.path.join(folder, "build-aux", "config.rpath"), "w", encoding="utf-8"):
        pass
    run(["autoreconf", "-fi"], folder, "configure", AUTOPOINT="true")
    return configure(folder, ["--disable-nls", "--without-guile", "ac_cv_lib_util_getloadavg=no"])


@kept_folder
def build_make(folder, kind):
    configure_make(folder, "plain")
    return make(folder, kind, "make")


# ---- Without copies, for who writes nothing beside them ------------------------------------


def build_gawk(folder, kind, optimized="-O1"):
    copy_as_released("gawk", folder)
    configure(folder, ["--disable-nls", "--disable-mpfr", "--without-readline",
                       "--disable-extensions"])
    run(["make", "-C", "support", f"CFLAGS={optimized} -w"], folder, "gawk's support")
    run(["make", "-j2", "gawk", f"CFLAGS={optimized} -w {shlex.join(profiling_flags(kind))}"], folder,
        "gawk")
    return os.path.join(folder, "gawk")


def build_ninja(folder, kind, optimized="-O1"):
    """Most of it in one translation unit, as reading its headers is most of the work."""
    os.makedirs(folder)
    source_folder = os.path.join(source("ninja-build"), "src")
    others = ("test", "win32", "perftest", "minidump", "getopt", "msvc", "browse", ".in.cc",
              "hash_collision")
    files = [path for path in sorted(glob.glob(source_folder + "/*.cc"))
             if not any(word in os.path.basename(path) for word in others)]
    alone = os.path.join(source_folder, "deps_log.cc")  # its names are build_log's, too
    with open(os.path.join(folder, "all.cc"), "w", encoding="utf-8") as stream:
        stream.writelines(f'#include "{path}"\n' for path in files if path != alone)
    run(["g++", optimized, "-w", "-iquote", source_folder, "-o", "ninja", "all.cc", alone,
         *profiling_flags(kind)], folder, "ninja")
    return os.path.join(folder, "ninja")


def build_gawk_fast(folder, kind):
    """For who wants it built, and not what benchmarks run: half of the compiler's time."""
    return build_gawk(folder, kind, "-O0")


def build_ninja_fast(folder, kind):
    return build_ninja(folder, kind, "-O0")


def build_ninja_at_o2(folder, kind):
    """For what depends on what the compiler inlines."""
    return build_ninja(folder, kind, "-O2")


def build_redis(folder, _kind):
    copy_source("redis", folder)
    run(["make", "-j2", "-C", "src", "MALLOC=libc", "redis-server",
         "CFLAGS=-O2 -g -w " + shlex.join(fctest.fc_config("--cflags")),
         "LDFLAGS=" + shlex.join(fctest.fc_config("--libs"))], folder, "redis")
    return os.path.join(folder, "src", "redis-server")


def build_cppcheck(folder, _kind):
    copy_source("cppcheck", folder)
    run(["make", "-j2", "cppcheck",
         "CXXFLAGS=-O2 -g -w " + shlex.join(fctest.fc_config("--cflags")),
         "LDFLAGS=-pthread " + shlex.join(fctest.fc_config("--libs"))], folder, "cppcheck")
    return os.path.join(folder, "cppcheck")


def built(build, kind="profiled"):
    """The path of the program, built once."""
    return build_once(build.__name__, kind, lambda folder: build(folder, kind))[1]
