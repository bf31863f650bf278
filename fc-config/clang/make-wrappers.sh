#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes into folder $2 a copy of the template $1 for each header that the rest names.
set -eu
template=$1
folder=$2
shift 2
for header; do
    sed "s|@HEADER@|$header|" "$template" >"$folder/$header"
done
