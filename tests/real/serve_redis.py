# SPDX-License-Identifier: GPL-3.0-or-later
"""redis: forks that save, ends by SIGTERM, SIGKILL and a crash, a daemon, threads.

Run by servers.py.  The server listens on a socket in the test's folder alone.
"""

import os
import re
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import time

from serving import LONG_S, PREFIX, Run, Server, fc_flags, fcprofile, fctest, step

KEYS = 3000


class Client:
    """Speaks redis's protocol; replies are as they come."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(fctest.TIMEOUT_S)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rb")

    def send(self, *commands):
        for command in commands:
            words = [str(word).encode() for word in command]
            self.socket.sendall(b"*%d\r\n" % len(words) +
                                b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words))

    def reply(self):
        line = self.stream.readline()
        if not line:
            raise EOFError("redis closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind in b"$*" and int(rest) < 0:
            return None
        if kind == b"$":
            return self.stream.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        return line[:-2]

    def __call__(self, line):
        self.send(shlex.split(line))
        return self.reply()

    def close(self):
        self.stream.close()
        self.socket.close()


# What answers the same each time.
COMMANDS = """
SET greeting hello|APPEND greeting ", world"|GETRANGE greeting 0 4|STRLEN greeting
INCRBY number 41|INCRBYFLOAT number 1.5|SETBIT bits 1000 1|BITCOUNT bits|MGET greeting none number
RPUSH list 3 1 2 10 7|LINSERT list BEFORE 2 99|SORT list DESC|LRANGE list 0 -1|LPOP list 2
HSET hash a 1 b 2 c 3|HINCRBY hash b 40|HGET hash b|HLEN hash|HDEL hash c|HEXISTS hash c
SADD set x y z|SISMEMBER set y|SCARD set|SADD other y z w|SINTERCARD 2 set other
ZADD ranks 3 three 1 one 2 two|ZRANGE ranks 0 -1 WITHSCORES|ZRANK ranks three|ZPOPMIN ranks
PFADD hll a b c d a|PFCOUNT hll|GEOADD places 13.36 38.11 Palermo 15.08 37.50 Catania
GEODIST places Palermo Catania km|XADD stream 1-1 field value|XADD stream 2-1 field value
XLEN stream|XRANGE stream - +|OBJECT ENCODING list|TYPE ranks|RENAME other another|EXISTS other
EVAL "local s = 0; for i = 1, tonumber(ARGV[1]) do s = s + i % 7 end; return s" 0 20000
EVAL "return redis.call('INCRBY', KEYS[1], 5)" 1 counter|EVAL "return redis.sha1hex('a')" 0
EVAL "error('mine')" 0|EVAL "return cjson.encode({1, 2, {3}})" 0|LPUSH greeting x|NOSUCH command
MULTI|INCR counter|LPUSH counter x|EXEC|GET counter|EXPIRE greeting 5000|PERSIST greeting
BITFIELD bits INCRBY u8 100 7|LCS greeting greeting LEN|COPY set copied|UNLINK copied|DBSIZE
""".strip().replace("\n", "|").split("|")


def said(log):
    """The log without times, process ids and sizes; the lines of each role by themselves,
    as which comes first of parent's and child's is open."""
    lines = [re.sub(r"^\d+:(\w) \d+ \w+ \d+ [\d:.]+", r"\1", line) for line in log.splitlines()]
    lines = [re.sub(r"^\d+:signal-handler \(\d+\)", "H", line) for line in lines]
    lines = [re.sub(r"\d+\.\d+|pid[ =]\d+|-bg-\d+|\d+ (MB|bytes|seconds)", "N", line)
             for line in lines]
    return sorted(lines, key=lambda line: line[:1])


class Redis(Server):
    package = "redis"
    binaries = ("src/redis-server", "src/redis-cli", "src/redis-benchmark")

    @staticmethod
    def make(folder, kind, log):
        words = ["make", "-j2", "MALLOC=libc", "CFLAGS=-O2 -g -w " + fc_flags(kind, "--cflags"),
                 "LDFLAGS=" + fc_flags(kind, "--libs")]
        step(words, folder, log)

    def serve(self, run, *options):
        # it looks after itself 10 times a second, if not told less
        words = [os.path.join(run.build, "src/redis-server"), "--port", "0", "--unixsocket",
                 self.path("work", "socket"), "--dir", self.path("work"), "--save", "", "--hz", "1",
                 "--logfile", "log", "--enable-debug-command", "yes", "--pidfile",
                 self.path("work", "pid"), *options]
        times = self.started = getattr(self, "started", 0) + 1
        process = self.start(words, run)
        self.wait_for_word("log", "The server is now ready to accept connections", times)
        return process, Client(self.path("work", "socket"))

    def fresh(self):
        self.started = 0
        return self.work_folder()

    def fill(self, client):
        client.send(*(("HSET", f"key:{number}", "name", "x" * (number % 50), "number", number)
                      for number in range(KEYS)))
        replies = {client.reply() for _ in range(KEYS)}
        return replies, [client(command) for command in COMMANDS]

    def wait_for_save(self, client, what="rdb_bgsave"):
        fctest.wait_until(lambda: f"{what}_in_progress:0\r\n".encode() in
                          client("INFO persistence"), "the save did not end")
        return re.findall(rb"(?:rdb|aof)_last_\w+_status:\w+", client("INFO persistence"))

    def ended(self, process, client, seconds=fctest.TIMEOUT_S):
        client.close()
        return process.wait(seconds), said(self.read("log")), \
            sorted(os.listdir(self.path("work")))

    def test_save(self):
        """Forks that save and rewrite, SIGTERM, and what was saved is read again."""
        def scenario(run):
            self.fresh()
            process, client = self.serve(run)
            results = [self.fill(client), client("BGSAVE"), self.wait_for_save(client)]
            results += [client("CONFIG SET appendonly yes"),
                        self.wait_for_save(client, "aof_rewrite"), client("SET last 1"),
                        client("BGREWRITEAOF"), self.wait_for_save(client, "aof_rewrite"),
                        client("DEBUG DIGEST"), client("SAVE")]
            process.terminate()
            results.append(self.ended(process, client))
            process, client = self.serve(run)
            results += [client("DEBUG DIGEST"), client("DBSIZE"), client("FLUSHALL ASYNC")]
            # what another thread does while the process ends is past the profile's end
            fctest.wait_until(lambda: b"lazyfree_pending_objects:0" in client("INFO memory"),
                              "nothing frees the objects")
            client.send(["SHUTDOWN", "NOSAVE"])
            return results, self.ended(process, client)
        self.run_kinds(scenario, 5)

    def test_killed(self):
        """SIGKILL; the append-only file brings all back."""
        def scenario(run):
            self.fresh()
            process, client = self.serve(run, "--appendonly", "yes", "--appendfsync", "always")
            results = [self.fill(client), client("DEBUG DIGEST")]
            process.kill()
            results.append(self.ended(process, client))
            process, client = self.serve(run, "--appendonly", "yes")
            results.append(client("DEBUG DIGEST"))
            process.terminate()
            return results, self.ended(process, client)
        self.run_kinds(scenario, 2)

    def test_killed_child(self):
        """SIGKILL to the child that saves."""
        def scenario(run):
            self.fresh()
            process, client = self.serve(run)
            results = [self.fill(client), client("CONFIG SET rdb-key-save-delay 100000"),
                       client("BGSAVE")]
            fctest.wait_until(lambda: any(name.startswith("temp-")
                                          for name in os.listdir(self.path("work"))),
                              "nothing is saved")
            with open(f"/proc/{process.pid}/task/{process.pid}/children",
                      encoding="ascii") as stream:
                child, = map(int, stream.read().split())
            os.kill(child, signal.SIGKILL)
            results.append(self.wait_for_save(client))
            results.append([name.startswith("temp-") for name in os.listdir(self.path("work"))])
            process.terminate()
            return results, self.ended(process, client)
        self.run_kinds(scenario, 2)

    def test_crash(self):
        """Its own handler of SIGSEGV writes a report and ends it by the signal."""
        def scenario(run):
            self.fresh()
            # it would test its memory, and with it that of libfc and its thread-local
            # variables, by writing all over it while its functions are called
            process, client = self.serve(run, "--crash-memcheck-enabled", "no")
            results = [self.fill(client)]
            client.send(["DEBUG", "SEGFAULT"])
            client.close()
            status = process.wait(fctest.TIMEOUT_S)
            headings = re.findall(r"^[-=]+ ?([A-Z][A-Z :]+[A-Z])", self.read("log"), re.M)
            return results, status, headings, "crashed by signal: 11" in self.read("log")
        self.run_kinds(scenario)

    def test_daemon(self):
        """It forks, leaves its session and is ended by SIGTERM."""
        def scenario(run):
            self.fresh()
            process, client = self.serve(run, "--daemonize", "yes")
            results = [process.wait(fctest.TIMEOUT_S), self.fill(client), client("BGSAVE"),
                       self.wait_for_save(client)]
            os.kill(int(self.read("pid")), signal.SIGTERM)
            self.wait_for_word("log", "bye bye")
            return results, self.ended(process, client)
        self.run_kinds(scenario, 3)

    def test_threads(self):
        """Threads that read and write, while clients with threads press them."""
        def scenario(run):
            self.fresh()
            process, client = self.serve(run, "--io-threads", "2", "--io-threads-do-reads", "yes")
            words = [os.path.join(run.build, "src/redis-benchmark"), "-s",
                     self.path("work", "socket"), "-n", "500", "-c", "8", "--threads", "2",
                     "-r", "1", "-q", "-t", "set,incr,lpush,hset,mset"]
            done = self.run_target(words, base=run.env, timeout=LONG_S)
            named = re.findall(rb"([A-Z]+[^:\r\n]*): [\d.]+ requests", done.stdout)
            results = [done.returncode, done.stderr, named, client("DBSIZE"),
                       client("GET counter:000000000000"), client("LLEN mylist")]
            process.terminate()
            return results, self.ended(process, client)
        self.run_kinds(scenario, 2)

    def fcctl(self, *words):
        done = self.run_target([os.path.join(PREFIX, "bin", "fcctl"), *map(str, words)])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def cpu_s(self, pid):
        """Of a process and the children that it has waited for."""
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stream:
            words = stream.read().rpartition(")")[2].split()
        return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")

    def test_snapshots(self):
        """A snapshot a second for a minute under load; when it is idle, calls of a snapshot are those of its own
        statistics.  Prints what it took."""
        self.fresh()
        os.mkdir(self.path("profiles"))
        env = fctest.plain_environment(FC_QUIET="1", FC_DUMP_PATH=self.path("profiles"))
        process, client = self.serve(Run("profiled", self.builds["profiled"], env))
        status = dict(line.split(" ", 1) for line in self.fcctl(process.pid, "status").splitlines())
        manager, blocked_ms, started = int(status["manager"]), [], time.monotonic()
        cpu = [self.cpu_s(manager), self.cpu_s(process.pid)]
        words = [os.path.join(self.builds["plain"],
                              "src/redis-benchmark"), "-s", self.path("work", "socket"), "-n", "100000000", "-c", "8",
                 "-t", "set", "-r", "1000", "-q"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as load:
            for second in range(60):
                time.sleep(max(0, started + second + 1 - time.monotonic()))
                self.fcctl(process.pid, "snapshot", self.path("snapshot.fc"))
                blocked_ms.append(float(re.search(r"(?m)^snapshots-blocked-ms ([\d.]+)",
                                                  self.fcctl(process.pid, "status"))[1]))
            took = time.monotonic() - started
            cpu = [self.cpu_s(manager) - cpu[0], self.cpu_s(process.pid) - cpu[1]]
            load.kill()
        for command in ("GET key", "INCR number", "LPUSH list 1", "GET key"):
            client(command)
        told = {name: int(calls) for name, calls in
                re.findall(r"cmdstat_(\w+):calls=(\d+)", client("INFO commandstats").decode())}
        self.fcctl(process.pid, "snapshot", self.path("idle.fc"))
        found = {function.name: function.calls for function in fcprofile.load(self.path("idle.fc")).functions}
        for name in ("set", "get", "incr", "lpush"):
            self.assertEqual(found[name + "Command"], told[name], name)
        self.assertGreater(told["set"], 1000)
        print(f"blocked: median {statistics.median(blocked_ms):.2f} ms, at most {max(blocked_ms):.2f} ms; CPU of the manager "
              f"and its children {cpu[0] / took:.1%} of a processor, of redis {cpu[1] / took:.1%}; "
              f"{told['set']} SETs, a snapshot of {os.path.getsize(self.path('idle.fc')) >> 10} KiB", file=sys.stderr)
        process.terminate()
        self.ended(process, client)
