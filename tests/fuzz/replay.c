/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a fuzz target over files instead of over inputs that libFuzzer makes up, so
 * that any compiler can test the inputs that once did harm.  Arguments: folders,
 * every file of which is one input.  Must fail where there is none at all, or none that gets
 * anywhere.
 */
#include <glib.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Inputs that got beyond the first check; only of targets whose inputs have a version. */
extern unsigned fuzz_accepted __attribute__((weak));

/* How many inputs there were. */
static unsigned replay_folder(const char *folder)
{
    unsigned count = 0;
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names != NULL && (name = g_dir_read_name(names)) != NULL; count++)
    {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *content = NULL;
        gsize bytes;
        printf("%s\n", path);
        fflush(stdout);
        if (!g_file_get_contents(path, &content, &bytes, NULL))
            return 0;
        /* Of exactly that size, so that the sanitizers see a read beyond it. */
        g_autofree char *data = g_memdup2(content, bytes);
        LLVMFuzzerTestOneInput((const uint8_t *)data, bytes);
    }
    return count;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
    {
        if (replay_folder(argv[i]) == 0)
        {
            fprintf(stderr, "%s: no inputs\n", argv[i]);
            return 1;
        }
    }
    if (&fuzz_accepted && fuzz_accepted == 0)
    {
        fprintf(stderr, "no input was accepted: are they of another version?\n");
        return 1;
    }
    return argc > 1 ? 0 : 2;
}
