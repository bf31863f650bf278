/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compiler makes of each OpenMP construct calls of libgomp (gcc) or libomp (clang).  A thread
 * that waits there for others polls at first, which looks like work of the function that has the
 * construct.  So what the loaded objects import under the names below is redirected, in their
 * global offset tables, to a function that calls the hooks around it.  The library's own calls are
 * not redirected.
 *
 * All these functions have at most eight arguments, which are machine words, and return a word or
 * nothing.  Each is called with eight: it does not see those that are too many.  The one exception
 * is __kmpc_fork_call, which has any number, and for which there is openmp-fork.S.
 */
#include "libfc/process/openmp.h"

#include "libfc/base/config.h"
#include "libfc/base/got.h"
#include "libfc/base/libc.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void fc_hook_enter(void *function, void *site);
void fc_hook_exit(void *function, void *site);

typedef uintptr_t Word;
typedef Word Function(Word, Word, Word, Word, Word, Word, Word, Word);

/* Not here: what returns at once (GOMP_single_start, GOMP_task, loops' next parts), and
 * GOMP_doacross_wait and its like, which have any number of arguments. */
#define FUNCTIONS(ROW)                                                                             \
    ROW(GOMP_parallel)                                                                             \
    ROW(GOMP_parallel_reductions)                                                                  \
    ROW(GOMP_parallel_sections)                                                                    \
    ROW(GOMP_parallel_loop_static)                                                                 \
    ROW(GOMP_parallel_loop_dynamic)                                                                \
    ROW(GOMP_parallel_loop_guided)                                                                 \
    ROW(GOMP_parallel_loop_runtime)                                                                \
    ROW(GOMP_parallel_loop_nonmonotonic_dynamic)                                                   \
    ROW(GOMP_parallel_loop_nonmonotonic_guided)                                                    \
    ROW(GOMP_parallel_loop_nonmonotonic_runtime)                                                   \
    ROW(GOMP_parallel_loop_maybe_nonmonotonic_runtime)                                             \
    ROW(GOMP_teams_reg)                                                                            \
    ROW(GOMP_barrier)                                                                              \
    ROW(GOMP_barrier_cancel)                                                                       \
    ROW(GOMP_loop_end)                                                                             \
    ROW(GOMP_loop_end_cancel)                                                                      \
    ROW(GOMP_sections_end)                                                                         \
    ROW(GOMP_sections_end_cancel)                                                                  \
    ROW(GOMP_single_copy_start)                                                                    \
    ROW(GOMP_taskwait)                                                                             \
    ROW(GOMP_taskwait_depend)                                                                      \
    ROW(GOMP_taskgroup_end)                                                                        \
    ROW(GOMP_critical_start)                                                                       \
    ROW(GOMP_critical_name_start)                                                                  \
    ROW(GOMP_atomic_start)                                                                         \
    ROW(GOMP_ordered_start)                                                                        \
    ROW(omp_set_lock)                                                                              \
    ROW(omp_set_nest_lock)                                                                         \
    ROW(__kmpc_barrier)                                                                            \
    ROW(__kmpc_cancel_barrier)                                                                     \
    ROW(__kmpc_reduce)                                                                             \
    ROW(__kmpc_end_reduce)                                                                         \
    ROW(__kmpc_omp_taskwait)                                                                       \
    ROW(__kmpc_omp_wait_deps)                                                                      \
    ROW(__kmpc_end_taskgroup)                                                                      \
    ROW(__kmpc_critical)                                                                           \
    ROW(__kmpc_critical_with_hint)                                                                 \
    ROW(__kmpc_ordered)                                                                            \
    ROW(__kmpc_copyprivate)

/* What is called in place of each; atomic: stored before an entry leads here. */
#define CALLER(NAME)                                                                               \
    static Function *real_##NAME;                                                                  \
    static Word call_##NAME(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h)        \
    {                                                                                              \
        void *site = __builtin_return_address(0);                                                  \
        fc_hook_enter((void *)real_##NAME, site);                                                  \
        const Word result = real_##NAME(a, b, c, d, e, f, g, h);                                   \
        fc_hook_exit((void *)real_##NAME, site);                                                   \
        return result;                                                                             \
    }
FUNCTIONS(CALLER)

#if defined(__x86_64__)
void *fc_openmp_real_fork __attribute__((visibility("hidden")));
extern char fc_openmp_fork[] __attribute__((visibility("hidden")));
#endif

static const struct Row
{
    const char *name;
    void **real;
    void *caller;
} rows[] = {
#define ONE(NAME) {#NAME, (void **)&real_##NAME, (void *)call_##NAME},
    FUNCTIONS(ONE)
#if defined(__x86_64__)
        {"__kmpc_fork_call", &fc_openmp_real_fork, fc_openmp_fork},
#endif
};

/* Returns what is called in place of the function of that name; NULL: that function itself. */
static void *choose(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
        const struct Row *row = &rows[i];
        if (strcmp(name, row->name) != 0)
            continue;
        if (!*row->real)
            *row->real = fc_libc()->dlsym(RTLD_DEFAULT, name);
        return *row->real ? row->caller : NULL;
    }
    return NULL;
}

static bool is_runtime(const struct dl_phdr_info *object)
{
    static const char *const names[] = {"libgomp.so", "libomp.so", "libiomp5.so"};
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    const char *name = slash ? slash + 1 : object->dlpi_name;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void fc_openmp_setup(void)
{
    if (fc_config.openmp)
        fc_got_redirect_users(is_runtime, choose);
}
