# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the environment the tests inherit: no setting of FunctionCheck's that whoever runs them
may have exported, as FC_DUMP_PATH or FC_FILTER, which steer programs and tools that a test starts.

Imported for what it does then, before anything is started; what the suite itself is told stays.
"""

import os

OWN = ("FC_PREFIX", "FC_BINDIR", "FC_SOURCE_ROOT", "FC_BUILD_ROOT", "FC_BENCH_REALTIME", "FC_SCREENSHOTS")

for name in [name for name in os.environ if name.startswith("FC_") and name not in OWN]:
    del os.environ[name]
