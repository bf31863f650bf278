#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user of libfc sees and sets: messages, variables, the resource file and
the names of the profiles."""

import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402


class Messages(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("nesting.c")

    def stderr(self, **env):
        done = self.run_told([self.program], env=env)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        return done.stderr.decode()

    def setting(self, label, text):
        """The value that the banner shows for `label`."""
        found = re.findall(rf"^FCheck: +{re.escape(label)} : (.*)$", text, re.M)
        self.assertEqual(len(found), 1, f"no line for '{label}' in:\n{text}")
        return found[0]

    def profiles(self, pattern="*.fc*"):
        return sorted(os.path.relpath(path, self.folder) for path in
                      glob.glob(self.path("**", pattern), recursive=True))

    LAST = ["FCMng: communication pipe closed. end of profiled program.",
            "FCMng: Profile file is './/functioncheck.fc'", "FCMng: Profile manager: exit"]

    PLACE = r"profile: functioncheck\.fc$"

    def test_no_standard_error_at_the_end(self):
        """A program that closes it, or opens a file there: the first line told where the profile is, nothing comes into the file."""
        for at_the_end in ("fclose(stderr)", 'freopen("own", "w", stderr)', 'close(2); open("own", O_CREAT | O_WRONLY, 0600)'):
            program = self.compile(self.write("closing.c", f"""
                #include <fcntl.h>
                #include <stdio.h>
                #include <stdlib.h>
                #include <unistd.h>
                static void done(void) {{ fclose(stdout); {at_the_end}; }}
                int main(void) {{ atexit(done); return 0; }}
                """))
            done = self.run_target([program], env={"FC_VERBOSE": ""})
            self.assertRegex(done.stderr.decode().splitlines()[-1], r"^FCMng: Profile manager: running")
            if "own" in at_the_end:
                self.assertEqual(os.path.getsize(self.path("own")), 0)
            os.unlink(self.path("functioncheck.fc"))

    def test_misspelt(self):
        """A variable that is nearly one of ours is told, where notices are; others may have names with FC_, too."""
        env = {"FC_QUITE": "1", "FC_MEMROY": "1", "FC_TOOLCHAIN": "x", "FC_LATENCY": "", "FC_": "", "FC_" + "A" * 300: ""}
        text = "\n".join([*self.on_terminal(**env), ""])
        told = sorted(re.findall(r"FCheck: (\S+) is no variable of FunctionCheck; the nearest is (\S+)\r?\n", text))
        self.assertEqual(told, [("FC_MEMROY", "FC_MEMORY"), ("FC_QUITE", "FC_QUIET")])
        self.assertEqual(self.run_target([self.program], env=env).stderr, b"")

    def on_terminal(self, **env):
        """What comes to a terminal that is standard error."""
        ours, its = os.openpty()
        with open(ours, "rb", buffering=0) as reader, open(its, "wb", buffering=0) as writer:
            done = self.run_target([self.program], env=env, stderr=writer)
            self.assertEqual(done.returncode, 0)
            writer.write(b"end\n")
            text = b""
            while not text.endswith(b"end\r\n"):
                text += reader.read(4096)
        return text.decode().replace("\r\n", "\n").removesuffix("end\n").splitlines()

    def test_where_to(self):
        """Notices are for a terminal, for who asks and for a file: who reads a program's standard error finds it as
        it is without profiling."""
        [line] = self.on_terminal()
        self.assertRegex(line, r"^FCheck: FunctionCheck V\d+\.\d+\.\d+, " + self.PLACE)
        self.assertEqual(self.on_terminal(FC_VERBOSE="")[-3:], self.LAST)
        self.assertEqual(self.on_terminal(FC_QUIET=""), [])
        self.assertEqual(self.on_terminal(FC_LOG="log"), [])
        self.assertEqual(self.read("log"), line + "\n")
        for way in ("a pipe", "a file"):
            with open(self.path("said"), "wb") as said:
                options = {"stderr": said} if way == "a file" else {}
                done = self.run_target([self.program], env={"FC_STACK_SIZE": "bad"}, **options)
            self.assertEqual((done.returncode, done.stderr or b""), (0, b""))
            self.assertEqual(self.read("said"), "")
        done = self.run_target([self.program], env={"FC_VERBOSE": ""})
        self.assertEqual(done.stderr.decode().splitlines()[-3:], self.LAST)

    def test_log(self):
        """It is appended to, by all processes; with FC_QUIET it gets nothing, and where it can't be written it is as
        if it had not been named."""
        program = self.compile("wander.c")
        for folder in ("there", "out"):
            os.mkdir(self.path(folder))
        self.write("log", "mine\n")
        for count in (1, 2):
            self.assertEqual(self.run_target([program, self.path("there")], env={"FC_LOG": "log"}).stderr, b"")
            self.assertEqual(self.read("log").count(", profile: functioncheck.fc\n"), count)
        self.assertTrue(self.read("log").startswith("mine\nFCheck: FunctionCheck V"))
        self.assertEqual(os.listdir(self.path("there")), [])
        self.assertEqual(self.run_target([self.program], env={"FC_LOG": "new", "FC_QUIET": ""}).stderr, b"")
        self.assertEqual(self.read("new"), "")
        for bad in ("", "not/there", "out"):
            self.assertEqual(self.run_target([self.program], env={"FC_LOG": bad}).stderr, b"")
            self.assertIn(f"FCheck: FC_LOG: bad value '{bad}', using standard error", self.on_terminal(FC_LOG=bad))

    def test_log_of_a_resource_file(self):
        """It may lead to no file outside of the folder."""
        self.write("victim", "precious\n")
        os.mkdir(self.path("run"))
        os.symlink("../victim", self.path("run", "link"))
        for name in ("../victim", "link", self.path("victim")):
            self.write("run/.functioncheckrc", f"FC_LOG {name}\n")
            said = self.run_target([self.program], env={"FC_VERBOSE": ""}, cwd=self.path("run")).stderr.decode()
            self.assertIn("FC_LOG in ./.functioncheckrc is not used: it leads out of the folder", said)
            self.assertEqual(self.read("victim"), "precious\n")
        self.write("run/.functioncheckrc", "FC_LOG log\n")
        self.assertEqual(self.run_target([self.program], cwd=self.path("run")).stderr, b"")
        self.assertIn("FCheck: FunctionCheck V", self.read("run/log"))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return stream.read()

    def test_one_line(self):
        """The program is announced by one line, if nobody asks for more, and its end by none."""
        [line] = self.stderr().splitlines()
        self.assertRegex(line, r"^FCheck: FunctionCheck V\d+\.\d+\.\d+, " + self.PLACE)
        [line] = self.stderr(FC_DUMP_PATH=self.folder).splitlines()
        self.assertTrue(line.endswith(f", profile: {self.folder}/functioncheck.fc"), line)
        self.write(".functioncheckrc", "FC_STACK_SIZE 77\n")
        [line] = self.stderr().splitlines()
        self.assertRegex(line, r"^FCheck: FunctionCheck V[\d.]+ with \./\.functioncheckrc, " + self.PLACE)
        self.assertLess(len(line), 80, "it fits a terminal")

    def test_all_lines(self):
        """FC_DEBUG and FC_VERBOSE ask for the documented text; FC_QUIET wins."""
        talk = [line for line in self.stderr(FC_DEBUG="").splitlines()
                if not line.startswith("FCMng: debug: ")]
        verbose = self.stderr(FC_VERBOSE="0").splitlines()
        self.assertEqual([re.sub(r"\[\d+\]|o[nf]+$", "", line) for line in talk],
                         [re.sub(r"\[\d+\]|o[nf]+$", "", line) for line in verbose])
        self.assertEqual(self.stderr(FC_VERBOSE="", FC_QUIET=""), "")

    def test_threads_are_not_denied(self):
        """Where threads are recorded nobody says that there are none."""
        for env in ({}, {"FC_NO_FORK": ""}, {"FC_ALLOW_THREAD": ""}):
            self.assertNotIn("no threads", self.stderr(FC_VERBOSE="", **env))

    def test_banner(self):
        text = self.stderr(FC_VERBOSE="")
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^FCheck: Starting FunctionCheck V\d+\.\d+")
        self.assertEqual(lines[1], "FCheck: Profile parameters are:")
        shown = [
            ("functions table size", "512"), ("stack table size", "512"), ("graph size", "512"),
            ("buffer size", r"\d+"), ("time mode", "tsc|ext"),
            ("profiling mode", "forks allowed / threads in one profile"), ("debug mode", "off"),
            ("profiling memory", "off"), ("dump-file name", "functioncheck"),
            ("dump-file path", r"\./"), ("detail", "auto"), ("transport", r"shared|pipe"), ("contexts", "100000")]
        for label, value in shown:
            self.assertRegex(self.setting(label, text), rf"^(?:{value})$", label)
        for label in ("filter", "depth", "latency", "slowest calls", "trace records", "memory scan",
                      "older profiles kept"):
            self.assertNotIn(f" {label} : ", text)
        colons = {line.rindex(" : ") for line in lines[2:15]}
        self.assertEqual(len(colons), 1, "the values are not in one column:\n" + text)
        managers = re.findall(r"^FCMng: Profile manager: running \[\d+\]$", text, re.M)
        self.assertEqual(len(managers), 1, text)
        self.assertEqual(lines[-3:], self.LAST)
        self.assertTrue(all(re.match("FCheck: |FCMng: |FCheck:$", line) for line in lines), text)

    def test_quiet(self):
        for name in ("FC_QUIET", "FC_NO_VERBOSE"):
            for value in ("1", "", "0"):  # on when it exists, whatever its value
                self.assertEqual(self.stderr(**{name: value}), "")
        self.assertEqual(self.profiles(), ["functioncheck.fc"])

    def test_values_are_shown(self):
        text = self.stderr(FC_FUNCTION_SIZE="1", FC_STACK_SIZE="2", FC_GRAPH_SIZE="3",
                           FC_TIME_MODE="cpu", FC_ALLOW_THREAD="", FC_DEBUG="", FC_DUMP_NAME="x",
                           FC_BUFFER_SIZE="8192", FC_DUMP_PATH=self.folder)
        for label, value in (("functions table size", "1"), ("stack table size", "2"),
                             ("graph size", "3"), ("time mode", "cpu"), ("debug mode", "on"),
                             ("profiling mode", "no forks / threads allowed"),
                             ("buffer size", "8192"), ("dump-file name", "x"),
                             ("dump-file path", self.folder)):
            self.assertEqual(self.setting(label, text), value)
        text = self.stderr(FC_NO_FORK="", FC_VERBOSE="")
        self.assertEqual(self.setting("profiling mode", text), "no forks / threads in one profile")
        text = self.stderr(FC_VERBOSE="", FC_FILTER="!main", FC_DEPTH="3", FC_SLOWEST="4", FC_TRACE="5",
                           FC_KEEP="6", FC_LATENCY="", FC_MEMORY="", FC_MEMORY_SCAN="", FC_MEMORY_STACK="7",
                           FC_MEMORY_UNWIND="", FC_CONTEXTS="8", FC_TRANSPORT="pipe")
        for label, value in (("detail", "all"), ("filter", "!main"), ("depth", "3"), ("slowest calls", "4"),
                             ("trace records", "5"), ("older profiles kept", "6"), ("latency", "on"),
                             ("memory scan", "on"), ("memory stack", "7"), ("memory unwinding", "on"),
                             ("contexts", "8"), ("transport", "pipe")):
            self.assertEqual(self.setting(label, text), value)

    def test_modes_are_recorded(self):
        for number, mode in enumerate(("tsc", "ext", "cpu", "sys"), 1):
            self.stderr(FC_TIME_MODE=mode)
            with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
                lines = stream.read().splitlines()
            self.assertEqual(lines[0], "functioncheck_v3.0")
            self.assertEqual(lines[3], "2")
            if mode != "tsc":  # which is not to be had on every machine
                self.assertEqual(lines[2], str(number))
        self.stderr(FC_NO_FORK="1")
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            self.assertEqual(stream.read().splitlines()[3], "1")

    def test_bad_values(self):
        for name, bad, default in (
                ("FC_TIME_MODE", "sundial", "tsc"), ("FC_STACK_SIZE", "many", "512"),
                ("FC_FUNCTION_SIZE", "-3", "512"), ("FC_GRAPH_SIZE", "12x", "512"),
                ("FC_MEMORY_SIZE", "", "512"), ("FC_STACK_SIZE", "99999999999999999999", "512"),
                ("FC_TRANSPORT", "pigeon", "shared"), ("FC_CONTEXTS", "all", "100000"), ("FC_MEMORY_STACK", "0", r"\d+"),
                ("FC_BUFFER_SIZE", "1e3", r"\d+"), ("FC_DUMP_NAME", "", "functioncheck"),
                ("FC_MANAGER", "", "the installed one"), ("FC_DETAIL", "some", "auto"),
                ("FC_KEEP", "-1", "0"), ("FC_DUMP_NAME", "a/b", "functioncheck"),
                ("FC_DUMP_NAME", "n" * 224, "functioncheck"), ("FC_KEEP", "1001", "1000"),
                ("FC_SLOWEST", "5000", "1000"), ("FC_TRACE", "99999999999", "2147483647"), ("FC_DEPTH", "1025", "0")):
            with self.subTest(name=name, value=bad):
                text = self.stderr(**{name: bad})
                said = [line for line in text.splitlines() if name in line]
                self.assertEqual(len(said), 1, text)
                self.assertTrue(said[0].startswith("FCheck: "), said[0])
                self.assertIn(f"'{bad}'", said[0])
                self.assertRegex(said[0], rf"\b{default}\b")
                quiet = self.stderr(**{name: bad, "FC_QUIET": "1"})
                self.assertEqual(quiet, "")
        kept = [name for name in self.profiles() if ".old-" in name]
        self.assertEqual(kept, ["functioncheck.old-1.fc", "functioncheck.old-2.fc"])  # by FC_KEEP=1001
        self.assertEqual(sorted(set(self.profiles()) - set(kept)), ["functioncheck.fc"])

    def test_one_suffix(self):
        """One .fc is that of the file."""
        for name in ("a", "b.fc", "c.fc.fc", ".fc"):
            self.stderr(FC_DUMP_NAME=name)
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if ".fc" in name),
                         [".fc.fc", "a.fc", "b.fc", "c.fc.fc"])

    def test_resource_file(self):
        self.write(".functioncheckrc",
                   "FC_DUMP_NAME from-file\n"
                   "  FC_STACK_SIZE\t77  \n"
                   "FC_QUIET !\n"
                   "FC_GRAPH_SIZE 5\n"
                   "PATH /nowhere\n"
                   "# a remark, FC_DEBUG on\n"
                   "\n"
                   "FC_NO_FORK")  # a switch without a value; no newline at the end
        text = self.stderr(FC_GRAPH_SIZE="6", FC_VERBOSE="")
        self.assertIn(".functioncheckrc", text)
        self.assertEqual(self.setting("dump-file name", text), "from-file")
        self.assertEqual(self.setting("stack table size", text), "77")
        self.assertEqual(self.setting("graph size", text), "6")  # the environment's
        self.assertEqual(self.setting("debug mode", text), "off")
        self.assertEqual(self.setting("profiling mode", text), "no forks / threads in one profile")
        self.assertEqual(self.profiles(), ["from-file.fc"])

    def test_resource_file_unsets(self):
        self.write(".functioncheckrc", "FC_DUMP_NAME x\nFC_DUMP_NAME !\nFC_USE_PID 1\n"
                   "FC_USE_PID !\n")
        self.stderr()
        self.assertEqual(self.profiles(), ["functioncheck.fc"])

    def test_long_resource_file(self):
        """16 KiB are read whole; of a longer file nothing is used, not even half a value."""
        last = "FC_DUMP_NAME last\n"
        fill = "# " + 77 * "x" + "\n"
        text = "FC_STACK_SIZE 77\n" + fill * 300
        text = text[:16384 - len(last) - 1] + "\n" + last
        self.assertEqual(len(text), 16384)
        self.write(".functioncheckrc", text)
        said = self.stderr()
        self.assertIn("with ./.functioncheckrc", said)
        self.assertNotIn("not used", said)
        self.assertEqual(self.profiles(), ["last.fc"])
        os.unlink(self.path("last.fc"))
        for longer in (text.removesuffix("\n") + "er", text + "\n", text + 100 * fill):
            self.write(".functioncheckrc", longer)
            said = self.stderr(FC_VERBOSE="")
            self.assertIn("FCheck: ./.functioncheckrc is not used: it is longer than 16 KiB\n", said)
            self.assertEqual(self.setting("stack table size", said), "512")
            self.assertEqual(self.profiles(), ["functioncheck.fc"])

    def test_no_resource_file_no_word_of_it(self):
        self.assertNotIn(".functioncheckrc", self.stderr())

    def test_help(self):
        done = self.run_target([self.program], env={"FC_HELP": "1"})
        text = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        for name in ("HELP QUIET NO_VERBOSE BUFFER_SIZE STACK_SIZE FUNCTION_SIZE GRAPH_SIZE "
                     "MEMORY_SIZE TIME_MODE DUMP_NAME DUMP_PATH NO_FORK ALLOW_THREAD USE_PID "
                     "DEBUG CONTEXTS MEMORY MEMORY_STACK MANAGER TRANSPORT VERBOSE KEEP").split():
            self.assertRegex(text, rf"\bFC_{name}\b")
        self.assertEqual(self.profiles(), [], "the program ran, or was profiled")

    def test_names(self):
        os.mkdir(self.path("sub"))
        for env, expected in (
                ({"FC_DUMP_NAME": "one"}, r"one\.fc"),
                ({"FC_DUMP_NAME": "two.fc"}, r"two\.fc"),
                ({"FC_DUMP_PATH": "sub"}, r"sub/functioncheck\.fc"),
                ({"FC_DUMP_PATH": self.path("sub"), "FC_DUMP_NAME": "n"}, r"sub/n\.fc"),
                ({"FC_USE_PID": "1"}, r"functioncheck\.\d+\.fc")):
            with self.subTest(env=env):
                text = self.stderr(**env)
                found = self.profiles()
                self.assertEqual(len(found), 1, found)
                self.assertRegex(found[0], rf"^{expected}$")
                self.assertTrue(text.endswith(f"profile: {os.path.join(env.get('FC_DUMP_PATH', ''), os.path.basename(found[0]))}\n"), text)
                os.unlink(self.path(found[0]))
                last = self.stderr(FC_VERBOSE="", **env).splitlines()[-2]
                found = self.profiles()
                self.assertEqual(last, f"FCMng: Profile file is '{env.get('FC_DUMP_PATH', './')}/{os.path.basename(found[0])}'")
                profile = fcprofile.load(self.path(found[0]))
                if "FC_USE_PID" in env:
                    self.assertEqual(found[0], f"functioncheck.{profile.pid}.fc")
                os.unlink(self.path(found[0]))

    def test_an_old_profile_is_replaced(self):
        self.write("functioncheck.fc", "old\n" * 1000)
        self.stderr()
        self.assertEqual(len(fcprofile.load(self.path("functioncheck.fc")).functions), 4)
        self.assertEqual(sorted(os.listdir(self.folder)), ["functioncheck.fc", "nesting"])


class Manager(fctest.Case):
    """Where fcmanager is looked for, and what is said where there is none."""

    def setUp(self):
        super().setUp()
        self.program = self.compile("nesting.c")

    def wrapper(self, path, target):
        """An fcmanager that leaves a note and becomes the real one (or `target`)."""
        return self.manager(path, f"""
            FILE *note = fopen("{self.path("note")}", "a");
            fputs("{path}\\n", note);
            fclose(note);
            return execv("{target}", argv);""")

    def check_started(self, wrapper, env):
        done = self.run_quiet([self.program], env=env)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        with open(self.path("note"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), wrapper + "\n")
        self.assertEqual(len(fcprofile.load(self.path("functioncheck.fc")).functions), 4)

    def library_folder(self, path):
        """A folder with a copy of libfc and nothing else."""
        os.makedirs(path)
        installed = glob.glob(os.path.join(fctest.PREFIX, "lib*", "**", "libfc.so.4"),
                              recursive=True)
        shutil.copy(os.path.realpath(installed[0]), os.path.join(path, "libfc.so.4"))
        return path

    def skip_if_installed(self, library):
        with open(os.path.join(library, "libfc.so.4"), "rb") as stream:
            recorded = re.search(rb"(/[^\0]*/bin/fcmanager)\0", stream.read()).group(1)
        if os.path.exists(recorded):
            self.skipTest(f"{recorded.decode()} is installed here")

    def test_variable(self):
        mine = self.wrapper(self.path("mine"), fctest.tool("fcmanager"))
        other = self.wrapper(self.path("bin", "fcmanager"), fctest.tool("fcmanager"))
        self.check_started(mine, {"FC_MANAGER": mine, "PATH": os.path.dirname(other)})

    def test_beside_the_library(self):
        moved = self.path("moved")
        shutil.copytree(fctest.PREFIX, moved, symlinks=True)
        library = os.path.dirname(glob.glob(os.path.join(moved, "lib*", "**", "libfc.so.4"),
                                            recursive=True)[0])
        beside = os.path.join(moved, "bin", "fcmanager")
        os.unlink(beside)
        self.wrapper(beside, fctest.tool("fcmanager"))
        in_path = self.wrapper(self.path("bin", "fcmanager"), fctest.tool("fcmanager"))
        self.check_started(beside, {"LD_LIBRARY_PATH": library,
                                    "PATH": os.path.dirname(in_path)})

    def test_path_comes_last(self):
        library = self.library_folder(self.path("deep", "in", "a", "folder"))
        in_path = self.wrapper(self.path("bin", "fcmanager"), fctest.tool("fcmanager"))
        self.skip_if_installed(library)
        self.check_started(in_path, {"LD_LIBRARY_PATH": library,
                                     "PATH": f"/nowhere:{os.path.dirname(in_path)}:/bin"})

    def test_none(self):
        """One message, which names the file and the reason."""
        plain = self.manager(self.path("plain"), "return 0;")
        os.chmod(plain, 0o644)
        missing = self.path("not", "here")
        failing = self.wrapper(self.path("failing"), "/bin/false")
        library = self.library_folder(self.path("deep", "in", "a", "folder"))
        for env, name, reason in (
                ({"FC_MANAGER": missing}, missing, "No such file or directory"),
                ({"FC_MANAGER": plain}, plain, "Permission denied"),
                ({"FC_MANAGER": failing}, failing, "it did not answer"),
                ({"FC_MANAGER": "/" + "x" * 3000 + "/end"}, "x/end", "File name too long"),
                ({"LD_LIBRARY_PATH": library, "PATH": "/nowhere"}, "bin/fcmanager",
                 "No such file or directory")):
            with self.subTest(env=env):
                if "PATH" in env:
                    self.skip_if_installed(library)
                done = self.run_target([self.program], env=env)
                self.assertEqual((done.returncode, done.stdout), (0, b""))
                said = [line for line in done.stderr.decode().splitlines() if "manager" in line]
                self.assertEqual(len(said), 1, said)
                self.assertRegex(said[0], "^FCheck: the profile manager could not be started "
                                 rf"\(.*{re.escape(name)}: {reason}\), the program is not profiled$")
                self.assertEqual(self.run_quiet([self.program], env=env).stderr, b"")
                self.assertEqual(glob.glob(self.path("*.fc*")), [])


class Directory(fctest.Case):
    def test_chdir(self):
        program = self.compile("wander.c")
        os.mkdir(self.path("there"))
        os.mkdir(self.path("out"))
        for env, name in (({}, "functioncheck.fc"), ({"FC_DUMP_PATH": "out"},
                                                     "out/functioncheck.fc")):
            done = self.run_quiet([program, self.path("there")], env=env)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            profile = fcprofile.load(self.path(name))
            self.assertEqual({function.name: function.calls for function in profile.functions},
                             {"main": 1, "before": 1, "after": 1})
            self.assertEqual(os.listdir(self.path("there")), [])


if __name__ == "__main__":
    fctest.main()
