/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The executable (or other object file) that a profile belongs to, read with libbfd by the
 * very calls that GNU gprof makes: what comes back is what gprof gets.  Only object.c
 * includes libbfd's header.  libbfd opens what it is told to and the file with the
 * debugging information of that, for reading only; the plug-ins that it could load are not
 * reached, for it loads them for programs that name themselves to it, and nobody here does.
 *
 * One thread.  A file must not be changed while it is open.
 */
#pragma once

#include "gmon/image.h"

typedef struct FcGObject FcGObject;

typedef enum
{
    FC_GMACHINE_OTHER,
    FC_GMACHINE_I386,
    FC_GMACHINE_X86_64,
    FC_GMACHINE_AARCH64,
} FcGMachine;

/* NULL and `error` if it is no object file or has no .text. */
FcGObject *fc_gobject_open(const char *path, GError **error);
void fc_gobject_free(FcGObject *object);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGObject, fc_gobject_free)

const char *fc_gobject_path(const FcGObject *object);
FcGMachine fc_gobject_machine(const FcGObject *object);

/* Its layout, where its code is, and the symbols that gprof shows, possibly none. */
const FcGImage *fc_gobject_image(const FcGObject *object);

typedef struct
{
    const char
        *file; /* equal paths are the same pointer; both strings live as long as the object */
    const char *function;
    guint line;
} FcGLine;

/* False if file, line or function of an address in .text is unknown.  The same question may be
 * answered otherwise later: libbfd keeps a state, which shows in gprof's reports. */
gboolean fc_gobject_find_line(FcGObject *object, guint64 addr, FcGLine *out);

/* The bytes of the section that holds `addr`, from there on; `*n` of them.  NULL if it has none
 * or holds no code. */
const guint8 *fc_gobject_code_at(FcGObject *object, guint64 addr, gsize *n);

/* Which function of any module is meant by an address: that of a stub, which jumps to it, or of a
 * pointer that the dynamic linker fills in.  guint64* -> its name; to be unreffed. */
GHashTable *fc_gobject_stubs(FcGObject *object);
GHashTable *fc_gobject_pointers(FcGObject *object);

/* Names of C++ and the like as they are in the source.  Chooses the style for the whole process;
 * false if it is unknown. */
gboolean fc_gdemangle_set_style(const char *style);

/* NULL if there is nothing to demangle.  Dots and dollars in front, and a version or section of
 * the linker's behind an '@', are kept around what is demangled.  The caller frees it. */
char *fc_gdemangle(const char *name);
