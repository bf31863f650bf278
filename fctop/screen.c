/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See screen.h.  The keys are htop's where it has the same.
 */
#include "fctop/screen.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#define ESCAPE 27

typedef struct
{
    FcTop *top;
    FcTopView *view;
    FcTopSample *sample; /* owned; NULL before the first */
    GString *filter;
    gboolean is_typing; /* letters are added to the filter */
    gboolean is_frozen;
    gboolean has_help;
    gboolean is_over;
    gint first; /* row at the top */
} Screen;

static const char *const help[] = {
    "P  by time on the CPU          arrows, PgUp, PgDn, Home, End  move",
    "T  by time with callees        H  threads, or functions",
    "W  by waiting                  I  turn the order round",
    "C  by calls                    Z  stop and go on",
    "\\, F4  only names that have a text in them (Esc: all)",
    "h, F1  this text               q, F10  leave",
};

static void draw_line(gint y, const char *text, attr_t attributes)
{
    gint width = getmaxx(stdscr);
    attron(attributes);
    mvhline(y, 0, ' ', width);
    mvaddnstr(y, 0, text, (gint)strlen(text));
    attroff(attributes);
}

static void draw_bottom(const Screen *screen, gint y)
{
    g_autofree char *text =
        screen->is_typing || screen->filter->len > 0
            ? g_strdup_printf("Only: %s%s", screen->filter->str, screen->is_typing ? "_" : "")
            : g_strdup("F1 help  F4 only  P T W C order  I invert  H threads  Z freeze  F10 leave");
    g_autofree char *line = g_strconcat(text, screen->is_frozen ? "  (frozen)" : "", NULL);
    draw_line(y, line, A_REVERSE);
}

static void draw(Screen *screen)
{
    const gint height = getmaxy(stdscr);
    erase();
    if (screen->sample)
    {
        g_autoptr(GPtrArray) head = fc_top_head(screen->sample, screen->view);
        g_autoptr(GPtrArray) rows = fc_top_rows(screen->sample, screen->view);
        gint y = 0;
        screen->first = CLAMP(screen->first, 0, MAX((gint)rows->len - 1, 0));
        for (guint i = 0; i < head->len; i++)
            draw_line(y++, head->pdata[i], i + 1 == head->len ? A_REVERSE : A_NORMAL);
        for (guint i = 0; screen->has_help && i < G_N_ELEMENTS(help); i++)
            draw_line(y++, help[i], A_NORMAL);
        for (gint i = screen->first; !screen->has_help && i < (gint)rows->len && y < height - 1;
             i++)
            draw_line(y++, rows->pdata[i], A_NORMAL);
    }
    draw_bottom(screen, height - 1);
    refresh();
}

/* ---- Keys -------------------------------------------------------------------------------- */

static void set_filter(Screen *screen)
{
    screen->view->filter = screen->filter->len > 0 ? screen->filter->str : NULL;
    screen->first = 0;
}

static void take_typed(Screen *screen, gint key)
{
    if (key == '\n' || key == KEY_ENTER)
        screen->is_typing = FALSE;
    else if (key == ESCAPE)
    {
        screen->is_typing = FALSE;
        g_string_truncate(screen->filter, 0);
    }
    else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && screen->filter->len > 0)
        g_string_truncate(screen->filter, screen->filter->len - 1);
    else if (key >= ' ' && key < 127)
        g_string_append_c(screen->filter, (char)key);
    set_filter(screen);
}

static void move_to(Screen *screen, gint key)
{
    const gint page = MAX(getmaxy(stdscr) - 8, 1);
    const gint by = key == KEY_UP      ? -1
                    : key == KEY_DOWN  ? 1
                    : key == KEY_PPAGE ? -page
                    : key == KEY_NPAGE ? page
                                       : 0;
    screen->first = key == KEY_HOME ? 0 : key == KEY_END ? G_MAXINT : MAX(screen->first + by, 0);
}

static void take_key(Screen *screen, gint key)
{
    FcTopView *view = screen->view;
    if (screen->is_typing)
    {
        take_typed(screen, key);
        return;
    }
    screen->has_help = key == 'h' || key == '?' || key == KEY_F(1);
    switch (key)
    {
    case 'q':
    case 'Q':
    case KEY_F(10):
        screen->is_over = TRUE;
        break;
    case 'P':
        view->order = FC_TOP_BY_CPU;
        break;
    case 'T':
        view->order = FC_TOP_BY_TOTAL;
        break;
    case 'W':
        view->order = FC_TOP_BY_WAIT;
        break;
    case 'C':
        view->order = FC_TOP_BY_CALLS;
        break;
    case 'I':
        view->is_inverted = !view->is_inverted;
        break;
    case 'H':
        view->has_threads = !view->has_threads;
        screen->first = 0;
        break;
    case 'Z':
        screen->is_frozen = !screen->is_frozen;
        break;
    case '\\':
    case KEY_F(4):
        screen->is_typing = TRUE;
        break;
    case ESCAPE:
        g_string_truncate(screen->filter, 0);
        set_filter(screen);
        break;
    default:
        move_to(screen, key);
    }
}

/* ---- The loop ---------------------------------------------------------------------------- */

static gboolean loop(Screen *screen, double delay_s, GError **error)
{
    gint64 next_us = 0;
    while (!screen->is_over)
    {
        const gint64 now_us = g_get_monotonic_time();
        if (!screen->is_frozen && now_us >= next_us)
        {
            FcTopSample *sample = fc_top_take(screen->top, error);
            if (!sample)
                return FALSE;
            fc_top_sample_free(screen->sample);
            screen->sample = sample;
            next_us = g_get_monotonic_time() + (gint64)(delay_s * G_USEC_PER_SEC);
        }
        draw(screen);
        timeout(screen->is_frozen ? -1
                                  : (gint)MAX((next_us - g_get_monotonic_time()) / 1000 + 1, 1));
        const gint key = getch();
        if (key != ERR && key != KEY_RESIZE)
            take_key(screen, key);
    }
    return TRUE;
}

gboolean fc_top_run_screen(FcTop *top, FcTopView *view, double delay_s, GError **error)
{
    Screen screen = {.top = top, .view = view, .filter = g_string_new(view->filter)};
    SCREEN *terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
    {
        g_string_free(screen.filter, TRUE);
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOSYS,
                            "nothing is known of this terminal (TERM): use --batch");
        return FALSE;
    }
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    set_escdelay(50);
    set_filter(&screen);
    const gboolean is_good = loop(&screen, delay_s, error);
    endwin();
    delscreen(terminal);
    fc_top_sample_free(screen.sample);
    view->filter = NULL;
    g_string_free(screen.filter, TRUE);
    return is_good;
}
