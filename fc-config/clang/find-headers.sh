#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the names of the C++ library's headers, in folders too, but not what headers are made of: those that all of
# the libraries have that are installed.
set -eu
count=0
seen=' '
for folder in /usr/include/c++/* /usr/lib/llvm-*/include/c++/v1; do
    [ -e "$folder/vector" ] || continue
    folder=$(readlink -f "$folder")
    case $seen in *" $folder "*) continue ;; esac
    seen="$seen$folder "
    count=$((count + 1))
done
for folder in $seen; do
    (cd "$folder" && find . \( -name bits -o -name detail -o -name '_*' -o -path './ext/pb_ds/*/*' \) -prune -o \
        -type f ! -name '*.tcc' ! -name '*.modulemap*' -print)
done | sed 's,^\./,,' | LC_ALL=C sort | uniq -c | while read -r times header; do
    [ "$times" -ne "$count" ] || printf '%s\n' "$header"
done
