/* SPDX-License-Identifier: 0BSD
 *
 * The wire format's records; see fc-format.h, which includes this.
 */
#pragma once

#include <stdint.h>

/* One for each event, in the order in which the thread made them: a hook's call, a switch to
 * another stack, a jump out of frames, and with FC_MEMORY what happens to memory.  Calls of a
 * function that is counted make none, but for a few (FC_RECORD_COUNT).
 *
 * A record is 32 bytes, two units; that of an entry or an exit may be short, one unit.  A
 * reader can tell, for any unit, whether a complete record begins there and whether it is short,
 * even behind a record that is missing:
 *   - bits 0-3 of the first word are 0 in short ones alone;
 *   - the last word of a record is written LAST (release) and holds, in bits 48-63, the generation
 *     of the chunk's current use, of a short record with bit 62 in place of bit 63.  The second
 *     word of a long one has both clear, as it is a time: whatever a unit held before, it does not
 *     look written while it is half written. */
struct FcUnit
{
    uint64_t first;
    uint64_t last;
} __attribute__((may_alias));

struct FcRecord
{
    uint64_t where;    /* kind | stack address | return address, see below */
    uint64_t time;     /* ticks of the session's clock */
    uint64_t function; /* the hook's first argument, see FC_FUNCTION_AFTER_INLINING */
    uint64_t site;     /* the hook's second argument | generation << 48 */
};
#define FC_RECORD_UNITS 2u
#define FC_SITE_ADDRESS_MASK UINT64_C(0x0000ffffffffffff)
#define FC_SITE_GENERATION_SHIFT 48
/* Of generations: all have the first and not the second, which those in short records have instead.
 */
#define FC_GENERATION_LONG 0x8000u
#define FC_GENERATION_SHORT 0x4000u
#define FC_GENERATION_LAST (FC_GENERATION_LONG | 0x3fffu)
#define FC_GENERATION_OF_SHORT(generation)                                                         \
    ((generation) ^ (FC_GENERATION_LONG | FC_GENERATION_SHORT))
_Static_assert(sizeof(struct FcUnit) == 16, "wire format");
_Static_assert(sizeof(struct FcRecord) == FC_RECORD_UNITS * sizeof(struct FcUnit), "wire format");

/* A short record.
 * `first`: bit 4: an exit; bits 5-32: bits 4-31 of the stack address minus that of
 * FC_MSG_CALL_SITES, both multiples of 16; bits 33-47: the number of an interned call site, that
 * is, of a function and the place that it was called from; bits 48-63: as in FcRecord.where.
 * `last`: bits 0-47: the low bits of the time.  The time is less than 2^46 ticks after that of some
 * earlier record, or a little before it (libfc keeps it within 2^32 of the last long record's).
 *
 * A number is given by a long ENTER or EXIT of the same function and site, in bits 48-62 of its
 * `function`, before it is used, and to nothing else in that thread.  A forked child gives the
 * numbers that it has from its parent by FC_MSG_CALL_SITES. */
#define FC_SHORT_EXIT (UINT64_C(1) << 4)
#define FC_SHORT_ADDRESS_SHIFT 1 /* as the lowest four bits are left out */
#define FC_SHORT_ADDRESS_MASK UINT64_C(0xfffffff0)
#define FC_SHORT_SITE_SHIFT 33
#define FC_SHORT_TIME_MASK ((UINT64_C(1) << 48) - 1)
#define FC_SHORT_TIME_BITS 46
#define FC_SITE_NUMBER_MASK UINT64_C(0x7fff)
#define FC_SITE_NUMBER_SHIFT 48   /* in FcRecord.function, and in FcCallSite.site */
#define FC_SITE_NUMBERS_MAX 4095u /* from 1 on */
struct FcCallSite
{
    uint64_t function; /* 0: none */
    uint64_t site;     /* | number << 48 */
};

/* FcRecord.where: bits 0-3 the kind; bits 4-47 the stack address of the instrumented function (the
 * hook's canonical frame address, a multiple of 16); bits 48-63 the low bits of the hook's return
 * address, which tell one activation of an inlined function from the next at the same address. */
enum FcRecordKind
{
    FC_RECORD_SHORT = 0, /* see above */
    FC_RECORD_ENTER = 1,
    FC_RECORD_EXIT = 2,
    FC_RECORD_SWITCH = 3, /* another stack goes on, at the stack address */
    /* Memory, see below; only with FC_MEMORY. */
    FC_RECORD_ALLOCATED = 4,   /* after: pointer, size */
    FC_RECORD_FREE = 5,        /* before: pointer */
    FC_RECORD_REALLOC = 6,     /* before: old pointer, wanted size */
    FC_RECORD_REALLOCATED = 7, /* after: new pointer, 0: failed and nothing changed; size */
    FC_RECORD_NAMED = 8,       /* after an operator new: that is what the program called; an
                                  ALLOCATED of the same pointer just before, if any, is how it
                                  did it.  After an operator delete: it freed without FREE */
    FC_RECORD_FREE_NAMED = 9,  /* before an operator delete: pointer; a FREE of that pointer
                                  that follows is part of it */
    FC_RECORD_MAPPED = 10,     /* after mmap: address, length */
    FC_RECORD_UNMAP = 11,      /* after munmap: address, length */
    /* Frames were left without their exits: those below the stack address, to which a longjmp
       or an exception cut the stack back. */
    FC_RECORD_JUMP = 12,
    FC_RECORD_STACK = 13, /* before one of 4-9: three return addresses of its stack */
    FC_RECORD_COUNT = 14, /* of a counted function, see below; `where` and `site` as in ENTER */
    FC_RECORD_OFF = 15,   /* of time that is not the program's work, see below */
};
/* In `function` of ENTER and EXIT: the hook stands outside of the function's own frame, in code
 * that gcc instrumented after inlining.  The stack address is then where the return address is,
 * the same at entry and exit, a multiple of 8: its low bits are repeated in bits 48-63 of
 * `where`, which hold no return address.  An exit does not know its function: bits 0-47 are 0. */
#define FC_FUNCTION_AFTER_INLINING (UINT64_C(1) << 63)
#define FC_WHERE_KIND_MASK UINT64_C(0xf)
#define FC_WHERE_ADDRESS_MASK UINT64_C(0x0000fffffffffff0)
#define FC_WHERE_RETURN_SHIFT 48

/* A function may be counted in a thread: then most of its calls make no record and count in a
 * struct FcCount, one for each call site.  Calls are the ENTERs, the ONEs and what the counters
 * hold; none of them is in two of these.
 *
 * FC_RECORD_COUNT: `function` holds the address in bits 0-47, in bits 48-55 one of the */
enum FcCountRecord
{
    /* An entry that is timed.  Opens a frame as ENTER does and ends with an EXIT, but the call is
       in the counter already.  The frame around it need not be its caller's: counted callers
       have none.  Until that frame is closed or BURST_ENDS everything is recorded in full:
       ENTERs of counted functions are calls that no counter has, and their caller's frame is
       around them. */
    FC_COUNT_SAMPLE = 1,
    /* One call, which no counter has, as there was none to be had.  Opens no frame. */
    FC_COUNT_ONE = 2,
    /* No call: the function is counted from here on.  Of its open frames the outermost stays and
       ends with an EXIT; the others are as if they had ended here. */
    FC_COUNT_BEGINS = 3,
    /* The same, but only calls within another one of the same function are counted: any other
       makes an ENTER and an EXIT as before, with those within in its time.  A BEGINS may follow. */
    FC_COUNT_BEGINS_NESTED = 4,
    /* No call and no frame: the counter of `site` and the function ran down at this call, but a
       timed call of the function was already open, so this one is not timed.  It stands for about
       64 calls, doubled once for each step of back-off, as a SAMPLE does. */
    FC_COUNT_SEEN = 5,
    /* No call and no frame: the innermost SAMPLE's frame stays open and timed, but not everything
       within it is recorded any more.  `function` is that of the SAMPLE. */
    FC_COUNT_BURST_ENDS = 6,
    FC_COUNT_DEEP_ONE = 7,  /* as ONE and SEEN, of calls that are deeper than FC_DEPTH: */
    FC_COUNT_DEEP_SEEN = 8, /* they have no time of their own */
};
#define FC_COUNT_RECORD_SHIFT 48
#define FC_COUNT_RECORD_MASK 0xffu
#define FC_COUNT_BACKOFF_SHIFT 56 /* of SAMPLE and SEEN: how often 64 was doubled */
#define FC_COUNT_BACKOFF_MASK 7u

/* FC_RECORD_OFF: between the record before and this one the thread may have been off the CPU, as it
 * waited or was preempted, or libfc was at work.  Bits 4-7 of `where` hold an */
enum FcOffRecord
{
    /* `function`: by how many ns, from some time on, CLOCK_MONOTONIC_RAW is ahead of the thread's
       CPU clock, modulo 2^63: what it has grown by since the last one, the thread was off the
       CPU.  `site`: how often it has gone off of its own accord, in bits 0-31.  The first one of a
       thread says where it begins; that of a forked child comes by FC_MSG_OFF. */
    FC_OFF_SEEN = 1,
    /* The same, where what was off the CPU for a short time was not looked at before: it may
       belong to earlier records. */
    FC_OFF_COARSE = 2,
    /* `function`: for so many ticks since the record before libfc was at work, or waited for
       fcmanager; `site`: how many ns of it the thread was off the CPU.  Neither counts. */
    FC_OFF_PAUSED = 3,
};
#define FC_OFF_RECORD_SHIFT 4
#define FC_OFF_RECORD_MASK UINT64_C(0xf)
#define FC_OFF_VALUE_MASK (UINT64_MAX >> 1)
#define FC_OFF_WAITS_MASK UINT64_C(0xffffffff)

/* Records of memory: `function` holds the pointer in bits 0-47 and an enum FcMemoryCall in
 * bits 48-55; `site` the return address of the call; `where` the kind in bits 0-3, bits 4-23
 * of the caller's stack address where they are in the other records, and the size in bits 24-63.
 *
 * The time of an allocation is taken after it, that of a release before it, and neither
 * reading moves across the call: of one address, times are in the true order whatever
 * threads were at work.  A record is in shared memory, or through the pipe, before the
 * thread goes on: whatever another thread does because of it is recorded later. */
enum FcMemoryCall
{
    FC_CALL_MALLOC = 1,
    FC_CALL_CALLOC,
    FC_CALL_REALLOC, /* and reallocarray */
    FC_CALL_ALIGNED, /* memalign, posix_memalign, aligned_alloc, valloc, pvalloc */
    FC_CALL_FREE,
    FC_CALL_NEW,
    FC_CALL_NEW_ARRAY,
    FC_CALL_DELETE,
    FC_CALL_DELETE_ARRAY,
    FC_CALL_MMAP,
    FC_CALL_MUNMAP,
    FC_CALL_EARLY, /* allocated before libfc started; the time is that of the start */
    FC_CALL_OWN,   /* allocated on behalf of libfc: not to be counted, nor is its release */
};
/* FC_RECORD_STACK: the call sites around that of the record of memory which follows, innermost
 * first, 0 behind the last one.  `function` holds one in bits 0-47 and the number of the
 * record, from 0, in bits 48-55, `where` the next from bit 4 on, `site` the third. */
#define FC_STACK_MAX 30u
#define FC_STACK_SECOND_SHIFT 4
/* In `function` of FREE, FREE_NAMED and REALLOC: the pointer has more bits than are in there, of
 * which `where` holds bits 48-63 in place of the size.  Nothing was ever allocated there. */
#define FC_POINTER_WILD (UINT64_C(1) << 56)
#define FC_POINTER_HIGH_SHIFT 48
#define FC_POINTER_MASK UINT64_C(0x0000ffffffffffff)
#define FC_POINTER_CALL_SHIFT 48
#define FC_MEMORY_STACK_MASK UINT64_C(0x0000000000fffff0)
#define FC_MEMORY_SIZE_SHIFT 24
#define FC_MEMORY_SIZE_MAX ((UINT64_C(1) << 40) - 1)

/* How many units the record has that begins at `unit`, of which two can be read; 0: it is not
 * there.  Acquires it. */
static inline uint32_t fc_record_units(const struct FcUnit *unit, uint32_t generation)
{
    const uint64_t last = __atomic_load_n(&unit->last, __ATOMIC_ACQUIRE);
    const uint64_t first = __atomic_load_n(&unit->first, __ATOMIC_RELAXED);
    if ((first & 0xf) == FC_RECORD_SHORT)
        return last >> FC_SITE_GENERATION_SHIFT == FC_GENERATION_OF_SHORT(generation);
    const uint64_t site = __atomic_load_n(&unit[1].last, __ATOMIC_ACQUIRE);
    return site >> FC_SITE_GENERATION_SHIFT == generation ? FC_RECORD_UNITS : 0;
}

/* Whether all records are there that begin in `units`[from, to), behind which there is another one.
 */
static inline int fc_records_are_whole(const struct FcUnit *units, uint32_t from, uint32_t to,
                                       uint32_t generation)
{
    uint32_t read = 1;
    for (uint32_t at = from; at < to && read != 0; at += read)
        read = fc_record_units(&units[at], generation);
    return read != 0;
}

/* The time of which a short record tells a part, where another record's is `near`. */
static inline uint64_t fc_record_time(uint64_t last, uint64_t near)
{
    return near + (uint64_t)((int64_t)((last - near) << 16) >> 16);
}
