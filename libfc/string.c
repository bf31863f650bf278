/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's own functions of <string.h>.  They are hidden, so all calls in libfc come here,
 * whatever the program defines under these names.  That includes the calls that the compiler
 * makes for a copy or a comparison.  Plain loops: nothing on the hot path calls them.  Names of
 * functions that return a pointer are in parentheses: <string.h> may have them as macros, which
 * keep `const`.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__clang__)
/* otherwise gcc would replace the loop in memcpy by a call of memcpy, and so on */
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

void *(memcpy)(void *restrict to, const void *restrict from, size_t bytes)
{
#if defined(__x86_64__)
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
#else
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = ((const char *)from)[i];
#endif
    return to;
}

void *(memmove)(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        return memcpy(to, from, bytes);
    while (bytes-- > 0)
        ((char *)to)[bytes] = ((const char *)from)[bytes];
    return to;
}

void *(memset)(void *to, int value, size_t bytes)
{
#if defined(__x86_64__)
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
#else
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = (char)value;
#endif
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const uint8_t *)a)[i] != ((const uint8_t *)b)[i])
            return ((const uint8_t *)a)[i] - ((const uint8_t *)b)[i];
    return 0;
}

void *(memmem)(const void *in, size_t bytes, const void *wanted, size_t wanted_bytes)
{
    for (const char *at = in; bytes >= wanted_bytes; at++, bytes--)
        if (memcmp(at, wanted, wanted_bytes) == 0)
            return (void *)at;
    return NULL;
}

size_t strlen(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

int strncmp(const char *a, const char *b, size_t bytes)
{
    for (; bytes > 0 && *a && *a == *b; bytes--)
        a++, b++;
    return bytes > 0 ? (uint8_t)*a - (uint8_t)*b : 0;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (uint8_t)*a - (uint8_t)*b;
}

char *(strchr)(const char *text, int wanted)
{
    while (*text && *text != (char)wanted)
        text++;
    return *text == (char)wanted ? (char *)text : NULL;
}

char *(strrchr)(const char *text, int wanted)
{
    const char *at = text + strlen(text);
    while (at > text && *at != (char)wanted)
        at--;
    return *at == (char)wanted ? (char *)at : NULL;
}

char *(strstr)(const char *text, const char *wanted)
{
    return memmem(text, strlen(text), wanted, strlen(wanted));
}

size_t strcspn(const char *text, const char *ends)
{
    size_t bytes = 0;
    while (text[bytes] && !strchr(ends, text[bytes]))
        bytes++;
    return bytes;
}

size_t strspn(const char *text, const char *accepted)
{
    size_t bytes = 0;
    while (text[bytes] && strchr(accepted, text[bytes]))
        bytes++;
    return bytes;
}

static char *copy(char *restrict to, const char *restrict from)
{
    while ((*to = *from))
        to++, from++;
    return to;
}

char *(strcpy)(char *restrict to, const char *restrict from)
{
    copy(to, from);
    return to;
}

/* Compilers also replace calls of strcpy and strlen by a call of it. */
char *(stpcpy)(char *restrict to, const char *restrict from)
{
    return copy(to, from);
}

char *(strcat)(char *restrict to, const char *restrict from)
{
    copy(to + strlen(to), from);
    return to;
}
