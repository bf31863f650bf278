/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names, files and lines for places in a profile, by way of libdw, whose headers no other folder
 * includes.  Called by model/ and by the reports of both tools.  It prints nothing, never uses the
 * network (no debuginfod), and gives no name rather than a wrong one.  One thread at a time.
 */
#pragma once

#include "profile/fc-profile.h"
#include "symbols/compiler.h"
#include "symbols/demangle.h"
#include "symbols/inlined.h"

typedef struct FcSymbols FcSymbols;

/* What is known of one location.  All strings belong to the FcSymbols and live as
 * long as it does; equal names are the same pointer. */
typedef struct
{
    const char *name;     /* to be shown, demangled as asked; never NULL: "module+0x1234"
                             or "0x1234" where no symbol covers the location */
    const char *raw_name; /* linkage name, NULL where no symbol covers the location */
    const char *file;     /* source file as the debug information names it, or NULL */
    guint line;           /* 0 where unknown */
    guint64 start;        /* module-relative address of the symbol; the location's own if none */
    gboolean is_static;   /* local binding */
} FcSymbol;

/* Never fails.  `image_paths` (may be NULL, NULL-terminated, copied): files to use
 * in place of a module that moved, or whose path is not known: matched by build-id, else by base
 * name, each "PATH" or "RECORDED=PATH".  `images` of --image come here.  An image whose
 * build-id is not that of the module is refused, with a warning. */
FcSymbols *fc_symbols_new(FcDemangle demangle, const char *const *image_paths);
void fc_symbols_free(FcSymbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcSymbols, fc_symbols_free)

/* Adds a warning for each of the image paths that fits no module of `profile`. */
void fc_symbols_check_images(FcSymbols *symbols, const FcProfile *profile);

/* The module that `image_path` means (an argument as in fc_symbols_new, or a module's base name);
 * FC_NONE: none.  The file need not exist. */
gint fc_symbols_find_module(FcSymbols *symbols, const FcProfile *profile, const char *image_path);

/* Folders to look for separate debug files in, besides the image's own folder: colon
 * separated as in gdb, "" and relative ones are taken from the image's folder.  NULL (and
 * the start): ":.debug:/usr/lib/debug".  Call it before the first look-up. */
void fc_symbols_set_debug_folders(FcSymbols *symbols, const char *folders);

/* The function that covers `location`, with the line of the location itself.  For a
 * function's entry pass its address; for a call site (a return address) pass
 * `is_return` so that the line of the call is found.  `profile` may change from call
 * to call: modules are known by path and build-id. */
void fc_symbols_find(FcSymbols *symbols, const FcProfile *profile,
                     const FcProfileLocation *location, gboolean is_return, FcSymbol *out);

/* The same without the line: `file` is NULL and `line` 0.  It reads debug information
 * only where the symbol table does not cover the location: prefer it where only names are shown. */
void fc_symbols_find_name(FcSymbols *symbols, const FcProfile *profile,
                          const FcProfileLocation *location, gboolean is_return, FcSymbol *out);

/* The last line that code of the function with that entry is from, in the file where it begins;
 * 0: the debug information does not say. */
guint fc_symbols_find_last_line(FcSymbols *symbols, const FcProfile *profile,
                                const FcProfileLocation *entry);

/* The name of the unit that was compiled to what is at `location`, and (`folder` may be NULL) from
 * where it was, which relative names of its files begin at; NULL: the debug information does not
 * say. Both live as long as `symbols`. */
const char *fc_symbols_find_unit(FcSymbols *symbols, const FcProfile *profile,
                                 const FcProfileLocation *location, const char **folder);

/* If `location` is a stub of a function of a library, as programs at fixed addresses have: moves it
 * to that function.  FALSE: it is not a stub; nothing is changed. */
gboolean fc_symbols_find_import(FcSymbols *symbols, const FcProfile *profile,
                                FcProfileLocation *location);

/* Whether call site `site` lies in a copy of the function at `entry` that the compiler
 * inlined into another one, as far as the debug information says. */
gboolean fc_symbols_is_inlined(FcSymbols *symbols, const FcProfile *profile,
                               const FcProfileLocation *site, const FcProfileLocation *entry);

/* FcInlinedCall, the innermost first: the functions that were inlined at call site `site`, each
 * with the line of its call in the next; none where the debug information names none.  The caller
 * unrefs. */
GArray *fc_symbols_find_chain(FcSymbols *symbols, const FcProfile *profile,
                              const FcProfileLocation *site);

/* Whether that source file is one of the system's: of its headers, or of the compiler's. */
gboolean fc_symbols_is_system_file(const char *file);

/* Another function's name that the code at `entry` has as well, demangled as asked: an alias, or an
 * equal function that the linker folded with it.  NULL: it has none.  Belongs to `symbols`. */
const char *fc_symbols_find_other_name(FcSymbols *symbols, const FcProfile *profile,
                                       const FcProfileLocation *entry);

/* FcInlined, by copies: those of a module but what the system's headers define (below /usr/include
 * and /usr/lib).  NULL: there is no debug information.  The caller unrefs. */
GArray *fc_symbols_list_inlined(FcSymbols *symbols, const FcProfile *profile, guint module);

/* Whether gcc instrumented the function at `entry` after inlining, so that the hook is the first
 * that it calls: what comes before other hooks are their arguments. */
gboolean fc_symbols_is_after_inlining(FcSymbols *symbols, const FcProfile *profile,
                                      const FcProfileLocation *entry);

/* How the code at `location` was compiled; all zero where that is not known. */
void fc_symbols_find_producer(FcSymbols *symbols, const FcProfile *profile,
                              const FcProfileLocation *location, FcProducer *producer);

/* Whether functions of the module have no hooks because link-time optimization by gcc ran without
 * fc-config's flags for compiling.  FALSE where the debug information does not say. */
gboolean fc_symbols_lost_hooks(FcSymbols *symbols, const FcProfile *profile, guint module);

/* The file that the names of that module of `profile` come from, and the separate file with
 * its debug information; NULL where there is none, or only another build of it.  Belongs to
 * `symbols`. */
const char *fc_symbols_image_path(FcSymbols *symbols, const FcProfile *profile, guint module);
const char *fc_symbols_debug_path(FcSymbols *symbols, const FcProfile *profile, guint module);

/* Problems met so far that the user must know ("PATH: changed since the run ..."), each
 * once, in order of appearance; owned by `symbols`. */
const GPtrArray *fc_symbols_warnings(const FcSymbols *symbols);
