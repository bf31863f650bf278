/* SPDX-License-Identifier: 0BSD
 *
 * Registers a module's entry counters (fc-entries.h) with libfc.  The flags of `fc-config --lean`
 * link it into each program and library.  Its constructor runs before those of the program.
 *
 * The part of section fc_counters that is defined here is aligned, so that the counters start on a
 * page.
 */
#include "libfc/fc-entries.h"

#define OF_LINKER __attribute__((weak, visibility("hidden")))
extern const struct FcEntryRecord first_entry[] __asm__("__start_fc_entries") OF_LINKER;
extern const struct FcEntryRecord last_entry[] __asm__("__stop_fc_entries") OF_LINKER;
extern const uint64_t first_counter[] __asm__("__start_fc_counters") OF_LINKER;
extern const uint64_t last_counter[] __asm__("__stop_fc_counters") OF_LINKER;
extern const char header[] __asm__("__ehdr_start") OF_LINKER;

extern void module_begin(const struct FcEntrySections *sections) __asm__(FC_ENTRIES_BEGIN)
    __attribute__((visibility("default")));

__asm__(".pushsection fc_counters, \"aw\", @nobits\n"
        ".balign 4096\n"
        ".popsection");

__attribute__((constructor(101))) static void begin(void)
{
    if (first_entry == last_entry)
        return;
    const struct FcEntrySections sections = {first_entry, last_entry, first_counter, last_counter,
                                             header};
    module_begin(&sections);
}
