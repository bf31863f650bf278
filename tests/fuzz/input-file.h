/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For fuzz targets of what reads files: a file in memory with the input, and a place for reports
 * that nobody reads.  Both are opened once, as the system calls would take most of the time.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* The path of a file that holds `data`, until the next call: the one that FC_FUZZ_FILE names, which
 * is best in /dev/shm, or one without a name of its own. */
const char *fuzz_file(const uint8_t *data, size_t bytes);

/* Likewise, besides that one; with FC_FUZZ_FILE its name has ".second" behind it. */
const char *fuzz_second_file(const uint8_t *data, size_t bytes);

/* /dev/null; not to be closed. */
FILE *fuzz_nowhere(void);

/* A number that depends on each byte, for what is to be chosen. */
unsigned fuzz_choice(const uint8_t *data, size_t bytes);
