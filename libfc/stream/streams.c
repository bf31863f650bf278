/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See streams.h.
 */
#include "libfc/stream/streams.h"

#include <stddef.h>

#if defined(__x86_64__) && !defined(FC_TEST_EAGER)
#include <cpuid.h>
#endif

bool fc_streams_are_on;

static struct FcShared *header; /* NULL: they are off */

static bool is_processor_of_amd(void)
{
#if defined(__x86_64__) && defined(FC_TEST_EAGER)
    return true; /* as if it were */
#elif defined(__x86_64__)
    unsigned highest = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0, &highest, &b, &c, &d) && b == signature_AMD_ebx &&
           c == signature_AMD_ecx && d == signature_AMD_edx;
#else
    return false;
#endif
}

void fc_streams_setup(struct FcShared *shared)
{
    fc_streams_are_on = shared && is_processor_of_amd();
    header = fc_streams_are_on ? shared : NULL;
}

void fc_streams_begin(void)
{
    if (header)
        __atomic_store_n(&header->is_streamed, 1, __ATOMIC_RELAXED);
}
