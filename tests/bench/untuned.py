# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs from Debian's sources with which nothing was tuned, and what each is given to do: built at -O2 as their own
builds do, plain and with what `fc-config --cflags` prints in CFLAGS, which has to be enough.

Used by table.py.
"""

import json
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "real"))
import fctest  # noqa: E402
import given  # noqa: E402
import programs  # noqa: E402

LUA = os.path.join(fctest.SOURCE_ROOT, "tests", "real", "work.lua")
SQL = """
CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
INSERT INTO item SELECT i, i % 97, 'item ' || (i * 7919 % 10007), i / 7.0 FROM n;
CREATE INDEX of_kind ON item(kind);
SELECT kind, count(*), round(sum(price), 2), max(name) FROM item GROUP BY kind ORDER BY 3 DESC LIMIT 5;
SELECT count(*) FROM item a JOIN item b ON a.kind = b.kind AND a.id < b.id WHERE a.id < 3000;
UPDATE item SET price = price * 1.1 WHERE name LIKE '%9%';
SELECT substr(name, 6, 2), avg(price) FROM item GROUP BY 1 ORDER BY 2 LIMIT 5;
"""
JQ = '[.[] | select(.kind > 20) | {name, kind, n: (.tags | length)}] | group_by(.kind) | map({kind: .[0].kind, n: (map(.n) | add)}) | length'
SHELL = """
i=0; s=0
while [ $i -lt 60000 ]; do i=$((i + 1)); w="word$((i % 97))"; case $w in *7) s=$((s + ${#w}));; *) s=$((s + 1));; esac; t=${w%%d*}${w##*r}; done
echo $s $t
"""


def build(name, folder, flags):
    """The program's path."""
    package, prepare, make, path = BUILDS[name]
    programs.copy_as_released(package, folder)
    flags = "-O2 -g -w " + shlex.join(flags)
    for words in (prepare, make):
        if words:
            programs.run(["sh", "-ec", words, "sh", flags], folder, name)
    return os.path.join(folder, path)


# package, how it is made ready, how it is built ($1: the flags), where the program is
BUILDS = {
    "mawk": ("mawk", './configure CFLAGS="$1"', "make -j2", "mawk"),
    "jq": ("jq", 'autoreconf -fi && ./configure --disable-docs --disable-maintainer-mode --disable-shared CFLAGS="$1"', "make src/builtin.inc && make -j2 jq", "jq"),
    "xz": ("xz-utils", './configure --disable-nls --disable-doc --disable-shared CFLAGS="$1"', "make -j2", "src/xz/xz"),
    "sqlite": ("sqlite3", './configure --disable-shared --disable-readline CFLAGS="$1"', "make -j2 sqlite3", "sqlite3"),
    "minigzip": ("zlib", 'CFLAGS="$1" ./configure --static', "make -j2 minigzip", "minigzip"),
    "bzip2": ("bzip2", None, 'make -j2 bzip2 CFLAGS="$1 -D_FILE_OFFSET_BITS=64" LDFLAGS="$1"', "bzip2"),
    "lua": ("lua5.4", "mkdir -p include && echo '#define DEB_HOST_MULTIARCH \"none\"' > include/lua5.4-deb-multiarch.h",
            "cd src && rm luac.c && gcc $1 -std=gnu99 -I../include -DLUA_USE_POSIX -DLUA_USE_DLOPEN -DLUA_COMPAT_5_3 -Wl,-E -o lua *.c -lm -ldl",
            "src/lua"),
    "gawk": ("gawk", './configure --disable-nls --disable-mpfr --without-readline --disable-extensions CFLAGS="$1"',
             "make -j2 -C support && make -j2 gawk", "gawk"),
    "dash": ("dash", 'autoreconf -fi && ./configure CFLAGS="$1"', "make -j2", "src/dash"),
}


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def arguments(folder, is_long=False):
    """By program: what it is given; long: for at least half a second."""
    text = write(folder, "text", "".join(f"{i * 7919 % 10007} of {i // 3}\n" for i in range(1200000 if is_long else 400000)))
    awk = write(folder, "work.awk", given.GAWK.replace("60000", "1000000") if is_long else given.GAWK)
    records = [{"name": f"n{i * 7919 % 10007}", "kind": i % 97, "tags": ["a", f"t{i % 13}"]} for i in range(180000 if is_long else 60000)]
    sql = SQL.replace("120000", "400000") if is_long else SQL
    shell = SHELL.replace("60000", "600000") if is_long else SHELL
    return {"mawk": ["-f", awk], "lua": [LUA, "120" if is_long else "10"], "bzip2": ["-9", "-k", "-c", text], "minigzip": ["-9", "-c", text],
            "sqlite": [":memory:", ".read " + write(folder, "work.sql", sql)], "gawk": ["-f", awk], "xz": ["-3", "-k", "-c", text],
            "dash": [write(folder, "work.sh", shell)], "jq": [JQ, write(folder, "records.json", json.dumps(records))]}
