#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds with clang what a libFuzzer program consists of, whatever compiler the rest is built with.
# OUTPUT.dep names the headers for ninja.
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
    clang -g -O2 -std=gnu11 -D_GNU_SOURCE -DFC_VERSION='"0"' -fno-sanitize-recover=undefined \
        -fsanitize="$sanitizers" -I"$top" $(pkg-config --cflags glib-2.0 libelf libdw zlib) "$@"
}

# What object $1 is made from source $2, and what headers that needs into a file beside it.
compile_object()
{
    compile -MMD -MF "$1.d" -MT "$output" -c -o "$1" "$2"
}

# One rule for the output from those of the objects $1, $2...
join_rules()
{
    printf '%s: ' "$output"
    for object; do
        sed -e 's/^[^ ]*: *//' -e 's/ *[\\]$//' "$object.d" | tr '\n' ' '
    done
    echo
}

# By number, as two sources may have one name.
objects=$output.d
rm -rf "$objects" "$output"
mkdir "$objects"
number=0

if [ "$kind" = archive ]; then
    sanitizers=fuzzer-no-link,address,undefined
    for source; do
        number=$((number + 1))
        compile_object "$objects/$number.o" "$source"
    done
    ar rcs "$output" "$objects"/*.o
else
    sanitizers=fuzzer,address,undefined
    for word; do
        shift
        case $word in
            *.c)
                number=$((number + 1))
                compile_object "$objects/$number.o" "$word"
                set -- "$@" "$objects/$number.o" ;;
            *)
                set -- "$@" "$word" ;;
        esac
    done
    # shellcheck disable=SC2046 # a list of words
    compile -o "$output" "$@" -Wl,--as-needed $(pkg-config --libs glib-2.0 libelf libdw zlib) -lbfd -liberty -lm
fi
join_rules "$objects"/*.o >"$output.dep"
