#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the profile notes of its making: with a file for each thread each note is in one of them,
that of its thread, so that a sum of the files is true."""

import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

THREADS = 5


class ThreadMode(fctest.Case):
    def test_each_once(self):
        """Thread i leaves i + 1 calls by longjmp; all are alive until the process ends, but one."""
        program = self.compile(self.write("jumps.c", """
            #include <pthread.h>
            #include <setjmp.h>
            #include <stdint.h>
            static pthread_barrier_t done;
            static __thread jmp_buf back;
            static void leave(void) { longjmp(back, 1); }
            static void *work(void *number)
            {
                for (volatile uintptr_t i = 0; i <= (uintptr_t)number; i++)
                    if (setjmp(back) == 0)
                        leave();
                pthread_barrier_wait(&done);
                if (number)
                    pthread_barrier_wait(&done);
                return NULL;
            }
            int main(void)
            {
                pthread_t threads[%d];
                pthread_barrier_init(&done, NULL, %d + 1);
                for (uintptr_t i = 0; i < %d; i++)
                    pthread_create(&threads[i], NULL, work, (void *)i);
                pthread_barrier_wait(&done);
                pthread_join(threads[0], NULL);
                return 0;
            }
            """ % (THREADS, THREADS, THREADS)))
        for transport in ("shared", "pipe"):
            done = self.run_quiet([program], env={"FC_ALLOW_THREAD": "1",
                                                  "FC_TRANSPORT": transport})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            files = glob.glob(self.path("functioncheck.fc.*"))
            self.assertEqual(len(files), THREADS + 1)
            found = [fcprofile.load(file).repairs for file in files]
            self.assertEqual(sorted(each.get("jump", 0) for each in found),
                             list(range(THREADS + 1)), found)
            text = subprocess.run([fctest.tool("fcdump"), "--notes", self.path("functioncheck.fcd")],
                                  capture_output=True, text=True, check=True,
                                  env=fctest.plain_environment()).stdout
            self.assertRegex(text, rf"\n *{THREADS * (THREADS + 1) // 2}  jump ")
            for file in files + [self.path("functioncheck.fcd")]:
                os.unlink(file)


if __name__ == "__main__":
    fctest.main()
