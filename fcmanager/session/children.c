/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See children.h.
 */
#include "fcmanager/session/children.h"

/* With FC_CHILDREN_AUTO a session has so many profiles before they are summed, the first process's
 * included. */
#define APART_MAX 100u
/* How many files are read for each child that ends.  The program may be waiting meanwhile. */
#define GATHERED_AT_ONCE 4u
/* How many sums are kept in memory.  Any other is read from its file again. */
#define SUMS_MAX 32u

typedef struct
{
    FcProfile *sum; /* owned; NULL: it is only in its file */
    guint64 order;  /* of the first child */
    guint64 used;   /* when it was used last, by counting */
    gint64 pid;     /* of the first child */
    gint64 ppid;
    gboolean is_changed; /* the file lacks something, or there is none */
    gboolean is_written; /* there is a file */
} Group;

struct FcChildren
{
    enum FcChildrenMode mode;
    FcFiles *files;
    GHashTable *groups; /* image and arguments -> Group, owned */
    GArray *apart;      /* guint64, orders: children that have files of their own */
    gboolean is_summed; /* the first was summed */
    guint64 uses;
    guint sums; /* how many are in memory */
};

static void group_free(gpointer data)
{
    Group *group = data;
    fc_profile_free(group->sum);
    g_free(group);
}

FcChildren *fc_children_new(enum FcChildrenMode mode, FcFiles *files)
{
    FcChildren *children = g_new0(FcChildren, 1);
    children->mode = mode;
    children->files = files;
    children->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, group_free);
    children->apart = g_array_new(FALSE, FALSE, sizeof(guint64));
    return children;
}

void fc_children_free(FcChildren *children)
{
    if (!children)
        return;
    g_hash_table_unref(children->groups);
    g_array_unref(children->apart);
    g_free(children);
}

gboolean fc_children_are_summed(const FcChildren *children)
{
    return children->is_summed || children->mode == FC_CHILDREN_MERGE ||
           (children->mode == FC_CHILDREN_AUTO && children->apart->len + 2 > APART_MAX);
}

void fc_children_note_apart(FcChildren *children, guint64 order)
{
    if (children->mode == FC_CHILDREN_AUTO)
        g_array_append_val(children->apart, order);
}

/* The caller frees the result.  Each word is followed by a byte that is in no word. */
static char *make_key(const FcProfile *profile)
{
    GString *key = g_string_new(profile->executable);
    for (guint i = 0; profile->command_line && profile->command_line[i]; i++)
        g_string_append_printf(key, "\xff%s", profile->command_line[i]);
    return g_string_free(key, FALSE);
}

/* ---- Files ------------------------------------------------------------------------------- */

/* FALSE: it was not written. */
static gboolean write_group(FcChildren *children, Group *group, char **trouble)
{
    const gboolean is_new = !group->is_written;
    if (is_new)
        group->is_written = fc_files_write(children->files, group->sum, group->pid, group->ppid,
                                           FALSE, TRUE, group->order, trouble);
    else if (group->is_changed)
        fc_files_write_again(children->files, group->sum, group->order, trouble);
    group->is_changed = FALSE; /* a second try would fail as well */
    return is_new && group->is_written;
}

guint fc_children_write(FcChildren *children, char **trouble)
{
    guint count = 0;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, children->groups);
    while (g_hash_table_iter_next(&iter, NULL, &value))
    {
        Group *group = value;
        g_autofree char *own = NULL;
        if (!group->sum || !group->is_changed)
            continue;
        count += write_group(children, group, &own);
        if (own && !*trouble)
            *trouble = g_steal_pointer(&own);
    }
    return count;
}

/* ---- Sums -------------------------------------------------------------------------------- */

/* Removes from memory the sum that was not used for the longest time.  It stays if it has no
 * file. */
static void put_away_oldest(FcChildren *children, char **trouble)
{
    Group *oldest = NULL;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, children->groups);
    while (g_hash_table_iter_next(&iter, NULL, &value))
    {
        Group *group = value;
        if (group->sum && (!oldest || group->used < oldest->used))
            oldest = group;
    }
    if (!oldest)
        return;
    write_group(children, oldest, trouble);
    if (!oldest->is_written)
        return;
    g_clear_pointer(&oldest->sum, fc_profile_free);
    children->sums--;
}

static Group *find_group(FcChildren *children, const FcProfile *profile, guint64 order)
{
    g_autofree char *key = make_key(profile);
    Group *group = g_hash_table_lookup(children->groups, key);
    if (group)
        return group;
    group = g_new0(Group, 1);
    group->order = order;
    group->pid = profile->pid;
    group->ppid = profile->ppid;
    g_hash_table_insert(children->groups, g_steal_pointer(&key), group);
    return group;
}

static void add(FcChildren *children, Group *group, FcProfile *profile, char **trouble)
{
    group->used = ++children->uses;
    if (!group->sum)
    {
        if (children->sums >= SUMS_MAX)
            put_away_oldest(children, trouble);
        group->sum = group->is_written ? fc_files_read(children->files, group->order) : NULL;
        children->sums++;
    }
    if (!group->sum)
    {
        group->sum = profile;
        group->is_written = FALSE; /* or the user has removed it */
    }
    else
    {
        fc_profile_merge(group->sum, profile);
        fc_profile_free(profile);
    }
    fc_profile_fold_threads(group->sum);
    group->is_changed = TRUE;
}

/* Sums up to `most` children that have files of their own.  The first of a kind leaves its file to
 * the sum; those of the others are removed when the sums are written. */
static void gather(FcChildren *children, guint most, char **trouble)
{
    g_autoptr(GArray) read = g_array_new(FALSE, FALSE, sizeof(guint64));
    const guint count = MIN(most, children->apart->len);
    for (guint i = 0; i < count; i++)
    {
        const guint64 order = g_array_index(children->apart, guint64, i);
        FcProfile *profile = fc_files_read(children->files, order);
        if (!profile)
            continue; /* the user has removed it */
        Group *group = find_group(children, profile, order);
        const gboolean is_first = group->used == 0;
        add(children, group, profile, trouble);
        if (is_first)
            group->is_written = TRUE;
        else
            g_array_append_val(read, order);
    }
    g_array_remove_range(children->apart, 0, count);
    fc_children_write(children, trouble);
    for (guint i = 0; i < read->len; i++)
        fc_files_remove(children->files, g_array_index(read, guint64, i));
}

void fc_children_gather(FcChildren *children, char **trouble)
{
    while (children->is_summed && children->apart->len > 0)
        gather(children, GATHERED_AT_ONCE, trouble);
}

void fc_children_add(FcChildren *children, FcProfile *profile, guint64 order, char **trouble)
{
    children->is_summed = TRUE;
    if (children->apart->len > 0)
        gather(children, GATHERED_AT_ONCE, trouble);
    add(children, find_group(children, profile, order), profile, trouble);
}
