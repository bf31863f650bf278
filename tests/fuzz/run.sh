#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a libFuzzer program for a fixed number of inputs from a fixed seed, so that
# it finds the same on every machine, starting from the corpus, which stays as it is.  With
# FC_FUZZ_SECONDS it runs for so long, from another seed each time.  Leaks are looked for once, at the end:
# after each input it takes a tenth of the time.  The limit for one input is there for what hangs: it is of time
# on the clock, on a machine that may be busy.  Files in memory where there is a place for them: to make
# one on a disk takes as long as an input.
# Usage: run.sh PROGRAM CORPUS INPUTS
set -eu

program=$(realpath "$1")
corpus=$(realpath "$2")
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/new"
cd "$work"
export FC_FUZZ_FILE="$work/input"
if [ -n "${FC_FUZZ_SECONDS:-}" ]; then
    set -- "$1" "$2" -1 -max_total_time="$FC_FUZZ_SECONDS"
else
    set -- "$1" "$2" "$3" -seed=1
fi
inputs=$3
shift 3
"$program" "$@" -runs="$inputs" -detect_leaks=0 -max_len=4608 -rss_limit_mb=1024 -timeout=120 -print_final_stats=1 \
    new "$corpus"
