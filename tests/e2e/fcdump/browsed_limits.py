#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page PAGE of a profile as large as cppcheck's, which limits.py has made, in a browser: it opens without
# a complaint, and search and zoom do what they do.  How long they take is told and not judged.
# Debian's own Python, as its Selenium needs.
#
#     browsed_limits.py PAGE

import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["FC_SOURCE_ROOT"], "tests", "support"))
from browser import browser, shot, show

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait


def step(driver, what, act, condition):
    began = time.monotonic()
    act()
    WebDriverWait(driver, 120).until(lambda _: driver.execute_script("return " + condition), what)
    print(f"{what}: {time.monotonic() - began:.2f} s")


def on_box(name, event):
    """Found and told by one script: the page may draw itself again for the last keys."""
    return ("Array.from(document.querySelectorAll('#flame .box')).find((box) => box.dataset.name === arguments[0])"
            f".dispatchEvent(new MouseEvent('{event}', {{bubbles: true}}))", name)


with browser() as driver:
    driver.set_script_timeout(120)
    step(driver, "the page opens", lambda: show(driver, sys.argv[1], "#view=functions"),
         "document.querySelectorAll('#functions tbody tr').length > 20")
    step(driver, "the flame graph", lambda: driver.execute_script("location.hash = '#view=flame'"),
         "document.querySelectorAll('#flame .box').length > 100")
    shot(driver, "page-limits")
    # a box that has others above it, not the root
    name = driver.execute_script(
        "return Array.from(document.querySelectorAll('#flame .box')).map((box) => box.dataset.name)"
        ".find((name) => name.startsWith('Token'))")
    step(driver, "search", lambda: driver.find_element(By.ID, "search").send_keys(name),
         "document.querySelectorAll('#flame .box.found').length > 0")
    driver.find_element(By.ID, "search").clear()
    step(driver, "zoom", lambda: driver.execute_script(*on_box(name, "dblclick")),
         "document.getElementById('reset') !== null && "
         "!Array.from(document.querySelectorAll('#flame .box')).some((box) => box.dataset.name === 'all')")
    step(driver, "reset", lambda: driver.execute_script("document.getElementById('reset').click()"),
         "Array.from(document.querySelectorAll('#flame .box')).some((box) => box.dataset.name === 'all')")
    step(driver, "inverted", lambda: driver.execute_script("location.hash = '#view=flame&inverted=1'"),
         "document.querySelector('#invert').ariaPressed === 'true'")
    step(driver, "a function", lambda: driver.execute_script("location.hash = '#f=' + encodeURIComponent(arguments[0])", name),
         "document.getElementById('name')?.title.startsWith('Token')")
    shot(driver, "page-limits-function")
