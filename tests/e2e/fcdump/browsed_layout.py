#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How the page of --html looks, at three sizes, light and dark, in all its views: nothing is wider than the window, all
# text has a contrast of 4.5 with what is behind it, no name loses itself to its scope, what is to be pressed is not too
# small; and 100,000 contexts open at once.  Debian's own Python, as its Selenium needs.

import os
import subprocess

from fcfile import Profile, Program, contains, equal, fail, folder, run, HERE
from browser import browser, go, shot, show, wait

SIZES = ((1280, 800), (1920, 1080), (390, 844))

keep = folder()

# ---- A real program: threads, templates, lambdas, leaks, percentiles, a trace ------------------------

config = subprocess.run([os.path.join(os.environ["FC_BINDIR"], "fc-config"), "--cflags-libs"], check=True, stdout=subprocess.PIPE)
subprocess.run(["g++", "-std=c++17", "-g", "-O1", *config.stdout.decode().split(), "-o", "shapes", os.path.join(HERE, "page.cc"),
                "-pthread"], check=True)
subprocess.run(["./shapes"], check=True, stdout=subprocess.DEVNULL,
               env={**os.environ, "FC_QUIET": "1", "FC_LATENCY": "1", "FC_SLOWEST": "3", "FC_MEMORY": "1", "FC_TRACE": "2000"})
run("--html=page.html", "functioncheck.fc")
for number in range(3):
    os.rename("functioncheck.fc", f"run{number}.fc")
    if number < 2:
        subprocess.run(["./shapes"], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "FC_QUIET": "1"})
run("--diff", "--html=diff.html", "run1.fc", "--", "run2.fc")

# Of each text that is seen: its contrast with what is behind it, where that is less than it should be.
CONTRAST = r"""
const parse = (color) => {
  const found = color.match(/[\d.]+/g).map(Number);
  return { rgb: color.startsWith("color(srgb") ? found.slice(0, 3).map((part) => 255 * part) : found.slice(0, 3), alpha: found.length > 3 ? found[3] : 1 };
};
const over = (front, alpha, back) => front.map((part, i) => alpha * part + (1 - alpha) * back[i]);
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((part) => { const c = part / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    const { rgb, alpha } = parse(getComputedStyle(at).backgroundColor);
    layers.push([rgb, alpha]);
    if (alpha === 1)
      break;
  }
  return layers.reverse().reduce((back, [rgb, alpha]) => over(rgb, alpha, back), [255, 255, 255]);
};
const poor = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const element = walk.currentNode.parentElement;
  if (walk.currentNode.data.trim() === "" || !element.checkVisibility() || element.closest("script, style, noscript, option, title, svg"))
    continue;
  let opacity = 1;
  for (let at = element; at; at = at.parentElement)
    opacity *= Number(getComputedStyle(at).opacity);
  const back = behind(element);
  const { rgb, alpha } = parse(getComputedStyle(element).color);
  const [light, dark] = [luminance(over(rgb, alpha * opacity, back)), luminance(back)].sort((a, b) => b - a);
  const contrast = (light + 0.05) / (dark + 0.05);
  if (contrast < 4.5)
    poor.push(contrast.toFixed(2) + " " + element.className + ": " + walk.currentNode.data.trim().slice(0, 40));
}
return Array.from(new Set(poor)).slice(0, 12);
"""

# What sticks out of the window, though nothing scrolls it.
WIDE = r"""
const said = [];
for (const element of document.querySelectorAll("body *")) {
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.right <= innerWidth + 1 || !element.checkVisibility())
    continue;
  let isScrolled = false;
  for (let at = element.parentElement; at; at = at.parentElement)
    isScrolled = isScrolled || getComputedStyle(at).overflowX !== "visible";
  if (!isScrolled)
    said.push(element.tagName + "." + element.className + " " + Math.round(box.right));
}
return [document.documentElement.scrollWidth > innerWidth ? document.documentElement.scrollWidth : 0, said.slice(0, 6)];
"""

# A scope may be cut, to nothing; then the name is what is left.
NAMELESS = r"""
return Array.from(document.querySelectorAll(".box .line:first-child")).filter((line) => {
  const [scope, name] = [line.querySelector(".sc"), line.querySelector(".nm")];
  return scope && name && scope.clientWidth > 8 && name.scrollWidth > name.clientWidth + 1;
}).map((line) => line.textContent).slice(0, 6);
"""

# Text that does not fit and is neither cut with an ellipsis, nor wrapped, nor scrolled.
SPILLED = r"""
return Array.from(document.querySelectorAll("td, th, .tile > div, .tag, .btn, .seg a, .arc > span, .lane > span, .mini > .s")).filter((box) =>
  box.checkVisibility() && box.scrollWidth > box.clientWidth + 2 && box.clientWidth > 0 && getComputedStyle(box).overflow === "visible")
  .map((box) => box.className + ": " + box.textContent.trim().slice(0, 40)).slice(0, 6);
"""


def resize(driver, width, height):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def look(driver, page, part, width, height, theme):
    show(driver, page, f"{part}&theme={theme}")
    where = f"{page}{part} at {width}x{height}, {theme}"
    for what, script, good in (("wider than the window", WIDE, [0, []]), ("contrast", CONTRAST, []), ("names that are lost", NAMELESS, []),
                               ("text that spills", SPILLED, [])):
        found = driver.execute_script(script)
        if found != good:
            shot(driver, "layout-failed")
            fail(f"{where}: {what}", *map(str, found))
    shot(driver, f"layout-{width}-{theme}-{part.strip('#').replace('=', '-').replace('&', '-')[:40]}")


VIEWS = ("#view=overview", "#view=flame", "#view=flame&inverted=1&weight=waited", "#view=functions", "#view=threads", "#view=trace",
         "#view=memory", "#view=memory&heap=leaked", "#f=main", "#f=store::Log::put&weight=elapsed")

with browser() as driver:
    for width, height in SIZES:
        resize(driver, width, height)
        for theme in ("light", "dark"):
            for part in VIEWS:
                look(driver, "page.html", part, width, height, theme)
            look(driver, "diff.html", "#view=diff", width, height, theme)
    # The first screen: findings, and the first rows of both the table and the flame graph.
    for width, height in SIZES[:2]:
        resize(driver, width, height)
        show(driver, "page.html")
        bottoms = driver.execute_script(
            "return ['#findings', '#top tbody tr:nth-child(3)', '#flame .box:nth-child(2)'].map((what) => "
            "document.querySelector(what).getBoundingClientRect().bottom)")
        if max(bottoms) > height:
            fail("what must be on the first screen", bottoms, height)
    # A picture of the run fills its height.
    resize(driver, 1280, 800)
    go(driver, "#view=flame")
    levels, high, room = driver.execute_script(
        "const boxes = document.querySelector('#flame .boxes'); const pane = document.querySelector('#flame');"
        "return [new Set(Array.from(boxes.children, (box) => box.style.top)).size, boxes.offsetHeight, pane.clientHeight]")
    if levels > 10 and high < 0.85 * room or levels <= 10 and high > room:
        fail("the height of the flame graph", levels, high, room)
    # Words of the keys are told to who can't see them, and motion is none that a reader did not want.
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    show(driver, "page.html")
    equal(driver.execute_script("return Array.from(document.querySelectorAll('*')).filter((element) => "
                                "/[1-9]/.test(getComputedStyle(element).transitionDuration) || getComputedStyle(element).animationName !== 'none').length"),
          0, "motion")
    equal(driver.execute_script("return Array.from(document.querySelectorAll('a, button, input, select, [role=button]')).filter((element) => "
                                "!(element.innerText || element.ariaLabel || element.title || '').trim()).map((element) => element.outerHTML)"), [],
          "what has no name")

# ---- 100,000 contexts: three under each -------------------------------------------------------------

program = Program()
many = Profile(program, run_ns=10**9)
many.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/many.so"))
for number in range(2000):
    many.function(f"f{number}", 50, 1000, 1000, where=0x1000000 + 16 * number)
    many.functions[number] = ((1, 0x1000000 + 16 * number), *many.functions[number][1:])
for number in range(100_000):  # all of another function than those around them
    many.context((number - 1) // 3 if number else None, 0x1234, f"f{number % 2000}", 1, 20, 20)
many.write("many.fc")
equal(run("--html=many.html", "many.fc").status, 1, "no image for names")


def cpu_seconds(driver):
    """Of the page's own thread: the machine may be busy."""
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


with browser() as driver:
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = cpu_seconds(driver)
    show(driver, "many.html", "#view=flame")
    wait(driver, "boxes", lambda: driver.execute_script("return document.querySelectorAll('#flame .box').length > 100"))
    took = max(cpu_seconds(driver) - before, cpu_seconds(driver))  # which begins anew with a new process
    print(f"100,000 contexts: opened in {took:.2f} s of processor time")
    if took > 2:
        fail("100,000 contexts take too long to open", took)
    # Each level holds all that is called from the boxes above it, however narrow it is: a context takes 20 ns itself.
    found = driver.execute_script("return Array.from(document.querySelectorAll('#flame .box'), (box) => "
                                  "[Number(box.dataset.level), Number(box.dataset.total), box.classList.contains('small')])")
    levels = max(level for level, _, _ in found)
    for level in range(2, levels + 1):
        above = [total for at, total, small in found if at == level - 1 and not small]
        here = sum(total for at, total, _ in found if at == level)
        equal(here, sum(above) - 20 * len(above), f"what level {level} holds")
    if levels < 7:
        fail("so few levels are drawn", levels)
    contains(driver.execute_script("return document.querySelector('#flame .small').innerText + document.querySelector('#flame .small').ariaLabel"),
             "small", "what is merged is counted")
    for part in ("#view=flame&inverted=1", "#f=f1", "#view=functions", "#view=overview"):
        before = cpu_seconds(driver)
        go(driver, part if part != "#f=f1" else "#f=" + driver.execute_script(
            "return encodeURIComponent(JSON.parse(document.getElementById('profile').textContent).functions[1][0])"))
        took = cpu_seconds(driver) - before
        print(f"{part}: {took:.2f} s")
        if took > 2:
            fail(f"{part} takes too long", took)
    shot(driver, "page-many")
