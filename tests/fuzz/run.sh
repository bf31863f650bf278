#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a libFuzzer program for a fixed number of inputs from a fixed seed, so that
# it finds the same on every machine, starting from the corpus, which stays as it is.
# Usage: run.sh PROGRAM CORPUS INPUTS
set -eu

program=$(realpath "$1")
corpus=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/new"
cd "$work"
"$program" -seed=1 -runs="$3" -max_len=4608 -rss_limit_mb=1024 -timeout=20 -print_final_stats=1 \
    new "$corpus"
