/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The binary search and the name of a file without its folders, against what a plain loop says.
 */
#include <glib.h>

#include "profile/path.h"
#include "profile/search.h"

/* Of every table of up to 40 entries with gaps and repetitions, and every key around them. */
static void test_search(void)
{
    int table[40];
    for (size_t count = 0; count <= G_N_ELEMENTS(table); count++)
        for (int step = 1; step <= 4; step++)
        {
            for (size_t i = 0; i < count; i++)
                table[i] = (int)i / step * 2;
            for (int key = -1; key <= 2 * (int)count + 1; key++)
            {
                size_t lower = 0, upper = 0;
                while (lower < count && table[lower] < key)
                    lower++;
                while (upper < count && table[upper] <= key)
                    upper++;
                g_assert_cmpuint(FC_FIRST_WHERE(count, i, table[i] >= key), ==, lower);
                g_assert_cmpuint(FC_FIRST_WHERE(count, i, table[i] > key), ==, upper);
            }
        }
}

/* Few steps, and no overflow, however large the table is; one search within another's condition. */
static void test_extent(void)
{
    guint steps = 0;
    const size_t huge = G_MAXSIZE;
    g_assert_cmpuint(FC_FIRST_WHERE(huge, i, (steps++, i >= huge - 3)), ==, huge - 3);
    g_assert_cmpuint(steps, <=, 65);
    g_assert_cmpuint(FC_FIRST_WHERE(10, i, FC_FIRST_WHERE(10, j, j >= 5) <= i), ==, 5);
}

static void test_base_name(void)
{
    g_assert_cmpstr(fc_base_name("/usr/lib/libm.so.6"), ==, "libm.so.6");
    g_assert_cmpstr(fc_base_name("main.c"), ==, "main.c");
    g_assert_cmpstr(fc_base_name("folder/"), ==, "");
    g_assert_cmpstr(fc_base_name(""), ==, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/search/as-a-loop", test_search);
    g_test_add_func("/search/extent", test_extent);
    g_test_add_func("/path/base-name", test_base_name);
    return g_test_run();
}
