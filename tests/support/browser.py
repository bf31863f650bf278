# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium for the tests of the pages that fcdump writes.

Imported by scripts that run with Debian's own Python, as its Selenium needs; skips the test where
one of the two is missing.  It must never reach for the network.

A page may draw itself anew at any time between two commands of a driver, and an element that was
found before is then gone.  So what is read is read by one script, which no drawing comes between;
and who acts on an element waits first for the drawing that an action before it led to.
"""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
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

# It ends a test that would wait for ever, and is no measure of the page: the machine may be busy.
WAIT_S = 200


@contextlib.contextmanager
def browser(*flags):
    """A driver whose page has had no error when the block ends; `shot` of it keeps a picture where
    FC_SCREENSHOTS names a folder."""
    # A socket of its own is in its temporary folder, and a socket's path is 107 characters at most.
    with tempfile.TemporaryDirectory(prefix="fc-browser-", dir="/tmp") as folder:
        options = webdriver.ChromeOptions()
        for flag in (*FLAGS, *flags, f"--user-data-dir={folder}/data"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.chrome.service.Service(DRIVER, env={**os.environ, "TMPDIR": folder})
        driver = webdriver.Chrome(options=options, service=service)
        driver.set_script_timeout(WAIT_S)
        try:
            yield driver
            complaints = driver.get_log("browser")
            if complaints:
                sys.exit(f"FAILED: the page complains: {complaints}")
        finally:
            driver.quit()


def show(driver, path, part=""):
    """Opens the file at `path`, at what its address has behind the #."""
    driver.get("about:blank")  # with another part alone the document would stay, and be drawn some time later
    driver.get(pathlib.Path(path).absolute().as_uri() + part)


def wait(driver, what, condition):
    WebDriverWait(driver, WAIT_S).until(lambda _: condition(), what)


def texts(driver, selector):
    """What a reader sees of each element: "" of one that is hidden."""
    return driver.execute_script("""
        return Array.from(document.querySelectorAll(arguments[0]), (box) => box.checkVisibility()
            ? (box.innerText ?? box.textContent).replace(/\\s+/g, " ").trim() : "");""", selector)


def text(driver, selector):
    """That of the one element that there is."""
    found = texts(driver, selector)
    if len(found) != 1:
        sys.exit(f"FAILED: {len(found)} elements are {selector}")
    return found[0]


def click(driver, selector):
    driver.find_element(By.CSS_SELECTOR, selector).click()


def drawn(driver, act):
    """Acts in a way that changes the page's address, and waits for the page to have followed: its
    own listener comes before this one."""
    driver.execute_script("window.followed = false;"
                          "addEventListener('hashchange', () => { followed = true; }, { once: true });")
    act()
    wait(driver, "the page follows its address", lambda: driver.execute_script("return followed"))


def go(driver, words):
    """Follows a link to that part of the page."""
    if driver.execute_script("return location.hash") != words:
        drawn(driver, lambda: driver.execute_script("location.hash = arguments[0]", words))


def shot(driver, name):
    """For who wants to look at what the tests see."""
    keep = os.environ.get("FC_SCREENSHOTS")
    if keep:
        driver.save_screenshot(os.path.join(keep, name + ".png"))
