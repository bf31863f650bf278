/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See find.h.
 */
#include "libfc/process/find.h"

#include "libfc/base/config.h"
#include "libfc/base/libc.h"
#include "libfc/base/notice.h"
#include "libfc/base/text.h"
#include "libfc/base/trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

void fc_find_note_error(struct FcFound *found, const char *path, long error)
{
    const size_t bytes = strlen(path);
    const size_t room = sizeof found->tried - 1;
    if (found->error != 0 && (found->error != -ENOENT || error == -ENOENT))
        return;
    found->error = error;
    strcpy(found->tried, path + (bytes > room ? bytes - room : 0));
}

static void refuse(const char *path, long error)
{
    struct FcLine line;
    fc_line_start(&line, "FCheck: the profile manager ");
    fc_line_add(&line, path);
    fc_line_add(&line, " is not used: ");
    fc_trust_add_reason(&line, error);
    fc_notice_line(&line);
}

/* Notes the result of the search for `path`.  False: the file exists, but must not be used. */
static bool take(struct FcFound *found, const char *path, long error)
{
    const bool is_refused = error == -EPERM || error == -ENOEXEC || error == -EINVAL ||
                            error == -ELOOP || error == -ENOSYS || error == -ESTALE;
    if (is_refused)
        refuse(path, error);
    if (error < 0)
        fc_find_note_error(found, path, is_refused ? -EACCES : error);
    found->is_there = error >= 0;
    return !is_refused;
}

static void take_installed(struct FcFound *found, const char *path, const char *libfc)
{
    long error = fc_trust_find_installed(path, libfc, found->path);
    if (error == -ENOSYS && strlen(path) < sizeof found->path)
    {
        strcpy(found->path, path);
        error = 0;
    }
    take(found, path, error);
}

/* Takes the first fcmanager in PATH that may be used.  Skips relative folders. */
static void take_of_path(struct FcFound *found, const char *search)
{
    static char path[FC_WRITERS_PATH];
    for (const char *at = search; at && !found->is_there;)
    {
        size_t bytes = strcspn(at, ":");
        if (*at == '/' && bytes + sizeof "/fcmanager" <= sizeof path)
        {
            memcpy(path, at, bytes);
            strcpy(path + bytes, "/fcmanager");
            take(found, path, fc_trust_find_named(path, found->path));
        }
        at = at[bytes] == ':' ? at + bytes + 1 : NULL;
    }
}

void fc_find_manager(struct FcFound *found)
{
    static char beside[FC_WRITERS_PATH];
    const char *named = fc_config.manager;
    if (named[0] != '\0' && take(found, named, fc_trust_find_named(named, found->path)))
        return; /* the user named it, so nothing else is tried */
    Dl_info info;
    const char *libfc =
        fc_libc()->dladdr(&fc_config, &info) != 0 && info.dli_fname ? info.dli_fname : "";
    const char *slash = strrchr(libfc, '/');
    size_t folder = slash ? (size_t)(slash + 1 - libfc) : 0;
    if (FC_BINDIR_FROM_LIBDIR[0] != '\0' && folder > 0 &&
        folder + sizeof FC_BINDIR_FROM_LIBDIR + 10 < sizeof beside)
    {
        memcpy(beside, libfc, folder);
        strcpy(beside + folder, FC_BINDIR_FROM_LIBDIR "/fcmanager");
        take_installed(found, beside, libfc);
    }
    if (!found->is_there)
        take_installed(found, FC_MANAGER_PATH, libfc);
    if (!found->is_there && !fc_config.is_privileged)
        take_of_path(found, fc_libc_getenv("PATH"));
}
