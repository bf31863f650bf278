/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of -R (--file-ordering): which function comes from which object file, as
 * `nm -A` or a link map filter lists it.
 */
#pragma once

#include "fcgprof/model.h"

typedef struct
{
    char *function;
    char *object;
    gboolean is_first; /* of a run of functions of one object */
} FcGOrderMapEntry;

struct FcGOrderMap
{
    GArray *entries; /* FcGOrderMapEntry, by function name */
};

/* Lines "OBJECT:anything FUNCTION".  NULL and `error` on any other line. */
FcGOrderMap *fc_gorder_map_read(const char *path, GError **error);
void fc_gorder_map_free(FcGOrderMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGOrderMap, fc_gorder_map_free)

/* NULL if the map does not mention the function. */
const FcGOrderMapEntry *fc_gorder_map_find(const FcGOrderMap *map, const char *function);
