/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Any MPI library's functions have names that begin with MPI_ (C) or mpi_ (Fortran), and arguments
 * that are machine words.  So neither mpi.h nor a table of the functions is needed to record their
 * calls (mpi-figures.c has one of those that send, receive or are collective): what the loaded
 * objects import under such a name is redirected, in their global offset tables, to a stub of
 * mpi-calls.S, which calls the hooks around the function.  The library's own calls are not
 * redirected.
 */
#include "libfc/process/mpi.h"

#include "libfc/base/config.h"
#include "libfc/base/got.h"
#include "libfc/base/libc.h"
#include "libfc/process/mpi-calls.h"
#include "libfc/process/requests.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
extern char fc_mpi_stubs[] __attribute__((visibility("hidden")));

static const char *names[FC_MPI_MAX];
static uint32_t count;

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- MPI_Pcontrol --------------------------------------------------------------------- */

typedef void Stub(void);
extern Stub fc_mpi_control_stub __attribute__((visibility("hidden")));
extern Stub fc_mpi_control_stub_fortran __attribute__((visibility("hidden")));
/* The library's own, which the stubs jump to. */
void *fc_mpi_control __attribute__((visibility("hidden")));
void *fc_mpi_control_fortran __attribute__((visibility("hidden")));

/* Called by the stubs.  MPI says that level 0 switches profiling off, 1 and 2 on, and leaves others
 * to the profiler: those above are like 1, those below 0 do nothing. */
void fc_mpi_controlled(int level)
{
    if (level >= 0)
        fc_requests_pause(level == 0);
}

void fc_mpi_controlled_fortran(const int *level)
{
    fc_mpi_controlled(*level);
}

/* Returns the stub for `name`, if it is that function.  NULL: it is not. */
static void *choose_control(const char *name)
{
    const bool is_fortran = strcmp(name, "mpi_pcontrol_") == 0;
    if (!is_fortran && strcmp(name, "MPI_Pcontrol") != 0)
        return NULL;
    void **real = is_fortran ? &fc_mpi_control_fortran : &fc_mpi_control;
    *real = fc_libc()->dlsym(RTLD_DEFAULT, name);
    return !*real ? NULL : is_fortran ? fc_mpi_control_stub_fortran : fc_mpi_control_stub;
}

/* ---- All others ------------------------------------------------------------------------ */

/* Whether calls of the function are recorded.  Not those that return a floating-point number or
 * have any number of arguments: MPI_Wtime, MPI_Wtick, MPI_Pcontrol. */
static bool is_wanted(const char *name)
{
    if (begins_with(name, "mpi_"))
        return name[strlen(name) - 1] == '_' && !begins_with(name, "mpi_wti") &&
               !begins_with(name, "mpi_pcontrol");
    return begins_with(name, "MPI_") && name[4] >= 'A' && name[4] <= 'Z' &&
           !begins_with(name, "MPI_Wti") && strcmp(name, "MPI_Pcontrol") != 0;
}

/* Returns the stub for the function of that name, which stays in memory.  NULL: there is none. */
static void *choose(const char *name)
{
    if (!is_wanted(name))
        return choose_control(name);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return fc_mpi_stubs + (size_t)i * FC_MPI_STUB_BYTES;
    void *function = count < FC_MPI_MAX ? fc_libc()->dlsym(RTLD_DEFAULT, name) : NULL;
    if (!function)
        return NULL;
    names[count] = name;
    fc_mpi_functions[count] = function;
    fc_mpi_kinds[count] = fc_mpi_kind_of(name);
    return fc_mpi_stubs + (size_t)count++ * FC_MPI_STUB_BYTES;
}

/* Whether the object belongs to an MPI library: Open MPI's or MPICH's and their kin, with
 * Fortran's. */
static bool is_library(const struct dl_phdr_info *object)
{
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    const char *name = slash ? slash + 1 : object->dlpi_name;
    return name && (begins_with(name, "libmpi") || begins_with(name, "libpmpi") ||
                    begins_with(name, "libopen-"));
}

void fc_mpi_setup(void)
{
    if (fc_config.mpi)
        fc_got_redirect_users(is_library, choose);
}
#else
void fc_mpi_setup(void)
{
}
#endif
