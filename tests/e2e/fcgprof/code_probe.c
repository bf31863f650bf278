/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows what fcgprof sees in machine code, for code.py to compare with a disassembler:
 *
 *   code_probe lengths ADDRESS < CODE    "ADDRESS LENGTH" of each x86-64 instruction
 *   code_probe x86-64 ADDRESS < CODE     "SITE TARGET" of each call, "SITE *POINTER"
 *   code_probe aarch64 ADDRESS < CODE    the same
 *   code_probe stub ADDRESS < CODE       "*POINTER" of an AArch64 stub, or nothing
 */
#include "fcgprof/code-calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_call(const FcGCall *call, gpointer data)
{
    (void)data;
    printf("%lx %s%lx\n", (gulong)call->site, call->is_slot ? "*" : "", (gulong)call->target);
}

static void print_lengths(const guint8 *code, gsize n, guint64 addr)
{
    for (gsize at = 0; at < n;)
    {
        gsize length = fc_gcode_x86_length(code + at, n - at);

        printf("%lx %lu\n", (gulong)(addr + at), (gulong)length);
        at += MAX(length, 1);
    }
}

int main(int argc, char **argv)
{
    GByteArray *code = g_byte_array_new();
    guint8 buffer[65536];
    guint64 addr;
    size_t n;

    if (argc != 3)
        return 2;
    addr = g_ascii_strtoull(argv[2], NULL, 16);
    while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        g_byte_array_append(code, buffer, (guint)n);
    if (strcmp(argv[1], "stub") == 0)
    {
        guint64 slot;

        if (fc_gcode_is_stub(FC_GCODE_AARCH64, code->data, code->len, addr, &slot))
            printf("*%lx\n", (gulong)slot);
    }
    else if (strcmp(argv[1], "lengths") == 0)
        print_lengths(code->data, code->len, addr);
    else
        fc_gcode_visit_calls(strcmp(argv[1], "aarch64") == 0 ? FC_GCODE_AARCH64 : FC_GCODE_X86_64,
                             code->data, code->len, addr, print_call, NULL);
    g_byte_array_unref(code);
    return 0;
}
