/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions of the C library and its loader that libfc can't do without, by addresses taken
 * from the library itself.  Under their names the program may define functions of its own,
 * instrumented ones even, which would call the hooks that called them.  What is a system call
 * goes through sys.h instead, and strings through string.c.
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
    int (*clock_gettime)(clockid_t clock, struct timespec *now); /* by the vDSO */
};

/* Looks them up when it is first called.  Never NULL, and neither is any of the functions.
 * Async-signal-safe and thread-safe; to be called at any time after libfc was relocated. */
const struct FcLibc *fc_libc(void);

/* The function `name` as the module that `code` is in would find it; NULL: there is none.  The
 * loader may be asked, which waits where another thread is in a library's constructor, allocates,
 * and forgets the program's dlerror. */
void *fc_libc_find_near(const void *code, const char *name);

/* Whether a library that is loaded, but for libfc, exports that function.  At start. */
bool fc_libc_is_exported(const char *name);

/* The errno of the calling thread. */
#define fc_errno (*fc_libc()->errno_location())

/* The environment, also before the C library has set `environ`, as for functions of .preinit_array;
 * NULL where the program has none. */
char **fc_libc_environ(void);

/* From now on `environ` is the C library's and the program's: NULL means that it is empty. */
void fc_libc_is_initialised(void);

/* The value of a variable of the environment; NULL: not set.  `name` without `=`. */
const char *fc_libc_getenv(const char *name);
