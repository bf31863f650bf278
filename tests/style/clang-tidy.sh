#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails where clang-tidy objects to a C file that the build folder compiles.  A file
# that passed is not looked at again before it, a header or the rules change.  The first time takes
# 70 s of processor time, 0.35 s for each of some 200 files, half of it in the analyzer, which is a test of its own in
# the suite `slow` (FCTEST_CELLS=further).  It leaves half of the processors to the other tests.
set -eu
cd "$FC_SOURCE_ROOT"
command -v clang-tidy >/dev/null || {
    echo 'no clang-tidy here'
    exit 77
}
# Each version has other checks: that of Debian 12 is the measure.
clang-tidy --version | grep -q 'version 14\.' || {
    echo "$(clang-tidy --version | grep version) is not version 14"
    exit 77
}
. tests/style/sources.sh
passed=$FC_BUILD_ROOT/tests/style/passed-${FCTEST_CELLS:-kept}
export passed
mkdir -p "$passed"

# Each file once, though several targets may compile it, and without an option of gcc's
# that clang lacks.
python3 - "$FC_BUILD_ROOT/compile_commands.json" >"$passed/compile_commands.json" <<'END'
import json, sys
commands = {}
for entry in json.load(open(sys.argv[1])):
    entry["command"] = entry["command"].replace("-fno-instrument-functions", "")
    commands.setdefault(entry["file"], entry)
json.dump(list(commands.values()), sys.stdout, indent=1)
END

checks='-clang-analyzer-*'
[ "${FCTEST_CELLS:-}" != further ] || checks='-bugprone-*,-performance-*,-misc-*,-readability-*'
export checks

rules=$({ echo "$checks" && clang-tidy --version && list_sources '*.h' | LC_ALL=C sort |
    xargs cat .clang-tidy tests/style/clang-tidy.sh; } | sha256sum | cut -d ' ' -f 1)
stamps=$passed/$rules
export stamps
mkdir -p "$stamps"

list_sources 'libfc/*.c' 'profile/*.c' 'fcmanager/*.c' 'symbols/*.c' 'model/*.c' 'gmon/*.c' \
    'fcgprof/*.c' 'fcdump/*.c' 'control/*.c' 'fcctl/*.c' 'fctop/*.c' 'fcrun/*.c' | while read -r file; do
    ! grep -qF "/$file\"" "$passed/compile_commands.json" || printf '%s\n' "$file"
done >"$passed/files"
[ -s "$passed/files" ] || {
    echo "no file of the tree is in $FC_BUILD_ROOT/compile_commands.json"
    exit 1
}

# In these the analyzer needs more steps to get to every block that it can get to; how many.
while read -r steps files; do
    for file in $files; do
        grep -qxF "$file" "$passed/files" || {
            echo "$file is named here, but is no file of the tree"
            exit 1
        }
        echo "$file $steps"
    done
done >"$passed/further" <<END
75000 fcdump/export-json.c fcdump/render.c fcdump/report-graph.c fcdump/report-info.c
75000 fcdump/report-threads.c fcgprof/report-flat.c fcmanager/session/output.c gmon/gmon.c
75000 libfc/process/spawn.c
25000 fcdump/options-parse.c fcdump/report-tree.c fcgprof/options.c fcgprof/profile-measure.c
25000 fcgprof/report-order.c fcmanager/counts/counts.c fcmanager/session/files.c fcmanager/heap/order.c
25000 fcmanager/session/source.c libfc/count/detail.c profile/format.c symbols/replace.c
END

# What has not passed yet: the file, and the name of the stamp that it is to get.
xargs sha256sum <"$passed/files" | while read -r sum file; do
    stamp=$(printf '%s' "$file" | tr / -)-$sum
    [ -e "$stamps/$stamp" ] || echo "$file $stamp"
done >"$passed/new"

# Has clang-tidy look with $1 steps at the files at standard input, of which several together take
# three quarters of the time.
look()
{
    sed "s/max-nodes=10000/max-nodes=$1/" .clang-tidy >"$passed/$1.yaml"
    # shellcheck disable=SC2016 # expanded by the inner shell
    config=$passed/$1.yaml xargs -r -n 16 -P "$((($(nproc) + 1) / 2))" sh -c '
        files= new=
        while [ $# -gt 0 ]; do
            files="$files $1" new="$new $2"
            shift 2
        done
        # Besides what is wrong it counts what it does not show.
        said=$(clang-tidy --quiet --config-file="$config" --checks="$checks" -p "$passed" $files 2>&1) && good=1 || good=0
        printf "%s\n" "$said" | grep -vE "^([0-9]+ warnings? generated\.)?$" || :
        [ "$good" = 1 ] || exit 1
        cd "$stamps" && touch $new' sh
}
failed=0
for steps in 75000 25000 10000; do
    awk -v steps="$steps" 'NR == FNR { further[$1] = $2; next }
        ($1 in further ? further[$1] : 10000) == steps' "$passed/further" "$passed/new" |
        look "$steps" || failed=1
done
exit "$failed"
