/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of the folder fcdump/page, which pages and pictures contain besides the profile.
 * embed.py makes strings of them.
 */
#pragma once

extern const char fc_embedded_flame_js[]; /* for --flame; all others are for --html */
extern const char fc_embedded_page_css[];
extern const char fc_embedded_page_html[];
extern const char fc_embedded_page_js[];
