/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the user chose by FC_FILTER: asks fcfilter, which knows the names of functions, about each
 * module, and puts the answers where the profiled processes look for them (struct FcChoices).
 * Used by session.c.  fcfilter reads files that may be anything; it may fail, or take too long, and
 * then nothing more is chosen.
 */
#pragma once

#include "fcmanager/stream/decode.h"

typedef struct FcModuleChoices FcModuleChoices;

typedef struct
{
    int fd;                /* of the memory, which becomes the result's */
    const char *filter;    /* FC_FILTER */
    const char *near;      /* fcfilter, from the folder of fcmanager; "": not there */
    const char *installed; /* where it is otherwise */
} FcChoicesSetup;

/* Starts fcfilter.  Never NULL; where `*trouble` is set, to be freed and told, nothing is chosen.
 */
FcModuleChoices *fc_choices_new(const FcChoicesSetup *setup, char **trouble);
void fc_choices_free(FcModuleChoices *choices);

/* FC_MSG_MODULE_LOAD: the process may wait until it knows which functions of it were chosen. */
void fc_choices_take_module(FcModuleChoices *choices, const FcWireMessage *message);

/* What is wrong, a text to be told when the program ends: patterns that fitted nothing, files that
 * could not be read.  NULL: nothing.  The caller frees it. */
char *fc_choices_trouble(FcModuleChoices *choices);
