#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The flame graph in a browser: zoom, search, reset, by mouse and keyboard.  Debian's own Python, as
# its Selenium needs.

from fcfile import Program, equal, folder, run, simple
from browser import browser, shot, show

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

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


def text(driver, name):
    return driver.find_element(By.ID, name).text


with browser() as driver:
    show(driver, "simple.svg")
    equal(widths(driver), {"all": 100, "main": 100, "work": 60, "leaf": 10}, "at first")
    equal(driver.find_element(By.ID, "reset").is_displayed(), False, "nothing to reset")
    driver.find_elements(By.CSS_SELECTOR, "g.f")[2].click()
    equal(widths(driver), {"all": 100, "main": 100, "work": 100, "leaf": 17}, "zoomed to work")
    shot(driver, "flame-zoomed")
    driver.find_elements(By.CSS_SELECTOR, "g.f")[3].click()
    equal(widths(driver), {"all": 100, "main": 100, "work": 100, "leaf": 100}, "zoomed to leaf")
    driver.find_element(By.ID, "reset").click()
    equal(widths(driver), {"all": 100, "main": 100, "work": 60, "leaf": 10}, "reset")
    driver.find_element(By.ID, "search").click()
    driver.switch_to.alert.send_keys("WOR")
    driver.switch_to.alert.accept()
    equal(text(driver, "status"), '1 frames with "WOR": 60.0%', "search")
    equal(len(driver.find_elements(By.CSS_SELECTOR, "g.found")), 1, "what was found")
    ActionChains(driver).send_keys("/").perform()
    driver.switch_to.alert.send_keys("a")  # all, main and leaf: those within another count once
    driver.switch_to.alert.accept()
    equal(text(driver, "status"), '3 frames with "a": 100.0%', "search by key")
    shot(driver, "flame-searched")
    ActionChains(driver).send_keys(Keys.ESCAPE).perform()
    equal((text(driver, "status"), len(driver.find_elements(By.CSS_SELECTOR, "g.found"))), ("", 0),
          "Escape")
