#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds a libFuzzer program with clang, whatever compiler the rest is built with.
# Usage: libfuzzer.sh OUTPUT TOP_FOLDER SOURCE...
set -eu

output=$1
top=$2
shift 2
# shellcheck disable=SC2046 # a list of words
exec clang -g -O1 -std=gnu11 -D_GNU_SOURCE -DFC_VERSION='"0"' -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -I"$top" $(pkg-config --cflags glib-2.0 libelf libdw zlib) \
    -o "$output" "$@" -Wl,--as-needed $(pkg-config --libs glib-2.0 libelf libdw zlib) -lbfd -liberty -lm
