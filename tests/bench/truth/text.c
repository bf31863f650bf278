/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: text, character by character and by the C library.
 */
#include "phases.h"

#include <string.h>

#define BYTES 60000
static char text[BYTES + 1];

__attribute__((constructor, no_instrument_function)) static void fill(void)
{
    uint32_t state = 3;
    for (int i = 0; i < BYTES; i++)
        text[i] = "etaoin shrdlu,cmfw.ypvbg 0123456789 ETAO\n"[phase_random(&state) % 41];
}

static int is_letter(int c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static int to_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static int peek(const char *at)
{
    return (unsigned char)*at;
}

NOINLINE static uint32_t hash_word(const char *from, const char *to)
{
    uint32_t hash = 5381;
    for (; from < to; from++)
        hash = hash * 33 + (uint32_t)to_lower(peek(from));
    return hash;
}

PHASE(words)
{
    uint32_t sum = 0;
    for (const char *at = text; *at;)
    {
        const char *from = at;
        while (is_letter(peek(at)))
            at++;
        sum += hash_word(from, at);
        at += *at != '\0';
    }
    sink += sum;
}

PHASE(lines)
{
    for (int i = 0; i < 80; i++)
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            sink++;
}

PHASE(numbers)
{
    char number[32];
    for (int i = 0; i < 6000; i++)
    {
        snprintf(number, sizeof number, "%d:%x", i, i * 77);
        sink += (uint64_t)strtol(number, NULL, 10);
    }
}

NOINLINE static size_t squeeze(char *to, const char *from)
{
    char *start = to;
    int was_space = 0;
    for (; *from; from++)
    {
        int is_space = *from == ' ' || *from == '\n';
        if (!is_space || !was_space)
            *to++ = *from;
        was_space = is_space;
    }
    return (size_t)(to - start);
}

PHASE(squeeze)
{
    static char copy[BYTES + 1];
    for (int i = 0; i < 4; i++)
        sink += squeeze(copy, text);
}

PHASES_MAIN(PHASE_ROW(words), PHASE_ROW(lines), PHASE_ROW(numbers), PHASE_ROW(squeeze))
