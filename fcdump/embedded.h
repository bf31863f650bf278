/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the pages and pictures that fcdump writes consist of, besides the profile: files of the
 * folder fcdump/page, which embed.py makes strings of.
 */
#pragma once

extern const char fc_embedded_flame_js[]; /* of --flame; all others of --html */
extern const char fc_embedded_page_css[];
extern const char fc_embedded_page_html[];
extern const char fc_embedded_page_js[];
