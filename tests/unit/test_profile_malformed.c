/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The .fc reader takes nothing on trust: cut off at every byte, changed at random,
 * counts and indices that lie.  It says where and why, and never crashes.
 */
#include "asan.h"
#include "profile_fixture.h"

#include <string.h>
#include <sys/resource.h>

/* How often what is made up is made up.  With the sanitizers a round takes nine times as long, and
 * a fuzz target makes up far more. */
#define ROUNDS (FIXTURE_ASAN ? 500u : 5000u)
#define CUT_OFF (FIXTURE_ASAN ? 2u : 6u)

/* From memory of exactly that size, so that the sanitizers see a read beyond it. */
static FcProfile *parse(const char *text, gsize bytes, GError **error)
{
    g_autofree char *data = g_memdup2(text, bytes);
    return fc_profile_parse(data, bytes, error);
}

static void assert_rejected(const char *text, gsize bytes, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) profile = parse(text, bytes, &error);
    g_assert_null(profile);
    g_assert_nonnull(error);
    g_assert_true(error->domain == FC_PROFILE_ERROR);
    g_assert_true(g_str_has_prefix(error->message, "line "));
    if (message != NULL)
        g_assert_cmpstr(error->message, ==, message);
}

/* `text` with the only `from` in it replaced. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *place = strstr(text, from);
    g_assert_nonnull(place);
    g_assert_null(strstr(place + 1, from));
    return g_strdup_printf("%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
}

/* How many of the beginnings of `profile` are taken for a whole file. */
static guint count_accepted(const FcProfile *profile)
{
    g_autoptr(GString) text = fc_profile_format(profile);
    guint accepted = 0;
    for (gsize bytes = 0; bytes < text->len; bytes++)
    {
        g_autoptr(GError) error = NULL;
        g_autoptr(FcProfile) read = parse(text->str, bytes, &error);
        g_assert_true((read == NULL) == (error != NULL));
        if (read == NULL)
            continue;
        g_assert_false(read->extended);
        g_assert_true(text->str[bytes - 1] == '\n');
        accepted++;
    }
    return accepted;
}

static void test_truncated(void)
{
    for (guint32 seed = 0; seed < CUT_OFF; seed++)
    {
        g_autoptr(FcProfile) profile = fixture_profile_new(seed, seed * 2);
        g_free(profile->unique_id);
        profile->unique_id = g_strdup("a session");
        g_assert_cmpuint(count_accepted(profile), ==, 0);
        /* As version 3.0 wrote it, a file without the lists of memory is whole. */
        profile->extended = FALSE;
        g_assert_cmpuint(count_accepted(profile), ==, 1);
    }
}

/* Where the sections should begin but do not. */
static void test_cut_between_parts(void)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_autoptr(GString) text = fc_profile_format(profile);
    const char *sections = strstr(text->str, "section process ");
    g_assert_nonnull(sections);
    g_assert_true(g_str_has_suffix(text->str, "section end 1 0\n"));
    assert_rejected(text->str, (gsize)(sections - text->str),
                    "line 22: the file ends here, where a section must follow");
    assert_rejected(text->str, (gsize)(sections - text->str) - strlen("0\n0\n0\n"),
                    "line 19: the file ends here, where the number of leaks must follow");
    /* Files of before the announcement are read as ever. */
    g_autofree char *unannounced = replaced(text->str, "one+sections\n", "one\n");
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) read = parse(unannounced, strlen(unannounced), &error);
    g_assert_no_error(error);
    fixture_assert_equal(profile, read);
}

static void test_changed_bytes(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(4711);
    for (guint32 seed = 1; seed < 5; seed++)
    {
        g_autoptr(FcProfile) profile = fixture_profile_new(seed, 3);
        g_autoptr(GString) text = fc_profile_format(profile);
        for (guint i = 0; i < ROUNDS; i++)
        {
            g_autofree char *changed = g_memdup2(text->str, text->len);
            for (gint j = g_rand_int_range(rand, 1, 4); j > 0; j--)
                changed[g_rand_int_range(rand, 0, (gint)text->len)] =
                    g_rand_boolean(rand)
                        ? (char)g_rand_int(rand)
                        : " \n-0123456789xsection\\"[g_rand_int_range(rand, 0, 22)];
            g_autoptr(GError) error = NULL;
            g_autoptr(FcProfile) read = fc_profile_parse(changed, text->len, &error);
            g_assert_true((read == NULL) == (error != NULL));
            /* What was accepted is a whole model: every index in it is good. */
            if (read != NULL)
            {
                g_autoptr(GString) again = fc_profile_format(read);
                g_autoptr(FcProfile) same = parse(again->str, again->len, &error);
                g_assert_no_error(error);
                if (read->extended)
                    fixture_assert_equal(read, same);
                g_autoptr(FcProfile) merged = fc_profile_new();
                fc_profile_merge(merged, read);
            }
        }
    }
}

static void test_random_bytes(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (guint i = 0; i < ROUNDS; i++)
    {
        char bytes[200];
        const gsize count = (gsize)g_rand_int_range(rand, 0, sizeof bytes);
        for (gsize j = 0; j < count; j++)
            bytes[j] = (char)g_rand_int(rand);
        assert_rejected(bytes, count, NULL);
        static const char header[] = "functioncheck_v3.0\n";
        memcpy(bytes, header, sizeof header - 1);
        assert_rejected(bytes, MAX(count, sizeof header - 1), NULL);
    }
}

static void test_headers(void)
{
    assert_rejected("", 0, "line 1: the file is empty");
    assert_rejected("\n", 1, "line 1: not a FunctionCheck profile");
    assert_rejected("functioncheck", 13, "line 1: not a FunctionCheck profile");
    assert_rejected("\177ELF", 4, "line 1: not a FunctionCheck profile");
    assert_rejected("functioncheck_v3.0", 18, "line 1: the file ends within this line");
    assert_rejected("functioncheck_v4.0\n", 19,
                    "line 1: version \"4.0\" of the format is not known");
    assert_rejected("functioncheck_v3.01\n", 20,
                    "line 1: version \"3.01\" of the format is not known");
    g_autoptr(GError) error = NULL;
    g_assert_null(parse("functioncheck_v2\n", 17, &error));
    g_assert_error(error, FC_PROFILE_ERROR, FC_PROFILE_ERROR_VERSION);
}

/* A text of the plain profile, what it is replaced by, what is then said. */
static const char *const wrong_parts[][3] = {
    {"\n2\n10\n", "\n4\n10\n", "line 4: the profile mode is none of 1 to 3"},
    {"\n1\n2\n10\n", "\n0\n2\n10\n", "line 3: the time mode is none of 1 to 4"},
    {"\n9\n5\n", "\n9\n-5\n", "line 7: the execution time is not a number of 64 bits"},
    {"\n9\n5\n", "\n9\n18446744073709551616\n",
     "line 7: the execution time is not a number of 64 bits"},
    {"\n9\n5\n", "\n9\n6\n", "line 7: differs from what the sections below say"},
    {"\n9\n5\n", "\n9223372036854775808\n5\n",
     "line 6: the parent's process id is not a number of 64 bits with sign"},
    {"3\n0x1010 0x1100 1\n", "4000000000\n0x1010 0x1100 1\n",
     "line 12: the call site is not an address of 64 bits"},
    {"0x1010 0x1100 1\n", "0x1010 1100 1\n",
     "line 9: the called function is not an address of 64 bits"},
    {"0x1010 0x1100 1\n", "0x1010 0x11112222333344445 1\n",
     "line 9: the called function is not an address of 64 bits"},
    {"0x1010 0x1100 1\n", "0x1010 0x1100\n", "line 9: the number of calls is missing"},
    {"0x1010 0x1100 1\n", "0x1010 0x1100 1 1\n", "line 9: too much on the line"},
    {"0x1010 0x1100 1\n", "0x1010 0x1100 7\n", "line 9: differs from what the sections below say"},
    {"section process 1 7", "section process 1 99999999999",
     "line 22: no section can have so many lines"},
    {"section modules 1 2", "section modules 1 4000000000",
     "line 33: no section can have so many lines"},
    {"section modules 1 2", "section modules 1 2000000000",
     "line 36: the base is not an "
     "address of 64 bits"},
    {"section functions 1 3", "section functions 1 2000000000",
     "line 36: 2000000000 functions, but the first part has 3"},
    {"section functions 1 3", "sections functions 1 3", "line 36: a section must begin here"},
    {"section functions 1 3", "section functions 1",
     "line 36: the section's number of lines "
     "is missing"},
    {"section functions 1 3", "section functions 2 900000000",
     "line 54: the file ends here, where the rest of the section must follow"},
    {"section threads 1 0", "section clock 1 0", "line 40: section clock is out of order"},
    {"0 0x1100 1 5000", "2 0x1100 1 5000", "line 37: the module is 2, but there are 2"},
    {"1000 1000 13:1", "1000 1000 48:1", "line 37: bucket 48 is out of range or order"},
    {"10:1 12:1", "12:1 10:1", "line 38: bucket 10 is out of range or order"},
    {"10:1 12:1", "10:1 10:1", "line 38: bucket 10 is out of range or order"},
    {"10:1 12:1", "10", "line 38: a bucket must be NUMBER:COUNT"},
    {"10:1 12:1", "10:", "line 38: the count of a bucket is missing"},
    {"10:1 12:1", "10:99999999999999999999",
     "line 38: the count of a bucket is not a number of 64 bits"},
    {"1 0 0x1210 2 4 1000\n", "1 0 0x1210 3 4 1000\n",
     "line 46: the function is 3, but there are 3"},
    {"1 0 0x1210 2 4 1000\n", "1 0 0x1210 -1 4 1000\n",
     "line 46: the function is -1, but there are 3"},
    {"section end 1 0\n", "section end 1 1\n",
     "line 54: the file ends here, where the rest of the section must follow"},
    {"section end 1 0\n", "section end 1 0\n\n", "line 54: nothing may follow the last section"},
    {"section end 1 0\n", "", "line 53: the file ends here, where a section must follow"},
    {"mode tsc", "mode ext", "line 31: the first part says that the clock is tsc"},
    {"ticks-per-second 0", "ticks-per-second nan", "line 32: ticks-per-second is not a number"},
    {"end unknown 0", "end somehow 0", "line 26: not a known way to end"},
    {"end unknown 0", "argument x", "line 26: \"arguments\" must stand before this"},
    {"end unknown 0", "arguments 2", "line 29: 0 arguments instead of 2"},
    {"end unknown 0", "executable a\\b", "line 26: executable has an escape that is none"},
    {"end unknown 0", "executable a\\000b", "line 26: executable has an escape that is none"},
};

static void test_wrong_parts(void)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_autoptr(GString) text = fc_profile_format(profile);
    for (guint i = 0; i < G_N_ELEMENTS(wrong_parts); i++)
    {
        g_test_message("%s", wrong_parts[i][1]);
        g_autofree char *wrong = replaced(text->str, wrong_parts[i][0], wrong_parts[i][1]);
        assert_rejected(wrong, strlen(wrong), wrong_parts[i][2]);
    }
}

/* A context may only hang on one before it. */
static void test_parents(void)
{
    static const gint parents[][2] = {{0, 0}, {1, 1}, {1, 2}, {0, -2}, {2, G_MAXINT32}};
    for (guint i = 0; i < G_N_ELEMENTS(parents); i++)
    {
        g_autoptr(FcProfile) profile = fixture_plain_new();
        g_array_index(profile->contexts, FcProfileContext, parents[i][0]).parent = parents[i][1];
        g_autoptr(GString) text = fc_profile_format(profile);
        assert_rejected(text->str, text->len, NULL);
    }
}

/* Sections of other names, and later versions of known ones, are passed over. */
static void test_future(void)
{
    static const char *const rows[][2] = {
        {"section clock 1 2", "section heap 7 2\nany thing\n\\\nsection clock 1 2"},
        {"section contexts 1 3", "section contexts 2 3"},
        {"section modules 1 2", "section modules 2 2"},
        {"section arcs 1 3", "section arcs 9 3"},
        {"section functions 1 3", "section functions 9 3"},
        {"section threads 1 0", "section threads 2 0"},
        {"end unknown 0", "colour blue and green"},
    };
    g_autoptr(FcProfile) profile = fixture_plain_new();
    /* Then the first part has the library alone, at another index than ours. */
    profile->executable = g_strdup("/bin/app");
    g_autoptr(GString) text = fc_profile_format(profile);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    {
        g_autoptr(GError) error = NULL;
        g_autofree char *future = replaced(text->str, rows[i][0], rows[i][1]);
        g_autoptr(FcProfile) read = parse(future, strlen(future), &error);
        g_assert_no_error(error);
        g_assert_true(read->extended);
        g_assert_cmpuint(read->functions->len, ==, 3);
        g_assert_cmpuint(read->arcs->len, ==, 3);
        g_assert_cmpuint(g_array_index(read->functions, FcProfileFunction, 1).times.total_ns, ==,
                         4000);
        const FcProfileLocation *places[] = {
            &g_array_index(read->functions, FcProfileFunction, 2).location,
            &g_array_index(read->arcs, FcProfileArc, 1).site,
        };
        g_assert_cmphex(places[0]->address, ==, 0x2100);
        g_assert_cmphex(places[1]->address, ==, 0x1110);
        /* Without the modules no place has one. */
        const gboolean known = g_str_has_prefix(rows[i][0], "section modules") == 0;
        g_assert_cmpint(places[0]->module, ==, known ? 1 : FC_NONE);
        g_assert_cmpint(places[1]->module, ==, known ? 0 : FC_NONE);
        g_assert_cmphex(places[0]->offset, ==, known ? 0x100 : 0x2100);
        g_assert_cmphex(places[1]->offset, ==, known ? 0x110 : 0x1110);
    }
}

/* Memory follows the text, not the numbers in it. */
static void test_lying_counts(void)
{
#if FIXTURE_ASAN
    g_test_skip("the sanitizer needs more address space than the limit");
#else
    struct rlimit old;
    g_assert_cmpint(getrlimit(RLIMIT_AS, &old), ==, 0);
    struct rlimit low = {256U << 20, old.rlim_max};
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_autoptr(GString) text = fc_profile_format(profile);
    g_assert_cmpint(setrlimit(RLIMIT_AS, &low), ==, 0);
    static const char *const names[] = {"modules 1 2", "arcs 1 3", "contexts 1 3", "losses 1 0"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    {
        g_autofree char *lie =
            g_strdup_printf("%.*s 2147483647", (int)(strrchr(names[i], ' ') - names[i]), names[i]);
        g_autofree char *wrong = replaced(text->str, names[i], lie);
        assert_rejected(wrong, strlen(wrong), NULL);
    }
    const char first[] = "functioncheck_v3.0\nid\n1\n1\n1\n1\n1\n18446744073709551615\n";
    assert_rejected(first, sizeof first - 1,
                    "line 9: the file ends here, where an arc of the call graph must follow");
    g_assert_cmpint(setrlimit(RLIMIT_AS, &old), ==, 0);
#endif
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/profile/malformed/truncated", test_truncated);
    g_test_add_func("/profile/malformed/cut-between-parts", test_cut_between_parts);
    g_test_add_func("/profile/malformed/changed-bytes", test_changed_bytes);
    g_test_add_func("/profile/malformed/random-bytes", test_random_bytes);
    g_test_add_func("/profile/malformed/headers", test_headers);
    g_test_add_func("/profile/malformed/wrong-parts", test_wrong_parts);
    g_test_add_func("/profile/malformed/parents", test_parents);
    g_test_add_func("/profile/malformed/future", test_future);
    g_test_add_func("/profile/malformed/lying-counts", test_lying_counts);
    return g_test_run();
}
