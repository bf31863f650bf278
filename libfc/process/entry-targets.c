/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See entry-targets.h, and the psABI of x86-64 about procedure linkage tables.
 */
#include "libfc/process/entry-targets.h"

#include <string.h>

#if defined(__x86_64__)

/* Bytes of the instruction that counts. */
#define COUNTS_BYTES 8
/* The most of an entry of a procedure linkage table that is read. */
#define STUB_BYTES 16
/* The longest form that is understood: a prefix, two bytes and an offset. */
#define LONGEST 8

static uint64_t relative(const unsigned char *offset)
{
    int32_t value;
    memcpy(&value, offset, sizeof value);
    return (uint64_t)(uintptr_t)offset + sizeof value + (uint64_t)(int64_t)value;
}

static const unsigned char *code_at(uint64_t address)
{
    return (const unsigned char *)(uintptr_t)address;
}

static uint64_t slot_at(uint64_t address)
{
    return *(const uint64_t *)(uintptr_t)address;
}

/* Follows an entry of a procedure linkage table to the function, if the loader has bound it. */
static uint64_t follow_stub(uint64_t address, const struct FcCodeRange *text, bool *is_through_slot)
{
    static const unsigned char branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa};
    static const unsigned char jump[] = {0xff, 0x25};
    const unsigned char *at = code_at(address);
    if (address < text->start || address + STUB_BYTES > text->end)
        return address;
    if (memcmp(at, branch_target, sizeof branch_target) == 0)
        at += sizeof branch_target;
    at += *at == 0xf2; /* bnd */
    if (memcmp(at, jump, sizeof jump) != 0)
        return address;
    const uint64_t function = slot_at(relative(at + sizeof jump));
    /* until then the slot leads to an instruction that pushes a number */
    const unsigned char *unbound = code_at(function);
    if (function == 0)
        return 0;
    if (memcmp(unbound, branch_target, sizeof branch_target) == 0)
        unbound += sizeof branch_target;
    if (*unbound == 0x68)
        return 0;
    *is_through_slot = true;
    return function;
}

uint64_t fc_entry_target(uint64_t code, uint32_t bytes, const struct FcCodeRange *text,
                         bool *is_through_slot)
{
    const unsigned char *at = code_at(code + COUNTS_BYTES);
    const unsigned char *end = code_at(code + bytes);
    *is_through_slot = false;
    if (bytes < COUNTS_BYTES + 2 || bytes > COUNTS_BYTES + LONGEST)
        return 0;
    while (at < end && (*at == 0x67 || *at == 0xf2 || *at == 0x2e || *at == 0x3e || *at == 0x48))
        at++;
    if (end - at >= 5 && (*at == 0xe8 || *at == 0xe9))
        return follow_stub(relative(at + 1), text, is_through_slot);
    if (end - at == 2 && *at == 0xeb)
        return follow_stub((uint64_t)(uintptr_t)end + (uint64_t)(int64_t)(signed char)at[1], text,
                           is_through_slot);
    if (end - at == 6 && *at == 0xff && (at[1] == 0x15 || at[1] == 0x25))
        return slot_at(relative(at + 2));
    return 0;
}

#else /* not x86-64: fcas makes no counters */

uint64_t fc_entry_target(uint64_t code, uint32_t bytes, const struct FcCodeRange *text,
                         bool *is_through_slot)
{
    (void)code;
    (void)bytes;
    (void)text;
    *is_through_slot = false;
    return 0;
}

#endif
