/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See filter.h.  Reads the text twice: first to find the functions that have a type and a size,
 * then to insert the counters.
 *
 * Insertions go into existing lines, so that line numbers in the assembler's messages are those of
 * its input.
 */
#include "fcas/filter.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Span
{
    const char *at;
    size_t length;
};

enum Kind
{
    KIND_NONE = 0, /* not counted */
    KIND_FUNCTION,
    KIND_PART, /* the cold part of a function */
};

struct Function
{
    struct Span name; /* no bytes: the slot is free */
    uint32_t number;  /* in the names of its labels */
    uint32_t owner;   /* the number of the function that it is a part of */
    enum Kind kind;
    bool has_size;
    bool is_begun;
};

struct Table
{
    struct Function *slots;
    size_t room; /* a power of two */
    size_t used;
};

struct Filter
{
    const char *at;
    const char *end;
    struct Table functions;
    struct FcText out;
    size_t room;
    const struct Function *pending; /* its first instruction has not come yet */
    bool is_of_compiler;
    bool is_in_asm;   /* between #APP and #NO_APP */
    bool is_intel;    /* after .intel_syntax */
    bool has_counter; /* a counter was inserted */
    bool has_failed;  /* no memory */
};

/* ---- Words of a line -------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct Span next_line(struct Filter *filter)
{
    const char *end = memchr(filter->at, '\n', (size_t)(filter->end - filter->at));
    struct Span line = {filter->at, (size_t)((end ? end + 1 : filter->end) - filter->at)};
    filter->at += line.length;
    return line;
}

static struct Span skip_blanks(struct Span line)
{
    while (line.length > 0 && is_blank(*line.at))
    {
        line.at++;
        line.length--;
    }
    return line;
}

static bool begins(struct Span line, const char *word)
{
    const size_t length = strlen(word);
    return line.length >= length && memcmp(line.at, word, length) == 0;
}

/* Whether the line is the directive `word`.  If so, *rest is set to its arguments. */
static bool is_directive(struct Span line, const char *word, struct Span *rest)
{
    const size_t length = strlen(word);
    if (!begins(line, word) || line.length == length || !is_blank(line.at[length]))
        return false;
    *rest = skip_blanks((struct Span){line.at + length, line.length - length});
    return true;
}

static bool is_of_symbol(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || c == '@' || (unsigned char)c >= 128;
}

/* Returns the symbol at the start of the text, with its quotes if it has them; empty: there is
 * no symbol. */
static struct Span symbol_of(struct Span text)
{
    size_t length = 0;
    if (text.length > 0 && *text.at == '"')
    {
        for (length = 1; length < text.length && text.at[length] != '"'; length++)
            if (text.at[length] == '\n')
                return (struct Span){text.at, 0};
        return (struct Span){text.at, length < text.length ? length + 1 : 0};
    }
    while (length < text.length && is_of_symbol(text.at[length]))
        length++;
    return (struct Span){text.at, length};
}

static struct Span behind(struct Span text, struct Span symbol)
{
    return skip_blanks((struct Span){text.at + symbol.length, text.length - symbol.length});
}

static bool contains(struct Span text, const char *word)
{
    return memmem(text.at, text.length, word, strlen(word)) != NULL;
}

/* ---- The functions ---------------------------------------------------------------- */

static size_t hash_of(struct Span name)
{
    uint64_t hash = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.at[i]) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 32);
}

static struct Function *slot_of(const struct Table *table, struct Span name)
{
    size_t at = hash_of(name) & (table->room - 1);
    while (table->slots[at].name.length != 0 &&
           (table->slots[at].name.length != name.length ||
            memcmp(table->slots[at].name.at, name.at, name.length) != 0))
        at = (at + 1) & (table->room - 1);
    return &table->slots[at];
}

static struct Function *find(const struct Table *table, struct Span name)
{
    if (table->room == 0 || name.length == 0)
        return NULL;
    struct Function *function = slot_of(table, name);
    return function->name.length != 0 ? function : NULL;
}

static bool grow(struct Table *table)
{
    struct Table larger = {.room = table->room != 0 ? 2 * table->room : 256, .used = table->used};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < table->room; i++)
        if (table->slots[i].name.length != 0)
            *slot_of(&larger, table->slots[i].name) = table->slots[i];
    free(table->slots);
    *table = larger;
    return true;
}

/* Whether the function is a compiler-made thunk, which is not counted.  Thunks of virtual
 * functions lead to a function that is counted.  In thunks of indirect jumps the flags are live. */
static bool is_thunk(struct Span name)
{
    return begins(name, "_ZTh") || begins(name, "_ZTv") || begins(name, "_ZTc") ||
           begins(name, "__x86_") || begins(name, "__x86.") || begins(name, "__llvm_");
}

/* Returns the name without its ending `.cold` or `.cold.NUMBER`; empty: it has no such ending. */
static struct Span owner_of(struct Span name)
{
    static const char cold[] = ".cold";
    size_t length = name.length;
    while (length > 0 && name.at[length - 1] >= '0' && name.at[length - 1] <= '9')
        length--;
    if (length < name.length && length > 0 && name.at[length - 1] == '.')
        length--;
    const size_t end = sizeof cold - 1;
    if (length <= end || memcmp(name.at + length - end, cold, end) != 0)
        return (struct Span){name.at, 0};
    return (struct Span){name.at, length - end};
}

static void add_function(struct Filter *filter, struct Span name)
{
    struct Table *table = &filter->functions;
    if (name.length == 0 || is_thunk(name) || find(table, name))
        return;
    if (2 * (table->used + 1) > table->room && !grow(table))
    {
        filter->has_failed = true;
        return;
    }
    struct Function *function = slot_of(table, name);
    *function = (struct Function){.name = name, .number = (uint32_t)table->used++};
}

static void take_type(struct Filter *filter, struct Span rest)
{
    const struct Span name = symbol_of(rest);
    rest = behind(rest, name);
    if (rest.length == 0 || *rest.at != ',')
        return;
    rest = skip_blanks((struct Span){rest.at + 1, rest.length - 1});
    if (begins(rest, "@function") || begins(rest, "%function"))
        add_function(filter, name);
}

/* Returns the function of a .size directive that stands at the function's end, in its section.
 * NULL: there is none. */
static struct Function *sized(const struct Filter *filter, struct Span rest)
{
    const struct Span name = symbol_of(rest);
    struct Function *function = find(&filter->functions, name);
    rest = behind(rest, name);
    if (!function || rest.length == 0 || *rest.at != ',')
        return NULL;
    rest = skip_blanks((struct Span){rest.at + 1, rest.length - 1});
    return begins(rest, ".-") || begins(rest, ".Lfunc_end") ? function : NULL;
}

/* Whether the line is in an asm statement.  These lines are not changed. */
static bool is_in_asm(struct Filter *filter, struct Span line)
{
    if (begins(line, "#APP"))
        filter->is_in_asm = true;
    else if (begins(line, "#NO_APP"))
        filter->is_in_asm = false;
    return filter->is_in_asm;
}

static void rewind_to(struct Filter *filter, const char *text)
{
    filter->at = text;
    filter->is_in_asm = false;
}

static void read_functions(struct Filter *filter)
{
    const char *text = filter->at;
    while (filter->at < filter->end && !filter->has_failed)
    {
        const struct Span whole = next_line(filter);
        const struct Span line = skip_blanks(whole);
        struct Span rest;
        if (is_in_asm(filter, line))
            continue;
        if (begins(line, ".LFB") || begins(line, ".Lfunc_begin") ||
            (is_directive(line, ".ident", &rest) &&
             (begins(rest, "\"GCC: ") || contains(rest, "clang version"))))
            filter->is_of_compiler = true;
        else if (is_directive(line, ".type", &rest))
            take_type(filter, rest);
        else if (is_directive(line, ".size", &rest))
        {
            struct Function *function = sized(filter, rest);
            if (function)
                function->has_size = true;
        }
    }
    rewind_to(filter, text);
}

/* Decides for each function whether it is counted, or is a cold part, whose time belongs to its
 * owner. */
static void choose(struct Table *table)
{
    for (size_t i = 0; i < table->room; i++)
    {
        struct Function *function = &table->slots[i];
        const struct Span owner = owner_of(function->name);
        const struct Function *whole = find(table, owner);
        if (!function->has_size)
            function->kind = KIND_NONE;
        else if (owner.length == 0)
            function->kind = KIND_FUNCTION;
        else if (whole && whole->has_size && owner_of(whole->name).length == 0)
        {
            function->kind = KIND_PART;
            function->owner = whole->number;
        }
    }
}

/* ---- The text with counters ------------------------------------------------------- */

static void put(struct Filter *filter, const char *bytes, size_t length)
{
    if (filter->out.length + length > filter->room)
    {
        const size_t room = 2 * filter->room + length + 4096;
        char *larger = realloc(filter->out.bytes, room);
        if (!larger)
        {
            filter->has_failed = true;
            return;
        }
        filter->out.bytes = larger;
        filter->room = room;
    }
    memcpy(filter->out.bytes + filter->out.length, bytes, length);
    filter->out.length += length;
}

__attribute__((format(printf, 2, 3))) static void put_words(struct Filter *filter,
                                                            const char *format, ...)
{
    char words[512];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(words, sizeof words, format, list);
    va_end(list);
    if (length > 0 && (size_t)length < sizeof words)
        put(filter, words, (size_t)length);
    else
        filter->has_failed = true;
}

/* Inserts the counting instruction.  It uses no register.  It changes the flags, which are not
 * live at a function's entry. */
static void put_counter(struct Filter *filter, const char *end)
{
    const char *att = filter->is_intel ? ".att_syntax prefix; " : "";
    const char *intel = filter->is_intel ? "; .intel_syntax noprefix" : "";
    put_words(filter, "\t%sincq %%gs:.Lfc_c%u(%%rip)%s%s", att, filter->pending->number, intel,
              end);
    filter->pending = NULL;
    filter->has_counter = true;
}

/* Whether the line may stand between a function's label and its first instruction, and is no
 * jump target. */
static bool is_before_instructions(struct Span line)
{
    static const char *const words[] = {".loc", ".file",        ".cfi_", ".LFB", ".LFSB", ".LVL",
                                        ".LBB", ".Lfunc_begin", ".Ltmp", "#",    "\n"};
    if (line.length == 0)
        return true;
    if (begins(line, "#APP"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(line, words[i]))
            return true;
    return false;
}

/* Inserts the counter of a function, and the record of a function or part, at its end.  Their
 * sections are in the function's section group, so the linker drops all together. */
static void put_record(struct Filter *filter, const struct Function *function)
{
    const uint32_t number = function->number;
    if (!function->is_begun)
        return;
    const bool is_part = function->kind == KIND_PART;
    if (!is_part)
        put_words(
            filter,
            ".pushsection fc_counters,\"aw?\",@nobits; .balign 8; .Lfc_c%u: .skip 8; .popsection; ",
            number);
    put_words(filter,
              ".Lfc_e%u: .pushsection fc_entries,\"a?\",@progbits; .balign 4; "
              ".long .Lfc_f%u-., .Lfc_e%u-.Lfc_f%u, .Lfc_c%u-., %d; .popsection; ",
              number, number, number, number, is_part ? function->owner : number, is_part);
}

/* Returns the function whose label this line is.  NULL: it is no such label, or the function is
 * not counted or has begun before.  Not called for lines of asm statements. */
static struct Function *begun(const struct Filter *filter, struct Span line)
{
    const struct Span name = symbol_of(line);
    if (name.length == 0 || name.length == line.length || line.at[name.length] != ':')
        return NULL;
    struct Function *function = find(&filter->functions, name);
    return function && function->kind != KIND_NONE && !function->is_begun ? function : NULL;
}

static void put_line(struct Filter *filter, struct Span whole)
{
    const struct Span line = skip_blanks(whole);
    const bool was_in_asm = filter->is_in_asm;
    struct Span rest;
    if (is_in_asm(filter, line) || was_in_asm)
    {
        if (filter->pending) /* replaces #APP, which is only a comment to the assembler */
            put_counter(filter, "\n");
        else
            put(filter, whole.at, whole.length);
        return;
    }
    struct Function *function = begun(filter, line);
    if (filter->pending && begins(line, "endbr64"))
    {
        const bool is_whole = whole.at[whole.length - 1] == '\n'; /* the last line may lack it */
        put(filter, whole.at, whole.length - is_whole);
        put(filter, ";", 1);
        put_counter(filter, is_whole ? "\n" : "");
        return;
    }
    if (filter->pending && (function || !is_before_instructions(line)))
        put_counter(filter, "; ");
    if (is_directive(line, ".size", &rest) && (function = sized(filter, rest)) &&
        function->kind != KIND_NONE)
        put_record(filter, function);
    else if (function)
    {
        put_words(filter, ".Lfc_f%u: ", function->number);
        function->is_begun = true;
        if (function->kind == KIND_FUNCTION)
            filter->pending = function;
    }
    else if (begins(line, ".intel_syntax"))
        filter->is_intel = true;
    else if (begins(line, ".att_syntax"))
        filter->is_intel = false;
    put(filter, whole.at, whole.length);
}

bool fc_filter_apply(const char *text, size_t length, struct FcText *into)
{
    struct Filter filter = {.at = text, .end = text + length};
    read_functions(&filter);
    if (filter.is_of_compiler && !filter.has_failed)
    {
        choose(&filter.functions);
        while (filter.at < filter.end)
            put_line(&filter, next_line(&filter));
    }
    free(filter.functions.slots);
    if (filter.has_counter && !filter.has_failed)
    {
        *into = filter.out;
        return true;
    }
    free(filter.out.bytes);
    return false;
}
