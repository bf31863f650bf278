/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcas: compilers run it as `as` with the flags of fc-config --lean.  It inserts counters into a
 * compiler's output (filter.h) and then executes the real assembler.  All other input goes to the
 * assembler unchanged.
 */
#include "fcas/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what, int error)
{
    if (error != 0)
        fprintf(stderr, "fcas: %s: %s\n", what, strerror(error));
    else
        fprintf(stderr, "fcas: %s\n", what);
    return 1;
}

/* ---- The assembler ----------------------------------------------------------------- */

/* Whether there is an assembler at `path` that is not this program. */
static bool is_other(const char *path, const struct stat *own)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0 &&
           (status.st_dev != own->st_dev || status.st_ino != own->st_ino);
}

/* Finds the assembler in a list of folders like PATH. */
static bool find_in(const char *folders, const struct stat *own, char path[PATH_MAX])
{
    while (folders && *folders)
    {
        const size_t length = strcspn(folders, ":");
        const int used = snprintf(path, PATH_MAX, "%.*s/as", (int)length, folders);
        if (length > 0 && used > 0 && used < PATH_MAX && is_other(path, own))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* Finds the assembler: first in the folders that gcc gives to its programs, then in PATH, then
 * in the usual folders. */
static bool find_assembler(char path[PATH_MAX])
{
    struct stat own;
    if (stat("/proc/self/exe", &own) != 0)
        own = (struct stat){0};
    return find_in(getenv("COMPILER_PATH"), &own, path) || find_in(getenv("PATH"), &own, path) ||
           find_in("/usr/bin:/usr/local/bin:/bin", &own, path);
}

/* ---- The command line --------------------------------------------------------------- */

static bool takes_argument(const char *option)
{
    static const char *const with[] = {
        "-o", "-I",          "--defsym",           "-defsym", "--MD", "-MD", "--debug-prefix-map",
        "-t", "--hash-size", "--listing-lhs-width"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (strcmp(option, with[i]) == 0)
            return true;
    return false;
}

struct Command
{
    int input;        /* index of the argument that names the input; 0: standard input */
    int inputs;       /* number of inputs */
    bool is_question; /* asks for the version or for help */
    bool is_x86_64;
};

static struct Command read_command(int count, char **arguments)
{
    struct Command command = {0};
    for (int i = 1; i < count; i++)
    {
        const char *argument = arguments[i];
        if (takes_argument(argument))
            i++;
        else if (argument[0] != '-' || argument[1] == '\0')
        {
            command.input = i;
            command.inputs++;
        }
        else if (strcmp(argument, "--64") == 0)
            command.is_x86_64 = true;
        else if (strcmp(argument, "--version") == 0 || strcmp(argument, "--help") == 0 ||
                 strcmp(argument, "--target-help") == 0)
            command.is_question = true;
    }
    return command;
}

/* ---- The text ------------------------------------------------------------------------ */

static bool read_all(int fd, struct FcText *text)
{
    size_t room = 0;
    for (;;)
    {
        if (text->length == room)
        {
            room = room != 0 ? 2 * room : 1u << 16;
            char *larger = realloc(text->bytes, room);
            if (!larger)
                return false;
            text->bytes = larger;
        }
        const ssize_t got = read(fd, text->bytes + text->length, room - text->length);
        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        text->length += got > 0 ? (size_t)got : 0;
    }
}

static bool write_all(int fd, const struct FcText *text)
{
    for (size_t done = 0; done < text->length;)
    {
        const ssize_t put = write(fd, text->bytes + done, text->length - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Makes the text the standard input. */
static bool give(const struct FcText *text)
{
    const int fd = memfd_create("fcas", 0);
    if (fd < 0 || !write_all(fd, text) || lseek(fd, 0, SEEK_SET) != 0 || dup2(fd, 0) != 0)
        return false;
    if (fd != 0)
        close(fd);
    return true;
}

/* Reads the input and passes it with counters to the assembler.  If it was the standard input,
 * passes on what was read even without counters.  Returns 0 on success. */
static int filter_input(const struct Command *command, char **arguments)
{
    static char standard_input[] = "-";
    const char *name = command->input != 0 ? arguments[command->input] : standard_input;
    const bool is_file = strcmp(name, standard_input) != 0;
    const int fd = is_file ? open(name, O_RDONLY | O_CLOEXEC) : 0;
    struct FcText text = {0};
    struct FcText counted = {0};
    if (fd < 0)
        return 0; /* the assembler reports it itself */
    if (!read_all(fd, &text))
        return fail(name, errno);
    if (is_file)
        close(fd);
    const bool is_changed = fc_filter_apply(text.bytes, text.length, &counted);
    if ((is_changed || !is_file) && !give(is_changed ? &counted : &text))
        return fail("memory for the assembler's input", errno);
    if (is_changed && is_file)
        arguments[command->input] = standard_input;
    free(counted.bytes);
    free(text.bytes);
    return 0;
}

int main(int count, char **arguments)
{
    char assembler[PATH_MAX];
    const struct Command command = read_command(count, arguments);
    if (!find_assembler(assembler))
        return fail("no assembler `as` is found in COMPILER_PATH and PATH", 0);
    if (!command.is_question && !command.is_x86_64)
        return fail(
            "the counters of fc-config --lean are made for x86-64 with 64 bits only; compile with "
            "fc-config's flags without --lean",
            0);
    if (!command.is_question && command.inputs <= 1 && filter_input(&command, arguments) != 0)
        return 1;
    arguments[0] = assembler;
    execv(assembler, arguments);
    return fail(assembler, errno);
}
