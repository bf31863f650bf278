/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Framing and payloads of the pipe's messages: see decode.h.
 */
#include "fcmanager/stream/decode.h"

#include <string.h>

/* How many payloads may be incomplete at a time.  A hostile process could begin one for each
 * possible process key. */
#define PARTS_MAX 64

typedef struct
{
    guint64 process;
    guint32 thread;
    guint8 type;
    GByteArray *bytes;
} Part;

struct FcDecoder
{
    FcDecodeSink sink;
    gpointer data;
    guint8 partial[FC_MESSAGE_MAX]; /* the beginning of a message */
    gsize partial_bytes;
    gboolean skipping; /* within a run of malformed bytes */
    guint64 malformed;
    GArray *parts; /* Part */
};

static void part_clear(gpointer data)
{
    g_byte_array_unref(((Part *)data)->bytes);
}

FcDecoder *fc_decoder_new(FcDecodeSink sink, gpointer data)
{
    FcDecoder *decoder = g_new0(FcDecoder, 1);
    decoder->sink = sink;
    decoder->data = data;
    decoder->parts = g_array_new(FALSE, TRUE, sizeof(Part));
    g_array_set_clear_func(decoder->parts, part_clear);
    return decoder;
}

void fc_decoder_free(FcDecoder *decoder)
{
    if (!decoder)
        return;
    g_array_unref(decoder->parts);
    g_free(decoder);
}

guint64 fc_decoder_malformed(const FcDecoder *decoder)
{
    return decoder->malformed;
}

void fc_decoder_forget(FcDecoder *decoder, guint64 process)
{
    for (guint i = decoder->parts->len; i-- > 0;)
        if (g_array_index(decoder->parts, Part, i).process == process)
            g_array_remove_index(decoder->parts, i);
}

/* ---- Long payloads -------------------------------------------------------------- */

static Part *find_part(FcDecoder *decoder, const struct FcMessage *header, guint *index)
{
    for (*index = 0; *index < decoder->parts->len; (*index)++)
    {
        Part *part = &g_array_index(decoder->parts, Part, *index);
        if (part->process == header->process && part->thread == header->thread &&
            part->type == header->type)
            return part;
    }
    return NULL;
}

static void deliver(FcDecoder *decoder, const struct FcMessage *header, const guint8 *payload,
                    gsize payload_bytes)
{
    FcWireMessage message = {.type = (enum FcMessageType)header->type,
                             .process = header->process,
                             .thread = header->thread,
                             .argument = header->argument,
                             .value = header->value,
                             .payload = payload,
                             .payload_bytes = payload_bytes};
    decoder->sink(&message, decoder->data);
}

static void take_message(FcDecoder *decoder, const struct FcMessage *header, const guint8 *payload)
{
    gsize bytes = header->length - sizeof *header;
    guint index;
    Part *part = find_part(decoder, header, &index);
    if (!part && !(header->flags & FC_MESSAGE_MORE))
    {
        deliver(decoder, header, payload, bytes);
        return;
    }
    if (!part)
    {
        if (decoder->parts->len >= PARTS_MAX)
        {
            g_array_remove_index(decoder->parts, 0);
            decoder->malformed++;
        }
        Part fresh = {header->process, header->thread, header->type, g_byte_array_new()};
        index = decoder->parts->len;
        g_array_append_val(decoder->parts, fresh);
        part = &g_array_index(decoder->parts, Part, index);
    }
    if (part->bytes->len + bytes > FC_PAYLOAD_MAX)
    {
        g_array_remove_index(decoder->parts, index);
        decoder->malformed++;
        return;
    }
    g_byte_array_append(part->bytes, payload, (guint)bytes);
    if (header->flags & FC_MESSAGE_MORE)
        return;
    g_autoptr(GByteArray) whole = g_byte_array_ref(part->bytes);
    g_array_remove_index(decoder->parts, index);
    deliver(decoder, header, whole->data, whole->len);
}

/* ---- Framing -------------------------------------------------------------------- */

static gboolean is_plausible(const struct FcMessage *header)
{
    return header->magic == FC_MESSAGE_MAGIC && header->type >= FC_MSG_HELLO &&
           header->type <= FC_MSG_LAST && (header->flags & ~FC_MESSAGE_MORE) == 0 &&
           header->length >= sizeof *header && header->length <= FC_MESSAGE_MAX;
}

/* Takes one message, or skips one byte.  Returns how many bytes that were; 0: more bytes are
 * needed. */
static gsize take_one(FcDecoder *decoder, const guint8 *bytes, gsize count)
{
    struct FcMessage header;
    if (count < sizeof header)
        return 0;
    memcpy(&header, bytes, sizeof header);
    if (!is_plausible(&header))
    {
        if (!decoder->skipping)
            decoder->malformed++;
        decoder->skipping = TRUE;
        return 1;
    }
    if (count < header.length)
        return 0;
    decoder->skipping = FALSE;
    take_message(decoder, &header, bytes + sizeof header);
    return header.length;
}

/* Completes the message whose beginning came earlier.  Returns how many of `bytes` it used. */
static gsize take_partial(FcDecoder *decoder, const guint8 *bytes, gsize count)
{
    gsize added = 0;
    while (decoder->partial_bytes > 0)
    {
        gsize room = sizeof decoder->partial - decoder->partial_bytes;
        gsize more = MIN(room, count - added);
        memcpy(decoder->partial + decoder->partial_bytes, bytes + added, more);
        gsize taken = take_one(decoder, decoder->partial, decoder->partial_bytes + more);
        if (taken == 0)
        {
            decoder->partial_bytes += more;
            return count; /* the message is incomplete, so all bytes had room */
        }
        if (taken >= decoder->partial_bytes)
        {
            added += taken - decoder->partial_bytes;
            decoder->partial_bytes = 0;
            break;
        }
        decoder->partial_bytes -= taken; /* only old bytes were skipped: tries the new ones again */
        memmove(decoder->partial, decoder->partial + taken, decoder->partial_bytes);
    }
    return added;
}

void fc_decoder_push(FcDecoder *decoder, const void *data, gsize count)
{
    const guint8 *bytes = data;
    gsize at = take_partial(decoder, bytes, count);
    while (at < count)
    {
        gsize taken = take_one(decoder, bytes + at, count - at);
        if (taken == 0)
            break;
        at += taken;
    }
    if (at < count)
    {
        decoder->partial_bytes = count - at;
        memcpy(decoder->partial, bytes + at, decoder->partial_bytes);
    }
}

/* ---- Payloads --------------------------------------------------------------------- */

gboolean fc_decode_hello(const FcWireMessage *message, struct FcHello *hello)
{
    if (message->payload_bytes < sizeof *hello)
        return FALSE;
    memcpy(hello, message->payload, sizeof *hello);
    return hello->version == FC_WIRE_VERSION && hello->pid > 0 && message->process != 0;
}

gboolean fc_decode_module(const FcWireMessage *message, struct FcModuleInfo *info,
                          const char **path, gsize *path_bytes)
{
    if (message->payload_bytes < sizeof *info)
        return FALSE;
    memcpy(info, message->payload, sizeof *info);
    *path = (const char *)message->payload + sizeof *info;
    *path_bytes = message->payload_bytes - sizeof *info;
    return info->start <= info->end && info->build_id_bytes <= FC_BUILD_ID_MAX;
}

gboolean fc_decode_data(const FcWireMessage *message, struct FcDataHeader *header,
                        const guint8 **units)
{
    if (message->payload_bytes < sizeof *header)
        return FALSE;
    memcpy(header, message->payload, sizeof *header);
    *units = message->payload + sizeof *header;
    gsize rest = message->payload_bytes - sizeof *header;
    const gsize count = header->count != 0 ? (gsize)header->count + 1 : 0;
    return header->count <= FC_CHUNK_STARTS && rest == count * sizeof(struct FcUnit) &&
           header->generation >= 1 && header->generation <= G_MAXUINT16;
}

GStrv fc_decode_arguments(const FcWireMessage *message)
{
    g_autoptr(GPtrArray) arguments = g_ptr_array_new();
    const char *at = (const char *)message->payload;
    const char *end = at + message->payload_bytes;
    while (at < end)
    {
        gsize bytes = strnlen(at, (gsize)(end - at));
        g_ptr_array_add(arguments, g_strndup(at, bytes));
        at += bytes + 1;
    }
    g_ptr_array_add(arguments, NULL);
    return (GStrv)g_ptr_array_steal(arguments, NULL);
}
