#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails, with the places, where clang-format would change a C file of the tree.
set -eu
cd "$FC_SOURCE_ROOT"
command -v clang-format >/dev/null || {
    echo 'no clang-format here'
    exit 77
}
# Each version lays out some lines otherwise: that of Debian 12 is the measure.
clang-format --version | grep -q 'version 14\.' || {
    echo "$(clang-format --version) is not version 14"
    exit 77
}
. tests/style/sources.sh
list_sources '*.c' '*.h' | xargs clang-format --dry-run -Werror
