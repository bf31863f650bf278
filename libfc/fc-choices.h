/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_FILTER: which functions, by their names, the user wants skipped, counted or timed. libfc
 * knows no names.  It asks with each FC_MSG_MODULE_LOAD (fc-format.h); fcmanager asks fcfilter and
 * writes the answer into memory that both have mapped.  That memory is a memfd of
 * FC_USER_FILTER_BYTES.  The session's first process makes it where FC_FILTER is set; executed
 * images find it through the address of the session.
 *
 * Included by libfc, fcmanager and fcfilter; depends on <stdint.h> only.  No reader trusts what
 * another process wrote there.
 */
#pragma once

#include <stdint.h>

enum FcFilterAction
{
    FC_FILTER_AUTO = 0,  /* as FC_DETAIL says */
    FC_FILTER_SKIP = 1,  /* neither counted nor timed */
    FC_FILTER_COUNT = 2, /* counted at once */
    FC_FILTER_TIME = 3,  /* always timed */
};

/* What is to be done with the functions from address `start` of the file up to the next range. */
struct FcFilterRange
{
    uint64_t start;
    uint64_t action; /* enum FcFilterAction */
};

#define FC_USER_FILTER_MAGIC UINT64_C(0x31736563696f6843) /* "Choices1" */
#define FC_USER_FILTER_BYTES (16u << 20)
#define FC_USER_FILTER_ANSWERS 1024u
struct FcUserFilter
{
    uint64_t magic;
    uint32_t version; /* FC_WIRE_VERSION */
    uint32_t is_on;   /* set by fcmanager: FC_FILTER is valid, ask for each module */
    uint32_t next;    /* counts the answers that libfc asked for; atomic */
    uint32_t reserved;
    struct
    {
        uint32_t number; /* the number of this answer; atomic, stored LAST (release) */
        uint32_t count;  /* its ranges, ascending, */
        uint64_t first;  /* and the index of the first one in `ranges` */
    } answers[FC_USER_FILTER_ANSWERS]; /* answer n is at n % FC_USER_FILTER_ANSWERS */
    struct FcFilterRange ranges[];
};
#define FC_USER_FILTER_RANGES                                                                      \
    ((FC_USER_FILTER_BYTES - sizeof(struct FcUserFilter)) / (uint32_t)sizeof(struct FcFilterRange))

/* fcfilter gets FC_FILTER as its argument.  On standard input it gets two strings for each
 * module, each ended by a NUL: its path, and its build-id in hex or nothing.  On standard output
 * it replies once at its start, and once for each module. */
struct FcFilterReply
{
    uint32_t magic; /* FC_FILTER_MAGIC */
    uint32_t reserved;
    uint32_t ranges; /* how many struct FcFilterRange follow, */
    uint32_t bytes;  /* and the bytes of text after them, which says what is wrong */
};
#define FC_FILTER_MAGIC 0x7a464346u
#define FC_FILTER_TEXT_MAX 4096u
