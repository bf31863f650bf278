#!/bin/sh
# Installs the build folder $1 below $2 and touches $3: what the end-to-end tests run.
set -eu
build=$1 root=$2 stamp=$3
meson install -C "$build" --no-rebuild --quiet --destdir "$root"
touch "$stamp"
