#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes doc/page.png, the picture of the page in README.md: builds and profiles the bundled example with the
# installed tools that are in PATH, and has chromium draw the page.  By hand, after the page has changed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# shellcheck disable=SC2046 # flags
gcc -g -O2 "$root/examples/wordindex.c" -o wordindex $(fc-config --cflags-libs) -pthread
# where it may, before all that the machine has to do else
first=
! chrt -r 1 true 2>/dev/null || first='chrt -r 1'
FC_QUIET=1 FC_MEMORY=1 FC_LATENCY=1 $first ./wordindex >out
fcdump --html=page.html functioncheck.fc 2>notes
HOME=$work chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/browser" --window-size=1280,860 --force-device-scale-factor=0.8 \
    --screenshot="$root/doc/page.png" "file://$work/page.html#theme=light" 2>log || {
    cat log >&2
    exit 1
}
ls -l "$root/doc/page.png"
