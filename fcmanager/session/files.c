/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names and descriptor of the session's files: see files.h.
 */
#include "fcmanager/session/files.h"

#include "fcmanager/session/keep.h"
#include "fcmanager/session/names.h"
#include "libfc/fc-format.h"
#include "profile/descriptor.h"
#include "profile/fc-profile-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Where files are put. */
typedef struct
{
    char *path;     /* for messages to the user; NULL: not chosen yet */
    char *absolute; /* the absolute path, for a descriptor in another folder; NULL likewise */
    int fd;         /* -1: could not be opened yet */
} Folder;

/* A file goes to the first folder that can be written to. */
enum
{
    WANTED,
    FALLBACK, /* created in $TMPDIR when it is needed */
    FOLDERS,
};

/* What is known of an entry of the descriptor beyond the entry itself. */
typedef struct
{
    guint64 order;
    guint folder;
    char *plain; /* the name that the file would have if it were the only one; owned */
} Place;

struct FcFiles
{
    int start_fd; /* the directory the manager was started in; WANTED may be relative to it */
    Folder folders[FOLDERS];
    char *temporary; /* the folder that FALLBACK is made in */
    char *pattern;
    gboolean has_id; /* the pattern gives each process its own name */
    gint64 started;
    char *rank;
    char *job;
    gboolean is_unique;
    guint number; /* a number behind the names, from 2 on, if is_unique asks for one; 0: not chosen
                     yet */
    gboolean says_replaced;
    FcKeepRule rule; /* its `own` file is the descriptor */
    gboolean quiet;
    char *session; /* its unique id, which its profiles have; NULL: not set */
    char *early;   /* file name of a profile that was written early; NULL: there is none */
    gint64 early_id;
    gboolean early_replaces; /* it took the place of an earlier run's */
    struct stat written;     /* status of the last file, when it was written */
    char *descriptor_name;   /* file name of the descriptor; NULL: none was written */
    guint descriptor_folder;
    FcDescriptor *descriptor;
    GArray *places;   /* Place, one for each entry of the descriptor */
    GHashTable *used; /* file names */
};

/* ---- Folders ---------------------------------------------------------------------------- */

static gboolean open_wanted(FcFiles *files, GError **error)
{
    Folder *folder = &files->folders[WANTED];
    if (folder->fd >= 0)
        return TRUE;
    folder->fd = openat(files->start_fd, folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0)
    {
        int why = errno;
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(why), "can't open '%s': %s",
                    folder->path, g_strerror(why));
        return FALSE;
    }
    return TRUE;
}

/* Creates a folder of our own, so that it holds no file of another run or user. */
static gboolean open_fallback(FcFiles *files, GError **error)
{
    Folder *folder = &files->folders[FALLBACK];
    if (folder->fd >= 0)
        return TRUE;
    g_autofree char *path = g_build_filename(files->temporary, "functioncheck-XXXXXX", NULL);
    if (g_mkdtemp(path))
        folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->fd < 0)
    {
        int why = errno;
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(why),
                    "can't make a folder in '%s': %s", files->temporary, g_strerror(why));
        return FALSE;
    }
    folder->path = g_strdup(path);
    folder->absolute = g_steal_pointer(&path);
    return TRUE;
}

/* Whether this session wrote the profile. */
static gboolean is_ours(const FcFiles *files, int dirfd, const char *name)
{
    char start[512] = "";
    const int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const gboolean is_read = fd >= 0 && read(fd, start, sizeof start - 1) > 0;
    if (fd >= 0)
        close(fd);
    return is_read && files->session && strstr(start, files->session) != NULL;
}

/* Whether the file is this session's early profile. */
static gboolean is_early(const FcFiles *files, int dirfd, const char *name)
{
    return g_strcmp0(name, files->early) == 0 && is_ours(files, dirfd, name);
}

typedef gboolean (*Writer)(gconstpointer what, int dirfd, const char *name, GError **error);

/* Gives the file `hidden` its name.  `rule` says what becomes of another run's file that has it. */
static gboolean put(const FcFiles *files, const FcKeepRule *rule, int dirfd, const char *hidden,
                    const char *name, FcKeepPlaced *placed)
{
    if (is_early(files, dirfd, name) && renameat(dirfd, hidden, dirfd, name) == 0)
    {
        placed->replaced = files->early_replaces;
        return fstatat(dirfd, name, &placed->status, AT_SYMLINK_NOFOLLOW) == 0;
    }
    return fc_keep_put(dirfd, hidden, name, rule, placed);
}

/* Writes the file.  `rule` as above. */
static gboolean write_in_place(const FcFiles *files, const FcKeepRule *rule, int dirfd,
                               Writer write, gconstpointer what, const char *name,
                               FcKeepPlaced *placed, GError **error)
{
    g_autofree char *hidden = g_strdup_printf(".fc-%08x%08x.new", g_random_int(), (guint)getpid());
    if (!write(what, dirfd, hidden, error))
        return FALSE;
    if (put(files, rule, dirfd, hidden, name, placed))
        return TRUE;
    int why = errno;
    unlinkat(dirfd, hidden, 0);
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(why), "cannot put it in place: %s",
                g_strerror(why));
    return FALSE;
}

/* `keep`: keep an earlier run's file of that name if FC_KEEP asks for it. */
static gboolean write_to(FcFiles *files, guint folder, Writer write, gconstpointer what,
                         const char *name, gboolean keep, FcKeepPlaced *placed, GError **error)
{
    FcKeepRule rule = files->rule;
    if (!keep)
        rule.keep = 0;
    if (!(folder == WANTED ? open_wanted(files, error) : open_fallback(files, error)))
        return FALSE;
    const gboolean done =
        write_in_place(files, &rule, files->folders[folder].fd, write, what, name, placed, error);
    files->written = placed->status;
    if (done)
        return TRUE;
    g_prefix_error(error, "can't write '%s/%s': ", files->folders[folder].path, name);
    return FALSE;
}

/* Removes a file of an earlier run or an early one of this, which the user could take for this
 * run's.  Returns what to say of a file that stays. */
static const char *take_away_stale(const FcFiles *files, const char *name)
{
    int fd = files->folders[WANTED].fd;
    const gboolean is_so_far = fd >= 0 && is_early(files, fd, name);
    if (is_so_far)
        return unlinkat(fd, name, 0) == 0 ? "" : " (what is there is of this run's beginning)";
    if (fd < 0 || fc_keep_take_away(fd, name, &files->rule))
        return "";
    return errno == EEXIST ? " (what is there is of another run)"
                           : " (what is there is of an earlier run)";
}

static char *report_placed(FcFiles *files, const char *name, const FcKeepPlaced *placed)
{
    const char *folder = files->folders[WANTED].path;
    if (placed->beside && !files->quiet)
        return g_strdup_printf("another run wrote '%s/%s' meanwhile: it is now '%s'", folder, name,
                               placed->beside);
    if (!placed->replaced || !files->says_replaced)
        return NULL;
    files->says_replaced = FALSE;
    return g_strdup_printf("'%s/%s' of an earlier run is replaced, as those of the other ranks "
                           "are: with %%j in FC_DUMP_NAME each job has its own",
                           folder, name);
}

/* Returns the folder where `name` was written; FOLDERS: nowhere.  If it is not the wanted folder,
 * *trouble says what went wrong, unless that was said before.  If it is, *trouble says what became
 * of another run's file. */
static guint write_somewhere(FcFiles *files, Writer write, gconstpointer what, const char *name,
                             gboolean keep, char **trouble)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) again = NULL;
    g_auto(FcKeepPlaced) placed = {.beside = NULL};
    if (write_to(files, WANTED, write, what, name, keep, &placed, &error))
    {
        *trouble = report_placed(files, name, &placed);
        return WANTED;
    }
    const char *stale = take_away_stale(files, name);
    gboolean is_first = !files->folders[FALLBACK].path;
    if (!write_to(files, FALLBACK, write, what, name, FALSE, &placed, &again))
    {
        *trouble = g_strdup_printf("%s%s; %s", error->message, stale, again->message);
        return FOLDERS;
    }
    if (is_first || *stale)
        *trouble = g_strdup_printf("%s%s; written to '%s' instead", error->message, stale,
                                   files->folders[FALLBACK].path);
    return FALLBACK;
}

/* A run leaves either a profile with the plain name or a descriptor.  Removes the other one if an
 * earlier run left it, as the user could take it for this run's.  A file written since this run
 * began belongs to a concurrent run and stays. */
static void take_away_other(FcFiles *files, const char *name)
{
    int fd = files->folders[WANTED].fd;
    if (fd >= 0 && !files->has_id && !g_hash_table_contains(files->used, name) &&
        fc_keep_is_older(fd, name, &files->rule))
        fc_keep_take_away(fd, name, &files->rule);
}

static gboolean write_profile(gconstpointer profile, int dirfd, const char *name, GError **error)
{
    return fc_profile_write(profile, dirfd, name, error);
}

/* ---- The session's files ------------------------------------------------------------------ */

static void place_clear(gpointer place)
{
    g_free(((Place *)place)->plain);
}

FcFiles *fc_files_new(const char *directory, const FcFilesNaming *naming)
{
    FcFiles *files = g_new0(FcFiles, 1);
    files->start_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    files->folders[WANTED].fd = -1;
    files->folders[FALLBACK].fd = -1;
    files->folders[WANTED].path = g_strdup(directory);
    files->folders[WANTED].absolute = g_canonicalize_filename(directory, NULL);
    files->temporary = g_canonicalize_filename(g_get_tmp_dir(), NULL);
    files->pattern =
        naming->use_pid ? g_strconcat(naming->pattern, ".%p", NULL) : g_strdup(naming->pattern);
    files->has_id = fc_names_have_id(files->pattern);
    files->started = (gint64)time(NULL);
    clock_gettime(CLOCK_REALTIME, &files->rule.began);
    files->rank = g_strdup(naming->rank);
    files->job = g_strdup(naming->job);
    files->is_unique = naming->is_unique;
    files->says_replaced = naming->is_first && naming->job && !fc_names_have_job(naming->pattern);
    files->rule.keep = MIN(naming->keep, FC_KEEP_MAX);
    files->quiet = naming->quiet;
    files->descriptor = fc_descriptor_new();
    files->places = g_array_new(FALSE, FALSE, sizeof(Place));
    g_array_set_clear_func(files->places, place_clear);
    files->used = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return files;
}

void fc_files_free(FcFiles *files)
{
    if (!files)
        return;
    for (guint i = 0; i < FOLDERS; i++)
    {
        if (files->folders[i].fd >= 0)
            close(files->folders[i].fd);
        if (i == FALLBACK && files->folders[i].absolute)
            rmdir(files->folders[i].absolute); /* unless there is something in it */
        g_free(files->folders[i].path);
        g_free(files->folders[i].absolute);
    }
    if (files->start_fd >= 0)
        close(files->start_fd);
    g_free(files->temporary);
    g_free(files->pattern);
    g_free(files->rank);
    g_free(files->job);
    g_free(files->session);
    g_free(files->early);
    g_free(files->descriptor_name);
    fc_descriptor_free(files->descriptor);
    g_array_unref(files->places);
    g_hash_table_unref(files->used);
    g_free(files);
}

void fc_files_set_session(FcFiles *files, const char *unique_id)
{
    files->session = g_strdup(unique_id);
}

gboolean fc_files_check(FcFiles *files, GError **error)
{
    return open_wanted(files, error);
}

static gboolean exists(int dirfd, const char *base, const char *suffix)
{
    g_autofree char *name = g_strconcat(base, suffix, NULL);
    return faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static char *add_number(const char *base, guint number)
{
    return number > 1 ? g_strdup_printf("%s.%u", base, number) : g_strdup(base);
}

/* Returns `base`, with a number behind it if files of another session have that name. */
static char *make_unique(FcFiles *files, const char *base)
{
    char *name = add_number(base, files->number);
    if (files->number > 0 || !open_wanted(files, NULL))
        return name;
    const int fd = files->folders[WANTED].fd;
    for (files->number = 1; exists(fd, name, ".fc") || exists(fd, name, ".fcd"); files->number++)
    {
        g_free(name);
        name = add_number(base, files->number + 1);
    }
    return name;
}

static char *base_name(FcFiles *files, gint64 id, const char *program)
{
    const FcNameFacts facts = {id, program, files->started, files->rank, files->job};
    g_autofree char *base = fc_names_expand(files->pattern, &facts);
    return files->is_unique ? make_unique(files, base) : g_steal_pointer(&base);
}

/* Whether the name belongs to another profile: of this session, of a concurrent run (in another PID
 * namespace, say), or one that is to be kept. */
static gboolean is_taken(FcFiles *files, const char *name)
{
    if (g_hash_table_contains(files->used, name))
        return TRUE;
    if (!open_wanted(files, NULL))
        return FALSE;
    int fd = files->folders[WANTED].fd;
    if (is_early(files, fd, name))
        return FALSE;
    return files->rule.keep > 0 ? faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
                                : fc_keep_is_beside(fd, name, &files->rule);
}

/* Returns `base`, with a number behind it if the name is taken. */
static char *choose_name(FcFiles *files, const char *base)
{
    char *name = g_strdup(base);
    for (guint number = 2; is_taken(files, name); number++)
    {
        g_free(name);
        name = g_strdup_printf("%s.%u", base, number);
    }
    return name;
}

/* Adds an entry to the descriptor.  A process comes before its children, though they may end before
 * it. */
static void add_entry(FcFiles *files, gint64 id, gint64 parent, gboolean is_thread,
                      const char *name, Place place)
{
    guint at = files->places->len;
    while (at > 0 && g_array_index(files->places, Place, at - 1).order > place.order)
        at--;
    g_array_insert_val(files->places, at, place);
    FcDescriptorEntry entry = {id, is_thread ? 0 : parent, is_thread, g_strdup(name)};
    g_array_insert_val(files->descriptor->entries, at, entry);
}

/* ---- Early profiles ---------------------------------------------------------------------- */

void fc_files_begin_early(FcFiles *files, gint64 id, const char *program)
{
    g_autofree char *base = base_name(files, id, program);
    g_autofree char *name = g_strdup_printf("%s.fc", base);
    const gboolean is_same = g_strcmp0(name, files->early) == 0;
    g_free(files->early);
    files->early = g_hash_table_contains(files->used, name) ? NULL : g_steal_pointer(&name);
    files->early_id = id;
    if (!is_same)
        files->early_replaces =
            files->early && files->rule.keep == 0 && open_wanted(files, NULL) &&
            fc_keep_is_older(files->folders[WANTED].fd, files->early, &files->rule);
}

gboolean fc_files_write_early(FcFiles *files, const FcProfile *profile)
{
    g_auto(FcKeepPlaced) placed = {.beside = NULL};
    if (!files->early || !open_wanted(files, NULL))
        return FALSE;
    const int fd = files->folders[WANTED].fd;
    if (!is_early(files, fd, files->early) && fc_keep_is_beside(fd, files->early, &files->rule))
        return FALSE;
    return write_to(files, WANTED, write_profile, profile, files->early, TRUE, &placed, NULL);
}

/* The profile of process `id` was written as `name`: removes its early one, also where a concurrent
 * run has given that another name. */
static void end_early(FcFiles *files, gint64 id, const char *name)
{
    g_autofree char *early = id == files->early_id ? g_steal_pointer(&files->early) : NULL;
    const int fd = files->folders[WANTED].fd;
    if (!early || fd < 0)
        return;
    if (g_strcmp0(early, name) != 0 && is_ours(files, fd, early))
        unlinkat(fd, early, 0);
    for (guint age = 1; age <= FC_KEEP_MAX; age++)
    {
        g_autofree char *older = fc_names_older(early, age);
        if (faccessat(fd, older, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
            break;
        if (is_ours(files, fd, older))
            unlinkat(fd, older, 0);
    }
}

/* ---- Profiles ---------------------------------------------------------------------------- */

gboolean fc_files_write(FcFiles *files, const FcProfile *profile, gint64 id, gint64 parent,
                        gboolean is_thread, gboolean several, guint64 order, char **trouble)
{
    g_autofree char *base = base_name(files, id, profile->executable);
    g_autofree char *plain = g_strdup_printf("%s.fc", base);
    gboolean is_plain = !files->has_id && !several && files->descriptor->entries->len == 0;
    g_autofree char *numbered = is_plain || files->has_id
                                    ? g_strdup(plain)
                                    : g_strdup_printf("%s.%" G_GINT64_FORMAT, plain, id);
    g_autofree char *name = is_plain ? g_strdup(plain) : choose_name(files, numbered);
    guint folder = write_somewhere(files, write_profile, profile, name, is_plain, trouble);
    if (is_plain)
    {
        g_autofree char *other = g_strdup_printf("%s.fcd", base);
        take_away_other(files, other);
    }
    if (folder == FOLDERS)
        return FALSE;
    end_early(files, id, name);
    add_entry(files, id, parent, is_thread, name, (Place){order, folder, g_steal_pointer(&plain)});
    g_hash_table_add(files->used, g_steal_pointer(&name));
    return TRUE;
}

/* ---- Files that are written again -------------------------------------------------------- */

/* The descriptor's number of the profile with that order, which is there. */
static guint find_order(const FcFiles *files, guint64 order)
{
    guint at = 0;
    while (at + 1 < files->places->len && g_array_index(files->places, Place, at).order != order)
        at++;
    return at;
}

void fc_files_write_again(FcFiles *files, const FcProfile *profile, guint64 order, char **trouble)
{
    g_autoptr(GError) error = NULL;
    const guint at = find_order(files, order);
    FcDescriptorEntry *entry = &g_array_index(files->descriptor->entries, FcDescriptorEntry, at);
    const Folder *folder = &files->folders[g_array_index(files->places, Place, at).folder];
    g_autofree char *hidden = g_strdup_printf(".fc-%08x%08x.new", g_random_int(), (guint)getpid());
    if (faccessat(folder->fd, entry->file, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
        !is_ours(files, folder->fd, entry->file))
    {
        char *name = choose_name(files, entry->file);
        g_free(entry->file);
        entry->file = name;
        g_hash_table_add(files->used, g_strdup(name));
    }
    if (fc_profile_write(profile, folder->fd, hidden, &error) &&
        renameat(folder->fd, hidden, folder->fd, entry->file) == 0)
        return;
    const int why = errno;
    unlinkat(folder->fd, hidden, 0);
    *trouble = g_strdup_printf("can't write '%s/%s': %s", folder->path, entry->file,
                               error ? error->message : g_strerror(why));
}

FcProfile *fc_files_read(FcFiles *files, guint64 order)
{
    const guint at = find_order(files, order);
    const char *name = g_array_index(files->descriptor->entries, FcDescriptorEntry, at).file;
    const Folder *folder = &files->folders[g_array_index(files->places, Place, at).folder];
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d/%s", folder->fd, name);
    FcProfile *profile = fc_profile_read(path, NULL, NULL);
    if (profile && g_hash_table_contains(files->used, name))
        return profile;
    fc_profile_free(profile);
    return NULL;
}

void fc_files_remove(FcFiles *files, guint64 order)
{
    const guint at = find_order(files, order);
    const char *name = g_array_index(files->descriptor->entries, FcDescriptorEntry, at).file;
    unlinkat(files->folders[g_array_index(files->places, Place, at).folder].fd, name, 0);
    g_array_remove_index(files->descriptor->entries, at);
    g_array_remove_index(files->places, at);
}

/* ---- Snapshots --------------------------------------------------------------------------- */

static char *snapshot_name(FcFiles *files, const char *program, gint64 id, const char *which)
{
    g_autofree char *base = base_name(files, id, program);
    return files->has_id
               ? g_strdup_printf("%s.snapshot-%s.fc", base, which)
               : g_strdup_printf("%s.%" G_GINT64_FORMAT ".snapshot-%s.fc", base, id, which);
}

gboolean fc_files_write_snapshot(FcFiles *files, const FcProfile *profile,
                                 const FcFilesSnapshot *snapshot, GError **error)
{
    g_auto(FcKeepPlaced) placed = {.beside = NULL};
    g_autofree char *number = g_strdup_printf("%04u", snapshot->number);
    g_autofree char *name = snapshot_name(files, profile->executable, snapshot->id,
                                          snapshot->name ? snapshot->name : number);
    if (!write_to(files, WANTED, write_profile, profile, name, FALSE, &placed, error))
        return FALSE;
    if (snapshot->name || snapshot->number <= snapshot->keep)
        return TRUE;
    const int fd = files->folders[WANTED].fd;
    g_autofree char *last = g_strdup_printf("%04u", snapshot->number - snapshot->keep);
    g_autofree char *old = snapshot_name(files, profile->executable, snapshot->id, last);
    if (is_ours(files, fd, old))
        unlinkat(fd, old, 0);
    return TRUE;
}

/* ---- The descriptor ---------------------------------------------------------------------- */

/* Writes the descriptor for one folder.  Files in that folder are listed by name, all others by
 * path. */
static gboolean write_descriptor(gconstpointer data, int dirfd, const char *name, GError **error)
{
    const FcFiles *files = data;
    g_autoptr(FcDescriptor) copy = fc_descriptor_new();
    copy->started = files->descriptor->started;
    copy->ended = files->descriptor->ended;
    for (guint i = 0; i < files->places->len; i++)
    {
        const FcDescriptorEntry *entry =
            &g_array_index(files->descriptor->entries, FcDescriptorEntry, i);
        const Folder *folder = &files->folders[g_array_index(files->places, Place, i).folder];
        g_autofree char *path = folder->fd == dirfd
                                    ? g_strdup(entry->file)
                                    : g_build_filename(folder->absolute, entry->file, NULL);
        fc_descriptor_add(copy, entry->id, entry->parent, entry->is_thread, path);
    }
    return fc_descriptor_write(copy, dirfd, name, error);
}

gboolean fc_files_describe(FcFiles *files, gint64 root_pid, const char *program, gint64 started,
                           gint64 ended, char **trouble)
{
    files->descriptor->started = started;
    files->descriptor->ended = ended;
    g_autofree char *base = base_name(files, root_pid, program);
    g_autofree char *name = g_strdup_printf("%s.fcd", base);
    /* From the second time on, the file that is there is our own. */
    guint folder = write_somewhere(files, write_descriptor, files, name,
                                   g_strcmp0(name, files->descriptor_name) != 0, trouble);
    g_autofree char *other = g_strdup_printf("%s.fc", base);
    take_away_other(files, other);
    if (folder == FOLDERS)
        return FALSE;
    g_free(files->descriptor_name);
    files->descriptor_name = g_steal_pointer(&name);
    files->descriptor_folder = folder;
    files->rule.own = files->written;
    return TRUE;
}

void fc_files_name_only_one(FcFiles *files, char **trouble)
{
    end_early(files, files->early_id, NULL);
    if (files->places->len != 1)
        return;
    const FcDescriptorEntry *entry =
        &g_array_index(files->descriptor->entries, FcDescriptorEntry, 0);
    const Place *place = &g_array_index(files->places, Place, 0);
    int fd = files->folders[place->folder].fd;
    if (!files->has_id && g_strcmp0(entry->file, place->plain) != 0)
    {
        g_auto(FcKeepPlaced) placed = {.beside = NULL};
        if (!fc_keep_put(fd, entry->file, place->plain, &files->rule, &placed))
            return; /* the descriptor still leads to it */
        *trouble = report_placed(files, place->plain, &placed);
    }
    if (files->descriptor_name)
        fc_keep_delete_own(files->folders[files->descriptor_folder].fd, files->descriptor_name,
                           &files->rule);
    g_autofree char *other = g_strconcat(place->plain, "d", NULL);
    take_away_other(files, other);
}

guint fc_files_count(const FcFiles *files)
{
    return files->places->len;
}

char *fc_files_main_path(const FcFiles *files)
{
    guint count = files->places->len;
    if (count == 0)
        return NULL;
    const char *name =
        files->descriptor_name
            ? files->descriptor_name
            : g_array_index(files->descriptor->entries, FcDescriptorEntry, count - 1).file;
    guint folder = files->descriptor_name ? files->descriptor_folder
                                          : g_array_index(files->places, Place, count - 1).folder;
    return g_strdup_printf("%s/%s", files->folders[folder].path, name);
}
