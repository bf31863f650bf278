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
    guint64 load_time;   /* ticks: when it was first loaded */
    guint64 since;       /* ticks: when it was last loaded */
    guint64 unload_time; /* ticks; G_MAXUINT64: still loaded */
} FcModule;

/* A module was loaded into a range of addresses, or unloaded from it. */
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
/* Whether the list is so long that a module which was unloaded and is loaded again is not listed
 * twice.  Then only its last times are known. */
gboolean fc_modules_are_crowded(const FcModules *modules);
/* Sets the unload time of the module.  If it is not listed, does nothing. */
void fc_modules_unload(FcModules *modules, const struct FcModuleInfo *info, guint64 time);

/* The index of the module that contained `address` at `time`.  If none did, the one that did at
 * the nearest time, since constructors run before their library is announced.  FC_NONE: none ever
 * did. */
gint fc_modules_find(const FcModules *modules, guint64 address, guint64 time);

/* A build-id as hex text; NULL if `count` is 0.  The caller frees it. */
char *fc_modules_hex(const guint8 *bytes, gsize count);

guint fc_modules_count(const FcModules *modules);
const FcModule *fc_modules_get(const FcModules *modules, guint index);

/* The number of changes, which only grows, and one of them in the order of their arrival.  NULL: it
 * was dropped because the list was too long, so any address may have changed. */
guint fc_modules_change_count(const FcModules *modules);
const FcModuleChange *fc_modules_change(const FcModules *modules, guint index);
