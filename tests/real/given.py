# SPDX-License-Identifier: GPL-3.0-or-later
"""What real programs are given to do, where more than one test or benchmark runs them."""

GAWK = """BEGIN {
    for (i = 0; i < 60000; i++) {
        total += length(sprintf("%d %5.2f %s|", i % 97, i / 7, "x" i))
        seen[i % 500]++
    }
    print total, length(seen)
}
"""


def ninja_rules():
    """1,500 objects of twelve headers each, by many names."""
    rules = ["rule cc\n  command = cc $flags -c $in -o $out\n",
             "rule link\n  command = cc $in -o $out\n"]
    for i in range(1500):
        headers = " ".join(f"include/../include/part{(7 * i + j) % 40}/h{j}.h" for j in range(12))
        rules.append(f"build out/obj{i}.o: cc src/./dir{i % 30}/../file{i}.c | {headers}\n"
                     f"  flags = -O2 -DNAME={i}\n")
    rules += [f"build bin/prog{k}: link {' '.join(f'out/obj{i}.o' for i in range(k, 1500, 30))}\n"
              for k in range(30)]
    return "".join(rules)
