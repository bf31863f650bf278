/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Short names: names.txt has some 300 linkage names of real programs, of gcc, clang and rustc, with
 * the short name of each.
 */
#include "symbols/demangle.h"
#include "symbols/shorten.h"

#include <string.h>

static void test_names(void)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(FC_TEST_FOLDER, "names.txt", NULL);
    g_assert_true(g_file_get_contents(path, &text, NULL, &error));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    FcShorten how = {.location = "f.cc:7", .arguments = FC_SHORTEN_ARGUMENTS};
    guint count = 0;
    for (guint i = 0; lines[i]; i++)
    {
        char *tab = strchr(lines[i], '\t');
        if (g_str_has_prefix(lines[i], "#home "))
            how.home = strcmp(lines[i], "#home -") == 0 ? NULL : lines[i] + strlen("#home ");
        if (!tab || lines[i][0] == '#')
            continue;
        *tab = '\0';
        g_autofree char *name = fc_demangle_name(lines[i], FC_DEMANGLE_PLAIN);
        g_autofree char *shown = fc_shorten_name(name, &how);
        g_assert_cmpstr(shown, ==, tab + 1);
        count++;
    }
    g_assert_cmpuint(count, >=, 300);
}

static void assert_short(const char *raw, const FcShorten *how, const char *expected)
{
    g_autofree char *name = fc_demangle_name(raw, FC_DEMANGLE_PLAIN);
    g_autofree char *shown = fc_shorten_name(name, how);
    g_assert_cmpstr(shown, ==, expected);
}

/* What is given back where two would look alike. */
static void test_more(void)
{
    FcShorten how = {.ascii = TRUE, .home = "app", .arguments = FC_SHORTEN_ARGUMENTS};
    assert_short("_ZNSt3mapIiN3app4itemESt4lessIiESaISt4pairIKiS1_EEEixEOi", &how,
                 "std::map<int, item>::operator[]");
    assert_short("_ZNSt3mapIiSt6vectorIiSaIiEESt4lessIiESaISt4pairIKiS2_EEEixEOi", &how,
                 "std::map<...>::operator[]");
    how.arguments = 40;
    assert_short("_ZNSt3mapIiSt6vectorIiSaIiEESt4lessIiESaISt4pairIKiS2_EEEixEOi", &how,
                 "std::map<int, std::vector<int>>::operator[]");
    assert_short("_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJPFvR3LogiEiEEEEE6_M_runEv", &how,
                 "std::thread body: void (*)(Log&, int)");
    how.arguments = FC_SHORTEN_ARGUMENTS;
    assert_short("_ZZ4mainENKUliE0_clEi", &how, "main > lambda #2");
    how.location = "a.cc:3";
    assert_short("_ZZ4mainENKUliE0_clEi", &how, "main > lambda at a.cc:3");
    how.ordinals = TRUE;
    assert_short("_ZZ4mainENKUliE0_clEi", &how, "main > lambda at a.cc:3 #2");
    assert_short("_ZN3app6detail5heavyEji", &how, "detail::heavy");
    how.scopes = TRUE;
    assert_short("_ZN3app6detail1a5heavyEji", &how, "detail::a::heavy");
    how.home = NULL;
    assert_short("_ZN3app6detail5heavyEji", &how, "app::detail::heavy");
    how.clones = TRUE;
    assert_short("_ZN3app3runEv.isra.0", &how, "app::run (isra.0)");
}

static void test_parameters(void)
{
    const FcShorten how = {.home = "app", .arguments = FC_SHORTEN_ARGUMENTS};
    static const char *const rows[][2] = {
        {"app::Store::put(std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> > const&, int)",
         "(std::string const&, int)"},
        {"app::Store::get(app::Key) const", "(Key) const"},
        {"app::f()", "()"},
        {"int app::f<int>(int, void (*)(app::Key))", "(int, void (*)(Key))"},
        {"app::Store::operator()(int)", "(int)"},
        {"main", NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    {
        g_autofree char *parameters = fc_shorten_parameters(rows[i][0], &how);
        g_assert_cmpstr(parameters, ==, rows[i][1]);
    }
}

static void test_bare(void)
{
    static const char *const rows[][2] = {
        {"leveldb::SkipList<char const*, leveldb::MemTable::KeyComparator>::Find",
         "leveldb::SkipList::Find"},
        {"std::operator<< <std::char_traits<char> >", "std::operator<<"},
        {"app::f [clone .part.0]", "app::f"},
        {"work.omp_outlined_debug__", "work"},
        {"app::f(int) [clone .omp_outlined]", "app::f"},
        {"prog::apply::<prog::main::{closure#2}>", "prog::apply"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    {
        g_autofree char *bare = fc_shorten_bare(rows[i][0]);
        g_assert_cmpstr(bare, ==, rows[i][1]);
    }
}

/* Each scope from the outermost on, to the function's own name. */
static void test_scopes(void)
{
    const char *name = "a::b<c::d>::operator<";
    name = fc_shorten_behind_scope(name);
    g_assert_cmpstr(name, ==, "b<c::d>::operator<");
    name = fc_shorten_behind_scope(name);
    g_assert_cmpstr(name, ==, "operator<");
    g_assert_null(fc_shorten_behind_scope(name));
    name = fc_shorten_behind_scope("main › lambda at a::b.cc:3");
    g_assert_cmpstr(name, ==, "lambda at a::b.cc:3");
    g_assert_null(fc_shorten_behind_scope(name));
}

/* What no compiler makes is shown as it is, or as it comes: names come from strangers. */
static void test_strange(void)
{
    const FcShorten how = {.home = "app", .arguments = FC_SHORTEN_ARGUMENTS};
    static const char *const names[] = {
        "",
        ":",
        "::",
        "a::",
        "<",
        ">",
        "a<b",
        "a>b::c",
        "(",
        "operator",
        "operator(",
        "a::operator ",
        "{lambda(",
        "a::{lambda(",
        "[clone ",
        " [clone .part.0]",
        "[abi:",
        "<as as as>::x",
        "std::thread::_State_impl<",
        "a::$_",
        "std::_Function_handler<::{lambda(",
        "()::x",
        "app::",
        "operator<<<<>>>",
        "-><->::a",
    };
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    {
        g_autofree char *shown = fc_shorten_name(names[i], &how);
        g_autofree char *parameters = fc_shorten_parameters(names[i], &how);
        g_autofree char *bare = fc_shorten_bare(names[i]);
        g_autofree char *outermost = fc_shorten_outermost(names[i], NULL);
        g_autofree char *fewer = fc_shorten_fewer_parameters(names[i], 0, "...");
        g_autofree char *one = fc_shorten_fewer_parameters(names[i], 1, "...");
        g_autofree char *no_arguments = fc_shorten_without_arguments(names[i], "<...>");
        g_assert_true(!no_arguments || strlen(no_arguments) < strlen(names[i]));
        fc_shorten_behind_scope(names[i]);
        g_assert_nonnull(shown);
        g_assert_nonnull(bare);
        g_assert_true(!parameters || parameters[0] == '(');
        /* they are shorter than the name, or there are none to leave out */
        g_assert_true(!fewer || !one || strlen(fewer) <= strlen(one));
        g_assert_true(!outermost || outermost[0] != '\0');
    }
    g_autoptr(GString) deep = g_string_new("a");
    for (guint i = 0; i < 100000; i++)
        g_string_append_c(deep, '<');
    g_autofree char *shown = fc_shorten_name(deep->str, &how);
    g_assert_cmpstr(shown, ==, deep->str);
}

static void test_fewer_parameters(void)
{
    static const struct
    {
        const char *name;
        guint count;
        const char *expected;
    } cases[] = {
        {"put(int, char*, long) const", 2, "put(int, char*, ...) const"},
        {"put(int, char*, long) const", 0, "put(...) const"},
        {"put(int, char*, long)", 3, NULL},
        {"put(std::map<int, char>, void (*)(int, int), long)", 1, "put(std::map<int, char>, ...)"},
        {"put(std::map<int, char>, void (*)(int, int), long)", 2,
         "put(std::map<int, char>, void (*)(int, int), ...)"},
        {"operator()(int, int)", 1, "operator()(int, ...)"},
        {"operator<(A const&, B const&)", 0, "operator<(...)"},
        {"worker(int)::Counter::up(int, int)", 1, "worker(int)::Counter::up(int, ...)"},
        {"put(int, int) [main.c]", 1, "put(int, ...) [main.c]"},
        {"put()", 0, NULL},
        {"put", 0, NULL},
        {"List<int>::put (deleting)", 0, NULL},
        {"operator()", 0, NULL},
        {"put(", 0, NULL},
        {"(anonymous namespace)::put", 0, NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    {
        g_autofree char *fewer = fc_shorten_fewer_parameters(cases[i].name, cases[i].count, "...");
        g_assert_cmpstr(fewer, ==, cases[i].expected);
    }
    static const char *const templates[][2] = {
        {"visit<std::map<int, char>>(int)", "visit<...>(int)"},
        {"operator<< <std::pair<int, char>>(int)", "operator<< <...>(int)"},
        {"operator<", NULL},
        {"visit<...>(int)", NULL},
        {"visit<int>", NULL}, /* nothing is gained */
        {"visit(List<std::string>)", NULL},
        {"visit<int, long", NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(templates); i++)
    {
        g_autofree char *bare = fc_shorten_without_arguments(templates[i][0], "<...>");
        g_assert_cmpstr(bare, ==, templates[i][1]);
    }
    g_assert_true(fc_shorten_has_parameters("Log::put()"));
    g_assert_true(fc_shorten_has_parameters("List<int>::put(int) const"));
    g_assert_true(fc_shorten_has_parameters("Call::operator()(int)"));
    g_assert_false(fc_shorten_has_parameters("Call::operator()"));
    g_assert_false(fc_shorten_has_parameters("worker(int)::Counter::up"));
    g_assert_false(fc_shorten_has_parameters("poly<3>::~poly (deleting)"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shorten/names", test_names);
    g_test_add_func("/shorten/more", test_more);
    g_test_add_func("/shorten/parameters", test_parameters);
    g_test_add_func("/shorten/bare", test_bare);
    g_test_add_func("/shorten/scopes", test_scopes);
    g_test_add_func("/shorten/fewer-parameters", test_fewer_parameters);
    g_test_add_func("/shorten/strange", test_strange);
    return g_test_run();
}
