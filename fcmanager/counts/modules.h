/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files mapped into one process, and when.  Filled by process.c from the
 * stream; asked by counts.c for each function and call site that it has not met.
 * Never reads the files.
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
    guint64 load_time;   /* ticks: the first time, */
    guint64 since;       /* and the last, where it is opened again */
    guint64 unload_time; /* ticks; G_MAXUINT64: still there */
} FcModule;

/* A range of addresses whose meaning changed at a time. */
typedef struct
{
    guint64 time; /* ticks */
    guint64 start;
    guint64 end;
} FcModuleChange;

typedef struct FcModules FcModules;

FcModules *fc_modules_new(void);
/* What a forked child begins with. */
FcModules *fc_modules_copy(const FcModules *modules);
void fc_modules_free(FcModules *modules);

/* `path` need not be terminated.  A module equal to one that is loaded is ignored.
 * FALSE where the list is full. */
gboolean fc_modules_load(FcModules *modules, const struct FcModuleInfo *info, const char *path,
                         gsize path_bytes, guint64 time);
/* Whether a module that is gone is opened again, and not listed again, where an equal one is
 * loaded: only its last time is known from then on. */
gboolean fc_modules_are_crowded(const FcModules *modules);
void fc_modules_unload(FcModules *modules, const struct FcModuleInfo *info, guint64 time);

/* The module that held `address` at `time`; where none did, the nearest in time (a
 * constructor runs before its library is announced); FC_NONE where there never was one. */
gint fc_modules_find(const FcModules *modules, guint64 address, guint64 time);

/* A build-id as text; NULL where it has no bytes.  The caller frees it. */
char *fc_modules_hex(const guint8 *bytes, gsize count);

guint fc_modules_count(const FcModules *modules);
const FcModule *fc_modules_get(const FcModules *modules, guint index);

/* Changes in order of arrival; the count only grows.  NULL where that one was dropped, as
 * the oldest of a long list are: anything may have changed. */
guint fc_modules_change_count(const FcModules *modules);
const FcModuleChange *fc_modules_change(const FcModules *modules, guint index);
