#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the names of the C++ library's headers: those that all of the libraries have that are
# installed.
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
    for header in "$folder"/*; do
        case ${header##*/} in
        *.* | _*) continue ;;
        esac
        [ ! -f "$header" ] || printf '%s\n' "${header##*/}"
    done
done | LC_ALL=C sort | uniq -c | while read -r times header; do
    [ "$times" -ne "$count" ] || printf '%s\n' "$header"
done
