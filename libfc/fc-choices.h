/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_FILTER: what the user chose for functions by their names.  libfc knows no names: it asks with
 * each FC_MSG_MODULE_LOAD (fc-format.h), and fcmanager, which asks fcfilter, puts the answer into
 * memory that both have mapped: a memfd of FC_CHOICES_BYTES, made by the session's first process
 * where the user chose something, and found by executed images through the session's address.
 *
 * Included by all three; depends on <stdint.h> only.  Nobody trusts what another one wrote there.
 */
#pragma once

#include <stdint.h>

enum FcChoice
{
    FC_CHOICE_AUTO = 0,  /* as FC_DETAIL says */
    FC_CHOICE_SKIP = 1,  /* neither counted nor timed */
    FC_CHOICE_COUNT = 2, /* counted at once */
    FC_CHOICE_TIME = 3,  /* always timed */
};

/* From address `start` of the file on the choice is this one, up to the next step. */
struct FcStep
{
    uint64_t start;
    uint64_t choice; /* enum FcChoice */
};

#define FC_CHOICES_MAGIC UINT64_C(0x31736563696f6843) /* "Choices1" */
#define FC_CHOICES_BYTES (16u << 20)
#define FC_CHOICES_ANSWERS 1024u
struct FcChoices
{
    uint64_t magic;
    uint32_t version; /* FC_WIRE_VERSION */
    uint32_t is_on;   /* fcmanager: FC_FILTER is understood, modules are to be asked for */
    uint32_t next;    /* libfc, atomic: numbers of answers given out */
    uint32_t reserved;
    struct
    {
        uint32_t number;           /* atomic, stored LAST (release): that of the answer */
        uint32_t count;            /* of steps, ascending; */
        uint64_t first;            /* the first one's place in `steps` */
    } answers[FC_CHOICES_ANSWERS]; /* that of number n at n % FC_CHOICES_ANSWERS */
    struct FcStep steps[];
};
#define FC_CHOICES_STEPS                                                                           \
    ((FC_CHOICES_BYTES - sizeof(struct FcChoices)) / (uint32_t)sizeof(struct FcStep))

/* fcfilter gets FC_FILTER as its argument, and on standard input two strings for each module, its
 * path and its build-id in hex or nothing, each with a NUL.  On standard output it answers once
 * at its start, and once for each module. */
struct FcFilterReply
{
    uint32_t magic; /* FC_FILTER_MAGIC */
    uint32_t reserved;
    uint32_t steps; /* struct FcStep that follow; */
    uint32_t bytes; /* of text behind them: what is wrong */
};
#define FC_FILTER_MAGIC 0x7a464346u
#define FC_FILTER_TEXT_MAX 4096u
