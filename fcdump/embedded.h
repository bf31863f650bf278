/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the pages that fcdump writes consist of, besides the profile: files of the folder
 * fcdump/page and the library d3, which embed.py makes strings of.
 */
#pragma once

extern const char fc_embedded_flame_js[]; /* of --flame; all others of --html */
extern const char fc_embedded_page_css[];
extern const char fc_embedded_page_html[];
extern const char fc_embedded_data_js[];
extern const char fc_embedded_flames_js[];
extern const char fc_embedded_views_js[];
extern const char fc_embedded_diff_js[];
extern const char fc_embedded_page_js[];
extern const char fc_embedded_d3_js[];
extern const char fc_embedded_d3_licence[];
