#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real servers from their source packages, plain and with fc-config's flags, through what
servers live through: reloads, forks, daemons, crashes, kills, and their own test suites.
Profiled they do what a plain build does; each count is the oracle's beside them; there is a
profile for each process, also of one that was killed; nothing is lost, no process and no file
left over.

Run by hand, as it is long: `ninja -C build`, then

    tests/real/servers.py [redis|nginx|cpython|postgresql|redis.Redis.test_save]...

Builds are kept in `servers/` of the build folder, or in $FCTEST_SERVERS, for the next time; remove
what is to be built again.  What it needs is installed by root with --install, and else named.
PostgreSQL refuses to run as root: it runs as `nobody` then, who must be able to reach the folder.
"""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402
from real import HERE  # noqa: E402

SERVERS = ("redis", "nginx", "cpython", "postgresql")


def packages(install):
    """Whether all packages that the builds need are there."""
    script = ('. "$0" && if [ "$1" ]; then packages_install servers; else '
              'missing=$(packages_missing $(packages_of servers)); [ -z "$missing" ] || '
              '{ echo "Packages are missing (--install installs them): $missing" >&2; exit 1; }; '
              'fi')
    return subprocess.run(["sh", "-c", script, os.path.join(HERE, "../../tools/setup.sh"),
                           "yes" if install else ""], check=False).returncode == 0


def main():
    words = [word for word in sys.argv[1:] if word != "--install"]
    unknown = [word for word in words if word.split(".")[0] not in SERVERS]
    if unknown:
        print(__doc__, file=sys.stderr)
        return 2
    if not packages("--install" in sys.argv):
        return 1
    names = ["serve_" + word for word in words or SERVERS]
    with serving.install_prefix():
        suite = unittest.defaultTestLoader.loadTestsFromNames(names)
        return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
