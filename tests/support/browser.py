# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium for the tests of the pages that fcdump writes.

Imported by scripts that run with Debian's own Python, as its Selenium needs; skips the test where
one of the two is missing.  It must never reach for the network.
"""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile

try:
    from selenium import webdriver
except ImportError:
    print("python3-selenium is not installed")
    sys.exit(77)
DRIVER = shutil.which("chromedriver")
if DRIVER is None:
    print("chromium-driver is not installed")
    sys.exit(77)

# A browser of its own wishes looks for news of itself, again and again.
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync
--disable-background-networking --disable-component-update --disable-dev-shm-usage
--window-size=1300,900 --force-device-scale-factor=1""".split()


@contextlib.contextmanager
def browser(*flags):
    """A driver whose page has had no error when the block ends; `shot` of it keeps a picture where
    FC_SCREENSHOTS names a folder."""
    with tempfile.TemporaryDirectory(prefix="fc-browser-") as folder:
        options = webdriver.ChromeOptions()
        for flag in (*FLAGS, *flags, f"--user-data-dir={folder}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options,
                                  service=webdriver.chrome.service.Service(DRIVER))
        try:
            yield driver
            complaints = driver.get_log("browser")
            if complaints:
                sys.exit(f"FAILED: the page complains: {complaints}")
        finally:
            driver.quit()


def show(driver, path, part=""):
    """Opens the file at `path`, at what its address has behind the #."""
    driver.get(pathlib.Path(path).absolute().as_uri() + part)


def shot(driver, name):
    """For who wants to look at what the tests see."""
    keep = os.environ.get("FC_SCREENSHOTS")
    if keep:
        driver.save_screenshot(os.path.join(keep, name + ".png"))
