/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See unwind.h, the x86-64 psABI and the DWARF standard, section 6.4.
 */
#include "fcmanager/estimate/unwind.h"

#include "fcmanager/estimate/unwind-image.h"

#include <stdio.h>
#include <string.h>

/* us: the list of mappings is read again after this time; earlier if an address is in none of them
 * or if modules changed.  But reading it takes at most 1/MAPS_PART of all time. */
#define MAPS_US 1000000
#define MAPS_EARLY_US 100000
#define MAPS_PART 50
#define REMEMBERED 8
#define OPERANDS 16
/* Places whose rules are kept, as samples have the same ones again and again: a power of 2. */
#define KNOWN_BITS 10

/* A range of addresses to which an image is mapped. */
typedef struct
{
    guint64 start;
    guint64 end;
    guint64 bias;
    FcUnwindImage *image;
} Range;

typedef struct Known Known;

struct FcUnwinder
{
    guint references;
    Known *known; /* 1 << KNOWN_BITS, by a hash of their places; NULL: none yet */
    gint pid;
    GHashTable *files;  /* those of all unwinders that share them; NULL: none */
    GHashTable *images; /* the file's device, inode and path -> a reference */
    GArray *ranges;     /* Range, by start */
    gboolean expired;   /* the ranges may have changed */
    gint64 read_us;     /* when the ranges were read; 0: never */
    gint64 took_us;     /* how long that took */
};

/* ---- Mappings ---------------------------------------------------------------------- */

/* Adds a range of an image. */
static void add_range(FcUnwinder *unwinder, FcUnwindImage *image, guint64 start, guint64 end,
                      guint64 offset)
{
    for (guint i = 0; i < image->part_count; i++)
    {
        const Elf64_Phdr *part = &image->parts[i];
        if (part->p_type != PT_LOAD || offset < (part->p_offset & ~(guint64)4095) ||
            offset >= part->p_offset + part->p_filesz)
            continue;
        const Range range = {start, end, start - (part->p_vaddr + offset - part->p_offset), image};
        g_array_append_val(unwinder->ranges, range);
        return;
    }
}

void fc_unwinder_add(FcUnwinder *unwinder, const char *path, guint64 start, guint64 end,
                     guint64 offset)
{
    FcUnwindImage *image = g_hash_table_lookup(unwinder->images, path);
    if (!image)
    {
        image = fc_unwind_image_open(path, unwinder->files);
        g_hash_table_insert(unwinder->images, g_strdup(path), image);
    }
    add_range(unwinder, image, start, end, offset);
}

/* Adds a line of /proc/PID/maps.  Images that it names are moved from `former`. */
static void add_line(FcUnwinder *unwinder, GHashTable *former, const char *line)
{
    unsigned long start;
    unsigned long end;
    unsigned long offset;
    char rights[5];
    int identity = 0;
    int name = 0;
    gpointer key;
    gpointer image;
    if (sscanf(line, "%lx-%lx %4s %lx %n%*s %*s %n", &start, &end, rights, &offset, &identity,
               &name) != 4 ||
        name == 0 || line[name] != '/' || rights[2] != 'x')
        return;
    const char *file = line + identity;
    if (!g_hash_table_lookup_extended(unwinder->images, file, NULL, &image))
    {
        if (!g_hash_table_steal_extended(former, file, &key, &image))
        {
            g_autofree char *path = g_strdup_printf("/proc/%d/root%s", unwinder->pid, line + name);
            key = g_strdup(file);
            image = fc_unwind_image_open(path, unwinder->files);
        }
        g_hash_table_insert(unwinder->images, key, image);
    }
    add_range(unwinder, image, start, end, offset);
}

static GHashTable *images_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, fc_unwind_image_unref);
}

static void read_maps(FcUnwinder *unwinder)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/maps", unwinder->pid);
    g_autofree char *text = NULL;
    const gint64 begin_us = g_get_monotonic_time();
    if (g_file_get_contents(path, &text, NULL, NULL) && *text != '\0')
    {
        g_autoptr(GHashTable) former = g_steal_pointer(&unwinder->images);
        unwinder->images = images_new();
        g_array_set_size(unwinder->ranges, 0);
        g_clear_pointer(&unwinder->known, g_free);
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
        for (char **line = lines; *line; line++)
            add_line(unwinder, former, *line);
    }
    /* Else the process has ended; what is known of it may still be of use. */
    unwinder->expired = FALSE;
    unwinder->read_us = g_get_monotonic_time();
    unwinder->took_us = unwinder->read_us - begin_us;
}

static Range *look_up(const FcUnwinder *unwinder, guint64 address)
{
    for (guint i = 0; i < unwinder->ranges->len; i++)
    {
        Range *range = &g_array_index(unwinder->ranges, Range, i);
        if (address >= range->start && address < range->end)
            return range;
    }
    return NULL;
}

static gboolean is_due(const FcUnwinder *unwinder, gint64 after_us)
{
    return unwinder->read_us == 0 || g_get_monotonic_time() - unwinder->read_us >
                                         MAX(after_us, MAPS_PART * unwinder->took_us);
}

/* To be called before a walk. */
static void read_due_maps(FcUnwinder *unwinder)
{
    if (is_due(unwinder, unwinder->expired ? 0 : MAPS_US))
        read_maps(unwinder);
}

static Range *find_range(FcUnwinder *unwinder, guint64 address)
{
    Range *range = look_up(unwinder, address);
    if (range || !is_due(unwinder, MAPS_EARLY_US))
        return range;
    read_maps(unwinder);
    return look_up(unwinder, address);
}

/* ---- Bytes of a table ----------------------------------------------------------------- */

typedef struct
{
    const guint8 *at;
    const guint8 *end;
    gboolean is_bad;
} Bytes;

static guint64 take(Bytes *bytes, gsize count)
{
    guint64 value = 0;
    if ((gsize)(bytes->end - bytes->at) < count)
    {
        bytes->is_bad = TRUE;
        bytes->at = bytes->end;
        return 0;
    }
    memcpy(&value, bytes->at, count);
    bytes->at += count;
    return value;
}

static guint64 take_unsigned(Bytes *bytes)
{
    guint64 value = 0;
    for (guint shift = 0; shift < 64; shift += 7)
    {
        const guint8 byte = (guint8)take(bytes, 1);
        value |= (guint64)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            break;
    }
    return value;
}

static gint64 take_signed(Bytes *bytes)
{
    guint64 value = 0;
    guint shift = 0;
    guint8 byte = 0x80;
    while (shift < 64 && (byte & 0x80) != 0)
    {
        byte = (guint8)take(bytes, 1);
        value |= (guint64)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (shift < 64 && (byte & 0x40) != 0)
        value |= ~(guint64)0 << shift;
    return (gint64)value;
}

static Bytes take_block(Bytes *bytes)
{
    const guint64 count = take_unsigned(bytes);
    const Bytes block = {bytes->at, bytes->at + MIN(count, (guint64)(bytes->end - bytes->at)),
                         FALSE};
    bytes->at = block.end;
    return block;
}

/* ---- Frames ------------------------------------------------------------------------- */

typedef enum
{
    RULE_SAME = 0,
    RULE_UNKNOWN,
    RULE_OFFSET,     /* at the frame's address plus `offset` */
    RULE_VALUE,      /* the value is that address */
    RULE_REGISTER,   /* in register `offset` */
    RULE_EXPRESSION, /* at the address that `block` gives, */
    RULE_RESULT,     /* or its result */
} RuleKind;

typedef struct
{
    RuleKind kind;
    gint64 offset;
    Bytes block;
} Rule;

typedef struct
{
    Rule frame; /* rule of the frame's address: RULE_REGISTER with an offset in `more`, or
                   RULE_RESULT */
    gint64 more;
    Rule registers[FC_UNWIND_REGISTERS];
} Row;

/* What the functions of a unit have in common (a CIE), and what one function has (an FDE). */
typedef struct
{
    guint64 code_align;
    gint64 data_align;
    Bytes common;
    Bytes own;
    guint64 start;
    gboolean is_signal; /* a frame that the kernel made */
} Entry;

/* The rules for one place. */
struct Known
{
    guint64 place; /* 0: none */
    guint64 start; /* where its function begins, in the process */
    gboolean is_signal;
    Row row;
};

typedef struct
{
    const guint8 *stack;
    guint64 start;
    gsize bytes;
} Copy;

static gboolean load(const Copy *copy, guint64 address, guint64 *value)
{
    if (address < copy->start || address - copy->start > copy->bytes ||
        copy->bytes - (address - copy->start) < sizeof *value)
        return FALSE;
    memcpy(value, copy->stack + (address - copy->start), sizeof *value);
    return TRUE;
}

/* Finds the entry at `address`, which begins with its length. */
static gboolean entry_bytes(const FcUnwindImage *image, guint64 address, Bytes *bytes)
{
    guint32 length;
    if (!fc_unwind_image_get(image, address, &length, sizeof length) || length == 0 ||
        length >= 0xfffffff0)
        return FALSE;
    bytes->at = fc_unwind_image_at(image, address + sizeof length, length);
    if (!bytes->at)
        return FALSE;
    bytes->end = bytes->at + length;
    bytes->is_bad = FALSE;
    return TRUE;
}

/* Returns the size of an address in that encoding; 0: the encoding is not known. */
static gsize encoded_bytes(guint8 encoding)
{
    static const gsize bytes[] = {8, 0, 2, 4, 8};
    return (encoding & 7) < G_N_ELEMENTS(bytes) ? bytes[encoding & 7] : 0;
}

static gboolean read_common(const FcUnwindImage *image, guint64 address, Entry *entry,
                            guint8 *encoding, gboolean *has_more)
{
    Bytes bytes;
    if (!entry_bytes(image, address, &bytes) || take(&bytes, 4) != 0)
        return FALSE;
    const guint8 version = (guint8)take(&bytes, 1);
    const char *words = (const char *)bytes.at;
    const gsize length = strnlen(words, (gsize)(bytes.end - bytes.at));
    bytes.at += MIN(length + 1, (gsize)(bytes.end - bytes.at));
    entry->code_align = take_unsigned(&bytes);
    entry->data_align = take_signed(&bytes);
    const guint64 back = version == 1 ? take(&bytes, 1) : take_unsigned(&bytes);
    *encoding = 0;
    *has_more = length > 0 && words[0] == 'z';
    if ((length > 0 && !*has_more) || back != FC_UNWIND_IP)
        return FALSE;
    Bytes more = *has_more ? take_block(&bytes) : (Bytes){bytes.at, bytes.at, FALSE};
    for (gsize i = 1; i < length; i++)
        if (words[i] == 'R')
            *encoding = (guint8)take(&more, 1);
        else if (words[i] == 'P')
            take(&more, encoded_bytes((guint8)take(&more, 1)));
        else if (words[i] == 'L')
            take(&more, 1);
        else if (words[i] == 'S')
            entry->is_signal = TRUE;
        else
            return FALSE;
    entry->common = bytes;
    return !bytes.is_bad && !more.is_bad;
}

/* Finds the table's last function that begins at or before `place`.  FALSE: `place` is not in it.
 */
static gboolean find_entry(const FcUnwindImage *image, guint64 place, Entry *entry)
{
    guint32 low = 0;
    guint32 high = image->count;
    gint32 pair[2];
    while (low < high)
    {
        const guint32 middle = low + (high - low) / 2;
        if (!fc_unwind_image_get(image, image->table + (guint64)middle * sizeof pair, pair,
                                 sizeof pair))
            return FALSE;
        if (image->header + (guint64)(gint64)pair[0] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !fc_unwind_image_get(image, image->table + (guint64)(low - 1) * sizeof pair,
                                         pair, sizeof pair))
        return FALSE;
    const guint64 address = image->header + (guint64)(gint64)pair[1];
    guint8 encoding;
    gboolean has_more;
    if (!entry_bytes(image, address, &entry->own))
        return FALSE;
    const guint64 back = take(&entry->own, 4);
    if (back == 0 || !read_common(image, address + 4 - back, entry, &encoding, &has_more) ||
        encoding != 0x1b) /* signed, 4 bytes, relative to its own address */
        return FALSE;
    entry->start = address + 8 + (guint64)(gint64)(gint32)take(&entry->own, 4);
    const guint64 length = take(&entry->own, 4);
    if (has_more)
        take_block(&entry->own);
    return !entry->own.is_bad && place >= entry->start && place - entry->start < length;
}

static void set_rule(Row *row, guint64 number, RuleKind kind, gint64 offset)
{
    if (number < FC_UNWIND_REGISTERS)
        row->registers[number] = (Rule){.kind = kind, .offset = offset};
}

static void set_block(Row *row, guint64 number, RuleKind kind, Bytes block)
{
    if (number < FC_UNWIND_REGISTERS)
        row->registers[number] = (Rule){.kind = kind, .block = block};
}

static void set_frame(Row *row, guint64 number, gint64 more)
{
    row->frame = (Rule){.kind = RULE_REGISTER, .offset = (gint64)number};
    row->more = more;
}

/* An offset in units of the common part; a wrong one may be of any size. */
static gint64 scale(guint64 offset, const Entry *entry)
{
    return (gint64)(offset * (guint64)entry->data_align);
}

/* Applies an instruction that says how one register or the frame is found.  FALSE: it is unknown.
 */
static gboolean apply_rule(Row *row, guint8 what, const Entry *entry, Bytes *bytes)
{
    const guint64 number = what == 0x0e || what == 0x13 || what == 0x0f ? 0 : take_unsigned(bytes);
    if (what == 0x05 || what == 0x14) /* DW_CFA_offset_extended, val_offset */
        set_rule(row, number, what == 0x05 ? RULE_OFFSET : RULE_VALUE,
                 scale(take_unsigned(bytes), entry));
    else if (what == 0x11 || what == 0x15) /* the same with a sign */
        set_rule(row, number, what == 0x11 ? RULE_OFFSET : RULE_VALUE,
                 scale((guint64)take_signed(bytes), entry));
    else if (what == 0x07)
        set_rule(row, number, RULE_UNKNOWN, 0);
    else if (what == 0x08)
        set_rule(row, number, RULE_SAME, 0);
    else if (what == 0x09)
        set_rule(row, number, RULE_REGISTER, (gint64)take_unsigned(bytes));
    else if (what == 0x10 || what == 0x16)
        set_block(row, number, what == 0x10 ? RULE_EXPRESSION : RULE_RESULT, take_block(bytes));
    else if (what == 0x0c) /* DW_CFA_def_cfa and its kin */
        set_frame(row, number, (gint64)take_unsigned(bytes));
    else if (what == 0x12)
        set_frame(row, number, scale((guint64)take_signed(bytes), entry));
    else if (what == 0x0d)
        set_frame(row, number, row->more);
    else if (what == 0x0e)
        row->more = (gint64)take_unsigned(bytes);
    else if (what == 0x13)
        row->more = scale((guint64)take_signed(bytes), entry);
    else if (what == 0x0f)
        row->frame = (Rule){.kind = RULE_RESULT, .block = take_block(bytes)};
    else
        return what == 0x2e; /* DW_CFA_GNU_args_size */
    return TRUE;
}

/* Runs the instructions up to the row for `place`.  `first`: the row that the common part leaves.
 */
static gboolean run_rules(Row *row, const Row *first, const Entry *entry, Bytes bytes,
                          guint64 place)
{
    static const gsize step_bytes[] = {1, 2, 4};
    Row kept[REMEMBERED];
    guint kept_count = 0;
    guint64 here = entry->start;
    while (bytes.at < bytes.end && !bytes.is_bad)
    {
        const guint8 what = (guint8)take(&bytes, 1);
        const guint8 low = what & 0x3f;
        guint64 step = 0;
        if ((what & 0xc0) == 0x40)
            step = low;
        else if ((what & 0xc0) == 0x80)
            set_rule(row, low, RULE_OFFSET, scale(take_unsigned(&bytes), entry));
        else if ((what & 0xc0) == 0xc0 && low < FC_UNWIND_REGISTERS)
            row->registers[low] = first->registers[low];
        else if (what >= 0x02 && what <= 0x04)
            step = take(&bytes, step_bytes[what - 2]);
        else if (what == 0x06)
        {
            const guint64 number = take_unsigned(&bytes);
            if (number < FC_UNWIND_REGISTERS)
                row->registers[number] = first->registers[number];
        }
        else if (what == 0x0a && kept_count < REMEMBERED)
            kept[kept_count++] = *row;
        else if (what == 0x0b && kept_count > 0)
            *row = kept[--kept_count];
        else if (what != 0 && !apply_rule(row, what, entry, &bytes))
            return FALSE;
        here += step * entry->code_align;
        if (here > place)
            return TRUE;
    }
    return !bytes.is_bad;
}

/* Evaluates an expression of the few operations that linkers and the C library use: see DWARF,
 * section 2.5.  FALSE: it has another one. */
static gboolean evaluate(Bytes bytes, const FcUnwindRegisters *registers, const Copy *copy,
                         gboolean has_frame, guint64 frame, guint64 *result)
{
    guint64 stack[OPERANDS] = {frame};
    guint depth = has_frame ? 1 : 0;
    while (bytes.at < bytes.end && !bytes.is_bad)
    {
        const guint8 what = (guint8)take(&bytes, 1);
        const gboolean adds =
            what == 0x08 || (what >= 0x30 && what <= 0x4f) || (what >= 0x70 && what <= 0x8f);
        guint64 *top = &stack[depth > 0 ? depth - 1 : 0];
        if (adds && depth >= OPERANDS)
            return FALSE;
        if (what >= 0x70 && what <= 0x8f) /* DW_OP_breg */
        {
            const guint number = what - 0x70;
            if (number >= FC_UNWIND_REGISTERS || (registers->known >> number & 1) == 0)
                return FALSE;
            stack[depth++] = registers->value[number] + (guint64)take_signed(&bytes);
        }
        else if (what >= 0x30 && what <= 0x4f) /* DW_OP_lit */
            stack[depth++] = what - 0x30;
        else if (what == 0x08) /* DW_OP_const1u */
            stack[depth++] = take(&bytes, 1);
        else if (depth > 0 && what == 0x06) /* DW_OP_deref */
        {
            if (!load(copy, *top, top))
                return FALSE;
        }
        else if (depth > 0 && what == 0x23) /* DW_OP_plus_uconst */
            *top += take_unsigned(&bytes);
        else if (depth > 1)
        {
            const guint64 last = *top;
            guint64 *other = &stack[--depth - 1];
            if (what == 0x1a)
                *other &= last;
            else if (what == 0x1c)
                *other -= last;
            else if (what == 0x22)
                *other += last;
            else if (what == 0x24)
                *other = last < 64 ? *other << last : 0;
            else if (what == 0x2a)
                *other = (gint64)*other >= (gint64)last;
            else
                return FALSE;
        }
        else
            return FALSE;
    }
    *result = stack[depth > 0 ? depth - 1 : 0];
    return depth > 0 && !bytes.is_bad;
}

static gboolean find_frame(const Row *row, const FcUnwindRegisters *registers, const Copy *copy,
                           guint64 *frame)
{
    if (row->frame.kind == RULE_RESULT)
        return evaluate(row->frame.block, registers, copy, FALSE, 0, frame);
    const guint64 number = (guint64)row->frame.offset;
    if (row->frame.kind != RULE_REGISTER || number >= FC_UNWIND_REGISTERS ||
        (registers->known >> number & 1) == 0)
        return FALSE;
    *frame = registers->value[number] + (guint64)row->more;
    return TRUE;
}

static gboolean find_register(const Rule *rule, guint number, const FcUnwindRegisters *registers,
                              const Copy *copy, guint64 frame, guint64 *value)
{
    const guint64 from = rule->kind == RULE_SAME ? number : (guint64)rule->offset;
    if (rule->kind == RULE_UNKNOWN)
        return FALSE;
    if (rule->kind == RULE_OFFSET)
        return load(copy, frame + (guint64)rule->offset, value);
    *value = frame + (guint64)rule->offset;
    if (rule->kind == RULE_VALUE)
        return TRUE;
    if (rule->kind == RULE_EXPRESSION || rule->kind == RULE_RESULT)
        return evaluate(rule->block, registers, copy, TRUE, frame, value) &&
               (rule->kind == RULE_RESULT || load(copy, *value, value));
    if (from >= FC_UNWIND_REGISTERS || (registers->known >> from & 1) == 0)
        return FALSE;
    *value = registers->value[from];
    return TRUE;
}

/* Returns the rules for a place; NULL: there are none.  The result is valid until the next call. */
static const Known *find_rules(FcUnwinder *unwinder, guint64 place)
{
    const guint64 index = place * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS);
    if (place != 0 && unwinder->known && unwinder->known[index].place == place)
        return &unwinder->known[index];
    Range *range = find_range(unwinder, place);
    Entry entry = {0};
    Row row = {0};
    if (!range || !find_entry(fc_unwind_image_read(range->image), place - range->bias, &entry) ||
        !run_rules(&row, &row, &entry, entry.common, G_MAXUINT64))
        return NULL;
    const Row first = row;
    if (!run_rules(&row, &first, &entry, entry.own, place - range->bias))
        return NULL;
    if (!unwinder->known)
        unwinder->known = g_new0(Known, 1u << KNOWN_BITS);
    unwinder->known[index] = (Known){place, entry.start + range->bias, entry.is_signal, row};
    return &unwinder->known[index];
}

/* Goes from a frame to its caller's, and says where its function begins.  `is_call`: the frame
 * executes behind a call, not where it was interrupted. */
static gboolean step(FcUnwinder *unwinder, FcUnwindRegisters *registers, const Copy *copy,
                     gboolean *is_call, guint64 *start)
{
    const guint64 place = registers->value[FC_UNWIND_IP] - *is_call;
    const Known *known = find_rules(unwinder, place);
    guint64 frame;
    if (!known)
        return FALSE;
    *start = known->start;
    const Row *row = &known->row;
    if (!find_frame(row, registers, copy, &frame))
        return FALSE;
    FcUnwindRegisters caller = {.known = 0};
    for (guint i = 0; i < FC_UNWIND_REGISTERS; i++)
        if (find_register(&row->registers[i], i, registers, copy, frame, &caller.value[i]))
            caller.known |= 1u << i;
    if (row->registers[FC_UNWIND_SP].kind == RULE_SAME)
        caller.value[FC_UNWIND_SP] = frame;
    caller.known |= 1u << FC_UNWIND_SP;
    /* an interrupted function may have nothing below the stack pointer; otherwise the pointer only
     * grows */
    if (row->registers[FC_UNWIND_IP].kind == RULE_SAME || (caller.known >> FC_UNWIND_IP & 1) == 0 ||
        caller.value[FC_UNWIND_IP] == 0 ||
        caller.value[FC_UNWIND_SP] <= registers->value[FC_UNWIND_SP])
        return FALSE;
    *registers = caller;
    *is_call = !known->is_signal;
    return TRUE;
}

FcUnwinder *fc_unwinder_new(gint pid, GHashTable *files)
{
    FcUnwinder *unwinder = g_new0(FcUnwinder, 1);
    unwinder->references = 1;
    unwinder->pid = pid;
    unwinder->files = files;
    unwinder->images = images_new();
    unwinder->ranges = g_array_new(FALSE, FALSE, sizeof(Range));
    return unwinder;
}

void fc_unwinder_expire(FcUnwinder *unwinder, gint pid)
{
    unwinder->pid = pid;
    unwinder->expired = TRUE;
}

FcUnwinder *fc_unwinder_ref(FcUnwinder *unwinder)
{
    unwinder->references++;
    return unwinder;
}

void fc_unwinder_unref(FcUnwinder *unwinder)
{
    if (!unwinder || --unwinder->references > 0)
        return;
    g_hash_table_unref(unwinder->images);
    g_array_unref(unwinder->ranges);
    g_free(unwinder->known);
    g_free(unwinder);
}

guint fc_unwinder_walk(FcUnwinder *unwinder, FcUnwindRegisters registers, const guint8 *stack,
                       gsize bytes, FcUnwindFrame *frames, guint most)
{
    const Copy copy = {stack, registers.value[FC_UNWIND_SP], bytes};
    gboolean is_call = FALSE;
    guint count = 0;
    read_due_maps(unwinder);
    while (count < most)
    {
        FcUnwindFrame *frame = &frames[count++];
        *frame = (FcUnwindFrame){.place = registers.value[FC_UNWIND_IP] - is_call};
        if (!step(unwinder, &registers, &copy, &is_call, &frame->start))
            break;
    }
    return count;
}
