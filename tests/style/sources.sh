# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# For the style tests: which files of the tree are ours.

# Lists the files that match the given patterns: those that git tracks or would
# track, else (a released archive) all outside build folders.
list_sources()
{
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
            [ ! -f "$file" ] || printf '%s\n' "$file"
        done
    else
        for pattern; do
            find . -name 'build*' -prune -o -type f -name "${pattern##*/}" -print
        done
    fi
}
