/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lowest layer of the text formats: words, numbers and lines.  Called by the
 * formatters and parsers in this folder only.  Must never know what a word means.
 *
 * A word is one or more bytes without a blank.  A string becomes a word so:
 * NULL is "-" and the empty string "\e"; a byte up to the blank, a backslash and
 * DEL become a backslash and three octal digits; so does "-" where it is the whole
 * string, and each byte from 0x80 where the string is not UTF-8.
 */
#pragma once

#include <glib.h>

/* ---- Writing --------------------------------------------------------------- */

void fc_text_append_word(GString *out, const char *string);
/* For a name at the end of a line: as above, but blanks stay as they are. */
void fc_text_append_rest(GString *out, const char *string);
void fc_text_append_number(GString *out, guint64 number);
void fc_text_append_signed(GString *out, gint64 number);
void fc_text_append_hex(GString *out, guint64 number); /* 0x... */

/* Receives the text piece by piece: a profile with a million leaks has more than a hundred
 * megabytes. */
typedef struct
{
    void (*take)(gpointer data, const GString *text);
    gpointer data;
} FcTextSink;
#define FC_TEXT_PIECE_BYTES (1u << 18)
/* Passes `out` to the sink and empties it, if there is a sink and `out` has the size of a piece. */
void fc_text_pass_on(const FcTextSink *sink, GString *out);

/* ---- Reading ---------------------------------------------------------------
 *
 * The first thing wrong is kept as the reader's error, and from then on every
 * call returns FALSE, so a caller may chain them with && and look once.
 */
typedef struct FcTextSource FcTextSource;
struct FcTextSource
{
    /* Reads up to `room` bytes into `into`.  Returns their number; 0: the end; -1 and `error`: it
     * failed. */
    gssize (*read)(FcTextSource *source, char *into, gsize room, GError **error);
};

typedef struct
{
    FcTextSource *source; /* gives what follows `end`; NULL: nothing follows */
    char *buffer; /* what came from the source, as far as it is still needed; NULL: there is no
                     source */
    gsize buffer_bytes;
    GString *copy;    /* unless NULL, each line that the reader goes on to is appended */
    const char *next; /* unread text */
    const char *end;
    const char *word; /* the rest of the current line: [word, line_end) */
    const char *line_end;
    guint64 line; /* number of the current line; 0 before the first */
    GError *error;
} FcText;

/* `data` must outlive the reader. */
void fc_text_start(FcText *text, const char *data, gsize bytes);
/* The same for a text that comes piece by piece.  Keeps only the current line and some 64 KiB after
 * it.  `source` must outlive the reader. */
void fc_text_start_source(FcText *text, FcTextSource *source);
/* Reads more text, after which the unread text may have moved.  FALSE: there is no more, or an
 * error. The functions below call it when they need it. */
gboolean fc_text_read_more(FcText *text);
/* Frees what the reader owns, except its error. */
void fc_text_stop(FcText *text);

/* Goes on to the next line.  FALSE and an error at the end of the text ("ends
 * here, where WHAT must follow") or where the last line is not ended. */
gboolean fc_text_next_line(FcText *text, const char *what);
gboolean fc_text_at_end(FcText *text);
/* Puts "line N: ..." into the reader's error, unless it has one.  Always FALSE. */
gboolean fc_text_fail(FcText *text, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The parts of the current line.  `what` names the part in the error. */
gboolean fc_text_has_word(FcText *text);
gboolean fc_text_number(FcText *text, const char *what, guint64 *out);
gboolean fc_text_signed(FcText *text, const char *what, gint64 *out);
/* The same, for a word that was split off elsewhere. */
gboolean fc_text_parse_signed(const char *word, gsize bytes, gint64 *out);
/* Hexadecimal after 0x, or what glibc's %p makes of NULL. */
gboolean fc_text_address(FcText *text, const char *what, guint64 *out);
/* An index below `limit`, or FC_NONE (written -1) where `none` allows it. */
gboolean fc_text_index(FcText *text, const char *what, guint limit, gboolean none, gint *out);
typedef enum
{
    FC_TEXT_STRICT = 0,
    FC_TEXT_NONE = 1,    /* *out may be NULL */
    FC_TEXT_LENIENT = 2, /* a backslash that begins no escape stands for itself */
} FcTextMode;
/* A word's string; the caller frees *out. */
gboolean fc_text_string(FcText *text, const char *what, FcTextMode mode, char **out);
/* Returns the word as it stands, not terminated. */
gboolean fc_text_raw_word(FcText *text, const char *what, const char **start, gsize *bytes);
/* Reads the rest of the line without the blanks around it.  An invalid escape stands for itself. */
gboolean fc_text_rest(FcText *text, const char *what, char **out);
/* FALSE and an error: something other than blanks is left. */
gboolean fc_text_end_line(FcText *text);
