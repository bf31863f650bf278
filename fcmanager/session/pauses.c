/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See pauses.h.  Profiles are cumulative.  Let P be the snapshot at a pause, R that at the
 * resumption, and D what all pauses before had, at first nothing.  At the pause P - D is kept,
 * which is what the profile has so far.  At the resumption it becomes the new D: R - (P - D).  A
 * profile that is written later lacks D.
 */
#include "fcmanager/session/pauses.h"

#include "profile/difference.h"
#include "profile/fc-profile-file.h"

#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How many children may be at work when another one begins. */
#define WRITERS_MAX 8u

static void clear_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void fc_pauses_begin(FcProcess *process, gboolean is_on)
{
    process->pauses.is_on = is_on;
    process->pauses.begun_us = is_on ? g_get_monotonic_time() : 0;
}

gint64 fc_pauses_length_us(const FcProcess *process)
{
    const FcPauses *pauses = &process->pauses;
    return pauses->ended_us + (pauses->is_on ? g_get_monotonic_time() - pauses->begun_us : 0);
}

/* ---- The profiles ------------------------------------------------------------------------ */

/* Waits until the text behind `part_fd` is complete, and parses it.  NULL and *error: it is not. */
static FcProfile *load_part(const FcPauses *pauses, GError **error)
{
    struct pollfd writer = {pauses->writer_fd, POLLIN, 0};
    while (writer.fd >= 0 && poll(&writer, 1, -1) < 0)
        continue;
    g_autoptr(GMappedFile) file = g_mapped_file_new_from_fd(pauses->part_fd, FALSE, error);
    const char *text = file ? g_mapped_file_get_contents(file) : NULL;
    return file ? fc_profile_parse(text ? text : "", g_mapped_file_get_length(file), error) : NULL;
}

static FcProfile *copy(const FcProfile *profile, GError **error)
{
    g_autoptr(GString) text = fc_profile_format(profile);
    return fc_profile_parse(text->str, text->len, error);
}

/* Subtracts from `profile`, a snapshot that is made while or when it is paused, what there was
 * before: the pauses' part is left. */
static gboolean leave_pauses(const FcPauses *pauses, FcProfile *profile, GError **error)
{
    if (pauses->part_fd < 0)
        return TRUE;
    g_autoptr(FcProfile) before = load_part(pauses, error);
    return before && fc_profile_subtract(profile, before, error);
}

/* Takes off `profile` what the pauses had. */
static gboolean take_off_pauses(const FcPauses *pauses, FcProfile *profile, GError **error)
{
    g_autoptr(FcProfile) part = NULL;
    if (!pauses->is_on && pauses->part_fd < 0)
        return TRUE;
    part = pauses->is_on ? copy(profile, error) : load_part(pauses, error);
    if (!part || (pauses->is_on && !leave_pauses(pauses, part, error)))
        return FALSE;
    fc_profile_take_off(profile, part);
    return TRUE;
}

void fc_pauses_apply(const FcProcess *process, FcProfile *profile)
{
    const guint64 ms = (guint64)fc_pauses_length_us(process) / 1000;
    if (process->pauses.is_on || ms > 0)
        fc_profile_note(profile->repairs, "paused-ms", MAX(ms, 1));
    if (!take_off_pauses(&process->pauses, profile, NULL))
        fc_profile_note(profile->losses, "pauses-included", 1);
}

/* ---- The child that writes them ---------------------------------------------------------- */

typedef struct
{
    int fd; /* where to */
} Switch;

static gboolean write_part(FcProcess *process, FcProfile *profile, gpointer data)
{
    const Switch *change = data;
    const FcPauses *pauses = &process->pauses;
    if (!(pauses->is_on ? leave_pauses(pauses, profile, NULL)
                        : take_off_pauses(pauses, profile, NULL)))
        return FALSE;
    g_autoptr(GString) text = fc_profile_format(profile);
    for (gsize done = 0; done < text->len;)
    {
        const gssize written = write(change->fd, text->str + done, text->len - done);
        if (written <= 0)
            return FALSE;
        done += (gsize)written;
    }
    return TRUE;
}

/* Sets the descriptor of the child that was forked last.  Where there are no such descriptors,
 * waits until it is done. */
static int open_writer(FcSnapshots *snapshots)
{
    const pid_t child = g_array_index(snapshots->children, pid_t, snapshots->children->len - 1);
    const int fd = (int)syscall(SYS_pidfd_open, child, 0);
    if (fd < 0)
        fc_snapshots_reap(snapshots, TRUE);
    return fd;
}

gboolean fc_pauses_switch(FcProcess *process, gboolean is_on, FcSnapshots *snapshots,
                          FcSnapshotOrder *order, GError **error)
{
    FcPauses *pauses = &process->pauses;
    if (pauses->is_on == is_on)
        return TRUE;
    g_autoptr(GPtrArray) processes = g_ptr_array_new();
    Switch change = {memfd_create("pause", MFD_CLOEXEC)};
    g_ptr_array_add(processes, process);
    order->processes = processes;
    order->write = write_part;
    order->data = &change;
    fc_snapshots_reap(snapshots, snapshots->children->len >= WRITERS_MAX);
    if (change.fd < 0)
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOMEM,
                            "the profile manager has no memory for what there is so far");
    if (change.fd < 0 || !fc_snapshots_take(snapshots, order, error))
    {
        clear_fd(&change.fd);
        return FALSE;
    }
    clear_fd(&pauses->part_fd);
    clear_fd(&pauses->writer_fd);
    pauses->part_fd = change.fd;
    pauses->writer_fd = open_writer(snapshots);
    pauses->ended_us = is_on ? pauses->ended_us : fc_pauses_length_us(process);
    pauses->begun_us = g_get_monotonic_time();
    pauses->is_on = is_on;
    return TRUE;
}
