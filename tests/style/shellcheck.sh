#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails where shellcheck objects to a shell script of the tree.
set -eu
cd "$FC_SOURCE_ROOT"
command -v shellcheck >/dev/null || {
    echo 'no shellcheck here'
    exit 77
}
. tests/style/sources.sh
{
    list_sources '*.sh'
    list_sources 'quickstart' 'check' '.ci/run' 'fc-config/fc-config.in' 'tests/bare-machine' 'tests/debian-package'
} | xargs shellcheck -x -S warning
