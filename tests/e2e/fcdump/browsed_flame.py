#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The flame graph in a browser: zoom, search, reset, by mouse and keyboard.  Debian's own Python, as
# its Selenium needs.

from fcfile import Program, equal, folder, run, simple
from browser import browser, click, shot, show, text, texts, wait

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import alert_is_present

keep = folder()
simple(Program()).write("simple.fc")
equal(run("--flame=simple.svg", "simple.fc").status, 0, "fcdump")


def widths(driver):
    """What is seen: {function: width in per cent}."""
    found = driver.execute_script("""
        return Array.from(document.querySelectorAll("g.f"), (g) => [
            g.querySelector("title").textContent.split(" (")[0], g.style.display,
            g.querySelector("rect").getAttribute("width"), g.querySelector("text").textContent]);""")
    return {name: round(float(width) / 11.8) for name, display, width, _ in found if display != "none"}


def answer(driver, words):
    """Gives the question of the search that answer."""
    wait(driver, "the question", lambda: alert_is_present()(driver))
    driver.switch_to.alert.send_keys(words)
    driver.switch_to.alert.accept()


def see(driver, expected, what):
    wait(driver, f"{what}: {expected}", lambda: widths(driver) == expected)


with browser() as driver:
    show(driver, "simple.svg")
    equal(widths(driver), {"all": 100, "main": 100, "work": 60, "leaf": 10}, "at first")
    equal(texts(driver, "#reset"), [""], "nothing to reset")
    driver.find_elements(By.CSS_SELECTOR, "g.f")[2].click()
    see(driver, {"all": 100, "main": 100, "work": 100, "leaf": 17}, "zoomed to work")
    shot(driver, "flame-zoomed")
    driver.find_elements(By.CSS_SELECTOR, "g.f")[3].click()
    see(driver, {"all": 100, "main": 100, "work": 100, "leaf": 100}, "zoomed to leaf")
    click(driver, "#reset")
    see(driver, {"all": 100, "main": 100, "work": 60, "leaf": 10}, "reset")
    click(driver, "#search")
    answer(driver, "WOR")
    wait(driver, "search", lambda: text(driver, "#status") == '1 frames with "WOR": 60.0%')
    equal(len(texts(driver, "g.found")), 1, "what was found")
    ActionChains(driver).send_keys("/").perform()
    answer(driver, "a")  # all, main and leaf: those within another count once
    wait(driver, "search by key", lambda: text(driver, "#status") == '3 frames with "a": 100.0%')
    shot(driver, "flame-searched")
    ActionChains(driver).send_keys(Keys.ESCAPE).perform()
    wait(driver, "Escape", lambda: (text(driver, "#status"), texts(driver, "g.found")) == ("", []))
