/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Readable names of linkage names that have one without end: each is done at once, as it is.  The
 * names are of a few hundred bytes; a thousand is as long as a C++ name may be.
 */
#include "symbols/demangle.h"

#include <string.h>

#define LEVELS 45

/* Reference to substitution `number`, in digits of base 36: "S_", "S0_" ... */
static void append_reference(GString *name, int number)
{
    const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    g_string_append_c(name, 'S');
    if (number >= 37)
        g_string_append_c(name, digits[(number - 1) / 36]);
    if (number >= 1)
        g_string_append_c(name, digits[(number - 1) % 36]);
    g_string_append_c(name, '_');
}

/* p<i, i>, p<P0, P0>, ...: template arguments, each of twice the one before; `p` is the number of
 * that name's substitution. */
static void append_doubled(GString *name, int p)
{
    g_string_append(name, "1pIiiE");
    for (int i = 1; i < LEVELS; i++)
    {
        append_reference(name, p);
        g_string_append_c(name, 'I');
        append_reference(name, p + i);
        append_reference(name, p + i);
        g_string_append_c(name, 'E');
    }
}

static void assert_as_it_is(const char *raw)
{
    for (FcDemangle style = FC_DEMANGLE_NONE; style <= FC_DEMANGLE_PARAMS; style++)
    {
        g_autofree char *name = fc_demangle_name(raw, style);
        g_assert_cmpstr(name, ==, raw);
    }
    fc_demangle_variant(raw);
}

static void assert_endless(const char *raw)
{
    assert_as_it_is(raw);
    g_assert_false(fc_demangle_has_bounds(raw));
}

static void test_doubled(void)
{
    g_autoptr(GString) name = g_string_new("_Z1fI");
    append_doubled(name, 1);
    g_string_append(name, "Evv");
    assert_endless(name->str);
    g_string_append(name, "@VERSION");
    g_assert_false(fc_demangle_has_bounds(name->str));
}

/* The pattern of an expansion that has no pack in it: it is looked through, and nothing written. */
static void test_doubled_silently(void)
{
    g_autoptr(GString) name = g_string_new("_Z1fIDp1qI");
    append_doubled(name, 2);
    g_string_append(name, "EEvv");
    assert_endless(name->str);
}

/* A parameter of a template stands for arguments that have the next outer one's twice. */
static void test_doubled_parameters(void)
{
    g_autoptr(GString) name = g_string_new("_Z");
    for (int i = 0; i < LEVELS; i++)
        g_string_append(name, "Z");
    for (int i = 0; i < LEVELS; i++)
        g_string_append(name, i == 0 ? "1fIiEvvE" : "1gI1pIT_T_EEvT_E");
    g_string_append(name, "1x");
    g_autofree char *plain = fc_demangle_name(name->str, FC_DEMANGLE_PARAMS);
    g_assert_cmpuint(strlen(plain), <=, 1 << 20);
}

/* Tuples of Rust, each of the one before it twice. */
static void test_doubled_rust(void)
{
    g_autoptr(GString) name = g_string_new("_RINvC1a1fT");
    gsize last = name->len - 2;
    g_string_append(name, "hhE");
    for (int i = 0; i < 60; i++)
    {
        const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const gsize start = name->len - 2;
        const gsize number = last - 1;
        g_autofree char *text =
            number >= 62 ? g_strdup_printf("B%c%c_", digits[number / 62], digits[number % 62])
                         : g_strdup_printf("B%c_", digits[number]);
        g_string_append_printf(name, "T%s%sE", text, text);
        last = start;
    }
    g_string_append(name, "E");
    assert_endless(name->str);
    assert_endless("_RINvC1a1fFGzzzzzzzzzz_EuE");
}

/* What libiberty reads in its second attempt alone. */
static void test_doubled_unread(void)
{
    g_autoptr(GString) name = g_string_new("_Z1fI");
    append_doubled(name, 1);
    g_string_append(name, "EXsr3std9is_signedIiE5valueEv");
    assert_endless(name->str);
}

static void test_long(void)
{
    g_autoptr(GString) name = g_string_new("_ZN");
    while (name->len < 4 * 1024 * 1024)
        g_string_append(name, "1a");
    g_string_append(name, "C1Ev");
    assert_as_it_is(name->str);
    g_string_assign(name, "_Z1f");
    while (name->len < 1000)
        g_string_append(name, "P");
    g_string_append(name, "i");
    g_autofree char *deep = fc_demangle_name(name->str, FC_DEMANGLE_PARAMS);
    g_assert_nonnull(deep);
}

static void test_still(void)
{
    const char *names[][2] = {
        {"_ZNSt6vectorIiSaIiEE9push_backERKi",
         "std::vector<int, std::allocator<int> >::push_back(int const&)"},
        {"_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
         "std::remove_reference<int&>::type&& std::move<int&>(int&)"},
        {"_Z1fIJicdEEvDpT_", "void f<int, char, double>(int, char, double)"},
        {"_ZZ1fvENKUlT_T0_E_clIiiEEDaS_S0_",
         "auto f()::{lambda(auto:1, auto:2)#1}::operator()<int, int>(int, int) const"},
        {"_ZN1AcvT_IiEEv", "A::operator int<int>()"},
        {"_ZN1a1fIiEENSt9enable_ifIXsr3std9is_signedIT_EE5valueES2_E4typeES2_S2_",
         "std::enable_if<std::is_signed<int>::value, int>::type a::f<int>(int, int)"},
        {"_RNvC1a1f", "a::f"},
        {"_ZN1a1fEv.constprop.0", "a::f() [clone .constprop.0]"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    {
        g_autofree char *name = fc_demangle_name(names[i][0], FC_DEMANGLE_PARAMS);
        g_assert_cmpstr(name, ==, names[i][1]);
        g_assert_true(fc_demangle_has_bounds(names[i][0]));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/demangle/doubled", test_doubled);
    g_test_add_func("/demangle/doubled-silently", test_doubled_silently);
    g_test_add_func("/demangle/doubled-parameters", test_doubled_parameters);
    g_test_add_func("/demangle/doubled-rust", test_doubled_rust);
    g_test_add_func("/demangle/doubled-unread", test_doubled_unread);
    g_test_add_func("/demangle/long", test_long);
    g_test_add_func("/demangle/still", test_still);
    return g_test_run();
}
