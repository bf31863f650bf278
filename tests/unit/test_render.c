/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Unit tests of fcdump/render.c: times in readable units at every edge, tables.
 */
#include "fcdump/render.h"
#include "fcdump/short-names.h"

#include <string.h>

static void test_times(void)
{
    static const struct
    {
        guint64 ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {15, "15 ns"},
        {999, "999 ns"},
        {1000, "1.000 us"},
        {9999, "9.999 us"},
        {10000, "10.00 us"},
        {99994, "99.99 us"},
        {99995, "100.0 us"},
        {999949, "999.9 us"},
        {999950, "1.000 ms"},
        {1234567, "1.235 ms"},
        {59949999, "59.95 ms"},
        {999949999, "999.9 ms"},
        {G_GUINT64_CONSTANT(999950000), "1.000 s "},
        {G_GUINT64_CONSTANT(180000000000), "180.0 s "},
        {G_GUINT64_CONSTANT(999950000000), "1000 s "},
        {G_GUINT64_CONSTANT(9999000000000), "9999 s "},
        {G_GUINT64_CONSTANT(9999500000000), "2.778 h "},
        {G_GUINT64_CONSTANT(360000000000000), "100.0 h "},
        {G_MAXUINT64, "5124096 h "},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    {
        g_autofree char *text = fc_format_time(cases[i].ns);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

static void test_shares(void)
{
    g_autofree char *none = fc_format_share(5, 0);
    g_autofree char *whole = fc_format_share(7, 7);
    g_autofree char *third = fc_format_share(1, 3);
    g_assert_cmpstr(none, ==, "-");
    g_assert_cmpstr(whole, ==, "100.0");
    g_assert_cmpstr(third, ==, "33.3");
}

static void test_text(void)
{
    g_autofree char *clean = fc_format_text("a\033[1mb\n\xc2\x9b"
                                            "c\xff\xc3\xa9");
    g_assert_cmpstr(clean, ==, "a\\x1b[1mb\\x0a\\x9bc\xef\xbf\xbd\xc3\xa9");
}

static char *print_table(guint width, gboolean utf8)
{
    static const FcColumn columns[] = {
        {"group", "n", FALSE}, {"group", "m", FALSE}, {NULL, "name", TRUE}};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    FcRender *render = fc_render_new(out, FALSE, width, utf8);
    FcTable *table = fc_table_new(columns, G_N_ELEMENTS(columns));
    fc_table_row(table, FC_STYLE_STRONG);
    fc_table_cell(table, g_strdup("1"));
    fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup("first"));
    fc_table_gap(table);
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup("1000"));
    fc_table_cell(table, g_strdup("2"));
    fc_table_cell(table, g_strdup("\xc3\xa9t\xc3\xa9 and a long name"));
    fc_table_print(table, render);
    fc_table_free(table);
    fc_render_free(render);
    fclose(out);
    return text;
}

static void test_tables(void)
{
    g_autofree char *whole = print_table(0, TRUE);
    g_assert_cmpstr(whole, ==,
                    "- group -\n"
                    "     n  m  name\n"
                    "     1     first\n"
                    "\n"
                    "  1000  2  \xc3\xa9t\xc3\xa9 and a long name\n");
    g_autofree char *cut = print_table(20, TRUE);
    g_assert_true(g_str_has_suffix(cut, "\n  1000  2  \xc3\xa9t\xc3\xa9 and \xe2\x80\xa6\n"));
    g_autofree char *ascii = print_table(20, FALSE);
    g_assert_true(g_str_has_suffix(ascii, "\n  1000  2  \xc3\xa9t\xc3\xa9 an...\n"));
    g_autofree char *narrow = print_table(18, FALSE); /* a name needs 8 columns */
    g_assert_true(g_str_has_suffix(narrow, "\n  1000  \xc3\xa9t\xc3\xa9 and...\n"
                                           "For want of width\nnot shown: group\nm.\n"));
}

static char *print_note(guint width, const char *note)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    FcRender *render = fc_render_new(out, FALSE, width, TRUE);
    fc_render_note(render, "%s", note);
    fc_render_free(render);
    fclose(out);
    return text;
}

static void test_notes(void)
{
    static const struct
    {
        guint width;
        const char *note;
        const char *lines;
    } cases[] = {
        {0, "a note that may be as long as it likes", "a note that may be as long as it likes\n"},
        {20, "twenty columns are a lot", "twenty columns are a\nlot\n"},
        {20, "twenty columns are lots", "twenty columns are\nlots\n"},
        {20, "a_word_that_is_too_long_for_it yes", "a_word_that_is_too_long_for_it\nyes\n"},
        {30, "Hot path   behind what is a column",
         "Hot path   behind what is a\n           column\n"},
        {24, "    indented lines stay so", "    indented lines stay\n    so\n"},
        {24, "set it to 'what is to be copied' then", "set it to\n'what is to be copied'\nthen\n"},
        {24, "a thread's time is the thread's", "a thread's time is the\nthread's\n"},
        {17, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 is eleven too",
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 is\neleven too\n"},
        {16, "too narrow for words", "too narrow for\nwords\n"},
        {24, "            far to the right of it", "      far to the right\n      of it\n"},
        {20, "", "\n"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    {
        g_autofree char *lines = print_note(cases[i].width, cases[i].note);
        g_assert_cmpstr(lines, ==, cases[i].lines);
    }
}

/* Names that differ anywhere stay different; what fits is left alone. */
static void test_short_names(void)
{
    FcShortNames *names = fc_short_names_new("...");
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint at = 0; at < 100; at++)
    {
        g_autofree char *name = g_strnfill(100, 'x');
        name[at] = 'y';
        char *fits = fc_short_names_fit(names, name, 24);
        g_assert_cmpint(g_utf8_strlen(fits, -1), <=, 24);
        g_autofree char *again = fc_short_names_fit(names, name, 24);
        g_assert_cmpstr(again, ==, fits);
        g_assert_true(g_hash_table_add(seen, fits));
    }
    g_autofree char *little = fc_short_names_fit(names, "|  `- little", 12);
    g_assert_cmpstr(little, ==, "|  `- little");
    g_autofree char *tree = fc_short_names_fit(names, "|  `- a name that is too long for that", 26);
    g_assert_cmpstr(tree, ==, "|  `- a name that is to...");
    static const char *const overloads[][2] = {
        {"store::put(std::string, int, long, char)", "put(std::string, ...)"},
        {"store::put(std::string, int, long, double)", "put(...)"}, /* not the same */
        {"a_name_of_its_own(std::string, int)", "a_name_of_its_own(...)"},
        {"visit_each<Handler<int>, char>(int)", "visit_each<...>(int)"},
        {"visit_all<Handler<int>>(int, std::string)", "visit_all<...>(int, ...)"},
        {"read_configuration_of_a_host", "read_configuration_of..."},
        {"read_configuration_of_a_user", "read_confi...n_of_a_user"}, /* not the same */
    };
    for (guint i = 0; i < G_N_ELEMENTS(overloads); i++)
    {
        g_autofree char *cut = fc_short_names_fit(names, overloads[i][0], 24);
        g_assert_cmpstr(cut, ==, overloads[i][1]);
    }
    g_autofree char *brief = fc_short_names_brief(overloads[0][0], 26, "...");
    g_assert_cmpstr(brief, ==, "put(std::string, int, ...)");
    g_autofree char *start = fc_short_names_brief("Log::a_name_that_is_too_long", 20, "...");
    g_assert_cmpstr(start, ==, "a_name_that_is_to...");
    g_autofree char *ends = fc_short_names_ends("Log::a_name_that_is_too_long", 20, "...");
    g_assert_cmpstr(ends, ==, "a_name_t..._too_long");
    fc_short_names_free(names);
}

/* Of a tree that is too deep for the width all rows have narrower levels, one that fits is left
 * alone. */
static void test_deep_tree(void)
{
    static const FcColumn tree_columns[] = {{NULL, "time", FALSE}, {NULL, "context", TRUE}};
    static const char *const rows[] = {"main", "`- first", "   |- a_name_of_fifteen",
                                       "   |  `- deepest_of_all", "   `- last"};
    static const struct
    {
        guint width;
        const char *lines;
    } cases[] = {{24, "time  context\n"
                      "   1  main\n"
                      "   1  ` first\n"
                      "   1   | a_name_of_fi...\n"
                      "   1   |` deepest_of_all\n"
                      "   1   ` last\n"},
                 {40, "time  context\n"
                      "   1  main\n"
                      "   1  `- first\n"
                      "   1     |- a_name_of_fifteen\n"
                      "   1     |  `- deepest_of_all\n"
                      "   1     `- last\n"}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        FcRender *render = fc_render_new(out, FALSE, cases[i].width, FALSE);
        FcTable *table = fc_table_new(tree_columns, G_N_ELEMENTS(tree_columns));
        for (guint r = 0; r < G_N_ELEMENTS(rows); r++)
        {
            fc_table_row(table, FC_STYLE_PLAIN);
            fc_table_cell(table, g_strdup("1"));
            fc_table_cell(table, g_strdup(rows[r]));
        }
        fc_table_print(table, render);
        fc_table_free(table);
        fc_render_free(render);
        fclose(out);
        g_assert_cmpstr(text, ==, cases[i].lines);
        free(text);
    }
}

static const FcColumn csv_columns[] = {
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {NULL, NULL, TRUE, .csv = "name, or \"so\""},
    {NULL, "bar", TRUE, .reader = FC_READER_PERSON},
};

/* The last test: what is formatted from then on is for programs. */
static void test_csv(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    FcRender *render = fc_render_new(out, TRUE, 10, TRUE);
    FcTable *table = fc_table_new(csv_columns, G_N_ELEMENTS(csv_columns));
    fc_format_use_csv();
    fc_format_use_clock(FC_CLOCK_CPU);
    fc_render_title(render, "Title");
    fc_table_row(table, FC_STYLE_HOT);
    fc_table_cell(table, g_strdup("one"));
    fc_table_cell(table, fc_format_time(1234567890));
    fc_table_cell(table, fc_format_share(1, 3));
    fc_table_cell(table, g_strdup("operator,(\"a\")"));
    fc_table_cell(table, g_strdup("####"));
    fc_table_gap(table);
    fc_table_remark(table, FC_STYLE_DIM);
    fc_table_cell(table, g_strdup("(3 more)"));
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup("-"));
    fc_table_print(table, render);
    fc_render_note(render, "A note.");
    fc_table_free(table);
    fc_render_free(render);
    fclose(out);
    g_assert_cmpstr(text, ==,
                    "row,total time (CPU ns),total %,\"name, or \"\"so\"\"\"\r\n"
                    "one,1234567890,33.333333,\"operator,(\"\"a\"\")\"\r\n"
                    ",,,\r\n");
    free(text);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/render/times", test_times);
    g_test_add_func("/render/shares", test_shares);
    g_test_add_func("/render/text", test_text);
    g_test_add_func("/render/tables", test_tables);
    g_test_add_func("/render/notes", test_notes);
    g_test_add_func("/render/short-names", test_short_names);
    g_test_add_func("/render/deep-tree", test_deep_tree);
    g_test_add_func("/render/csv", test_csv);
    return g_test_run();
}
