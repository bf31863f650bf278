/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See filter.h.  Reads the text twice: first to find the functions that have a type and a size,
 * then to insert the counters.  Calls are counted in these functions only.
 *
 * Insertions go into existing lines, so that line numbers in the assembler's messages are those of
 * its input.
 */
#include "fcas/filter.h"

#include "libfc/fc-entries.h"

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
    const struct Function *current; /* that the line is in; NULL: none */
    uint32_t sites;                 /* counted so far */
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

/* ---- Calls ------------------------------------------------------------------------ */

/* A call, or a jump to another function. */
struct Call
{
    struct Span whole;   /* with its operand, without a comment */
    struct Span comment; /* what follows in the line */
    bool is_jump;
    bool is_symbol; /* the operand, or the slot that it names, is a function's */
};

/* Whether the calls of this function are not counted.  The linker rewrites the instructions around
 * calls that find thread-local data, so nothing may stand between them. */
static bool is_never_counted(struct Span operand)
{
    return contains(operand, "__tls_get_addr") || contains(operand, "@tlscall") ||
           contains(operand, "@TLSCALL") || contains(operand, "@tlsdesc");
}

/* Whether the word is a register, in the syntax in which a register has no percent sign. */
static bool is_register(struct Span word)
{
    static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp"};
    if (word.length >= 2 && *word.at == 'r' && word.at[1] >= '8' && word.at[1] <= '9')
        return word.length == 2;
    if (word.length == 3 && *word.at == 'r' && word.at[1] == '1')
        return word.at[2] >= '0' && word.at[2] <= '5';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word.length == 3 && memcmp(word.at, names[i], 3) == 0)
            return true;
    return false;
}

/* Whether the symbol is in the function that the line is in: a local label, or the cold part or
 * the owner of it.  A jump there is no call. */
static bool is_within(const struct Filter *filter, struct Span symbol)
{
    const struct Function *function = find(&filter->functions, symbol);
    return begins(symbol, ".L") || begins(symbol, "\".L") ||
           (*symbol.at >= '0' && *symbol.at <= '9') || owner_of(symbol).length != 0 ||
           (filter->current->kind == KIND_PART && function &&
            function->number == filter->current->owner);
}

/* Sets the operand's end, before a comment.  False: the line has more than one instruction, or
 * a form that no compiler writes. */
static bool split_comment(struct Span line, struct Call *call)
{
    bool is_quoted = false;
    size_t end = 0;
    for (; end < line.length && line.at[end] != '\n' && (is_quoted || line.at[end] != '#'); end++)
    {
        is_quoted ^= line.at[end] == '"';
        if (!is_quoted && (line.at[end] == ';' || line.at[end] == '/'))
            return false;
    }
    call->comment = (struct Span){line.at + end, line.length - end};
    while (end > 0 && is_blank(line.at[end - 1]))
        end--;
    call->whole = (struct Span){line.at, end};
    return !is_quoted;
}

/* Decides about the operand of a call or jump.  The flags may be live at an indirect jump, which
 * may belong to a `switch`; one that the compiler marks as a tail call does not. */
static bool is_counted(const struct Filter *filter, struct Span operand, struct Call *call)
{
    const bool is_starred = operand.length > 0 && *operand.at == '*';
    if (is_starred)
        operand = skip_blanks((struct Span){operand.at + 1, operand.length - 1});
    const struct Span symbol = symbol_of(operand);
    const bool is_slot = contains(operand, "@GOTPCREL");
    const bool is_memory =
        filter->is_intel && (contains(operand, "[") || contains(operand, " PTR "));
    const bool is_direct = !is_starred && symbol.length != 0 && !is_memory &&
                           !(filter->is_intel && is_register(symbol));
    call->is_symbol = is_direct || is_slot;
    if (is_never_counted(operand) || (is_direct && is_within(filter, symbol)))
        return false;
    if (call->is_jump && is_direct && begins(symbol, "__x86_"))
        return false;
    return !call->is_jump || call->is_symbol || contains(call->comment, "# TAILCALL");
}

/* Whether the line is a call or a jump to another function that can be counted.  Conditional jumps
 * can not: the flags are live. */
static bool is_call(const struct Filter *filter, struct Span line, struct Call *call)
{
    struct Span words = line;
    struct Span rest;
    if (!filter->current || !split_comment(line, call))
        return false;
    words.length = call->whole.length;
    if (is_directive(words, "notrack", &rest) || is_directive(words, "bnd", &rest) ||
        is_directive(words, "cs", &rest))
        words = rest;
    call->is_jump = is_directive(words, "jmp", &rest) || is_directive(words, "jmpq", &rest);
    if (!call->is_jump && !is_directive(words, "call", &rest) &&
        !is_directive(words, "callq", &rest))
        return false;
    return is_counted(filter, rest, call);
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
 * live at a function's entry and before a call. */
static void put_increment(struct Filter *filter, char kind, uint32_t number)
{
    const char *att = filter->is_intel ? ".att_syntax prefix; " : "";
    const char *intel = filter->is_intel ? "; .intel_syntax noprefix" : "";
    put_words(filter, "\t%sincq %%gs:.Lfc_%c%u(%%rip)%s", att, kind, number, intel);
    filter->has_counter = true;
}

static void put_counter(struct Filter *filter, const char *end)
{
    put_increment(filter, 'c', filter->pending->number);
    put_words(filter, "%s", end);
    filter->pending = NULL;
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

/* Inserts the counter of a call, before it, and its record.  They are in the section group of the
 * function. */
static void put_call(struct Filter *filter, const struct Call *call)
{
    const uint32_t number = filter->sites++;
    const unsigned flags = FC_ENTRY_SITE | (call->is_jump ? FC_ENTRY_JUMP : 0) |
                           (call->is_symbol ? FC_ENTRY_SYMBOL : 0);
    put_words(filter, ".Lfc_s%u: ", number);
    put_increment(filter, 'd', number);
    put(filter, "; ", 2);
    put(filter, call->whole.at, call->whole.length);
    put_words(filter,
              "; .Lfc_r%u: .pushsection fc_counters,\"aw?\",@nobits; .balign 8; .Lfc_d%u: .skip 8; "
              ".popsection; .pushsection fc_entries,\"a?\",@progbits; .balign 4; "
              ".long .Lfc_s%u-., .Lfc_r%u-.Lfc_s%u, .Lfc_d%u-., %u; .popsection ",
              number, number, number, number, number, number, flags);
    put(filter, call->comment.at, call->comment.length);
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
    struct Call call;
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
    {
        put_record(filter, function);
        if (filter->current == function)
            filter->current = NULL;
    }
    else if (function)
    {
        filter->current = function;
        put_words(filter, ".Lfc_f%u: ", function->number);
        function->is_begun = true;
        if (function->kind == KIND_FUNCTION)
            filter->pending = function;
    }
    else if (begins(line, ".intel_syntax"))
        filter->is_intel = true;
    else if (begins(line, ".att_syntax"))
        filter->is_intel = false;
    else if (is_call(filter, line, &call))
    {
        put_call(filter, &call);
        return;
    }
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
