#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No table has a fixed size, and the manager's memory grows with what is distinct in
a program, not with how long it runs.

It takes 20 s, 12 of them of processor time, and over a minute and a half beside other tests: that memory does not grow
shows only in much of all, so that there are 100 million calls, three runs with more contexts than are kept, and
200,000 coroutines; over the pipe they are in the suite `slow`."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from cells import cells  # noqa: E402

SMALLEST = {"FC_FUNCTION_SIZE": "1", "FC_GRAPH_SIZE": "1", "FC_STACK_SIZE": "1",
            "FC_BUFFER_SIZE": "1", "FC_MEMORY_SIZE": "1"}
METER = os.path.join(fctest.BUILD_ROOT, "tests", "bench", "meter")
LIMIT_KIB = 64 * 1024
ROUNDS = 1500  # of 1,000 contexts each; 500 MiB if all were kept


class Growth(fctest.Case):
    def test_many_functions(self):
        """4,000 functions; function i is called i % 7 + 1 times, each from a site of its
        own, and every one of them calls the next but one."""
        count = 4000
        lines = [f"static int f{i}(int depth);" for i in range(count)]
        for i in range(count):
            following = f"f{i + 2}(depth - 1)" if i + 2 < count else "0"
            lines.append(f"static int f{i}(int depth) {{ return depth > 0 ? {following} : 1; }}")
        calls = [0] * count
        body = []
        for i in range(count):
            for depth in range(i % 7 + 1):
                body.append(f"    sum += f{i}({depth});")
                for step in range(depth + 1):
                    if i + 2 * step < count:
                        calls[i + 2 * step] += 1
        lines += ["int main(void)", "{", "    int sum = 0;", *body, "    return sum < 0;", "}"]
        source = self.write("many.c", "\n".join(lines) + "\n")
        program = self.compile(source, "-g0")
        done = self.run_quiet([program], env=SMALLEST)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        found = {function.name: function.calls for function in profile.functions}
        expected = {f"f{i}": calls[i] for i in range(count)}
        expected["main"] = 1
        self.assertEqual(found, expected)
        done, files = self.run_oracle([program])
        self.assertEqual((done.returncode, len(files)), (0, 1))
        self.assert_counts_equal(files[0], profile)

    def test_many_callers(self):
        """1,200 functions that call one another through one that is not profiled, as callbacks do: each has
        hundreds of callers at one call site, and settling who called whom ends while somebody waits for it."""
        count = 1200
        lines = ["static unsigned state = 12345, calls;", "static void pass_on(int depth);"]
        lines += [f"void f{i}(int depth) {{ calls++; if (depth > 0) pass_on(depth - 1); }}" for i in range(count)]
        lines += ["static void (*const table[])(int) = {" + ", ".join(f"f{i}" for i in range(count)) + "};",
                  "__attribute__((no_instrument_function, noinline)) static void pass_on(int depth)",
                  "{ state = state * 1664525u + 1013904223u; table[(state >> 8) % " f"{count}](depth);",
                  "  __asm__ volatile(\"\"); }",
                  "int main(void) { for (int i = 0; i < 100000; i++) pass_on(4); return calls != 500000; }"]
        program = self.compile(self.write("callbacks.c", "\n".join(lines) + "\n"), "-g0")
        done = self.run_quiet([program], env={"FC_DETAIL": "auto"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual(sum(function.calls for function in profile.functions), 500001)
        done, files = self.run_oracle([program])
        self.assertEqual((done.returncode, len(files)), (0, 1))
        self.assert_counts_equal(files[0], profile)

    def test_deep_recursion(self):
        depth = 30000
        source = self.write("deep.c", "static int down(int n) { return n == 0 ? 0 : "
                            f"1 + down(n - 1); }}\nint main(void) {{ return down({depth}) != "
                            f"{depth}; }}\n")
        program = self.compile(source)
        done = self.run_quiet([program], env=SMALLEST)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual({function.name: function.calls for function in profile.functions},
                         {"main": 1, "down": depth + 1})
        # recursion is folded: the tree of contexts has two nodes
        self.assertEqual({context.path: context.calls for context in profile.contexts},
                         {("main",): 1, ("main", "down"): depth + 1})
        self.assertEqual((profile.repairs, profile.losses), ({}, {}))

    def manager_kib(self, words, **env):
        """The manager's largest resident size during a run."""
        out = self.path("meter")
        done = self.run_quiet(words, env={"FC_MANAGER": METER, "METER_OUT": out,
                                          "METER_MANAGER": fctest.tool("fcmanager"), **env})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(self.wait_for_file("meter"), encoding="utf-8") as stream:
            kib = int(stream.read().split()[1])
        os.unlink(out)
        return kib

    def test_managers_memory_for_little(self):
        """Of the shared memory what was used: a page of each of its thousand chunks would be 4 MiB."""
        kib = self.manager_kib([self.compile("manythreads.c", "-O2"), "1", "1000"])
        self.assertLess(kib, 6 * 1024)

    def test_managers_memory(self):
        program = self.compile("manythreads.c", "-O2")
        for threads, calls in ((1, 1000), (1, 100000000), (8, 1000000)):
            kib = self.manager_kib([program, str(threads), str(calls)])
            self.assertLess(kib, LIMIT_KIB, f"{threads} threads, {calls} calls each")
            profile = fcprofile.load(self.path("functioncheck.fc"))
            steps = next(each for each in profile.functions if each.name == "step")
            self.assertEqual(steps.calls, threads * calls + threads)

    def test_managers_memory_with_many_contexts(self):
        """Beyond the limit contexts are folded, and said to be; all else is as it would be."""
        program = self.compile("contexts.c", "-O1", "-fno-inline")
        counted = {}  # by the oracle, which FC_DETAIL means nothing to
        for threads, detail in cells(((1, "auto"), (8, "auto"), (16, "all")), ((4, "auto"), (1, "all"))):
            words = [program, str(threads), str(ROUNDS // threads), "10"]
            kib = self.manager_kib(words, FC_DETAIL=detail)
            self.assertLess(kib, LIMIT_KIB, f"{threads} threads, {detail}")
            if threads not in counted:
                done, counted[threads] = self.run_oracle(words)
                self.assertEqual((done.returncode, len(counted[threads])), (0, 1))
            profile = fcprofile.load(self.path("functioncheck.fc"))
            self.assert_counts_equal(counted[threads][0], profile)
            self.assertGreater(profile.repairs["contexts-folded"], 0)
            calls = profile.context_calls()
            self.assertGreater(len(calls), 60000)
            self.assertLess(len(calls), 150000)
            self.assertEqual(sum(calls), sum(function.calls for function in profile.functions))

    def test_managers_memory_with_many_functions(self):
        """Less than 1 KiB for each of 100,000 functions with a context, an arc and times of its own.  The functions
        are addresses in a large area, which the program passes to the hooks."""
        source = self.write("functions.c", """
            #include <stdlib.h>
            void __cyg_profile_func_enter(void *function, void *site);
            void __cyg_profile_func_exit(void *function, void *site);
            __asm__(".text\\n.globl area\\n.type area, @object\\narea: .space 3200000, 0x90\\n"
                    ".size area, .-area\\n");
            extern char area[];
            __attribute__((no_instrument_function)) int main(int argc, char **argv)
            {
                for (long calls = 0; calls < 3; calls++)
                    for (long i = 0; i < atol(argv[argc - 1]); i++)
                    {
                        __cyg_profile_func_enter(area + 32 * i, area + 32 * i + 9);
                        __cyg_profile_func_exit(area + 32 * i, area + 32 * i + 9);
                    }
                return 0;
            }
            """)
        program = self.compile(source, "-O1")
        # 86,000 on a quiet machine; a tenth more where a copy for recovery is taken meanwhile
        self.assertLess(self.manager_kib([program, "100000"]), 100000)
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual([function.calls for function in profile.functions], [3] * 100000)

    def test_managers_memory_with_many_coroutines(self):
        """200,000 of them, one after the other, each on a stack where none was before: what is
        kept of one that ended is where its stack was."""
        source = self.write("coroutines.c", """
            #include <stdlib.h>
            #include <sys/mman.h>
            #include <ucontext.h>
            #define BYTES 16384
            static ucontext_t here, there;
            static void step(void) {}
            static void body(void) { step(); }
            int main(int argc, char **argv)
            {
                const size_t count = (size_t)atoi(argv[argc - 1]);
                char *stacks = mmap(NULL, count * 2 * BYTES, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                if (stacks == MAP_FAILED)
                    abort();
                for (size_t i = 0; i < count; i++)
                {
                    getcontext(&there);
                    there.uc_stack.ss_sp = stacks + i * 2 * BYTES;
                    there.uc_stack.ss_size = BYTES;
                    there.uc_link = &here;
                    makecontext(&there, body, 0);
                    swapcontext(&here, &there);
                    madvise(there.uc_stack.ss_sp, BYTES, MADV_DONTNEED);
                }
                return 0;
            }
            """)
        program = self.compile(source)
        count = 200000
        for env in cells(({},), ({"FC_TRANSPORT": "pipe"},)):
            kib = self.manager_kib([program, str(count)], **env)
            self.assertLess(kib, LIMIT_KIB, env)
            profile = fcprofile.load(self.path("functioncheck.fc"))
            self.assertEqual({function.name: function.calls for function in profile.functions},
                             {"main": 1, "body": count, "step": count})
            self.assertEqual((profile.repairs, profile.losses), ({}, {}))

    def test_threads_give_back(self):
        """A thread that counts calls from many places leaves none of its tables behind."""
        functions = range(1500)
        source = self.write("places.c", "\n".join([
            "#include <pthread.h>", "#include <stdio.h>", "#include <string.h>",
            *(f"static void f{i}(void) {{}}" for i in functions),
            "static void *work(void *unused)", "{",
            *(f"    f{i}();" for i in [*functions] * 4),
            "    return unused;", "}",
            "int main(void)", "{",
            "    for (int i = 0; i < 60; i++)", "    {",
            "        char line[256];", "        pthread_t thread;",
            "        pthread_create(&thread, NULL, work, NULL);",
            "        pthread_join(thread, NULL);",
            '        FILE *status = fopen("/proc/self/status", "r");',
            "        while (fgets(line, sizeof line, status))",
            '            if (strncmp(line, "VmSize:", 7) == 0)',
            "                fputs(line + 7, stdout);",
            "        fclose(status);", "    }", "    return 0;", "}"]) + "\n")
        program = self.compile(source, "-g0")
        done = self.run_quiet([program], env={"FC_FILTER": "count:f*"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        kib = [int(line.split()[0]) for line in done.stdout.decode().splitlines()]
        self.assertEqual(len(kib), 60)
        self.assertLess(kib[-1] - kib[9], 2048)
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual({function.calls for function in profile.functions
                          if function.name.startswith("f")}, {4 * 60})

    def test_more_contexts_on_demand(self):
        program = self.compile("contexts.c", "-O1", "-fno-inline")
        words = [program, "1", "200", "10"]
        done = self.run_quiet(words, env={"FC_CONTEXTS": "1000000"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual(profile.repairs, {})
        self.assertGreater(len(profile.context_calls()), 200000)

    def test_windows_that_end_early(self):
        """Calls within them of functions that are open outside, too, have frames no longer: the
        manager has nothing to repair."""
        program = self.compile("contexts.c", "-O1", "-fno-inline")
        done = self.run_quiet([program, "1", "50", "10"],
                              env=fctest.plain_environment("eager", FC_CONTEXTS="1000000"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual(profile.repairs, {})
        with open(self.path("functioncheck.fc"), encoding="utf-8", errors="replace") as text:
            self.assertRegex(text.read(), r"\nsection counted 1 [34]\d\n")


if __name__ == "__main__":
    fctest.main()
