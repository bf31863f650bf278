/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Leaks in functions of its own that have names like the C library's, or the same:
 * suppressed.py knows them.
 */
#include <stdlib.h>

static void *volatile lost;

#define LEAKING(name)                                                                              \
    void name(void)                                                                                \
    {                                                                                              \
        lost = malloc(100);                                                                        \
    }

LEAKING(getserver)
LEAKING(getgrid)
LEAKING(getpwd)
LEAKING(gethosts)
LEAKING(getprotocol)
LEAKING(localtimes)
LEAKING(mktimes)
LEAKING(strftimes)
LEAKING(wcsftimes)
LEAKING(tzsetup)
LEAKING(set_binding_values_of)
LEAKING(read_alias_file)
LEAKING(textdomain)

int main(void)
{
    getserver();
    getgrid();
    getpwd();
    gethosts();
    getprotocol();
    localtimes();
    mktimes();
    strftimes();
    wcsftimes();
    tzsetup();
    set_binding_values_of();
    read_alias_file();
    textdomain();
    return 0;
}
