#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a libFuzzer program for a fixed number of inputs from a fixed seed, so that
# it finds the same on every machine, starting from the corpus, which stays as it is.  With
# FC_FUZZ_SECONDS it gives way to others' work, as ./check runs it beside tests, and goes on until so
# long a time is over, from another seed each time and with what nobody else wants of the processors.  Leaks are looked for once, at the end:
# after each input it takes a tenth of the time.  The limit for one input is there for what hangs: it is of time
# on the clock, on a machine that may be busy.  Files in memory where there is a place for them: to make
# one on a disk takes as long as an input.  An input that did harm is kept beside the program.
# Usage: run.sh PROGRAM CORPUS INPUTS
set -eu

program=$(realpath "$1")
corpus=$(realpath "$2")
inputs=$3
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/new"
cd "$work"
export FC_FUZZ_FILE="$work/input"

fuzz()
{
    "$program" "$@" -detect_leaks=0 -max_len=4608 -rss_limit_mb=1024 -timeout=300 -print_final_stats=1 \
        -artifact_prefix="$program-" new "$corpus"
}

# Lets others go first, by so much.  Where the kernel has each session take its share, as it does on a
# desktop, a process's own rank counts only within its session, and Meson gives each test one.
give_way()
{
    renice -n $((rank + $1)) -p $$ >/dev/null || :
    { echo "$1" >/proc/self/autogroup; } 2>/dev/null || :
}

rank=$(nice)
began=$(date +%s)
# no less than this, or where others' work is without end these would not come to theirs
[ -z "${FC_FUZZ_SECONDS:-}" ] || give_way 5
fuzz -runs="$inputs" -seed=1
left=$((${FC_FUZZ_SECONDS:-0} - ($(date +%s) - began)))
if [ "$left" -gt 0 ]; then
    give_way 19
    fuzz -max_total_time="$left"
fi
