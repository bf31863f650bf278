/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See find.h.
 */
#include "libfc/find.h"

#include "libfc/config.h"
#include "libfc/libc.h"
#include "libfc/notice.h"
#include "libfc/text.h"
#include "libfc/trust.h"

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

/* What came of the search for `path`: true where that can be executed.  If not, *is_refused says
 * whether it is there and must not be. */
static bool take_path(struct FcFound *found, const char *path, long error, bool *is_refused)
{
    *is_refused = error == -EPERM || error == -ENOEXEC || error == -EINVAL || error == -ELOOP ||
                  error == -ENOSYS || error == -ESTALE;
    if (*is_refused)
        refuse(path, error);
    if (error < 0)
        fc_find_note_error(found, path, *is_refused ? -EACCES : error);
    else
        found->count++;
    return error >= 0;
}

/* Returns false where it is not to be used, and another one may be. */
static bool choose_named(struct FcFound *found, const char *path)
{
    bool is_refused;
    return take_path(found, path, fc_trust_find_named(path, found->paths[found->count]),
                     &is_refused) ||
           !is_refused;
}

static void choose_installed(struct FcFound *found, const char *path, const char *libfc)
{
    bool is_refused;
    char *real = found->paths[found->count];
    long error = fc_trust_find_installed(path, libfc, real);
    if (error == -ENOSYS && strlen(path) < FC_WRITERS_PATH)
    {
        strcpy(real, path);
        error = 0;
    }
    take_path(found, path, error, &is_refused);
}

/* The first one of PATH that may be used, not of the working directory. */
static void choose_of_path(struct FcFound *found, const char *search)
{
    static char path[FC_WRITERS_PATH];
    const int before = found->count;
    for (const char *at = search; at && found->count == before;)
    {
        size_t bytes = strcspn(at, ":");
        if (*at == '/' && bytes + sizeof "/fcmanager" <= sizeof path)
        {
            memcpy(path, at, bytes);
            strcpy(path + bytes, "/fcmanager");
            choose_named(found, path);
        }
        at = at[bytes] == ':' ? at + bytes + 1 : NULL;
    }
}

void fc_find_manager(struct FcFound *found)
{
    static char beside[FC_WRITERS_PATH];
    if (fc_config.manager[0] != '\0' && choose_named(found, fc_config.manager))
        return; /* the user's word: nothing else is tried */
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
        choose_installed(found, beside, libfc);
    }
    choose_installed(found, FC_MANAGER_PATH, libfc);
    if (!fc_config.is_privileged)
        choose_of_path(found, fc_libc_getenv("PATH"));
}
