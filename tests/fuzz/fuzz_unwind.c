/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of the unwinder: the input is an image of a process that is sampled.  Stacks are
 * walked that begin at many of its addresses, with registers and a stack that lead to others.
 */
#include "fcmanager/estimate/unwind.h"
#include "tests/fuzz/input-file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define START G_GUINT64_CONSTANT(0x7f0000000000)
#define STACK G_GUINT64_CONSTANT(0x7ffe00000000)

enum
{
    PAGES = 2,
    WALKS = 160,
    STEP = 9, /* between the addresses at which walks begin */
    LAST_PLACE = WALKS * STEP,
    WORDS = 61,
    MOST = 24
};

static void require(gboolean condition, const char *what)
{
    if (!condition)
        g_error("%s", what);
}

/* Words that lead to code and to the stack itself, each of its own size: what reads behind it is
 * seen. */
static guint64 *make_stack(unsigned choice)
{
    guint64 *words = g_new(guint64, WORDS);
    for (guint i = 0; i < WORDS; i++)
        words[i] = (i + choice) % 3 == 0 ? STACK + (i + choice) % WORDS * sizeof *words
                                         : START + (i * 97 + choice * 13) % LAST_PLACE;
    return words;
}

static void walk(FcUnwinder *unwinder, guint64 place, const guint64 *words, unsigned choice)
{
    FcUnwindFrame frames[MOST];
    FcUnwindFrame again[MOST];
    FcUnwindRegisters registers = {.known = 0};
    for (guint i = 0; i < FC_UNWIND_REGISTERS; i++)
    {
        registers.value[i] = STACK + (i * 8 + choice) % (WORDS * 8);
        registers.known |= (i + choice) % 5 != 0 ? 1u << i : 0;
    }
    registers.value[FC_UNWIND_SP] = STACK;
    registers.value[FC_UNWIND_IP] = place;
    registers.known |= 1u << FC_UNWIND_SP | 1u << FC_UNWIND_IP;
    const gsize bytes = WORDS * sizeof *words - choice % 8;
    const guint count =
        fc_unwinder_walk(unwinder, registers, (const guint8 *)words, bytes, frames, MOST);
    require(count >= 1 && count <= MOST, "a number of places that cannot be");
    require(frames[0].place == place, "another place than that of the sample");
    require(fc_unwinder_walk(unwinder, registers, (const guint8 *)words, bytes, again, MOST) ==
                    count &&
                memcmp(frames, again, count * sizeof *frames) == 0,
            "another stack the second time");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *path = fuzz_file(data, bytes);
    const unsigned choice = fuzz_choice(data, bytes) % 1000;
    FcUnwinder *unwinder = fc_unwinder_new(0, NULL);
    g_autofree guint64 *words = make_stack(choice);
    for (guint i = 0; i < PAGES; i++)
        fc_unwinder_add(unwinder, path, START + i * 4096, START + (i + 1) * 4096, i * 4096);
    for (guint i = 0; i < WALKS; i++)
        walk(unwinder, START + i * STEP, words, choice);
    fc_unwinder_unref(unwinder);
    return 0;
}
