/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See spill.h.
 */
#include "fcmanager/base/spill.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct FcSpill
{
    int fd;
    guint64 end;
    struct FcUnit units[FC_CHUNK_UNITS];
};

FcSpill *fc_spill_new(void)
{
    FcSpill *spill = g_new0(FcSpill, 1);
    spill->fd = memfd_create("fcmanager", MFD_CLOEXEC);
    return spill;
}

void fc_spill_free(FcSpill *spill)
{
    if (!spill)
        return;
    if (spill->fd >= 0)
        close(spill->fd);
    g_free(spill);
}

gboolean fc_spill_put(FcSpill *spill, const struct FcUnit *units, guint32 count, guint64 *at)
{
    gsize bytes = count * sizeof *units;
    if (spill->fd < 0 || pwrite(spill->fd, units, bytes, (off_t)spill->end) != (gssize)bytes)
        return FALSE;
    *at = spill->end;
    spill->end += bytes;
    return TRUE;
}

const struct FcUnit *fc_spill_get(FcSpill *spill, guint64 at, guint32 count)
{
    gsize bytes = MIN(count, FC_CHUNK_UNITS) * sizeof *spill->units;
    if (pread(spill->fd, spill->units, bytes, (off_t)at) != (gssize)bytes)
        memset(spill->units, 0, sizeof spill->units);
    return spill->units;
}

gboolean fc_spill_owns(const FcSpill *spill, const struct FcUnit *units)
{
    return units == spill->units;
}

void fc_spill_empty(FcSpill *spill)
{
    if (spill->fd >= 0 && ftruncate(spill->fd, 0) == 0)
        spill->end = 0;
}
