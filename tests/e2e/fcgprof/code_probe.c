/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows what fcgprof takes for calls in machine code, for code.py to compare with a
 * disassembler:
 *
 *   code_probe x86-64 ADDRESS < CODE     "SITE TARGET" of each, "SITE *POINTER"
 *   code_probe aarch64 ADDRESS < CODE    the same
 */
#include "fcgprof/static-calls.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    g_autoptr(GByteArray) code = g_byte_array_new();
    guint8 buffer[65536];
    FcGCode scan = {0};
    FcGCall call;
    size_t n;

    if (argc != 3)
        return 2;
    scan.machine = strcmp(argv[1], "aarch64") == 0 ? FC_GMACHINE_AARCH64 : FC_GMACHINE_X86_64;
    while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        g_byte_array_append(code, buffer, (guint)n);
    scan.bytes = code->data;
    scan.n = code->len;
    scan.addr = g_ascii_strtoull(argv[2], NULL, 16);
    while (fc_gcode_next_call(&scan, &call))
        if (!call.is_jump)
            printf("%lx %s%lx\n", (gulong)call.site, call.is_pointer ? "*" : "",
                   (gulong)call.target);
    return 0;
}
