/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers and strings of a line number program.  See line-reader.h.
 */
#include "fcgprof/line-reader.h"

#include <string.h>

guint64 fc_gline_read_uint(FcGLineReader *reader, guint n_bytes)
{
    guint64 value = 0;

    if ((gsize)(reader->end - reader->at) < n_bytes)
    {
        reader->failed = TRUE;
        reader->at = reader->end;
        return 0;
    }
    for (guint i = 0; i < n_bytes; i++)
    {
        guint shift = reader->is_big_endian ? n_bytes - 1 - i : i;

        value |= (guint64)reader->at[i] << (8 * shift);
    }
    reader->at += n_bytes;
    return value;
}

guint64 fc_gline_read_uleb(FcGLineReader *reader)
{
    guint64 value = 0;
    guint shift = 0;

    for (;;)
    {
        guint8 byte = (guint8)fc_gline_read_uint(reader, 1);

        if (reader->failed)
            return 0;
        if (shift < 64)
            value |= (guint64)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80))
            return value;
    }
}

gint64 fc_gline_read_sleb(FcGLineReader *reader)
{
    guint64 value = 0;
    guint shift = 0;
    guint8 byte;

    do
    {
        byte = (guint8)fc_gline_read_uint(reader, 1);
        if (reader->failed)
            return 0;
        if (shift < 64)
            value |= (guint64)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40))
        value |= ~(guint64)0 << shift;
    return (gint64)value;
}

const char *fc_gline_read_string(FcGLineReader *reader)
{
    const guint8 *start = reader->at;
    const guint8 *nul = memchr(start, 0, (gsize)(reader->end - start));

    if (!nul)
    {
        reader->failed = TRUE;
        reader->at = reader->end;
        return "";
    }
    reader->at = nul + 1;
    return (const char *)start;
}
