#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The flame graph without its script: each box where its share puts it, with its figures; what was
# left out is said in the picture.

import os
import re
import xml.etree.ElementTree

from fcfile import Profile, Program, contains, equal, fail, folder, run, simple, with_heap, with_waits

keep = folder()
program = Program()
SVG = "{http://www.w3.org/2000/svg}"


def draw(*arguments):
    """{title: (left and width in thousandths of the whole, level)}, the text shown, the notes."""
    result = run("--flame=out.svg", *arguments)
    equal((result.status, result.out), (0, ""), f"--flame {arguments}")
    root = xml.etree.ElementTree.parse("out.svg").getroot()
    boxes = {}
    texts = {}
    for group in root.iter(SVG + "g"):
        title = group.findtext(SVG + "title")
        rect = group.find(SVG + "rect")
        boxes[title] = (round((float(rect.get("x")) - 10) / 1.18), round(float(rect.get("width")) / 1.18),
                        round((float(root.get("height")) - 40 - float(rect.get("y"))) / 17))
        texts[title.split(" (", maxsplit=1)[0]] = group.findtext(SVG + "text")
    omitted = next(e.text for e in root.iter(SVG + "text") if e.get("id") == "omitted")
    return boxes, texts, omitted, result.err


simple(program).write("simple.fc")
boxes, texts, omitted, err = draw("simple.fc")
equal(boxes, {"all (10.00 ms, 100.0%; 0 ns itself)": (0, 1000, 1),
              "main (10.00 ms, 100.0%; 4.000 ms itself)": (0, 1000, 2),
              "work (6.000 ms, 60.0%; 5.000 ms itself)": (0, 600, 3),
              "leaf (1.000 ms, 10.0%; 1.000 ms itself)": (0, 100, 4)}, "boxes")
equal((texts["leaf"], omitted), ("leaf", None), "texts")
equal(err, "fcdump: --flame: not in it: call sites, minima, maxima and histograms\n", "notes")
equal(set(draw("--weight=calls", "simple.fc")[0]),
      {"all (6 calls, 100.0%; 0 calls itself)", "main (6 calls, 100.0%; 1 calls itself)",
       "work (5 calls, 83.3%; 2 calls itself)", "leaf (3 calls, 50.0%; 3 calls itself)"}, "calls")
boxes, texts, omitted, err = draw("--min=20", "simple.fc")
equal((boxes["(left out) (1.000 ms, 10.0%; 1.000 ms itself)"], omitted[:40]),
      ((0, 100, 4), "1 of the lightest contexts are left out:"), "--min")
contains(err, "1 of the lightest contexts are left out", "--min, on standard error")

# On the CPU unless --time says otherwise; the title says what it is of.
with_waits(program).write("waits.fc")
for words, title, work in (((), "cpu, 4.000 ms", "work (3.000 ms, 75.0%; 3.000 ms itself)"),
                           (("--time=cpu",), "cpu, 4.000 ms", "work (3.000 ms, 75.0%; 3.000 ms itself)"),
                           (("--time=wall",), "time, 10.00 ms", "work (9.000 ms, 90.0%; 9.000 ms itself)"),
                           (("--time=wait",), "wait, 6.000 ms", "work (6.000 ms, 100.0%; 6.000 ms itself)")):
    equal(work in draw(*words, "waits.fc")[0], True, f"{work} {words}")
    with open("out.svg", encoding="utf-8") as file:
        contains(file.read(), f": {title}</text>", f"the title {words}")

# What XML has no character for stands there as in reports: in the program's name, and in those of functions.
odd = Profile(program, run_ns=10)
odd.function("main", 1, 10, 10)
odd.context(None, 0x7f0000001234, "main", 1, 10, 10)
with open("odd.fc", "w", encoding="utf-8") as file:
    file.write(odd.text().replace(program.path, r"/srv/a\033b\001c\177d\357\277\276e\357\277\275f"))
equal(run("--flame=odd.svg", "odd.fc").status, 1, "a program that is not there")
equal([element.text.split(" (")[0] for element in xml.etree.ElementTree.parse("odd.svg").getroot().iter()
       if element.tag in (SVG + "title", SVG + "text") and r"a\x1b" in (element.text or "")],
      [r"/srv/a\x1bb\x01c\x7fd" "\ufffde\ufffdf: time, 10 ns", *2 * [r"a\x1bb\x01c\x7fd" f"\ufffde\ufffdf+{program.start['main']:#x}"]],
      "what XML has no character for")

# Siblings stand side by side, in order of their names; bytes of those that asked for them.
with_heap(program).write("heap.fc")
equal(draw("--weight=bytes", "heap.fc")[0],
      {"all (4164 B, 100.0%; 0 B itself)": (0, 1000, 1),
       "<outside> (64 B, 1.5%; 64 B itself)": (0, 15, 2),
       "main (4100 B, 98.5%; 100 B itself)": (15, 985, 2),
       "work (4000 B, 96.1%; 4000 B itself)": (15, 961, 3)}, "bytes")

# Times of which the sum is more than 64 bits hold stay within the picture.
vast = Profile(program, run_ns=10**9)
vast.function("main", 1, 2**63, 2**63)
vast.function("work", 1, 2**63 + 10, 2**63 + 10)
top = vast.context(None, 0x7f0000001234, "main", 1, 2**63, 2**63)
vast.context(top, "main+6", "work", 1, 2**63 + 10, 2**63 + 10)
vast.write("vast.fc")
for title, (left, width, _) in draw("vast.fc")[0].items():
    if not (left <= 1000 and width <= 1000):
        fail(title, left, width)

# More contexts than a browser can show: the heaviest are drawn, and the whole stays the whole.
many = Profile(program, run_ns=10**9)
many.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/many.so"))
for number in range(12000):
    many.function(f"f{number}", 1, number, number, where=0x1000000 + 16 * number)
    many.functions[number] = ((1, 0x1000000 + 16 * number), *many.functions[number][1:])
    many.context(None, 0x1234, f"f{number}", 1, number, number)
many.write("many.fc")
result = run("--flame", "many.svg", "many.fc")
contains(result.err, "--flame: 4001 of the lightest contexts are left out", "many contexts")
with open("many.svg", encoding="utf-8") as file:
    text = file.read()
equal(len(re.findall("<g ", text)), 8001, "boxes of many contexts")
contains(text, f"(left out) ({sum(range(4001)) / 1e6:.3f} ms", "what the rest weighs")

# A name that is markup, cut where it has no room; a file that can't be written.
strange = Profile(program, run_ns=5)
strange.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/<a>&\"]]>" + "x" * 300))
strange.function("odd", 1, 5, 5, where=0x9010)
strange.functions[0] = ((1, 0x9010), *strange.functions[0][1:])
strange.context(None, 0x1234, "odd", 1, 5, 5)
strange.write("strange.fc")
equal(run("--flame=strange.svg", "strange.fc").status, 1, "no image for a name")
root = xml.etree.ElementTree.parse("strange.svg").getroot()
names = [group.findtext(SVG + "text") for group in root.iter(SVG + "g")]
equal((names[1][:8], names[1][-2:], len(names[1]) <= 1174 / 7), ("<a>&\"]]>", "..", True), "a long name")
result = run("--flame=none/x.svg", "simple.fc")
equal((result.status, result.err.splitlines()[-1]), (1, "fcdump: none/x.svg: No such file or directory"),
      "no such folder")
with open("simple.fc", "rb") as file:
    profile = file.read()
result = run("--flame", "simple.fc", "many.fc")
equal((result.status, result.err.splitlines()[-1]),
      (1, "fcdump: simple.fc: is a profile or a program; not overwritten"), "a profile as the file to write")
with open("simple.fc", "rb") as file:
    equal(file.read(), profile, "the profile is as it was")
if os.path.exists("/dev/full"):
    result = run("--flame=/dev/full", "simple.fc")
    equal((result.status, result.err.splitlines()[-1]), (1, "fcdump: /dev/full: No space left on device"),
          "a full device")
    equal(os.path.isfile("/dev/full"), False, "a device was removed, and a file made in its place")
    equal(os.path.exists("/dev/full"), True, "a device was removed")
equal(run("--flame=-", "simple.fc").out[:5], "<?xml", "standard output")
