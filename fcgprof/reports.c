/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports have in common: how symbols are named, and what the columns mean, which is
 * printed unless -b is given.  Where GNU gprof puts a form feed into its explanations, so do these,
 * for scripts that split on it.
 */
#include "fcgprof/reports.h"

#include "fcgprof/object.h"
#include "profile/plain.h"

#include <string.h>

const char *fc_gname_file(const FcGModel *model, const FcGFile *file)
{
    return model->options->full_paths ? file->path : file->base;
}

char *fc_gname_text(const FcGModel *model, const FcGSym *sym)
{
    const FcGOptions *options = model->options;
    char *plain = options->demangle && !options->traditional ? fc_gdemangle(sym->name) : NULL;

    return plain ? plain : g_strdup(sym->name);
}

int fc_gname_put(FILE *out, const char *text)
{
    g_autofree char *plain = fc_plain_text(text);
    return fprintf(out, "%s", plain);
}

int fc_gname_print_plain(const FcGModel *model, const FcGSym *sym)
{
    const FcGOptions *options = model->options;
    const char *label = sym->label;

    if (!sym->name)
        return 0;
    g_autofree char *text = fc_gname_text(model, sym);
    int length = fc_gname_put(model->out, text);
    if (!label && sym->owner && strcmp(sym->owner->name, sym->name) == 0)
        label = sym->owner->label;
    if (label)
        length += fprintf(model->out, " (%s)", label);
    if (!sym->file || !(options->by_line || options->inline_file_names))
        return length;
    length += fprintf(model->out, " (");
    length += fc_gname_put(model->out, fc_gname_file(model, sym->file));
    length += fprintf(model->out, ":%d", sym->line);
    if (options->by_line)
        length += fprintf(model->out, " @ %lx", (gulong)(sym->addr & model->addr_mask));
    return length + fprintf(model->out, ")");
}

void fc_gname_print(const FcGModel *model, const FcGSym *sym)
{
    fc_gname_print_plain(model, sym);
    if (sym->cycle != 0)
        fprintf(model->out, " <cycle %d>", sym->cycle);
    if (sym->index != 0)
        fprintf(model->out, sym->print_flag ? " [%d]" : " (%d)", sym->index);
}

#define NOTICE                                                                                     \
    "\f\n"                                                                                         \
    "This listing was made by fcgprof, a part of FunctionCheck.\n"                                 \
    "\n"                                                                                           \
    "You may copy and share it in any way you like; the program\n"                                 \
    "itself is free software under the GNU General Public License.\n"

const char fc_gblurb_flat[] =
    "\n"
    " %         share of the whole time that was spent in this\n"
    "time       function itself.\n"
    "\n"
    "cumulative time of this function and of all that stand\n"
    " seconds   above it in the table.\n"
    "\n"
    " self      time spent in this function itself, without what it\n"
    "seconds    calls.  The table is sorted by it.\n"
    "\n"
    "calls      how often the function was called; blank if it was\n"
    "           not compiled for profiling or never called.\n"
    "\n"
    " self      time in the function itself for one call, on\n"
    " /call     average.\n"
    "\n"
    " total     time in the function and in all that it calls, for\n"
    " /call     one call, on average.\n"
    "\n"
    "name       the function.  Where a number follows, it leads to\n"
    "           the function's entry in the call graph; a number in\n"
    "           parentheses means that the entry is not printed.\n" NOTICE;

const char fc_gblurb_graph[] =
    "\n"
    " The table has one entry for each function; lines of dashes part them, and\n"
    " the functions whose calls took longest come first.\n"
    "\n"
    " The line with a number at its left is the function itself.  Above it stand\n"
    " its callers, below it the functions that it called.\n"
    "\n"
    " On the function's own line:\n"
    "     index      its number, by which other lines refer to it\n"
    "     % time     share of the whole time that was spent in it and in what\n"
    "                it called; these shares overlap\n"
    "     self       time spent in it\n"
    "     children   time spent in what it called (descendants with -T)\n"
    "     called     number of calls; after a plus, calls of itself\n"
    "     name       name, cycle if it is in one, and number again\n"
    "\n"
    " On a caller's line:\n"
    "     self       the function's own time that belongs to this caller's calls\n"
    "     children   the same of the time spent in what the function called\n"
    "     called     calls by this caller, of the calls by all callers\n"
    "     name       the caller; <spontaneous> if there is none that is known\n"
    "\n"
    " On the line of a called function:\n"
    "     self       its own time that belongs to calls from here\n"
    "     children   the same of the time spent in what it called in turn\n"
    "     called     calls from here, of all calls of that function\n"
    "     name       the called function\n"
    "\n"
    " Functions that call each other in a circle form a cycle.  It has an entry\n"
    " of its own, \"as a whole\", whose lower lines are its members; the number\n"
    " behind the plus counts calls from member to member.\n" NOTICE;
