/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What nearly all files of the tools include, for meson.build to have it compiled once where that
 * pays.  Included by no file, and must hold nothing of ours.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
