/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The framing of the pipe: messages cut anywhere, long payloads, and garbage.
 */
#include "fcmanager/stream/decode.h"

#include <string.h>

typedef struct
{
    GString *log; /* "type/thread:payload;" for each message */
    FcDecoder *decoder;
} Fixture;

static void take(const FcWireMessage *message, gpointer data)
{
    Fixture *f = data;
    g_string_append_printf(f->log, "%d/%u:", (int)message->type, message->thread);
    if (message->payload_bytes > 100)
        g_string_append_printf(f->log, "%" G_GSIZE_FORMAT, message->payload_bytes);
    else
        g_string_append_len(f->log, (const char *)message->payload, (gssize)message->payload_bytes);
    g_string_append_c(f->log, ';');
}

static void start(Fixture *f)
{
    f->log = g_string_new(NULL);
    f->decoder = fc_decoder_new(take, f);
}

static void stop(Fixture *f)
{
    g_string_free(f->log, TRUE);
    fc_decoder_free(f->decoder);
}

static void add(GByteArray *bytes, enum FcMessageType type, guint32 thread, gboolean more,
                const void *payload, gsize payload_bytes)
{
    struct FcMessage header = {.magic = FC_MESSAGE_MAGIC,
                               .type = (guint8)type,
                               .flags = more ? FC_MESSAGE_MORE : 0,
                               .length = (guint32)(sizeof header + payload_bytes),
                               .process = UINT64_C(5) << 32 | 1,
                               .thread = thread};
    g_byte_array_append(bytes, (const guint8 *)&header, sizeof header);
    g_byte_array_append(bytes, payload, (guint)payload_bytes);
}

static const char expected[] = "6/1:abc;7/2:;6/2:a longer name;";

static GByteArray *three_messages(void)
{
    GByteArray *bytes = g_byte_array_new();
    add(bytes, FC_MSG_THREAD_NAME, 1, FALSE, "abc", 3);
    add(bytes, FC_MSG_THREAD_END, 2, FALSE, "", 0);
    add(bytes, FC_MSG_THREAD_NAME, 2, FALSE, "a longer name", 13);
    return bytes;
}

/* In two pieces, cut at every place; then byte by byte. */
static void test_cuts(void)
{
    g_autoptr(GByteArray) bytes = three_messages();
    for (guint cut = 0; cut <= bytes->len; cut++)
    {
        Fixture f;
        start(&f);
        fc_decoder_push(f.decoder, bytes->data, cut);
        fc_decoder_push(f.decoder, bytes->data + cut, bytes->len - cut);
        g_assert_cmpstr(f.log->str, ==, expected);
        g_assert_cmpuint(fc_decoder_malformed(f.decoder), ==, 0);
        stop(&f);
    }
    Fixture f;
    start(&f);
    for (guint i = 0; i < bytes->len; i++)
        fc_decoder_push(f.decoder, bytes->data + i, 1);
    g_assert_cmpstr(f.log->str, ==, expected);
    stop(&f);
}

/* Garbage before, between and behind messages is skipped, and counted once a run. */
static void test_garbage(void)
{
    static const char words[] = "FCxyzzy, not a message: FC\x06 and so on, on";
    for (guint cut = 0; cut < 200; cut++)
    {
        Fixture f;
        start(&f);
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        g_byte_array_append(bytes, (const guint8 *)words, sizeof words - 1);
        add(bytes, FC_MSG_THREAD_NAME, 1, FALSE, "abc", 3);
        guint8 noise[77];
        memset(noise, 0xff, sizeof noise);
        g_byte_array_append(bytes, noise, sizeof noise);
        add(bytes, FC_MSG_THREAD_NAME, 2, FALSE, "def", 3);
        guint at = MIN(cut, bytes->len);
        fc_decoder_push(f.decoder, bytes->data, at);
        fc_decoder_push(f.decoder, bytes->data + at, bytes->len - at);
        g_assert_cmpstr(f.log->str, ==, "6/1:abc;6/2:def;");
        g_assert_cmpuint(fc_decoder_malformed(f.decoder), ==, 2);
        stop(&f);
    }
}

static void check_refused(struct FcMessage header)
{
    Fixture f;
    start(&f);
    guint8 rest[FC_MESSAGE_MAX] = {0};
    fc_decoder_push(f.decoder, &header, sizeof header);
    fc_decoder_push(f.decoder, rest, sizeof rest);
    g_assert_cmpstr(f.log->str, ==, "");
    g_assert_cmpuint(fc_decoder_malformed(f.decoder), >=, 1);
    stop(&f);
}

static void test_bad_headers(void)
{
    const struct FcMessage good = {
        .magic = FC_MESSAGE_MAGIC, .type = FC_MSG_THREAD_END, .length = sizeof good};
    struct FcMessage bad = good;
    bad.length = sizeof good - 1;
    check_refused(bad);
    bad.length = 0;
    check_refused(bad);
    bad.length = FC_MESSAGE_MAX + 1;
    check_refused(bad);
    bad.length = UINT32_MAX;
    check_refused(bad);
    bad = good;
    bad.type = 0;
    check_refused(bad);
    bad.type = 255;
    check_refused(bad);
    bad = good;
    bad.flags = 2;
    check_refused(bad);
}

/* Parts of two threads' long payloads, one after the other. */
static void test_long_payload(void)
{
    Fixture f;
    start(&f);
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    add(bytes, FC_MSG_THREAD_NAME, 1, TRUE, "one ", 4);
    add(bytes, FC_MSG_THREAD_NAME, 2, TRUE, "two ", 4);
    add(bytes, FC_MSG_THREAD_NAME, 1, TRUE, "and ", 4);
    add(bytes, FC_MSG_THREAD_NAME, 2, FALSE, "end", 3);
    add(bytes, FC_MSG_THREAD_NAME, 1, FALSE, "end", 3);
    fc_decoder_push(f.decoder, bytes->data, bytes->len);
    g_assert_cmpstr(f.log->str, ==, "6/2:two end;6/1:one and end;");
    stop(&f);
}

static void test_endless_payload(void)
{
    Fixture f;
    start(&f);
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    guint8 piece[4000] = {0};
    add(bytes, FC_MSG_TEXT, 1, TRUE, piece, sizeof piece);
    for (guint i = 0; i < 3 * FC_PAYLOAD_MAX / sizeof piece; i++)
        fc_decoder_push(f.decoder, bytes->data, bytes->len);
    g_assert_cmpstr(f.log->str, ==, "");
    g_assert_cmpuint(fc_decoder_malformed(f.decoder), >=, 2);
    stop(&f);
}

/* Payloads that never end, of more threads than any program has at once. */
static void test_many_unfinished(void)
{
    Fixture f;
    start(&f);
    for (guint32 thread = 1; thread <= 1000; thread++)
    {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        add(bytes, FC_MSG_TEXT, thread, TRUE, "x", 1);
        fc_decoder_push(f.decoder, bytes->data, bytes->len);
    }
    g_autoptr(GByteArray) last = g_byte_array_new();
    add(last, FC_MSG_TEXT, 1000, FALSE, "y", 1);
    fc_decoder_push(f.decoder, last->data, last->len);
    g_assert_cmpstr(f.log->str, ==, "2/1000:xy;");
    stop(&f);
}

static void test_payload_kinds(void)
{
    struct FcHello hello = {.version = FC_WIRE_VERSION, .pid = 5};
    FcWireMessage message = {.type = FC_MSG_HELLO,
                             .process = 1,
                             .payload = (const guint8 *)&hello,
                             .payload_bytes = sizeof hello};
    struct FcHello out;
    g_assert_true(fc_decode_hello(&message, &out));
    message.payload_bytes--;
    g_assert_false(fc_decode_hello(&message, &out));
    message.payload_bytes++;
    hello.version++;
    g_assert_false(fc_decode_hello(&message, &out));

    guint8 data[sizeof(struct FcDataHeader) + 3 * sizeof(struct FcUnit)] = {0};
    struct FcDataHeader header = {.count = 2, .generation = 1};
    memcpy(data, &header, sizeof header);
    message.payload = data;
    message.payload_bytes = sizeof data;
    const guint8 *records;
    g_assert_true(fc_decode_data(&message, &header, &records));
    g_assert_true(records == data + sizeof header);
    header.count = 3;
    memcpy(data, &header, sizeof header);
    g_assert_false(fc_decode_data(&message, &header, &records));
    header.count = UINT32_MAX; /* and one more wraps round */
    memcpy(data, &header, sizeof header);
    g_assert_false(fc_decode_data(&message, &header, &records));
    header.count = 2;
    header.generation = 0x10000;
    memcpy(data, &header, sizeof header);
    g_assert_false(fc_decode_data(&message, &header, &records));

    struct FcModuleInfo info = {.start = 1, .end = 2};
    const char *path;
    gsize path_bytes;
    message.payload = (const guint8 *)&info;
    message.payload_bytes = sizeof info;
    g_assert_true(fc_decode_module(&message, &info, &path, &path_bytes));
    g_assert_cmpuint(path_bytes, ==, 0);
    info.build_id_bytes = FC_BUILD_ID_MAX + 1;
    g_assert_false(fc_decode_module(&message, &info, &path, &path_bytes));
}

static void check_arguments(const char *payload, gsize bytes, const char *expected_words)
{
    FcWireMessage message = {.type = FC_MSG_TEXT,
                             .argument = FC_TEXT_COMMAND_LINE,
                             .payload = (const guint8 *)payload,
                             .payload_bytes = bytes};
    g_auto(GStrv) words = fc_decode_arguments(&message);
    g_autofree char *joined = g_strjoinv("|", words);
    g_assert_cmpstr(joined, ==, expected_words);
}

static void test_arguments(void)
{
    check_arguments("a\0b c\0\0d\0", 9, "a|b c||d");
    check_arguments("cut", 3, "cut"); /* without its NUL */
    check_arguments("", 0, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/decode/cuts", test_cuts);
    g_test_add_func("/decode/garbage", test_garbage);
    g_test_add_func("/decode/bad-headers", test_bad_headers);
    g_test_add_func("/decode/long-payload", test_long_payload);
    g_test_add_func("/decode/endless-payload", test_endless_payload);
    g_test_add_func("/decode/many-unfinished", test_many_unfinished);
    g_test_add_func("/decode/payload-kinds", test_payload_kinds);
    g_test_add_func("/decode/arguments", test_arguments);
    return g_test_run();
}
