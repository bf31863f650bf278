/* SPDX-License-Identifier: 0BSD
 *
 * The wire format's records; see fc-format.h, which includes this.
 */
#pragma once

#include <stdint.h>

/* One record for each event, in the order in which the thread made them: a hook's call, a switch
 * to another stack, a jump out of frames, and with FC_MEMORY what happens to memory.  Calls of a
 * counted function make no record, except for a few (FC_RECORD_COUNT).
 *
 * A record is 32 bytes, two units; the record of an entry or an exit may be short, one unit.  A
 * reader can see, for any unit, whether a complete record begins there and whether it is short,
 * even after a record that is missing:
 *   - Bits 0-3 of the first word are 0 in short records only.
 *   - The last word of a record is written LAST (release).  Its bits 48-63 hold the generation of
 *     the chunk's current use; a short record has bit 62 of the word set in place of bit 63.  The
 *     second word of a long record is a time and has both bits clear.  So a half-written record
 *     does not look complete, whatever the unit held before. */
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
/* Every generation has the first of these bits and not the second.  In a short record it has the
 * second and not the first. */
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
 * A long ENTER or EXIT of the same function and site gives the number, in bits 48-62 of its
 * `function`, before a short record uses it.  The thread gives each number to one call site only.
 * A forked child sends the numbers that it has from its parent by FC_MSG_CALL_SITES. */
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
    FC_RECORD_NAMED = 8,       /* after an operator new: the program called that, and an ALLOCATED
                                  of the same pointer just before, if any, is the operator's own
                                  call.  After an operator delete that freed without FREE */
    FC_RECORD_FREE_NAMED = 9,  /* before an operator delete: pointer; a FREE of that pointer
                                  that follows is part of it */
    FC_RECORD_MAPPED = 10,     /* after mmap: address, length */
    FC_RECORD_UNMAP = 11,      /* after munmap: address, length */
    /* A longjmp or an exception cut the stack back to the stack address.  The frames below it
       were left without their exits. */
    FC_RECORD_JUMP = 12,
    FC_RECORD_STACK = 13, /* before one of 4-9: three return addresses of its stack */
    FC_RECORD_COUNT = 14, /* of a counted function, see below; `where` and `site` as in ENTER */
    FC_RECORD_OFF = 15,   /* of time that is not the program's work, see below */
};
/* In `function` of ENTER and EXIT: gcc instrumented the code after inlining, so the hook is
 * called outside of the function's own frame.  The stack address is then the place of the return
 * address.  It is the same at entry and exit, and a multiple of 8: bits 48-63 of `where` repeat
 * its low bits, and hold no return address.  An exit does not know its function: bits 0-47 are 0.
 */
#define FC_FUNCTION_AFTER_INLINING (UINT64_C(1) << 63)
#define FC_WHERE_KIND_MASK UINT64_C(0xf)
#define FC_WHERE_ADDRESS_MASK UINT64_C(0x0000fffffffffff0)
#define FC_WHERE_RETURN_SHIFT 48

/* A function may be counted in a thread: then most of its calls make no record and count in a
 * struct FcCount, one for each call site.  The number of its calls is that of the ENTERs and the
 * ONEs plus what the counters hold; no call is in two of these.
 *
 * FC_RECORD_COUNT: `function` holds the address in bits 0-47, in bits 48-55 one of the */
enum FcCountRecord
{
    /* The entry of a timed call.  Opens a frame as ENTER does and ends with an EXIT, but the call
       is in the counter already.  The enclosing frame need not be its caller's: counted callers
       have none.  Until this frame is closed, or until BURST_ENDS, every call is recorded.  An
       ENTER of a counted function is then a call that no counter has, and the enclosing frame is
       its caller's. */
    FC_COUNT_SAMPLE = 1,
    /* One call, which no counter has, as no counter was free.  Opens no frame. */
    FC_COUNT_ONE = 2,
    /* No call: the function is counted from here on.  Of its open frames the outermost stays and
       ends with an EXIT; the others are as if they had ended here. */
    FC_COUNT_BEGINS = 3,
    /* The same, but only calls within another call of the function are counted.  Any other call
       makes an ENTER and an EXIT as before, and its time includes the calls within it.  A BEGINS
       may follow. */
    FC_COUNT_BEGINS_NESTED = 4,
    /* No call and no frame: the counter of `site` and the function ran down at this call, but
       it is not timed: a framed call of the function is open, or only its nested calls are counted.
       It stands for about 64 calls, doubled once for each step of back-off, as a SAMPLE does. */
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
    /* `function`: CLOCK_MONOTONIC_RAW minus the thread's CPU clock, in ns, modulo 2^63.  By what
       it has grown since the last such record, the thread was off the CPU.  `site`: how often the
       thread has given up the CPU of its own accord, in bits 0-31.  The first one of a thread is
       the value to begin with; a forked child sends it by FC_MSG_OFF. */
    FC_OFF_SEEN = 1,
    /* The same in a thread that is checked coarsely: short times off the CPU may belong to
       earlier records. */
    FC_OFF_COARSE = 2,
    /* `function`: how many ticks since the last record libfc worked or waited for fcmanager;
       `site`: how many ns of this the thread was off the CPU.  Both are no part of the program's
       time. */
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
 * The clock is read after an allocation, and before a release; neither reading moves across the
 * call.  So the times for one address are in the true order, whichever threads use it.  A record
 * is in shared memory, or has gone through the pipe, before the thread goes on.  So whatever
 * another thread does because of it is recorded later. */
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
/* In `function` of FREE, FREE_NAMED and REALLOC: the pointer has more than 48 bits; `where` holds
 * its bits 48-63 in place of the size.  Nothing was ever allocated at such an address. */
#define FC_POINTER_WILD (UINT64_C(1) << 56)
#define FC_POINTER_HIGH_SHIFT 48
#define FC_POINTER_MASK UINT64_C(0x0000ffffffffffff)
#define FC_POINTER_CALL_SHIFT 48
#define FC_MEMORY_STACK_MASK UINT64_C(0x0000000000fffff0)
#define FC_MEMORY_SIZE_SHIFT 24
#define FC_MEMORY_SIZE_MAX ((UINT64_C(1) << 40) - 1)

/* The number of units of the record that begins at `unit`; 0: no complete record is there.  Two
 * units must be readable.  Acquires the record. */
static inline uint32_t fc_record_units(const struct FcUnit *unit, uint32_t generation)
{
    const uint64_t last = __atomic_load_n(&unit->last, __ATOMIC_ACQUIRE);
    const uint64_t first = __atomic_load_n(&unit->first, __ATOMIC_RELAXED);
    if ((first & 0xf) == FC_RECORD_SHORT)
        return last >> FC_SITE_GENERATION_SHIFT == FC_GENERATION_OF_SHORT(generation);
    const uint64_t site = __atomic_load_n(&unit[1].last, __ATOMIC_ACQUIRE);
    return site >> FC_SITE_GENERATION_SHIFT == generation ? FC_RECORD_UNITS : 0;
}

/* Whether all records that begin in `units`[from, to) are complete.  One more unit must be
 * readable after them. */
static inline int fc_records_are_whole(const struct FcUnit *units, uint32_t from, uint32_t to,
                                       uint32_t generation)
{
    uint32_t read = 1;
    for (uint32_t at = from; at < to && read != 0; at += read)
        read = fc_record_units(&units[at], generation);
    return read != 0;
}

/* The full time of a short record, of which `last` has the low 48 bits.  `near` is the time of a
 * record close to it. */
static inline uint64_t fc_record_time(uint64_t last, uint64_t near)
{
    return near + (uint64_t)((int64_t)((last - near) << 16) >> 16);
}
