/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each libFuzzer program tells the sanitizers.
 */
const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);

/* To keep less of what was freed than a program would that runs once: the page faults took half of
 * the time, and the memory of one input fits in.  Less of where memory is from as well, which took
 * a sixth: an input that did harm is run again with ASAN_OPTIONS=malloc_context_size=30; with fewer
 * than two callers leaks are not found.  libbfd asks for gigabytes at the word of a damaged image,
 * and is refused them. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=2:"
           "allocator_may_return_null=1:max_allocation_size_mb=900";
}

/* As in tests/support/leaks.supp. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libbfd\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
