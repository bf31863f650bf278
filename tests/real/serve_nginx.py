# SPDX-License-Identifier: GPL-3.0-or-later
"""nginx: reload, a worker that crashes or is killed, the exchange of its executable, graceful
and fast stop.

Run by servers.py.  The server listens on sockets in the test's folder alone.
"""

import gzip
import hashlib
import os
import re
import signal
import socket

from serving import Server, fc_flags, fctest, step

CONFIGURATION = """
worker_processes {workers};
error_log {folder}/error.log notice;
pid {folder}/nginx.pid;
daemon {daemon};
master_process {master};
# a successor gets no more of the environment than is named, and is counted beside as well
env LD_PRELOAD; env ORACLE_BESIDE; env ORACLE_OUT;
events {{ worker_connections 64; }}
http {{
  default_type text/plain;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  log_format short '$request $status $body_bytes_sent';
  access_log {folder}/access.log short;
  gzip on; gzip_min_length 100; gzip_types text/plain;
  upstream self {{ server unix:{folder}/backend; }}
  server {{
    listen unix:{folder}/backend;
    location / {{ return 200 "backend: $request_uri $http_x_given\\n"; }}
  }}
  server {{
    listen unix:{folder}/socket;
    root {folder}/html;
    location /proxied/ {{ proxy_pass http://self; proxy_set_header X-Given $arg_a; }}
    location /plain/ {{ gzip off; alias {folder}/html/; }}
    location /slow/ {{ gzip off; limit_rate 60k; alias {folder}/html/; }}
    location ~ ^/old/(\\d+)$ {{ rewrite ^/old/(\\d+)$ /moved/$1 permanent; }}
    location /list/ {{ autoindex on; autoindex_format json; }}
    location /ssi/ {{ ssi on; ssi_types text/plain; }}
    location /name {{ return 200 "{name}\\n"; }}
    location /secret {{ deny all; }}
    location /threads/ {{ aio threads; sendfile off; alias {folder}/html/; }}
  }}
}}
"""
REQUESTS = ("/", "/large", "/plain/large", "/none", "/proxied/x?a=5", "/old/17", "/list/",
            "/ssi/page", "/name", "/secret", "/threads/large", "/../", "/proxied/large")


class Nginx(Server):
    package = "nginx"
    binaries = ("objs/nginx",)

    @staticmethod
    def make(folder, kind, log):
        step(["./configure", "--prefix=" + folder, "--with-threads", "--with-http_ssl_module",
              "--with-cc-opt=-O2 -g -w " + fc_flags(kind, "--cflags"),
              "--with-ld-opt=" + fc_flags(kind, "--libs")], folder, log)
        step(["make", "-j2"], folder, log)

    def fresh(self):
        self.work_folder()
        for name, text in {"index.html": "<p>hello</p>\n", "large": "0123456789abcdef\n" * 8192,
                           "list/one": "1", "ssi/page": "<!--#echo var=\"arg_a\" default=\"no\" -->"
                           "<!--#include virtual=\"/proxied/included\" -->"}.items():
            path = self.path("work", "html", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.utime(path, (10 ** 9, 10 ** 9))
        self.configure()

    def configure(self, name="1", workers=2, daemon="off", master="on"):
        with open(self.path("work", "nginx.conf"), "w", encoding="utf-8") as stream:
            stream.write(CONFIGURATION.format(folder=self.path("work"), name=name, daemon=daemon,
                                              workers=workers, master=master))

    def words(self, run, *options):
        return [os.path.join(run.build, "objs/nginx"), "-p", self.path("work"), "-c",
                self.path("work", "nginx.conf"), *options]

    def serve(self, run):
        process = self.start(self.words(run), run)
        self.wait_to_serve()
        return process

    def wait_to_serve(self):
        def answers():
            try:
                return self.get("/name")
            except OSError:
                return None
        fctest.wait_until(answers, "nginx does not answer")

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(fctest.TIMEOUT_S)
        client.connect(self.path("work", "socket"))
        return client

    def ask(self, client, path):
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\nAccept-Encoding: gzip\r\n"
                       "Connection: close\r\n\r\n".encode())

    @staticmethod
    def answer(client):
        with client, client.makefile("rb") as stream:
            text = stream.read()
        head, _, body = text.partition(b"\r\n\r\n")
        if b"Content-Encoding: gzip" in head:
            body = gzip.decompress(b"".join(re.findall(  # chunks, as its length is not known
                rb"[0-9a-f]+\r\n(\x1f.*)\r\n0\r\n\r\n", body, re.S)) or body)
        return re.sub(rb"\r\nDate: [^\r]*", b"", head), len(body), hashlib.sha256(body).hexdigest()

    def get(self, path):
        client = self.connect()
        self.ask(client, path)
        return self.answer(client)

    def all(self):
        return [self.get(path) for path in REQUESTS]

    def workers(self, master):
        """Its workers, as the kernel names its children."""
        try:
            with open(f"/proc/{master}/task/{master}/children", encoding="ascii") as stream:
                return set(map(int, stream.read().split()))
        except OSError:
            return set()

    @staticmethod
    def accepts(worker):
        """Whether it has not been told to end: its title tells."""
        try:
            with open(f"/proc/{worker}/cmdline", encoding="ascii") as stream:
                return "shutting down" not in stream.read()
        except OSError:
            return False

    def pid(self, name="nginx.pid"):
        return int(self.read(name))

    def said(self, *left_out):
        """The error log without times and process ids, in no order, as many wrote it."""
        lines = [re.sub(r"^\S+ \S+ \[(\w+)\] \d+#\d+: (\*\d+ )?", r"\1 ", line)
                 for line in self.read("error.log").splitlines()]
        lines = [re.sub(r"process \d+|\(SIG\w+\) received from \d+|UNIX socket:\d+|, client: .*",
                        "N", line) for line in lines]
        # how many signals come together differs
        return sorted(line for line in lines
                      if not re.search(r"signal \d+ (\(SIG(CHLD|IO)\) )?N?|SIGCHLD|SIGIO", line) and
                      not any(word in line for word in left_out))

    def result(self, process):
        return process.wait(fctest.TIMEOUT_S), self.said(), self.read("output"), \
            sorted(os.listdir(self.path("work")))

    def command(self, run, *options):
        done = self.run_target(self.words(run, *options), base=run.env)
        return done.returncode, done.stdout, re.sub(rb"\S+ \S+ (\[\w+\]) \d+#\d+:", rb"\1",
                                                    done.stderr)

    def test_reload(self):
        """Workers are exchanged for new ones, and the old ones finish what they had begun."""
        def scenario(run):
            self.fresh()
            results = [self.command(run, "-t"), self.command(run, "-V")[0]]
            process = self.serve(run)
            old = self.workers(process.pid)
            results += [len(old), self.all()]
            slow = self.connect()
            self.ask(slow, "/slow/large")
            results.append(slow.recv(100)[:15])
            for name, workers in (("22", 3), ("333", 1)):
                self.configure(name, workers)
                before = self.workers(process.pid)
                results.append(self.command(run, "-s", "reload"))
                fctest.wait_until(lambda before=before: not any(map(self.accepts, before)),
                                  "old workers still accept")
                results.append(self.all())
            results.append(self.answer(slow)[1] > 100000)
            fctest.wait_until(lambda: len(self.workers(process.pid)) == 1, "old workers stay")
            results.append(self.command(run, "-s", "reopen"))
            with open(self.path("work", "nginx.conf"), "a", encoding="utf-8") as stream:
                stream.write("nonsense;\n")
            results.append(self.command(run, "-s", "reload")[0])
            self.configure("4444", 1)
            results += [self.all(), self.command(run, "-s", "quit")]
            asked = [line for line in self.read("access.log").splitlines() if "/name" not in line]
            return results, self.result(process), sorted(asked)
        self.run_kinds(scenario, 8)

    def test_workers_lost(self):
        """A worker gets SIGSEGV, another one SIGKILL: the master starts new ones."""
        def scenario(run):
            self.fresh()
            process = self.serve(run)
            results = [self.all()]
            for number in (signal.SIGSEGV, signal.SIGKILL):
                before = self.workers(process.pid)
                victim = min(before)
                os.kill(victim, number)
                fctest.wait_until(lambda: len(self.workers(process.pid)) == 2 and
                                  victim not in self.workers(process.pid), "no new worker")
                results.append(self.all())
            results.append(len(re.findall(r"exited on signal (?:11|9)", self.read("error.log"))))
            process.send_signal(signal.SIGQUIT)
            return results, self.result(process)
        self.run_kinds(scenario, 5)

    def test_graceful_stop(self):
        """SIGQUIT in the middle of an answer, which is still given in full; SIGTERM breaks
        it off."""
        def scenario(run):
            results = []
            for number in (signal.SIGQUIT, signal.SIGTERM):
                self.fresh()
                process = self.serve(run)
                results.append(self.all())
                slow = self.connect()
                self.ask(slow, "/slow/large")
                first = slow.recv(100)
                process.send_signal(number)
                status = self.result(process)
                results += [status, first[:15], self.answer(slow)[1] > 100000]
            return results
        self.run_kinds(scenario, 6)

    def test_killed_master(self):
        """SIGKILL to the master: its workers go on, and are ended by SIGTERM."""
        def scenario(run):
            self.fresh()
            process = self.serve(run)
            workers = self.workers(process.pid)
            process.kill()
            results = [process.wait(), self.all()]
            for pid in workers:
                os.kill(pid, signal.SIGTERM)
            self.check_nothing_runs("plain" if run.kind == "plain" else "profiled")
            return results, self.said()
        self.run_kinds(scenario, 3)

    def test_exchange(self):
        """A daemon starts its successor (SIGUSR2), which takes over its sockets."""
        def scenario(run):
            self.fresh()
            self.configure(daemon="on")
            results = [self.command(run)]
            self.wait_to_serve()
            old = self.pid()
            results.append(self.all())
            os.kill(old, signal.SIGUSR2)
            fctest.wait_until(lambda: os.path.exists(self.path("work", "nginx.pid.oldbin")) and
                              os.path.exists(self.path("work", "nginx.pid")) and
                              len(self.workers(self.pid())) == 2, "no successor")
            self.assertEqual(self.pid("nginx.pid.oldbin"), old)
            os.kill(old, signal.SIGWINCH)
            fctest.wait_until(lambda: len(self.workers(old)) == 1, "the old workers stay")
            results.append(self.all())
            os.kill(old, signal.SIGQUIT)
            fctest.wait_until(lambda: not os.path.exists(self.path("work", "nginx.pid.oldbin")),
                              "the old master stays")
            results += [self.all(), self.command(run, "-s", "stop")]
            self.check_nothing_runs("plain" if run.kind == "plain" else "profiled")
            return results, self.said(), sorted(os.listdir(self.path("work")))
        self.run_kinds(scenario, 7)

    def test_single(self):
        """Without a master: one process that serves all."""
        def scenario(run):
            self.fresh()
            self.configure(master="off")
            process = self.serve(run)
            results = [self.all()]
            process.send_signal(signal.SIGQUIT)
            return results, self.result(process)
        self.run_kinds(scenario)
