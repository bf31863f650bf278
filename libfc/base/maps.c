/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See maps.h.  A line of /proc/self/maps is START-END PERMISSIONS OFFSET DEVICE INODE NAME, with
 * \012 for each newline in the name.
 */
#include "libfc/base/maps.h"

#include "libfc/base/sys.h"

#include <fcntl.h>
#include <string.h>

#define FIELDS 5 /* before the name */

struct Line
{
    uint64_t start, end;
    unsigned fields; /* complete so far */
    bool is_in_start;
    bool is_in_field;
    size_t name_bytes;
};

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes the next character of a line.  The name comes after five fields and blanks. */
static void take(struct Line *line, char c, char *into, size_t room)
{
    if (line->fields == FIELDS && (c != ' ' || line->name_bytes > 0))
    {
        if (line->name_bytes < room)
            into[line->name_bytes++] = c;
        if (line->name_bytes >= 4 && memcmp(into + line->name_bytes - 4, "\\012", 4) == 0)
        {
            line->name_bytes -= 3;
            into[line->name_bytes - 1] = '\n';
        }
        return;
    }
    const int digit = digit_of(c);
    if (line->is_in_start && digit >= 0)
        line->start = line->start << 4 | (unsigned)digit;
    else
        line->is_in_start = false;
    if (!line->is_in_start && line->fields == 0 && digit >= 0)
        line->end = line->end << 4 | (unsigned)digit;
    line->fields += line->is_in_field && c == ' ';
    line->is_in_field = c != ' ';
}

size_t fc_maps_name(uint64_t start, char *into, size_t room)
{
    static char text[4096];
    const struct Line fresh = {.is_in_start = true};
    struct Line line = fresh;
    long got;
    size_t found = 0;
    const long fd = fc_sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (found == 0 && (got = fc_sys(SYS_read, fd, text, sizeof text)) > 0)
        for (long i = 0; i < got && found == 0; i++)
        {
            if (text[i] != '\n')
                take(&line, text[i], into, room);
            else if (line.start == start)
                found = line.name_bytes;
            if (text[i] == '\n')
                line = fresh;
        }
    fc_sys(SYS_close, fd);
    return found;
}

bool fc_maps_range(uint64_t address, char *scratch, size_t room, uint64_t *start, uint64_t *end)
{
    const struct Line fresh = {.is_in_start = true};
    struct Line line = fresh;
    char no_name[1];
    bool is_found = false;
    long got;
    const long fd = fc_sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while (!is_found && (got = fc_sys(SYS_read, fd, scratch, room)) > 0)
        for (long i = 0; i < got && !is_found; i++)
        {
            if (scratch[i] != '\n')
                take(&line, scratch[i], no_name, 0);
            else if (address >= line.start && address < line.end)
                is_found = true;
            else
                line = fresh;
        }
    fc_sys(SYS_close, fd);
    *start = line.start;
    *end = line.end;
    return is_found;
}
