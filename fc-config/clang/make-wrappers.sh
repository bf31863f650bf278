#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs into folder $2 a copy of the template $1 for each header that file $3 names.  Meson runs it.
set -eu
template=$1
folder=${MESON_INSTALL_DESTDIR_PREFIX%"$MESON_INSTALL_PREFIX"}$2
umask 022
while read -r header; do
    mkdir -p "$folder/$(dirname "$header")"
    sed "s|@HEADER@|$header|" "$template" >"$folder/$header"
done <"$3"
