/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns bytes of the pipe into messages.  It reads and writes no files, and trusts nothing in the
 * bytes: a fuzzer tests it.  source.c passes the bytes; session.c and process-messages.c decode
 * payloads.
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

/* The message and its payload are valid until it returns. */
typedef void (*FcDecodeSink)(const FcWireMessage *message, gpointer data);

typedef struct FcDecoder FcDecoder;

/* Never NULL.  The caller frees it. */
FcDecoder *fc_decoder_new(FcDecodeSink sink, gpointer data);
void fc_decoder_free(FcDecoder *decoder);

/* Takes the next `count` bytes and calls the sink for each message that they complete, in order.
 * Bytes that can't begin a message are skipped. */
void fc_decoder_push(FcDecoder *decoder, const void *bytes, gsize count);

/* Drops the parts of long payloads that `process` has not completed. */
void fc_decoder_forget(FcDecoder *decoder, guint64 process);

/* How often bytes were skipped or a payload was dropped; adjacent bytes count once. */
guint64 fc_decoder_malformed(const FcDecoder *decoder);

/* These decode payloads.  FALSE: the payload is malformed. */
gboolean fc_decode_hello(const FcWireMessage *message, struct FcHello *hello);
/* *path points into the message. */
gboolean fc_decode_module(const FcWireMessage *message, struct FcModuleInfo *info,
                          const char **path, gsize *path_bytes);
/* *units points into the message and is not aligned.  There is one unit more than
 * `header->count`; none if that is 0. */
gboolean fc_decode_data(const FcWireMessage *message, struct FcDataHeader *header,
                        const guint8 **units);
/* The arguments of FC_TEXT_COMMAND_LINE.  The caller frees them. */
GStrv fc_decode_arguments(const FcWireMessage *message);
