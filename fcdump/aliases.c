/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of other names of options; see aliases.h.  The manual lists them.
 */
#include "fcdump/aliases.h"

#include <glib.h>

#include <string.h>

static const FcAlias aliases[] = {
    /* what is looked for */
    {"leaks", "mem-leaks", NULL, NULL},
    {"leak-check", "mem-leaks", NULL, NULL},
    {"heap", "mem-heap", NULL, NULL},
    {"callers", "rgraph", NULL, "peek"},
    {"callees", "graph", NULL, "peek"},
    {"callgraph", "graph", NULL, NULL},
    {"call-graph", "graph", NULL, NULL},
    {"calltree", "tree", NULL, NULL},
    {"call-tree", "tree", NULL, NULL},
    {"hotpath", "hot-path", NULL, NULL},
    {"hotspots", "heaviest", NULL, NULL},
    {"flamegraph", "flame", NULL, NULL},
    {"flame-graph", "flame", NULL, NULL},
    {"svg", "flame", NULL, NULL},
    {"percentiles", "latency", NULL, NULL},
    {"compare", "diff", NULL, NULL},
    {"self", "sort", "local", NULL},
    {"inclusive", "sort", "total", NULL},
    {"full-names", "names", "full", NULL},
    {"filter", "only", NULL, NULL},
    {"exclude", "not", NULL, NULL},
    {"limit", "top", NULL, NULL},
    /* gprof */
    {"p", "flat", NULL, "only"},
    {"flat-profile", "flat", NULL, "only"},
    {"q", "graph", NULL, "peek"},
    /* perf */
    {"children", "sort", "total", NULL},
    {"no-children", "sort", "local", NULL},
    {"percent-limit", "min", NULL, NULL},
    {"pid", "process", NULL, NULL},
    {"tid", "thread", NULL, NULL},
    {"stdio", NULL, NULL, NULL},
    /* uftrace */
    {"F", "only", NULL, NULL},
    {"N", "not", NULL, NULL},
    {"notrace", "not", NULL, NULL},
    {"D", "depth", NULL, NULL},
    {"time-filter", "min-time", NULL, NULL},
};

const FcAlias *fc_alias_find(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (strcmp(aliases[i].name, name) == 0)
            return &aliases[i];
    return NULL;
}
