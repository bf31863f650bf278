#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions that change between timed and counted under ThreadSanitizer, for a minute over each transport, as
# built by the compiler $1 in folder $2, which is kept: that of the build folder may be another one.
# Meson runs it, in the suite `long`.
set -eu

compiler=$1
folder=$2
root=$(cd "$(dirname "$0")/../.." && pwd)

command -v "$compiler" >/dev/null || {
    echo "$compiler is not installed"
    exit 77
}
[ -e "$folder/build.ninja" ] || CC=$compiler meson setup "$folder" "$root" -Dtests=true -Dc_args=-g1
set -- "$folder"/tests/race/race "$folder"/tests/race/race-eager "$folder"/tests/race/librace-library.so
ninja -C "$folder" tests/race/race tests/race/race-eager tests/race/librace-library.so
exec "$root"/tests/race/race.py "$@" --ms 60000 Race.test_changes Race.test_changes_pipe
