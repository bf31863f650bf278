/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How code was compiled, as far as its debug information says.
 */
#pragma once

#include <glib.h>

typedef enum
{
    FC_OPTIMIZED_UNKNOWN,
    FC_OPTIMIZED_NO,
    FC_OPTIMIZED_YES,
} FcOptimized;

typedef enum
{
    FC_COMPILER_UNKNOWN,
    FC_COMPILER_GCC,
    FC_COMPILER_CLANG,
} FcCompiler;

typedef struct
{
    FcCompiler compiler;
    gboolean is_cxx;
    FcOptimized optimized;
    char level[8];            /* the option, such as "-O2"; "" where it is not known */
    gboolean is_only_classic; /* gcc has hooks in every function, even with optimization: because of
                                 its options, or not on x86-64 */
} FcProducer;
