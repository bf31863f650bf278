/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes of the pipe into messages.  Pure: no input or output, and the bytes are not
 * trusted at all; this is what the fuzzer feeds.  source.c pushes the bytes; session.c and
 * process-messages.c take payloads apart.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

typedef struct
{
    enum FcMessageType type;
    guint64 process;
    guint32 thread;
    guint32 argument;
    guint64 value;
    const guint8 *payload; /* not aligned */
    gsize payload_bytes;
} FcWireMessage;

/* The message and its payload are good until it returns. */
typedef void (*FcDecodeSink)(const FcWireMessage *message, gpointer data);

typedef struct FcDecoder FcDecoder;

FcDecoder *fc_decoder_new(FcDecodeSink sink, gpointer data);
void fc_decoder_free(FcDecoder *decoder);

/* Takes what was read; messages that are complete go to the sink, in order.  What is not a
 * message is skipped up to the next thing that may be one. */
void fc_decoder_push(FcDecoder *decoder, const void *bytes, gsize count);

/* Drops the parts of long payloads that `process` has not completed. */
void fc_decoder_forget(FcDecoder *decoder, guint64 process);

/* Runs of bytes and payloads that were skipped. */
guint64 fc_decoder_malformed(const FcDecoder *decoder);

/* The payloads.  FALSE where it is not one of the kind. */
gboolean fc_decode_hello(const FcWireMessage *message, struct FcHello *hello);
/* `path` points into the message. */
gboolean fc_decode_module(const FcWireMessage *message, struct FcModuleInfo *info,
                          const char **path, gsize *path_bytes);
/* `units` points into the message: bytes, not aligned, of one unit more than `header->count`, or
 * none where that is 0. */
gboolean fc_decode_data(const FcWireMessage *message, struct FcDataHeader *header,
                        const guint8 **units);
/* FC_TEXT_COMMAND_LINE: the arguments, for the caller to free. */
GStrv fc_decode_arguments(const FcWireMessage *message);
