#!/bin/sh
# Installs the build folder $1 below $2 and touches $3: what the end-to-end tests run.  What they
# compiled for the tree that was there before (tests/support/fctest.py) goes.  `ninja uninstall` goes on
# to remove what was installed for use.
set -eu
build=$1 root=$2 stamp=$3
list=$build/meson-logs/install-log.txt
[ ! -e "$list" ] || mv "$list" "$stamp.list"
meson install -C "$build" --no-rebuild --quiet --destdir "$root"
rm -f "$list"
[ ! -e "$stamp.list" ] || mv "$stamp.list" "$list"
rm -rf "$build/tests/compiled"
touch "$stamp"
