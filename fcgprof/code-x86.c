/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lengths of x86-64 instructions: prefixes, opcode, ModRM with what follows it, and the
 * immediate operand.  See code-x86.h.  Which instruction it is does not matter here.
 */
#include "fcgprof/code-x86.h"

#include <string.h>

enum
{
    LENGTH_MAX = 15
};

/* What follows an opcode. */
enum
{
    BAD = 1 << 0, /* not in 64-bit mode */
    MODRM = 1 << 1,
    IMM8 = 1 << 2,
    IMM16 = 1 << 3,
    IMMZ = 1 << 4,  /* 4 bytes, 2 with operand-size prefix */
    REL32 = 1 << 5, /* 4 bytes always */
    IMMV = 1 << 6,  /* IMMZ, 8 with REX.W */
    ADDR = 1 << 7,  /* 8 bytes, 4 with address-size prefix */
    TEST = 1 << 8,  /* IMM8 or IMMZ if ModRM says 0 or 1 */
};

typedef struct
{
    guint8 first;
    guint8 last;
    guint16 operands;
} Range;

/* Opcodes of one byte that have operands; later rows override earlier ones. */
static const Range one_byte[] = {
    {0x00, 0x3f, MODRM},
    {0x04, 0x04, IMM8},
    {0x05, 0x05, IMMZ},
    {0x06, 0x07, BAD},
    {0x0c, 0x0c, IMM8},
    {0x0d, 0x0d, IMMZ},
    {0x0e, 0x0e, BAD},
    {0x14, 0x14, IMM8},
    {0x15, 0x15, IMMZ},
    {0x16, 0x17, BAD},
    {0x1c, 0x1c, IMM8},
    {0x1d, 0x1d, IMMZ},
    {0x1e, 0x1f, BAD},
    {0x24, 0x24, IMM8},
    {0x25, 0x25, IMMZ},
    {0x27, 0x27, BAD},
    {0x2c, 0x2c, IMM8},
    {0x2d, 0x2d, IMMZ},
    {0x2f, 0x2f, BAD},
    {0x34, 0x34, IMM8},
    {0x35, 0x35, IMMZ},
    {0x37, 0x37, BAD},
    {0x3c, 0x3c, IMM8},
    {0x3d, 0x3d, IMMZ},
    {0x3f, 0x3f, BAD},
    {0x60, 0x61, BAD},
    {0x63, 0x63, MODRM},
    {0x68, 0x68, IMMZ},
    {0x69, 0x69, MODRM | IMMZ},
    {0x6a, 0x6a, IMM8},
    {0x6b, 0x6b, MODRM | IMM8},
    {0x70, 0x7f, IMM8},
    {0x80, 0x8f, MODRM},
    {0x80, 0x80, MODRM | IMM8},
    {0x81, 0x81, MODRM | IMMZ},
    {0x82, 0x82, BAD},
    {0x83, 0x83, MODRM | IMM8},
    {0x9a, 0x9a, BAD},
    {0xa0, 0xa3, ADDR},
    {0xa8, 0xa8, IMM8},
    {0xa9, 0xa9, IMMZ},
    {0xb0, 0xb7, IMM8},
    {0xb8, 0xbf, IMMV},
    {0xc0, 0xc1, MODRM | IMM8},
    {0xc2, 0xc2, IMM16},
    {0xc6, 0xc6, MODRM | IMM8},
    {0xc7, 0xc7, MODRM | IMMZ},
    {0xc8, 0xc8, IMM16 | IMM8},
    {0xca, 0xca, IMM16},
    {0xcd, 0xcd, IMM8},
    {0xce, 0xce, BAD},
    {0xd0, 0xd3, MODRM},
    {0xd4, 0xd6, BAD},
    {0xd8, 0xdf, MODRM},
    {0xe0, 0xe7, IMM8},
    {0xe8, 0xe9, REL32},
    {0xea, 0xea, BAD},
    {0xeb, 0xeb, IMM8},
    {0xf6, 0xf6, MODRM | TEST | IMM8},
    {0xf7, 0xf7, MODRM | TEST | IMMZ},
    {0xfe, 0xff, MODRM},
};

/* Those behind 0f. */
static const Range two_byte[] = {
    {0x00, 0xff, MODRM},
    {0x04, 0x04, BAD},
    {0x05, 0x09, 0},
    {0x0a, 0x0a, BAD},
    {0x0b, 0x0b, 0},
    {0x0c, 0x0c, BAD},
    {0x0e, 0x0e, 0},
    {0x0f, 0x0f, MODRM | IMM8},
    {0x24, 0x27, BAD},
    {0x30, 0x37, 0},
    {0x36, 0x36, BAD},
    {0x39, 0x39, BAD},
    {0x3b, 0x3f, BAD},
    {0x70, 0x73, MODRM | IMM8},
    {0x77, 0x77, 0},
    {0x80, 0x8f, REL32},
    {0xa0, 0xa2, 0},
    {0xa4, 0xa4, MODRM | IMM8},
    {0xa6, 0xa7, BAD},
    {0xa8, 0xaa, 0},
    {0xac, 0xac, MODRM | IMM8},
    {0xba, 0xba, MODRM | IMM8},
    {0xc2, 0xc2, MODRM | IMM8},
    {0xc4, 0xc6, MODRM | IMM8},
    {0xc8, 0xcf, 0},
};

typedef struct
{
    const guint8 *code;
    gsize n;
    gsize at;
    gboolean has_operand_size;
    gboolean has_address_size;
    gboolean is_wide; /* REX.W */
    gboolean is_vex;  /* or EVEX */
    guint map;
} Decoder;

static guint16 find_operands(const Range *ranges, guint n, guint8 opcode)
{
    guint16 operands = 0;

    for (guint i = 0; i < n; i++)
    {
        if (opcode >= ranges[i].first && opcode <= ranges[i].last)
            operands = ranges[i].operands;
    }
    return operands;
}

static void skip_prefixes(Decoder *decoder)
{
    for (; decoder->at < decoder->n; decoder->at++)
    {
        guint8 byte = decoder->code[decoder->at];

        if (byte == 0x66)
            decoder->has_operand_size = TRUE;
        else if (byte == 0x67)
            decoder->has_address_size = TRUE;
        else if (!byte || !strchr("\x26\x2e\x36\x3e\x64\x65\xf0\xf2\xf3", byte))
            break;
    }
    if (decoder->at < decoder->n && decoder->code[decoder->at] >> 4 == 4)
        decoder->is_wide = (decoder->code[decoder->at++] & 8) != 0;
}

/* Goes on to the opcode itself.  FALSE if the bytes end before. */
static gboolean find_opcode(Decoder *decoder)
{
    const guint8 *code = decoder->code + decoder->at;
    gsize n = decoder->n - decoder->at;

    if (n < 5)
    {
        /* Short ones have no such prefix. */
        if (n == 0 || (n > 1 && (code[0] == 0xc4 || code[0] == 0x62)))
            return FALSE;
    }
    decoder->is_vex = code[0] == 0xc4 || code[0] == 0xc5 || code[0] == 0x62;
    if (decoder->is_vex && n > 1)
    {
        decoder->map = code[0] == 0xc5 ? 1 : code[1] & (code[0] == 0x62 ? 7 : 31);
        decoder->at += code[0] == 0xc5 ? 2 : code[0] == 0xc4 ? 3 : 4;
    }
    else if (code[0] == 0x0f && n > 1)
    {
        decoder->map = code[1] == 0x38 ? 2 : code[1] == 0x3a ? 3 : 1;
        decoder->at += decoder->map == 1 ? 1 : 2;
    }
    return decoder->at < decoder->n;
}

static guint16 operands_of(const Decoder *decoder, guint8 opcode)
{
    switch (decoder->map)
    {
    case 0:
        return decoder->is_vex ? BAD : find_operands(one_byte, G_N_ELEMENTS(one_byte), opcode);
    case 1:
        return find_operands(two_byte, G_N_ELEMENTS(two_byte), opcode);
    case 2:
    case 5:
    case 6:
        return MODRM;
    case 3:
        return MODRM | IMM8;
    default:
        return BAD;
    }
}

/* Bytes of ModRM and of what belongs to it; 0 if they end before. */
static gsize modrm_length(const Decoder *decoder)
{
    const guint8 *code = decoder->code + decoder->at;
    gsize n = decoder->n - decoder->at, length = 1;
    guint mode, rm;

    if (n == 0)
        return 0;
    mode = code[0] >> 6;
    rm = code[0] & 7;
    if (mode == 3)
        return length;
    if (rm == 4)
    {
        if (n < 2)
            return 0;
        length++;
        rm = code[1] & 7;
    }
    if (mode == 1)
        return length + 1;
    return mode == 2 || rm == 5 ? length + 4 : length;
}

static gsize immediate_length(const Decoder *decoder, guint16 operands, guint8 modrm)
{
    gsize length = 0, z = decoder->has_operand_size && !decoder->is_wide ? 2 : 4;

    if ((operands & TEST) && (modrm >> 3 & 7) > 1)
        return 0;
    length += operands & IMM8 ? 1 : 0;
    length += operands & IMM16 ? 2 : 0;
    length += operands & IMMZ ? z : 0;
    length += operands & REL32 ? 4 : 0;
    length += operands & IMMV ? (decoder->is_wide ? 8 : z) : 0;
    length += operands & ADDR ? (decoder->has_address_size ? 4 : 8) : 0;
    return length;
}

gboolean fc_gx86_decode(const guint8 *code, gsize n, FcGX86 *out)
{
    Decoder decoder = {.code = code, .n = MIN(n, LENGTH_MAX)};
    guint16 operands;
    guint8 modrm = 0;

    skip_prefixes(&decoder);
    if (decoder.at >= decoder.n || !find_opcode(&decoder))
        return FALSE;
    out->opcode_at = decoder.at;
    out->map = decoder.map;
    operands = operands_of(&decoder, code[decoder.at++]);
    if (operands & BAD)
        return FALSE;
    if (operands & MODRM)
    {
        gsize length = modrm_length(&decoder);

        if (length == 0)
            return FALSE;
        modrm = code[decoder.at];
        decoder.at += length;
    }
    decoder.at += immediate_length(&decoder, operands, modrm);
    out->length = decoder.at;
    return decoder.at <= decoder.n;
}
