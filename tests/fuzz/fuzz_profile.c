/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of the .fc and .fcd readers; run by libFuzzer, or by replay.c over
 * the corpus.  What a reader accepts, the writer must write so that it is accepted
 * again and is the same from then on.
 */
#include "profile/descriptor.h"
#include "profile/fc-profile-file.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(gboolean condition, const char *what)
{
    if (!condition)
        g_error("%s", what);
}

static void try_profile(const char *data, gsize bytes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(FcProfile) profile = fc_profile_parse(data, bytes, &error);
    require((profile == NULL) == (error != NULL), "neither a profile nor an error");
    if (profile == NULL)
        return;
    g_autoptr(GString) text = fc_profile_format(profile);
    g_autoptr(FcProfile) again = fc_profile_parse(text->str, text->len, &error);
    require(again != NULL, "what was written is refused");
    g_autoptr(GString) text_again = fc_profile_format(again);
    require(g_string_equal(text, text_again), "a second round trip changes the text");
    /* Goes through every index. */
    fc_profile_merge(profile, again);
}

static void try_descriptor(const char *data, gsize bytes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(FcDescriptor) descriptor = fc_descriptor_parse(data, bytes, &error);
    require((descriptor == NULL) == (error != NULL), "neither a descriptor nor an error");
    if (descriptor == NULL)
        return;
    g_autoptr(GString) text = fc_descriptor_format(descriptor);
    g_autoptr(FcDescriptor) again = fc_descriptor_parse(text->str, text->len, &error);
    require(again != NULL, "what was written is refused");
    g_autoptr(GString) text_again = fc_descriptor_format(again);
    require(g_string_equal(text, text_again), "a second round trip changes the text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    try_profile((const char *)data, bytes);
    try_descriptor((const char *)data, bytes);
    return 0;
}
