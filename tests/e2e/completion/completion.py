#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed completions, in real shells: what a user types with tabs in it becomes the command
line that he means, and what is proposed is what the tools know."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

SHARE = os.path.join(fctest.PREFIX, "share")
BASH = os.path.join(SHARE, "bash-completion", "completions")
ZSH = os.path.join(SHARE, "zsh", "site-functions")
FISH = os.path.join(SHARE, "fish", "vendor_completions.d")
TOOLS = ("fcdump", "fcgprof", "fc-config", "fcrun")

# Typed; the words that the tool is then given.
TYPED = [
    ("fcdump --sor\ttot\t", ["--sort=total"]),
    ("fcdump --sort lo\t", ["--sort", "local"]),
    ("fcdump --weig\tlive-bl\t", ["--weight=live-blocks"]),
    ("fcdump --no-ti\t", ["--no-ti"]),
    ("fcdump --prop\t", ["--propagate"]),
    ("fcdump --color=al\t", ["--color=always"]),
    ("fcdump --html=pag\t", ["--html=page.html"]),
    ("fcdump --html pag\t", ["--html", "page.html"]),
    ("fcdump func\t", ["functioncheck.fc"]),
    ("fcdump a\t", ["a run.fc"]),
    ("fcgprof -O ma\t", ["-O", "magic"]),
    ("fcgprof --brie\t", ["--brief"]),
    ("fcrun --rep\t3", ["--repeat=3"]),
    ("fc-config --aft\t", ["--after-inlining"]),
]


class Shell:
    """An interactive shell at a terminal, in which the tools print their arguments."""

    def __init__(self, words, folder, env):
        self.process, self.text = None, ""
        leader, follower = pty.openpty()
        self.fd = leader
        self.process = subprocess.Popen(words, cwd=folder, env=env, stdin=follower, stdout=follower,
                                        stderr=follower, start_new_session=True)
        os.close(follower)

    def read_until(self, pattern):
        """What the shell prints up to `pattern`, which is taken out."""
        end = time.monotonic() + fctest.TIMEOUT_S
        while not (found := re.search(pattern, self.text, re.S)):
            ready = select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]
            if not ready:
                raise AssertionError(f"{pattern} did not come in: {self.text!r}")
            self.text += os.read(self.fd, 65536).decode("utf-8", "replace")
        self.text = self.text[found.end():]
        return found

    def send(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)
        self.process.kill()
        self.process.wait()


class Completion(fctest.Case):
    def setUp(self):
        super().setUp()
        for name in ("functioncheck.fc", "a run.fc", "page.html", "other.txt"):
            self.write(name, "")

    def env(self):
        path = os.path.dirname(fctest.tool("fcdump")) + ":" + os.environ["PATH"]
        return {**fctest.plain_environment(), "PATH": path, "TERM": "dumb", "HOME": self.folder, "PS1": "", "INPUTRC": "/dev/null"}

    def check_typed(self, shell, start):
        try:
            shell.send(start + " && printf '%s\\n' re''ady\r")
            shell.read_until("ready\r?\n")
            for typed, words in TYPED:
                with self.subTest(typed=typed):
                    shell.send(typed + "\r")
                    got = shell.read_until("BEGIN\r?\n(.*?)END\r?\n")[1]
                    self.assertEqual(re.findall(r"<(.*?)>", got), words)
        finally:
            shell.close()

    # The names of the functions are those of the commands.
    FUNCTIONS = " && ".join(f"{tool}() {{ printf 'BEG''IN\\n'; printf '<%s>\\n' \"$@\"; printf 'E''ND\\n'; }}"
                            for tool in TOOLS)

    def test_bash(self):
        shell = Shell(["bash", "--norc", "--noprofile", "-i"], self.folder, self.env())
        self.check_typed(shell, " && ".join([*(f". {BASH}/{tool}" for tool in TOOLS), self.FUNCTIONS]))

    def test_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh here")
        shell = Shell(["zsh", "-f", "-i"], self.folder, self.env())
        self.check_typed(shell, f"PS1= && fpath=({ZSH} $fpath) && autoload -U compinit && compinit -u -D && "
                         "setopt no_auto_menu no_list_ambiguous no_beep && " + self.FUNCTIONS)

    def fish(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", f"for f in {FISH}/*.fish; source $f; end; complete -C {line!r}"],
                              cwd=self.folder, env=self.env(), capture_output=True, text=True, check=False,
                              timeout=fctest.TIMEOUT_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        words = [row.split("\t")[0] for row in done.stdout.splitlines()]
        return [word for word in words if word.startswith(line.split(" ")[-1])]  # fish 4 has others behind these

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("no fish here")
        self.assertEqual(self.fish("fcdump --prop"), ["--propagate"])
        self.assertEqual(self.fish("fcdump --sort=to"), ["--sort=total"])
        self.assertEqual(self.fish("fcdump --sort lo"), ["local"])
        self.assertEqual(self.fish("fcdump --color=al"), ["--color=always"])
        self.assertIn("functioncheck.fc", self.fish("fcdump fun"))
        self.assertEqual(self.fish("fcgprof --brie"), ["--brief"])
        self.assertEqual(self.fish("fc-config --aft"), ["--after-inlining"])

    def proposed(self, tool, line):
        """What bash proposes for the last word."""
        script = ('compopt() { :; }; . "$1"; COMP_LINE=$2 COMP_POINT=${#2}; '
                  '_${3//-/_}; printf "%s\\n" "${COMPREPLY[@]}"')
        path = "PATH=" + self.env()["PATH"]
        return self.command(["env", path, "bash", "-c", script, "bash", os.path.join(BASH, tool), line, tool]).split()

    def test_functions(self):
        """Names of the profile's functions, where an option takes some."""
        self.write("log.cc", """namespace store { struct Log { int put(int n); int pull(int n); }; template <class T> T twice(T n) { return n + n; } }
            int store::Log::put(int n) { return n; }
            int store::Log::pull(int n) { return n - 1; }
            int main() { store::Log log; return store::twice(log.put(1)) + log.pull(1) - 2; }
            """)
        program = self.compile(self.path("log.cc"), compiler="g++", config=["--every-function"])
        os.unlink(self.path("functioncheck.fc"))
        self.run_quiet([program])
        self.wait_for_file()
        for typed, words in (("fcdump --peek=store::Log::pu", ["store::Log::pull", "store::Log::put"]),
                             ("fcdump --only=ma", ["--only=main"]), ("fcdump functioncheck.fc --not store::tw", ["store::twice"]),
                             ("fcdump --path=main,store::Log::pus", []), ("fcdump --base=none", [])):
            self.assertEqual([word.split("=")[-1].rsplit("::", 1)[-1] for word in self.proposed("fcdump", typed)],
                             [word.split("=")[-1].rsplit("::", 1)[-1] for word in words], typed)
        names = self.command([fctest.tool("fcdump"), "--functions"]).split()
        self.assertEqual(names, ["main", "store::Log::pull", "store::Log::put", "store::twice"])
        for shell, start in (("bash", f". {BASH}/fcdump"),
                             ("zsh", f"PS1= && fpath=({ZSH} $fpath) && autoload -U compinit && compinit -u -D && "
                              "setopt no_auto_menu no_list_ambiguous no_beep")):
            if not shutil.which(shell):
                continue
            options = ["--norc", "--noprofile"] if shell == "bash" else ["-f"]
            terminal = Shell([shell, *options, "-i"], self.folder, self.env())
            try:
                terminal.send(start + " && " + self.FUNCTIONS + " && printf '%s\\n' re''ady\r")
                terminal.read_until("ready\r?\n")
                for typed, words in (("fcdump --peek=store::Log::put\t\r", ["--peek=store::Log::put"]),
                                     ("fcdump --only=main,store::tw\t\r", ["--only=main,store::twice"])):
                    terminal.send(typed)
                    got = terminal.read_until("BEGIN\r?\n(.*?)END\r?\n")[1]
                    self.assertEqual(re.findall(r"<(.*?)>", got), words, shell)
            finally:
                terminal.close()
        if shutil.which("fish"):
            self.assertEqual(self.fish("fcdump --peek=store::Log::pul"), ["--peek=store::Log::pull"])

    def test_options(self):
        """All of --help, and nothing else."""
        for tool in TOOLS:
            text = self.command([fctest.tool(tool), "--help"])
            known = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.sub(r"(?m)^ {2,6}-.*?(?=  |$)", r"\g<0>", text)))
            found = {word.rstrip("=") for word in self.proposed(tool, tool + " --")}
            self.assertGreaterEqual(len(found), 8)
            self.assertEqual(found - known, set(), tool)
            listed = set(re.findall(r"(?m)^ {2,6}(?:-\w, )?(--[a-z-]*)", text))
            self.assertEqual(listed - found, set(), tool)

    def test_choices(self):
        """fcdump takes each value that is proposed, and no other."""
        choices = 0
        for option in self.proposed("fcdump", "fcdump --"):
            if not option.endswith("="):
                continue
            values = self.proposed("fcdump", "fcdump " + option)
            for value in values:
                done = subprocess.run([fctest.tool("fcdump"), option + value, "/nowhere"], capture_output=True,
                                      check=False, cwd=self.folder, env=fctest.plain_environment())
                self.assertEqual(done.returncode, 1, option + value)
            if values:
                choices += 1
                done = subprocess.run([fctest.tool("fcdump"), option + "nonsense", "/nowhere"],
                                      capture_output=True, check=False, cwd=self.folder, env=fctest.plain_environment())
                self.assertEqual(done.returncode, 2, option)
        self.assertGreater(choices, 3)


if __name__ == "__main__":
    fctest.main()
