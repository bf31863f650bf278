/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values as text: times, bytes, shares, in readable units or exactly, for people or for --csv; see
 * render.h.
 */
#include "fcdump/render.h"
#include "profile/plain.h"

static gboolean for_csv;

void fc_format_use_csv(void)
{
    for_csv = TRUE;
}

gboolean fc_format_is_csv(void)
{
    return for_csv;
}

static FcClock clock_of_times;

void fc_format_use_clock(FcClock clock)
{
    clock_of_times = clock;
}

FcClock fc_format_clock(void)
{
    return clock_of_times;
}

/* Decimals for four digits in all, after rounding: 9.9996 is 10.00. */
static int decimals_for(double value)
{
    return value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
}

static FcUnit unit_of_times;

void fc_format_use_unit(FcUnit unit)
{
    unit_of_times = unit;
}

/* In the one unit that was asked for, exact to the nanosecond. */
static char *format_in_unit(guint64 ns)
{
    static const struct
    {
        guint64 ns;
        int digits;
        const char *name;
    } units[] = {[FC_UNIT_READABLE] = {1, 0, "ns"},
                 [FC_UNIT_NS] = {1, 0, "ns"},
                 [FC_UNIT_US] = {1000, 3, "us"},
                 [FC_UNIT_MS] = {1000000, 6, "ms"},
                 [FC_UNIT_S] = {1000000000, 9, "s"}};
    const guint64 whole = ns / units[unit_of_times].ns;
    const guint64 rest = ns % units[unit_of_times].ns;
    if (units[unit_of_times].digits == 0)
        return g_strdup_printf("%" G_GUINT64_FORMAT " ns", whole);
    return g_strdup_printf("%" G_GUINT64_FORMAT ".%0*" G_GUINT64_FORMAT " %s", whole,
                           units[unit_of_times].digits, rest, units[unit_of_times].name);
}

char *fc_format_time(guint64 ns)
{
    static const struct
    {
        double ns;
        const char *name;
    } units[] = {{1e3, "us"}, {1e6, "ms"}, {1e9, "s "}, {3.6e12, "h "}};
    if (for_csv)
        return fc_format_count(ns);
    if (unit_of_times != FC_UNIT_READABLE)
        return format_in_unit(ns);
    if (ns < 1000)
        return g_strdup_printf("%" G_GUINT64_FORMAT " ns", ns);
    guint unit = 0;
    double value = (double)ns / units[0].ns;
    /* 999.95 would be rounded to 1000.0; seconds go on to four digits. */
    while (unit + 1 < G_N_ELEMENTS(units) && value >= (unit == 2 ? 9999.5 : 999.95))
        value = (double)ns / units[++unit].ns;
    return g_strdup_printf("%.*f %s", decimals_for(value), value, units[unit].name);
}

/* `value` in three digits. */
static char *format_three(double value, const char *unit)
{
    const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return g_strdup_printf("%.*f %s", digits, value, unit);
}

char *fc_format_brief_time(guint64 ns)
{
    static const char *const units[] = {"us", "ms", "s"};
    if (for_csv || unit_of_times != FC_UNIT_READABLE)
        return fc_format_time(ns);
    if (ns < 1000)
        return g_strdup_printf("%" G_GUINT64_FORMAT " ns", ns);
    guint unit = 0;
    double value = (double)ns / 1e3;
    for (; unit + 1 < G_N_ELEMENTS(units) && value >= 999.5; unit++)
        value /= 1e3;
    return format_three(value, units[unit]);
}

char *fc_format_brief_count(guint64 count)
{
    static const char *const units[] = {"k", "M", "G", "T", "P", "E"};
    if (for_csv || count < 10000)
        return fc_format_count(count);
    guint unit = 0;
    double value = (double)count / 1e3;
    for (; unit + 1 < G_N_ELEMENTS(units) && value >= 999.5; unit++)
        value /= 1e3;
    return format_three(value, units[unit]);
}

char *fc_format_bytes(guint64 bytes)
{
    static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (for_csv)
        return fc_format_count(bytes);
    if (bytes < 10000)
        return g_strdup_printf("%" G_GUINT64_FORMAT " B", bytes);
    guint unit = 0;
    double value = (double)bytes / 1024;
    while (unit + 1 < G_N_ELEMENTS(names) && value >= 1023.5)
    {
        value /= 1024;
        unit++;
    }
    return g_strdup_printf("%.*f %s", decimals_for(value), value, names[unit]);
}

char *fc_format_share(guint64 part, guint64 whole)
{
    if (whole == 0)
        return g_strdup("-");
    return g_strdup_printf("%.*f", for_csv ? 6 : 1, 100.0 * (double)part / (double)whole);
}

char *fc_format_count(guint64 count)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, count);
}

char *fc_format_text(const char *text)
{
    return fc_plain_text(text);
}
