#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails where makeinfo complains about the manual, also by a mere warning, and where an item is empty, of which
# it says nothing.
set -eu
command -v makeinfo >/dev/null || {
    echo 'no makeinfo here'
    exit 77
}
# Of a list; in a table items that have words of their own share a text.
if awk 'FNR == 1 { item = 0 }
        item && /^@(item|end itemize|end enumerate)$/ {
            print FILENAME ":" FNR - 1 ": an empty item"
            found = 1
        }
        { item = /^@item$/ }
        END { exit !found }' "$FC_SOURCE_ROOT"/doc/*.texi; then
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for format in --html --plaintext; do
    makeinfo "$format" --no-split -I "$FC_SOURCE_ROOT/doc" -I "$FC_BUILD_ROOT/doc" \
        -o "$folder/out" "$FC_SOURCE_ROOT/doc/libfc.texi" 2>&1 | tee "$folder/said"
    [ ! -s "$folder/said" ] || exit 1
    [ -s "$folder/out" ] || exit 1
done
