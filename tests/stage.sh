#!/bin/sh
# Installs the build folder $1 below $2 and touches $3: what the end-to-end tests run.  What they
# compiled for the tree that was there before (tests/support/fctest.py) goes.
set -eu
build=$1 root=$2 stamp=$3
meson install -C "$build" --no-rebuild --quiet --destdir "$root"
rm -rf "$build/tests/compiled"
touch "$stamp"
