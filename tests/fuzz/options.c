/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each libFuzzer program tells the sanitizers.
 */
const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);

/* To keep less of what was freed, and of where from, than a program would that runs once: the page
 * faults took half of the time, and the memory of one input fits in.  libbfd asks for gigabytes at
 * the word of a damaged image, and is refused them. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=6:"
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
