/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions of the C library and its loader that libfc needs, by addresses taken from the
 * library itself.  Under their names the program may define functions of its own, even
 * instrumented ones, which would call the hooks that called them.  System calls go through sys.h
 * instead, and string functions are in string.c.
 */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct FcLibc
{
    void *(*dlsym)(void *handle, const char *name);
    void *(*dlvsym)(void *handle, const char *name, const char *version);
    void *(*dlopen)(const char *file, int mode);
    int (*dlclose)(void *handle);
    char *(*dlerror)(void);
    int (*dladdr)(const void *address, Dl_info *info);
    int (*dladdr1)(const void *address, Dl_info *info, void **extra, int flags);
    int (*iterate_phdr)(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data);
    int (*register_atfork)(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                           void *library);
    int (*on_exit)(void (*function)(int, void *), void *data);
    int (*at_quick_exit)(void (*function)(void *), void *library);
    int (*key_create)(unsigned *key, void (*destructor)(void *));
    int (*setspecific)(unsigned key, const void *value);
    int *(*errno_location)(void);
    unsigned long (*getauxval)(unsigned long type);
    const char *(*strerrordesc)(int error);
    void (*abort)(void);
    int (*clock_gettime)(clockid_t clock, struct timespec *now); /* the vDSO's */
};

/* Looks the functions up at the first call.  Never NULL, and no member is NULL.
 * Async-signal-safe and thread-safe; may be called at any time after libfc was relocated. */
const struct FcLibc *fc_libc(void);

/* The function `name` as the module that contains `code` would find it; NULL: there is none.
 * May ask the loader, which waits while another thread is in a library's constructor, allocates,
 * and resets the program's dlerror. */
void *fc_libc_find_near(const void *code, const char *name);

/* Whether a loaded library other than libfc exports that function.  For the start. */
bool fc_libc_is_exported(const char *name);

/* The errno of the calling thread. */
#define fc_errno (*fc_libc()->errno_location())

/* The environment, even before the C library has set `environ`, as in functions of
 * .preinit_array.  NULL: the program has none. */
char **fc_libc_environ(void);

/* From here on `environ` is set by the C library and the program: NULL means that it is empty. */
void fc_libc_is_initialised(void);

/* The value of a variable of the environment; NULL: not set.  `name` without `=`. */
const char *fc_libc_getenv(const char *name);
