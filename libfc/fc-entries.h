/* SPDX-License-Identifier: 0BSD
 *
 * Counters of function entries, which fcas (fcas/filter.c) puts into the assembler's output: one
 * instruction at each function's entry adds one to the function's counter, and one before each call
 * to the call's. Each module has its counters in the section fc_counters, and a record of each
 * function and call in the section fc_entries.
 *
 * The instruction adds the base of the segment register GS to the counter's address.  While the
 * base is 0, the instruction counts in the module's own counter.  A thread can have counters of
 * its own: libfc maps pages for all modules' counters at a constant distance from the modules'
 * own, and sets the thread's base to this distance.
 *
 * Included by libfc, by what is linked into modules, and by fcmanager, for which it is untrusted
 * input.
 */
#pragma once

#include <stdint.h>

/* `code` and `counter` are offsets from where they are. */
struct FcEntryRecord
{
    int32_t code;
    uint32_t bytes;
    int32_t counter;
    uint32_t flags; /* FC_ENTRY_* */
};
_Static_assert(sizeof(struct FcEntryRecord) == 16, "section format");

/* `code` is the cold part of the function that has the counter, not the function's entry. */
#define FC_ENTRY_PART 1u
/* The counter is that of a call: the instruction that counts is at `code`, the call follows it and
 * ends `bytes` behind `code`. */
#define FC_ENTRY_SITE 2u
/* The call is a jump: the called function returns to the caller's caller. */
#define FC_ENTRY_JUMP 4u
/* The call names a function, or the slot that holds a function's address. */
#define FC_ENTRY_SYMBOL 8u

/* Payload of FC_MSG_ENTRIES: a record with addresses, and where the call leads as far as its
 * instruction tells.  A later message about the same call replaces an earlier one. */
struct FcEntryMessage
{
    uint64_t code;
    uint64_t counter;
    uint64_t target; /* 0: not known */
    uint32_t bytes;
    uint32_t flags;
};
_Static_assert(sizeof(struct FcEntryMessage) == 32, "wire format");

/* The sections of a module, as its constructor hands them to libfc. */
struct FcEntrySections
{
    const struct FcEntryRecord *entries, *entries_end;
    const uint64_t *counters, *counters_end;
    const void *header; /* its ELF header in memory; NULL: there is none */
};
#define FC_ENTRIES_BEGIN "__functioncheck_entries"

/* FC_MSG_ENTRY_PAGES: pages of a chunk of kind FC_CHUNK_OF_ENTRIES, in which counters of a module
 * are. */
#define FC_ENTRY_PAGE_BYTES 4096u
struct FcEntryPages
{
    uint64_t address; /* of the first page's counters in the module */
    uint32_t module;  /* its number */
    uint32_t first;   /* page of the chunk, from 1: page 0 has the header */
    uint32_t count;
    uint32_t
        is_home; /* 1: the module's own counters, the same for all threads that have no others */
};
_Static_assert(sizeof(struct FcEntryPages) == 24, "wire format");

/* The text with which fcmanager answers a process's first FC_MSG_ENTRY_PAGES: the kernel does not
 * let it sample, and the process is to do it by timers. */
#define FC_ENTRIES_USE_TIMERS "t"

/* FC_MSG_PLACE: a sample that a timer's signal took, followed by a copy of the stack from rsp on.
 * Without a payload: the thread can't be sampled. */
#define FC_PLACE_REGISTERS 12u
struct FcPlace
{
    uint64_t cpu_ns;                        /* of the thread's time on the CPU that it stands for */
    uint64_t registers[FC_PLACE_REGISTERS]; /* rbx, rbp, rsp, rip, r8 to r15 */
};
_Static_assert(sizeof(struct FcPlace) == 104, "wire format");
