#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What profiles and programs are called: the patterns of FC_DUMP_NAME, the older ones that FC_KEEP keeps, and
what becomes of an older one where the new one can't be written."""

import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

OLD = "functioncheck_v3.0\nan earlier run\n"


class Case(fctest.Case):
    def run_named(self, words, name, **env):
        """Runs to success; what it said."""
        done = self.run_told(words, env={"FC_DUMP_NAME": name, **env})
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        return done.stderr.decode()

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if ".fc" in name or name.endswith(".new"))

    def clear(self):
        for name in self.files():
            os.unlink(self.path(name))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return stream.read()


class Patterns(Case):
    def test_each(self):
        program = self.compile("nesting.c")
        before = int(time.time())
        text = self.run_named([program], "a-%n-%%-%t-%p-%r-%j-%%p", PMI_RANK="0", PMI_JOBID="12.3/x", FC_VERBOSE="")
        [name] = self.files()
        found = re.fullmatch(r"a-nesting-%-(\d{8}-\d{6})-(\d+)-0-12\.3_x-%p\.fc", name)
        self.assertTrue(found, name)
        started = int(time.mktime(time.strptime(found[1], "%Y%m%d-%H%M%S")))
        self.assertTrue(before <= started <= time.time(), (before, started))
        self.assertEqual(found[2], str(fcprofile.load(self.path(name)).pid))
        self.assertIn(f"FCMng: Profile file is './/{name}'\n", text)
        self.assertNotIn("FC_DUMP_NAME", text)

    def test_ranks(self):
        program = self.compile("nesting.c")
        for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                     "PALS_RANKID", "SLURM_PROCID"):
            with self.subTest(name=name):
                self.assertNotIn("rank", self.run_named([program], "r%r", **{name: "7"}))
                self.assertEqual(self.files(), ["r7.fc"])
                self.clear()
        # The one that starts the processes knows better than who gave it its machines.
        self.run_named([program], "r%r", SLURM_PROCID="0", PMIX_RANK="3")
        self.assertEqual(self.files(), ["r3.fc"])

    def test_no_rank(self):
        """Nothing but a number gets into the name."""
        program = self.compile("nesting.c")
        for env in ({}, {"SLURM_PROCID": "../../x"}, {"SLURM_PROCID": ""}, {"PMI_RANK": "1" * 40},
                    {"PMI_RANK": "-1"}):
            with self.subTest(env=env):
                text = self.run_named([program], "x%r", **env)
                self.assertIn("FCheck: FC_DUMP_NAME: no rank is known here, '%r' is 0\n", text)
                self.assertEqual(self.files(), ["x0.fc"])
        self.assertNotIn("rank", self.run_named([program], "x%%r"))
        self.assertIn("FCheck: FC_DUMP_NAME: no job is known here, '%j' is 0\n", self.run_named([program], "%j"))

    def test_unknown(self):
        """What is no pattern stays, and is told once each."""
        program = self.compile("nesting.c")
        text = self.run_named([program], "%q-%n-100%")
        self.assertEqual(self.files(), ["%q-nesting-100%.fc"])
        self.assertEqual(re.findall(r"FCheck: FC_DUMP_NAME: (.*)", text),
                         ["'%q' is not known and stays as it is",
                          "'%' is not known and stays as it is"])
        self.assertEqual(self.run_named([program], "%q", FC_QUIET="1"), "")

    def test_names_of_programs(self):
        """A program is called as it likes: the profile stays in its folder, in one line of the
        descriptor and within the length that file systems take."""
        program = self.compile("forks.c")
        for called in ("..", "a b\n      file: x", "x" * 250, "-rf", "%p"):
            with self.subTest(called=called):
                os.makedirs(self.path("bin"), exist_ok=True)
                image = self.path("bin", called) if called != ".." else self.path("bin", "...")
                os.link(program, image)
                self.run_named([image], "%n.%p", FC_QUIET="1")
                names = self.files()
                self.assertEqual(len(names), 3, names)  # two processes and the descriptor
                [descriptor] = [name for name in names if name.endswith(".fcd")]
                listed = re.findall(r"^ *file: (.*)$", self.read(descriptor), re.M)
                self.assertEqual(sorted([*listed, descriptor]), names)
                self.clear()
                os.unlink(image)

    def test_several_processes(self):
        """Each has its own id and program in its name; the descriptor, those of the first."""
        program = self.compile("forks.c")
        self.run_named([program], "%n.%p")
        names = self.files()
        pids = sorted(fcprofile.load(self.path(name)).pid for name in names if name.endswith(".fc"))
        root = min(pids, key=lambda pid: fcprofile.load(self.path(f"forks.{pid}.fc")).ppid in pids)
        self.assertEqual(names, sorted([f"forks.{pid}.fc" for pid in pids] + [f"forks.{root}.fcd"]))
        self.assertEqual(len(pids), 2)
        self.clear()
        self.run_named([program], "%n-%r", PMI_RANK="4")
        self.assertEqual(sorted(re.sub(r"\d+$", "PID", name) for name in self.files()),
                         ["forks-4.fc.PID", "forks-4.fc.PID", "forks-4.fcd"])

    def test_threads(self):
        """In THREAD mode %p is the number of the thread."""
        program = self.compile("threads.c")
        self.run_named([program], "t%p", FC_ALLOW_THREAD="")
        names = self.files()
        self.assertEqual(len(names), 4, names)  # three threads and the descriptor
        self.assertTrue(all(re.fullmatch(r"t\d+\.fcd?", name) for name in names), names)

    def test_use_pid(self):
        program = self.compile("nesting.c")
        self.run_named([program], "%n", FC_USE_PID="")
        [name] = self.files()
        self.assertEqual(name, f"nesting.{fcprofile.load(self.path(name)).pid}.fc")


class Hidden(Case):
    """Names of programs, files and functions do nothing to a terminal, and hide nothing."""

    ODD = "o\u202ed\x1b[31md\x9b\u2066\n"
    SOURCE = r"""
        #define QUOTED "\"w\033[32mo\xe2\x80\xaer\xc2\x9bk\xe2\x81\xa7\""
        void work(void) __asm__(QUOTED);
        void work(void) {}
        int main(void)
        {
            work();
            return 0;
        }
        """

    def assert_plain(self, text, *expected):
        hidden = {character for character in set(text) - set("\n\r\t") if unicodedata.category(character) in ("Cc", "Cf")}
        self.assertEqual(hidden, set(), text[:2000])
        for part in expected:
            self.assertIn(part, text)

    def tool(self, *words):
        done = subprocess.run([os.path.join(self.bindir, words[0]), *words[1:]], cwd=self.folder,
                              capture_output=True, check=False, timeout=fctest.TIMEOUT_S,
                              env=fctest.plain_environment(LC_ALL="C.UTF-8"))
        return done.stdout.decode(), done.stderr.decode()

    def test_everywhere(self):
        program = self.compile(self.write("odd.c", self.SOURCE), output=self.ODD)
        done = self.run_told([program], env={"FC_DUMP_NAME": self.ODD + "/", "FC_DUMP_PATH": self.ODD,
                                              "TMPDIR": self.folder})
        self.assert_plain(done.stderr.decode(), r"FC_DUMP_NAME: bad value 'o\u202ed\x1b[31md\x9b\u2066\x0a/'",
                          r"can't open 'o\u202ed\x1b[31md\x9b\u2066\x0a'")
        self.run_named([program], "n")
        work, odd = r"w\x1b[32mo\u202er\x9bk\u2067", r"o\u202ed\x1b[31md\x9b\u2066"
        for words in (("--flat", "--graph", "--tree"), ("--info",), ("--csv", "--flat"), ("--classic",), ()):
            out, err = self.tool("fcdump", *words, "n.fc")
            self.assert_plain(out, odd if words == ("--info",) else work)
            self.assert_plain(err)
        for export in ("--folded", "--callgrind=-", "--dot", "--vcg", "--flame=-", "--html=-", "--json"):
            out, err = self.tool("fcdump", export, "--weight=calls", "n.fc")
            self.assert_plain(out, work if export.startswith(("--folded", "--callgrind")) else "u202e")
            self.assert_plain(err)
            if export == "--json":
                names = [function["name"] for function in json.loads(out)["functions"]]
                self.assertIn("w\x1b[32mo\u202er\x9bk\u2067", names)
        out, err = self.tool("fcgprof", "-b", "n.fc")
        self.assert_plain(out.replace("\f", ""), work)
        for words in (("fcdump", self.ODD + "none"), ("fcdump", "--" + self.ODD), ("fcgprof", self.ODD + "none")):
            self.assert_plain(self.tool(*words)[1], r"\u202e")


class Keep(Case):
    def identity(self, name):
        return fcprofile.load(self.path(name)).unique_id

    def test_kept(self):
        program = self.compile("nesting.c")
        ids = []
        for _ in range(4):
            self.run_named([program], "n", FC_KEEP="2")
            ids.insert(0, self.identity("n.fc"))
        self.assertEqual(self.files(), ["n.fc", "n.old-1.fc", "n.old-2.fc"])
        self.assertEqual([self.identity(name) for name in self.files()], ids[:3])
        self.assertEqual(len(set(ids)), 4)
        self.run_named([program], "n")  # nobody asks
        self.assertEqual([self.identity(name) for name in self.files()[1:]], ids[1:3])

    def test_kept_set(self):
        """Of several processes the descriptor is kept, and leads to the same profiles; what goes
        takes its profiles along, and nothing else."""
        program = self.compile("forks.c")
        self.write("precious.fc", "not a profile")
        for _ in range(2):
            self.run_named([program], "n", FC_KEEP="1")
        old = re.findall(r"file: (.*)", self.read("n.old-1.fcd"))
        new = re.findall(r"file: (.*)", self.read("n.fcd"))
        self.assertEqual(sorted([*old, *new, "n.fcd", "n.old-1.fcd", "precious.fc"]), self.files())
        self.assertEqual(len({self.identity(name) for name in old}), 1)
        self.assertNotEqual(self.identity(old[0]), self.identity(new[0]))
        text = self.read("n.old-1.fcd")
        for other in ("precious.fc", self.path("n.fcd"), "../n.fcd"):
            text += f"\nProcess id: 1\n    parent: 1\n      file: {other}\n"
        self.write("n.old-1.fcd", text.replace("2 processes", "5 processes"))
        self.run_named([program], "n", FC_KEEP="1")
        newest = re.findall(r"file: (.*)", self.read("n.fcd"))
        self.assertEqual(sorted([*new, *newest, "n.fcd", "n.old-1.fcd", "precious.fc"]),
                         self.files())

    def test_same_id(self):
        """A number that the system gave out twice."""
        program = self.compile("nesting.c")
        with subprocess.Popen(["bash", "-c", 'echo old >n.$$.fc; exec "$0"', program],
                              cwd=self.folder, stderr=subprocess.DEVNULL,
                              env=fctest.plain_environment(FC_DUMP_NAME="n.%p", FC_KEEP="1")) as process:
            pass
        self.assertEqual(self.files(), [f"n.{process.pid}.fc", f"n.{process.pid}.fc.2"])
        self.assertEqual(self.read(f"n.{process.pid}.fc"), "old\n")

    def test_many_at_once(self):
        """None of several runs that end at the same time is lost."""
        program = self.compile("nesting.c")
        env = fctest.plain_environment(FC_KEEP="20", FC_QUIET="1")
        runs = [subprocess.Popen([program], cwd=self.folder, env=env) for _ in range(12)]
        self.assertEqual([run.wait(fctest.TIMEOUT_S) for run in runs], [0] * 12)
        self.assertEqual(len({self.identity(name) for name in self.files()}), 12)

    def test_only_one_in_the_end(self):
        """What was written under another name first is put in place like any other."""
        source = self.write("fail.c", """
            #include <unistd.h>
            int main(void)
            {
                pid_t child = vfork();
                if (child == 0)
                {
                    execl("/nowhere", "nowhere", (char *)0);
                    _exit(0);
                }
                return 0;
            }
            """)
        program = self.compile(source)
        self.run_named([program], "n", FC_KEEP="3")
        self.run_named([program], "n", FC_KEEP="3")
        fctest.wait_until(lambda: self.files() == ["n.fc", "n.old-1.fc"], str(self.files()))


class Beside(Case):
    """What a run wrote stays, whichever other runs began before."""

    HELD = """
        #include <pthread.h>
        #include <stdio.h>
        #include <sys/wait.h>
        #include <unistd.h>
        static void *in_thread(void *words)
        {
            return words;
        }
        int main(int count, char **words)
        {
            puts("in main");
            fflush(stdout);
            getchar();
            pthread_t thread;
            if (count > 1 && pthread_create(&thread, NULL, in_thread, words) == 0)
                pthread_join(thread, NULL);
            if (count > 1 && fork() != 0)
                wait(NULL);
            return 0;
        }
        """

    def run_beside(self, *words, count=3, **env):
        """Runs that all begin before the first ends; what each said."""
        runs = []
        for _ in range(count):
            runs.append(subprocess.Popen([self.held, *words], cwd=self.folder, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         env=fctest.plain_environment(FC_LOG="/dev/stderr", FC_DUMP_NAME="n", **env)))
            self.assertEqual(runs[-1].stdout.readline(), b"in main\n")
        return [run.communicate(b"x", timeout=fctest.TIMEOUT_S)[1].decode() for run in runs]

    def setUp(self):
        super().setUp()
        self.held = self.compile(self.write("held.c", self.HELD))

    def test_profiles(self):
        """Also of more runs than FC_KEEP keeps of earlier ones, which go as ever."""
        line = "FCMng: another run wrote './/n.fc' meanwhile: it is now 'n.old-1.fc'\n"
        for keep in ("0", "1"):
            for _ in range(2):
                said = self.run_beside(FC_KEEP=keep)
                self.assertEqual([line in text for text in said], [False, True, True], said)
            self.assertEqual(self.files(), ["n.fc", "n.old-1.fc", "n.old-2.fc"])
            identities = {fcprofile.load(self.path(name)).unique_id for name in self.files()}
            self.assertEqual(len(identities), 3)
            self.clear()
        self.assertEqual("".join(self.run_beside(FC_QUIET="1")), "")
        self.assertEqual(len(self.files()), 3)

    def test_descriptors(self):
        for env in ({}, {"FC_ALLOW_THREAD": ""}):
            said = self.run_beside("fork", **env)
            lists = [name for name in self.files() if name.endswith(".fcd")]
            self.assertEqual(lists, ["n.fcd", "n.old-1.fcd", "n.old-2.fcd"], said)
            self.assertIn("'n.old-1.fcd'", said[2])
            listed = [name for each in lists for name in re.findall(r"file: (.*)", self.read(each))]
            self.assertEqual(sorted([*lists, *listed]), self.files())
            self.assertEqual(len(set(listed)), 6)
            self.clear()

    def test_same_id(self):
        """A file of this process's name that another wrote, as in another PID namespace."""
        program = self.compile("nesting.c")
        with subprocess.Popen(["sh", "-c", 'echo new >n.$$.fc; touch -d "+1 day" n.$$.fc; exec "$0"',
                               program], cwd=self.folder, stderr=subprocess.DEVNULL,
                              env=fctest.plain_environment(FC_DUMP_NAME="n.%p")) as process:
            pass
        self.assertEqual(self.files(), [f"n.{process.pid}.fc", f"n.{process.pid}.fc.2"])
        self.assertEqual(self.read(f"n.{process.pid}.fc"), "new\n")

    def test_cannot_write(self):
        """A run that can't write doesn't take another's away."""
        self.write("n.fc", OLD)
        later = time.time() + 1000
        os.utime(self.path("n.fc"), (later, later))
        done = subprocess.run([self.compile("nesting.c")], cwd=self.folder, capture_output=True,
                              check=False, timeout=fctest.TIMEOUT_S,
                              env=fctest.plain_environment(TMPDIR="/nowhere", FC_DUMP_NAME="n"),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
        self.assertIn(b"(what is there is of another run)", done.stderr)
        self.assertEqual(self.read("n.fc"), OLD)


class Twins(Case):
    """A run leaves either a profile of the plain name or a descriptor: the other one of an earlier
    run would pass for this one's."""

    def setUp(self):
        super().setUp()
        self.one = self.compile("nesting.c")
        self.several = self.compile("forks.c")

    def plain_names(self):
        """Without those of single processes."""
        return [name for name in self.files() if not re.search(r"\.fc\.\d+$", name)]

    def test_of_an_earlier_run(self):
        for transport in ("shared", "pipe"):
            for program, left in ((self.one, "n.fc"), (self.several, "n.fcd"), (self.one, "n.fc")):
                self.run_named([program], "n", FC_TRANSPORT=transport)
                self.assertEqual(self.plain_names(), [left])

    def test_written_just_before(self):
        """A file that somebody has asked about is stamped by a finer clock, where the system has one."""
        for _ in range(10):
            for text in ("", OLD):
                self.write("n.fc", text)
                os.stat(self.path("n.fc"))
            self.run_named([self.several], "n")
            self.assertEqual(self.plain_names(), ["n.fcd"])

    def test_kept(self):
        self.run_named([self.one], "n", FC_KEEP="2")
        self.run_named([self.several], "n", FC_KEEP="2")
        self.assertEqual(self.plain_names(), ["n.fcd", "n.old-1.fc"])
        self.run_named([self.one], "n", FC_KEEP="2")
        self.assertEqual(self.plain_names(), ["n.fc", "n.old-1.fc", "n.old-1.fcd"])

    def test_others_stay(self):
        """What is no profile, what is a link, and what another run writes while this one runs."""
        self.write("n.fc", "a letter")
        self.run_named([self.several], "n")
        self.assertEqual(self.read("n.fc"), "a letter")
        os.rename(self.path("n.fcd"), self.path("elsewhere"))
        os.symlink("elsewhere", self.path("n.fcd"))
        self.run_named([self.one], "n")
        self.assertTrue(os.path.islink(self.path("n.fcd")))
        self.clear()
        self.write("n.fc", OLD)
        later = time.time() + 1000
        os.utime(self.path("n.fc"), (later, later))
        self.run_named([self.several], "n")
        self.assertEqual(self.plain_names(), ["n.fc", "n.fcd"])


class Failing(Case):
    """The profile can't be written, here nor anywhere else."""

    def run_limited(self, program, **env):
        """With files of 10 bytes at most, which is the manager's limit, too."""
        os.makedirs(self.path("tmp"), exist_ok=True)
        done = subprocess.run([program], cwd=self.folder, capture_output=True, check=False,
                              timeout=fctest.TIMEOUT_S,
                              env=fctest.plain_environment(TMPDIR=self.path("tmp"), **{"FC_LOG": "/dev/stderr", **env}),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        return done.stderr.decode()

    def test_is_told_and_leaves_none(self):
        program = self.compile("nesting.c")
        for env in ({}, {"FC_QUIET": "1"}, {"FC_NO_VERBOSE": ""}):
            self.write("functioncheck.fc", OLD)
            text = self.run_limited(program, **env)
            self.assertRegex(text, r"(?m)^FCMng: can't write '\.//functioncheck\.fc': cannot write: "
                                   "File too large; can't write ")
            self.assertEqual(self.files(), [])

    def test_several(self):
        program = self.compile("forks.c")
        self.write("functioncheck.fcd", OLD)
        text = self.run_limited(program, FC_QUIET="1")
        self.assertIn("FCMng: can't write ", text)
        self.assertEqual(self.files(), [])

    def test_kept(self):
        """With FC_KEEP the old one stays, under a name that tells."""
        program = self.compile("nesting.c")
        self.write("functioncheck.fc", OLD)
        text = self.run_limited(program, FC_QUIET="1", FC_KEEP="1")
        self.assertIn("FCMng: can't write ", text)
        self.assertEqual(self.files(), ["functioncheck.old-1.fc"])
        self.assertEqual(self.read("functioncheck.old-1.fc"), OLD)

    def test_no_folder_is_left(self):
        """Where nothing can be written at all, the folder for it goes."""
        self.assertIn("FCMng: no profile was written", self.run_limited(self.compile("nesting.c")))
        fctest.wait_until(lambda: os.listdir(self.path("tmp")) == [], "a folder was left")

    def start_killed(self, program, stderr, transport):
        """A program whose profile can't be put in place, ended by SIGKILL.  Its folder for what
        can't be."""
        os.mkdir(self.path("tmp-" + transport))
        with subprocess.Popen([program, self.path("never")], cwd=self.folder, stderr=stderr,
                              stdout=subprocess.PIPE,
                              env=fctest.plain_environment(TMPDIR=self.path("tmp-" + transport),
                                                           FC_QUIET="1", FC_DUMP_NAME="n",
                                                           FC_DUMP_PATH=self.folder,
                                                           FC_TRANSPORT=transport)) as process:
            self.assertEqual(process.stdout.readline(), b"started\n")
            process.kill()
        return self.path("tmp-" + transport)

    def expected_word(self, folder):
        return (r"FCMng: can't write '" + re.escape(self.folder) + r"/*n\.fc': .*; written to '" + re.escape(folder) +
                r"/functioncheck-\w{6}' instead\n")

    def test_program_killed(self):
        """The manager says it itself, where the program's standard error still leads to somebody."""
        program = self.compile("longrun.c")
        os.makedirs(self.path("n.fc/in_the_way"))
        for transport in ("shared", "pipe"):
            for kind in ("pipe", "file", "terminal"):
                with self.subTest(kind, transport=transport):
                    self.check_notice(program, kind, transport)
                shutil.rmtree(self.path("tmp-" + transport))

    def test_standard_error_to_read(self):
        """What was opened to read is not written to, whoever may."""
        program = self.compile("longrun.c")
        os.makedirs(self.path("n.fc/in_the_way"))
        self.write("stderr", "a letter\n")
        with open(self.path("stderr"), "rb") as stream:
            folder = self.start_killed(program, stream, "shared")
        fctest.wait_until(lambda: not fctest.processes(b"--directory=" + self.folder.encode()),
                          "the manager stays")
        self.assertEqual(len(os.listdir(folder)), 1)
        self.assertEqual(self.read("stderr"), "a letter\n")

    def check_notice(self, program, kind, transport):
        if kind == "file":
            with open(self.path("stderr"), "wb") as stream:
                folder = self.start_killed(program, stream, transport)
            fctest.wait_until(lambda: self.read("stderr").endswith("\n"), "nothing was said")
            self.assertRegex(self.read("stderr"), "^" + self.expected_word(folder) + "$")
            return
        ours, its = os.pipe() if kind == "pipe" else os.openpty()
        # ours stays open to write, too, as that of a shell would
        with open(ours, "rb", buffering=0) as reader, open(its, "wb", buffering=0) as writer:
            folder = self.start_killed(program, writer, transport)
            ready, _, _ = select.select([reader], [], [], fctest.WAIT_S)
            self.assertTrue(ready, "nothing was said")
            said = reader.read(4096).decode().replace("\r\n", "\n")
            self.assertRegex(said, "^" + self.expected_word(folder) + "$")

    def test_standard_error_ends(self):
        """Nobody keeps it open: a reader sees its end while program and manager run."""
        source = self.write("leave.c", """
            #include <unistd.h>
            int main(void)
            {
                char byte;
                close(2);
                return (int)read(0, &byte, 1);
            }
            """)
        with subprocess.Popen([self.compile(source)], cwd=self.folder, stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              env=fctest.plain_environment(FC_QUIET="1")) as process:
            self.assertEqual(process.stderr.read(), b"")
            self.assertIsNone(process.poll())
            process.stdin.close()
            self.assertEqual(process.wait(fctest.TIMEOUT_S), 0)

    def test_manager_killed(self):
        """Nobody is left who could write, which is told with FC_QUIET as well."""
        program = self.compile("longrun.c")
        for transport in ("shared", "pipe"):
            flag = self.path("go-" + transport)
            name = f"{os.path.basename(self.folder)}-{transport}"
            with subprocess.Popen([program, flag], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE,
                                  env=fctest.plain_environment(FC_QUIET="1", FC_DUMP_NAME=name,
                                                               FC_TRANSPORT=transport)) as process:
                self.assertEqual(process.stdout.readline(), b"started\n")
                [manager] = fctest.processes(b"--name=" + name.encode())
                os.kill(manager, signal.SIGKILL)
                open(flag, "w", encoding="utf-8").close()
                out, said = process.communicate(timeout=fctest.TIMEOUT_S)
            self.assertEqual((process.returncode, out), (5, b"done\n"))
            self.assertRegex(said.decode(), r"^FCheck: the profile manager is gone, [^\n]*\n$")


class ByDescriptor(fctest.Case):
    """A library that is loaded by a descriptor has the name of its file, or none: fcdump never opens a descriptor of its own for it."""
    def seen(self, stdin):
        done = subprocess.run([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")], stdin=stdin, check=False,
                              capture_output=True, text=True, cwd=self.folder, env=fctest.plain_environment(), timeout=fctest.TIMEOUT_S)
        counts = {one["name"]: one["calls"] for one in json.loads(done.stdout)["functions"]}
        return counts, done.stderr

    def test_each(self):
        program = self.compile("from_descriptor.c")
        other = self.compile("nesting.c", "-Wl,--build-id=none")
        for build_id in ("none", "sha1"):
            for way in ("memory", "file", "deleted"):
                library = self.compile("plugin.c", "-DNAME=library", "-shared", "-fPIC", "-Wl,--build-id=" + build_id, output="plug.so")
                done = self.run_quiet([program, way, library])
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                with open(other, "rb") as stdin:
                    counts, said = self.seen(stdin)
                self.assertEqual(counts.pop("main"), 1)
                if way == "file":
                    self.assertEqual((counts["library_work"], said), (1, ""))
                    continue
                self.assertTrue(all("+0x" in name for name in counts), counts)
                self.assertIn(702, counts.values())
                self.assertRegex(said, "was in memory or deleted when it ran|was reached by a descriptor")
                self.assertNotIn("changed since", said)
                if way == "deleted":
                    os.unlink(self.path("link"))

    def test_profile_of_another(self):
        """The profile says so, whoever wrote it; the tool's own descriptor 0 is the very file."""
        library = self.compile("plugin.c", "-DNAME=library", "-shared", "-fPIC", output="plug.so")
        self.run_quiet([self.compile("from_descriptor.c"), "file", library])
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            text = stream.read()
        for name in ("/proc/self/fd/0", "/dev/fd/0", "/dev/stdin", "/proc/thread-self/fd/0"):
            self.assertIn(library, text)
            self.write("functioncheck.fc", text.replace(library, name))
            with open(library, "rb") as stdin:
                counts, said = self.seen(stdin)
            self.assertNotIn("library_work", counts)
            self.assertIn("was reached by a descriptor", said)


if __name__ == "__main__":
    fctest.main()
