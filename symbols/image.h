/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One ELF file with whatever debug file belongs to it, for the files of this folder; nobody else
 * includes it.  All addresses are those of the ELF file (link-time), as FcProfileLocation.offset
 * is. One thread at a time.
 */
#pragma once

#include "symbols/compiler.h"
#include "symbols/inlined.h"

#include <elfutils/libdwfl.h>
#include <glib.h>

typedef struct
{
    guint64 start;
    guint64 end;          /* first address not covered */
    const char *raw;      /* linkage name, version included; the image's */
    const char *raw_name; /* interned by symbols.c when first asked for; else NULL */
    const char *name;
    const char *other_raw; /* of another symbol at this address that is as good; NULL: none */
    guint enclosing;       /* nearest function before this one that reaches beyond its
                              start; G_MAXUINT: none */
    gboolean is_static;
    gboolean is_import; /* a stub that a program at fixed addresses has in place of a function of a
                           library */
} FcImageFunction;

typedef struct FcLineTable FcLineTable;

typedef struct
{
    char *path;
    char *build_id;    /* lower-case hex; NULL: the file has none */
    gint64 written_ns; /* the last change of its content, since 1970 */
    int fd;            /* -1 once `dwfl` has taken it */
    Dwfl *dwfl;        /* NULL until the first look-up, and where that fails */
    Dwfl_Module *module;
    char *debug_folders;
    Dwfl_Callbacks callbacks;
    gboolean is_loaded;
    GArray *functions; /* FcImageFunction, ascending by start, no two alike; NULL until loaded */
    gboolean has_subprograms; /* `functions` has those of the debug information, too */
    GHashTable *exports;      /* name without version -> FcImageFunction; NULL until asked for */
    FcLineTable *lines;       /* NULL until first asked for */
    GHashTable *bodies;       /* of inline.c; NULL until first asked for */
} FcImage;

/* ---- image.c: the file itself -------------------------------------------------- */

/* NULL and `error` (the reason alone, without the path) where `path` is not a whole ELF
 * executable or shared object that can be read.  Reads no symbols yet. */
/* Whether the path leads through a link of the kernel's, such as /proc/self/fd/3.  Its target
 * depends on the process that opens it, so it is of no use if another process wrote it down. */
gboolean fc_image_is_passing(const char *path);

FcImage *fc_image_open(const char *path, const char *debug_folders, GError **error);
void fc_image_free(FcImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcImage, fc_image_free)

/* Makes sure that image->module is set; FALSE where libdw can't take the file. */
gboolean fc_image_load(FcImage *image);

/* ---- table.c: functions -------------------------------------------------------- */

/* The function that covers `address`, or NULL; the image's, to fill in names. */
FcImageFunction *fc_image_find_function(FcImage *image, guint64 address);

/* All of them, with those that only the debug information has, if `with_debug`; the image's. */
GArray *fc_image_functions(FcImage *image, gboolean with_debug);

/* The function that other files know by `name` (without a version), or NULL. */
FcImageFunction *fc_image_find_export(FcImage *image, const char *name);

/* ---- lines.c: what debug information says -------------------------------------- */

/* The functions that the debug information knows, FcImageFunction without `enclosing`, in no
 * order; the caller unrefs. */
GArray *fc_image_list_subprograms(FcImage *image);

/* FALSE where the debug information does not say.  With `is_entry` the line where the
 * function at `address` begins.  `*file` belongs to the image. */
gboolean fc_image_find_line(FcImage *image, guint64 address, gboolean is_entry, const char **file,
                            guint *line);

/* The unit with code at `address`, and the folder that it was compiled in; NULL: not known.  Both
 * belong to the image. */
void fc_image_find_unit(FcImage *image, guint64 address, const char **name, const char **folder);

/* Calls `visit` for each unit with code at `address`, less the bias, until it returns
 * TRUE; whether one did. */
typedef gboolean (*FcUnitVisitor)(Dwarf_Die *unit, Dwarf_Addr address, gpointer data);
gboolean fc_image_visit_units(FcImage *image, guint64 address, FcUnitVisitor visit, gpointer data);

/* The string at `address` among the data that can't be written, where that is what a name looks
 * like; the caller frees it; NULL: there is none. */
char *fc_image_find_text(FcImage *image, guint64 address);

/* For fc_image_free. */
void fc_line_table_free(FcLineTable *lines);

/* ---- entry.c: code --------------------------------------------------------------- */

/* Whether a call is the first that the function at `address` does; FALSE but on x86-64. */
gboolean fc_image_calls_at_entry(FcImage *image, guint64 address);

/* ---- producer.c: compilers ------------------------------------------------------- */

/* How the code at `address` was compiled; all zero where the debug information does not say. */
void fc_image_find_producer(FcImage *image, guint64 address, FcProducer *producer);

/* Whether gcc's link-time optimization made code without the hooks that the objects were compiled
 * for, as far as the debug information says. */
gboolean fc_image_lost_hooks(FcImage *image);

/* ---- inline.c: declarations, inlined copies ------------------------------------ */

/* The entry with the functions of the unit, which may be in a file of its own (-gsplit-dwarf). */
Dwarf_Die fc_image_unit_contents(Dwarf_Die *unit);

/* The line in `file` of the name of the function whose code begins at `address`; 0: not known.  The
 * line table is no help: it begins at the name or at the brace, depending on the compiler's
 * version. */
guint fc_image_find_declaration(FcImage *image, guint64 address, const char *file);

/* Where the function `function` of the debug information, or the one that it is a copy of, is
 * declared: the file, which belongs to the image, or NULL; and the line, or 0. */
const char *fc_image_declared_file(Dwarf_Die *function);
guint fc_image_declared_line(Dwarf_Die *function);

/* The function of `unit` with the code at `address`, less the bias; and below it, or a block or an
 * inlined copy in it, the next one down. */
gboolean fc_image_find_body(FcImage *image, Dwarf_Die *unit, Dwarf_Addr address,
                            Dwarf_Die *function);
gboolean fc_image_find_child(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *child);

/* Calls `visit` for each function that has code by the debug information; FALSE: there is none. */
typedef void (*FcBodyVisitor)(Dwarf_Die *function, gpointer data);
gboolean fc_image_visit_bodies(FcImage *image, FcBodyVisitor visit, gpointer data);

/* Whether the code at `address` is an inlined copy of the function whose own copy begins at
 * `function` and has that linkage name. */
gboolean fc_image_is_inlined(FcImage *image, guint64 address, guint64 function,
                             const char *raw_name);

/* Appends to `chain`, FcInlinedCall with names of the image's, the functions that were inlined at
 * `address`, the innermost first. */
void fc_image_find_chain(FcImage *image, guint64 address, GArray *chain);

/* ---- extent.c: the lines of a function ------------------------------------------- */

/* The last line in `file` that code of the function at `address` is from, without what was inlined
 * there.  0: not known. */
guint fc_image_find_last_line(FcImage *image, guint64 address, const char *file);

/* ---- inlined-list.c ---------------------------------------------------------------- */

/* FcInlined, by copies: the functions that have copies in others and no code of their own.  NULL:
 * there is no debug information.  Names, linkage names where there are any, and files are the
 * image's; the caller unrefs. */
GArray *fc_image_list_inlined(FcImage *image);
