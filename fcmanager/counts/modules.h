/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files that are mapped into one process, and when. process.c fills the list from the stream;
 * counts.c asks for each new function and call site.  Never reads the files.
 */
#pragma once

#include "libfc/fc-format.h"
#include "profile/fc-profile.h"

typedef struct
{
    char *path;     /* owned */
    char *build_id; /* owned, hex; NULL: none */
    guint64 base;
    guint64 start;
    guint64 end;
    guint64 load_time;   /* ticks: loaded first, */
    guint64 since;       /* and last, if it was opened again */
    guint64 unload_time; /* ticks; G_MAXUINT64: still loaded */
} FcModule;

/* A range of addresses whose meaning changed at some time. */
typedef struct
{
    guint64 time; /* ticks */
    guint64 start;
    guint64 end;
} FcModuleChange;

typedef struct FcModules FcModules;

FcModules *fc_modules_new(void);
/* The list that a forked child begins with. */
FcModules *fc_modules_copy(const FcModules *modules);
void fc_modules_free(FcModules *modules);

/* Adds a module.  `path` need not be terminated.  A module that equals a loaded one is ignored.
 * FALSE: the list is full. */
gboolean fc_modules_load(FcModules *modules, const struct FcModuleInfo *info, const char *path,
                         gsize path_bytes, guint64 time);
/* Sets whether a module that was unloaded and equals a new one is opened again instead of being
 * listed twice.  Then only its last times are known. */
gboolean fc_modules_are_crowded(const FcModules *modules);
void fc_modules_unload(FcModules *modules, const struct FcModuleInfo *info, guint64 time);

/* The module that contained `address` at `time`.  If none did, the nearest in time, since a
 * constructor runs before its library is announced.  FC_NONE: there never was one. */
gint fc_modules_find(const FcModules *modules, guint64 address, guint64 time);

/* A build-id as text; NULL: it has no bytes.  The caller frees it. */
char *fc_modules_hex(const guint8 *bytes, gsize count);

guint fc_modules_count(const FcModules *modules);
const FcModule *fc_modules_get(const FcModules *modules, guint index);

/* Changes in the order in which they arrived; the count only grows.  NULL: that change was
 * dropped, as the oldest ones of a long list are; anything may have changed. */
guint fc_modules_change_count(const FcModules *modules);
const FcModuleChange *fc_modules_change(const FcModules *modules, guint index);
