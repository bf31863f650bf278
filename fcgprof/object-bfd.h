/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What object.c and object-links.c share.
 */
#pragma once

#include "fcgprof/object.h"

/* bfd.h asks for these to be sure that it is not included without a configuration. */
#define PACKAGE "functioncheck"
#define PACKAGE_VERSION FC_VERSION
#include <bfd.h>

struct FcGObject
{
    char *path;
    bfd *file;
    asymbol **symbols; /* what bfd_canonicalize_symtab gave, NULL at the end */
    long n_symbols;
    asymbol **dynamic; /* the same of the dynamic ones; NULL if they were not asked for */
    long n_dynamic;
    asection *text;
    FcGMachine machine;
    FcGImage image; /* names are libbfd's */
    GStringChunk *strings;
    const char *last_file; /* in strings */
    const char *last_function;
    GPtrArray *contents; /* of sections; each section's userdata points to its own */
};
