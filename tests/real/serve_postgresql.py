# SPDX-License-Identifier: GPL-3.0-or-later
"""PostgreSQL: its regression tests, backends and a postmaster that are killed, and the
ways to stop it.

Run by servers.py; as root, it works under the account `nobody`, as PostgreSQL will not
run as root.  The server listens on a socket in the test's folder alone.
"""

import glob
import os
import re
import shutil
import signal
import subprocess

from serving import LONG_S, Server, fc_flags, fctest, step

ACCOUNT = "nobody" if os.geteuid() == 0 else None
WRAP = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups") if ACCOUNT else ()
SETUP = """
CREATE TABLE numbers AS SELECT n, n * n AS square, md5(n::text) AS hash
  FROM generate_series(1, 5000) n;
CREATE INDEX ON numbers (square);
CREATE FUNCTION sum_to(top integer) RETURNS integer AS $$
DECLARE sum integer := 0; BEGIN FOR i IN 1..top LOOP sum := sum + i; END LOOP; RETURN sum; END
$$ LANGUAGE plpgsql;
ANALYZE numbers;
CHECKPOINT;
"""
QUERIES = ("SELECT count(*), sum(square), min(hash) FROM numbers",
           "SELECT * FROM numbers WHERE square BETWEEN 100 AND 400 ORDER BY n DESC",
           "SELECT sum_to(1000)", "SELECT a.n FROM numbers a JOIN numbers b ON a.n = b.square "
           "ORDER BY 1 LIMIT 5", "SELECT 1 / 0", "UPDATE numbers SET square = 0 WHERE n = 7")


def give_to_account(folder):
    if ACCOUNT:
        subprocess.run(["chown", "-R", ACCOUNT + ":nogroup", folder], check=True)


class PostgreSQL(Server):
    package = "postgresql-15"
    binaries = ("inst/bin/postgres", "inst/bin/psql", "inst/bin/pg_ctl", "inst/bin/initdb")

    @staticmethod
    def make(folder, kind, log):
        give_to_account(folder)
        with open(log, "w", encoding="utf-8"):
            pass
        step(["./configure", f"--prefix={folder}/inst", "--without-readline",
              "CFLAGS=-O2 -g -w " + fc_flags(kind, "--cflags"),
              "LIBS=" + fc_flags(kind, "--libs")], folder, log, WRAP)
        # libpq's Makefile looks for "exit" in the names that libpq asks for, as it must not
        # end a program, and finds __cyg_profile_func_exit; with this it does not look
        make = ["make", "-j2", "enable_coverage=yes"]
        step(make, folder, log, WRAP)
        for words in (["install"], ["-C", "contrib/spi", "install"], ["-C", "src/test/regress"]):
            step([*make, *words], folder, log, WRAP)

    def fresh(self):
        self.work_folder()
        give_to_account(self.path("work"))

    def run_as(self, run, words, **options):
        return self.run_target([*WRAP, *words], base={**run.env, "HOME": self.path("work")},
                               cwd=self.path("work"), timeout=LONG_S, **options)

    def binary(self, run, name):
        return os.path.join(run.build, "inst/bin", name)

    def control(self, run, *words):
        """pg_ctl; it and the server write into a file, as the server would keep a pipe open."""
        with open(self.path("control"), "wb") as stream:
            done = self.run_as(run, [self.binary(run, "pg_ctl"), "-D", self.path("work", "data"),
                                     "-w", "-t", "600", *words], stdout=stream, stderr=stream)
        with open(self.path("control"), encoding="utf-8") as stream:
            said = [line.strip(" .") for line in stream.read().splitlines()]
        return done.returncode, [re.sub(r"\.{2,}|PID: \d+", "", line) for line in said]

    def begin(self, run):
        return self.control(run, "start", "-l", self.path("work", "log"), "-o",
                            f"-c listen_addresses='' -k {self.path('work')}")

    def query(self, run, text):
        done = self.run_as(run, self.psql(run, text))
        return done.returncode, done.stdout, done.stderr

    def psql(self, run, text):
        return [self.binary(run, "psql"), "-X", "-A", "-h", self.path("work"), "-d", "postgres",
                "-c", text]

    def session(self, run):
        """A client whose backend waits, and that backend's process id."""
        client = self.start([*WRAP, *self.psql(run, "SELECT pg_sleep(3000)")], run)

        def backend():
            return self.query(run, "COPY (SELECT pid FROM pg_stat_activity WHERE query = "
                                   "'SELECT pg_sleep(3000)' AND wait_event = 'PgSleep') "
                                   "TO STDOUT")[1].strip()
        fctest.wait_until(backend, "no backend waits")
        return client, int(backend())

    def initialize(self, run):
        self.fresh()
        done = self.run_as(run, [self.binary(run, "initdb"), "-A", "trust", "-U", "nobody", "-N",
                                 "--locale=C", "-D", self.path("work", "data")])
        self.assertEqual(done.returncode, 0, done.stderr)
        return [self.begin(run), self.query(run, SETUP), *self.queries(run)]

    def queries(self, run):
        return [self.query(run, text) for text in QUERIES]

    def said(self):
        """What the server's log tells of its life, without times and process ids."""
        lines = [re.sub(r"^\S+ \S+ \S+ \[\d+\] ", "", line)
                 for line in self.read("log").splitlines()]
        lines = [re.sub(r"PID \d+|\d+\.\d+ s|[0-9A-F]+/[0-9A-F]+|\d\d:\d\d:\d\d\S*|at \d+-.*", "N",
                        line) for line in lines]
        kept = re.compile("shut|signal|crash|interrupted|recovery|terminating|abort|ready")
        return sorted(line for line in lines if line.startswith("LOG") and kept.search(line) and
                      "checkpoint" not in line)

    def test_stop(self):
        """smart waits for clients, fast sends them away, immediate breaks off."""
        def scenario(run):
            results = [self.initialize(run)]
            client, _ = self.session(run)
            results.append(self.control(run, "stop", "-m", "smart", "-t", "2"))
            client.send_signal(signal.SIGINT)
            results.append(client.wait(fctest.TIMEOUT_S))
            self.check_nothing_runs("plain" if run.kind == "plain" else "profiled")
            for mode in ("fast", "immediate"):
                results.append(self.begin(run))
                client, _ = self.session(run)
                results.append(self.control(run, "stop", "-m", mode))
                results.append(client.wait(fctest.TIMEOUT_S))
            results += [self.begin(run), *self.queries(run),
                        self.control(run, "restart", "-l", self.path("work", "log")),
                        self.control(run, "reload"), self.control(run, "status")[0],
                        self.control(run, "stop")]
            return results, self.said()
        self.run_kinds(scenario, 20)

    def test_killed(self):
        """SIGKILL to a backend, SIGSEGV to another, SIGKILL to the postmaster."""
        def scenario(run):
            results = [self.initialize(run)]
            for times, number in enumerate((signal.SIGKILL, signal.SIGSEGV), 2):
                client, backend = self.session(run)
                os.kill(backend, number)
                results.append(client.wait(fctest.TIMEOUT_S))
                self.wait_for_word("log", "ready to accept connections", times)
                results += self.queries(run)
            client, backend = self.session(run)
            with open(self.path("work/data/postmaster.pid"), encoding="ascii") as stream:
                os.kill(int(stream.readline()), signal.SIGKILL)
            # those that have nothing to do see it at once, who is busy when it is done
            os.kill(backend, signal.SIGTERM)
            results.append(client.wait(fctest.TIMEOUT_S))
            fctest.wait_until(lambda: not fctest.processes(
                None, link=self.binary(run, "postgres")), "backends stay")
            results += [self.begin(run), *self.queries(run), self.control(run, "stop")]
            return results, [line for line in self.said() if "terminating" not in line]
        self.run_kinds(scenario, 20)

    def test_regression(self):
        """Its own regression tests, in parallel as it runs them."""
        def scenario(run):
            self.fresh()
            regress = os.path.join(run.build, "src/test/regress")
            done = self.run_as(run, [
                os.path.join(regress, "pg_regress"), "--temp-instance", self.path("work", "temp"),
                "--inputdir", regress, "--outputdir", self.path("work"), "--dlpath", regress,
                "--bindir", os.path.join(run.build, "inst/bin"), "--max-concurrent-tests=20",
                "--schedule", os.path.join(regress, "parallel_schedule")])
            for path in glob.glob(self.path("work", "regression.*")):
                shutil.copy(path, self.path(f"{run.kind}-{os.path.basename(path)}"))
            outcomes = re.findall(r"^(?:test)?\s+(\w+)\s+\.\.\. (ok|FAILED|failed\S*)",
                                  done.stdout.decode(), re.M)
            self.assertGreater(len(outcomes), 200, done.stdout[-2000:] + done.stderr[-2000:])
            return done.returncode, sorted(outcomes)
        self.run_kinds(scenario, 500)
