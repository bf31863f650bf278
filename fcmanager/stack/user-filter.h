/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FC_FILTER in the manager: asks fcfilter, which knows the names of functions, about each module,
 * and puts the answers where the profiled processes read them (struct FcUserFilter).  Used by
 * session.c.  The files that fcfilter reads may contain anything.  If it fails or takes too long,
 * later modules are not filtered.
 */
#pragma once

#include "fcmanager/stream/decode.h"

typedef struct FcManagerFilter FcManagerFilter;

typedef struct
{
    int fd;                /* the shared memory; becomes the result's */
    const char *filter;    /* FC_FILTER */
    const char *near;      /* path of fcfilter from fcmanager's folder; "": none */
    const char *installed; /* its path as it was installed */
} FcUserFilterSetup;

/* Starts fcfilter.  Never NULL.  If it sets *trouble there is no filter; the caller prints and
 * frees that text. */
FcManagerFilter *fc_manager_filter_new(const FcUserFilterSetup *setup, char **trouble);
void fc_manager_filter_free(FcManagerFilter *filter);

/* Handles FC_MSG_MODULE_LOAD.  The process may be waiting for the answer. */
void fc_manager_filter_take_module(FcManagerFilter *filter, const FcWireMessage *message);

/* A text for when the program ends, about patterns that matched nothing and files that could not be
 * read; NULL: there is nothing to report.  The caller frees it.  *is_incomplete: a file was not
 * filtered, so functions that a pattern matches may be profiled. */
char *fc_manager_filter_trouble(FcManagerFilter *filter, gboolean *is_incomplete);
