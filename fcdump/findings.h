/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experienced colleague would say of a profile at first sight: sentences, the gravest
 * first.  Pure computation on a model; never prints.
 */
#pragma once

#include "fcdump/report.h"

/* A cycle with this share of all time is reported: here and in --summary. */
#define FC_NOTABLE_CYCLE 0.05

typedef struct
{
    char *text;          /* a sentence without its full stop */
    char *brief;         /* the same in fewer words; or NULL */
    char *reason;        /* may follow it if there is room; or NULL */
    char *option;        /* of fcdump, to show more of it; or NULL */
    gboolean is_to_copy; /* it ends with text to copy, and is never shortened */
} FcFinding;

/* The findings: FcFinding, owned by the array; may be empty.  The caller owns the array. */
GPtrArray *fc_findings_new(const FcReportContext *context);
