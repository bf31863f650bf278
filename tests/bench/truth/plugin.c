/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: functions of a plug-in, called by a table, and of the program.  Built twice: with PLUGIN as
 * the plug-in itself.
 */
#include "phases.h"

typedef struct
{
    uint32_t (*scale)(uint32_t);
    uint32_t (*filter)(uint32_t, uint32_t);
    uint32_t (*block)(const uint32_t *, int);
} Plugin;

#if defined(PLUGIN)
static uint32_t scale(uint32_t x)
{
    return x * 3 / 2;
}
static uint32_t filter(uint32_t x, uint32_t y)
{
    return scale(x) ^ scale(y);
}
static uint32_t block(const uint32_t *samples, int count)
{
    uint32_t sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 31 + samples[i];
    return sum;
}
const Plugin plugin = {scale, filter, block};
#else
#include <dlfcn.h>

static const Plugin *plugin;

__attribute__((constructor, no_instrument_function)) static void load(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW);
    plugin = library ? dlsym(library, "plugin") : NULL;
    if (!plugin)
        abort();
}

NOINLINE static uint32_t own(uint32_t x)
{
    return x * 5 + 1;
}

PHASE(scale)
{
    uint32_t x = 1;
    for (int i = 0; i < 300000; i++)
        x = plugin->scale(x + 1);
    sink += x;
}

PHASE(filter)
{
    uint32_t x = 1;
    for (int i = 0; i < 150000; i++)
        x = plugin->filter(x, (uint32_t)i);
    sink += x;
}

PHASE(block)
{
    static uint32_t samples[1000];
    for (int i = 0; i < 1000; i++)
        sink += plugin->block(samples, 1000);
}

PHASE(own)
{
    uint32_t x = 1;
    for (int i = 0; i < 300000; i++)
        x = own(x);
    sink += x;
}

PHASES_MAIN(PHASE_ROW(scale), PHASE_ROW(filter), PHASE_ROW(block), PHASE_ROW(own))
#endif
