#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds with clang what a libFuzzer program consists of, whatever compiler the rest is built with.
#
#     libfuzzer.sh archive OUTPUT TOP_FOLDER SOURCE...
#     libfuzzer.sh program OUTPUT TOP_FOLDER SOURCE... ARCHIVE...
set -eu

kind=$1
output=$2
top=$3
shift 3

compile()
{
    # shellcheck disable=SC2046 # a list of words
    clang -g -O1 -std=gnu11 -D_GNU_SOURCE -DFC_VERSION='"0"' -fno-sanitize-recover=undefined \
        -fsanitize="$sanitizers" -I"$top" $(pkg-config --cflags glib-2.0 libelf libdw zlib) "$@"
}

if [ "$kind" = archive ]; then
    sanitizers=fuzzer-no-link,address,undefined
    # By number, as two sources may have one name.
    objects=$output.d
    rm -rf "$objects" "$output"
    mkdir "$objects"
    number=0
    for source; do
        number=$((number + 1))
        compile -c -o "$objects/$number.o" "$source"
    done
    ar rcs "$output" "$objects"/*.o
else
    sanitizers=fuzzer,address,undefined
    # shellcheck disable=SC2046 # a list of words
    compile -o "$output" "$@" -Wl,--as-needed $(pkg-config --libs glib-2.0 libelf libdw zlib) -lbfd -liberty -lm
fi
