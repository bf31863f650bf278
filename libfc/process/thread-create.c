/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interposes pthread_create and thrd_create for entry counters (entries.h): a new thread would
 * otherwise count in its creator's counters.  If no module has such counters, the interposers jump
 * to libc's functions.
 */
#include "libfc/base/libc.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/process/entries.h"
#include "libfc/process/threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

typedef void *ThreadFunction(void *);
typedef int CreateFunction(pthread_t *, const pthread_attr_t *, ThreadFunction *, void *);
typedef int CreateC11Function(thrd_t *, thrd_start_t, void *);

static CreateFunction *real_create;
static CreateC11Function *real_create_c11; /* NULL: libc has none */

/* At start, since dlsym waits while another thread is in a library's constructor. */
__attribute__((constructor)) static void find_real(void)
{
    real_create_c11 = (CreateC11Function *)fc_libc()->dlsym(RTLD_NEXT, "thrd_create");
    if (!real_create_c11)
        (void)fc_libc()->dlerror(); /* the program must not see this error */
    real_create = (CreateFunction *)fc_libc()->dlsym(RTLD_NEXT, "pthread_create");
}

struct Begin
{
    ThreadFunction *function; /* NULL: call c11_function */
    thrd_start_t c11_function;
    void *argument;
};

static struct Begin *make(struct Begin begin)
{
    struct Begin *kept = fc_map(sizeof *kept);
    if (kept)
        *kept = begin;
    return kept;
}

static struct Begin take(void *data)
{
    const struct Begin begin = *(const struct Begin *)data;
    fc_unmap(data, sizeof begin);
    const uint64_t old = fc_block_signals();
    if (fc_thread.number == 0 && !fc_state_is_off())
        fc_threads_start();
    fc_entries_begin_thread();
    fc_restore_signals(old);
    return begin;
}

static void *begin_thread(void *data)
{
    const struct Begin begin = take(data);
    return begin.function(begin.argument);
}

static int begin_c11_thread(void *data)
{
    const struct Begin begin = take(data);
    return begin.c11_function(begin.argument);
}

FC_EXPORT FC_JUMPING int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                        ThreadFunction *function, void *argument)
{
    if (!real_create)
        find_real();
    struct Begin *begin = NULL;
    if (fc_entries_are_used())
        begin = make((struct Begin){.function = function, .argument = argument});
    if (!begin)
        FC_JUMP real_create(thread, attributes, function, argument);
    const int error = real_create(thread, attributes, begin_thread, begin);
    if (error != 0)
        fc_unmap(begin, sizeof *begin);
    return error;
}

FC_EXPORT FC_JUMPING int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    if (!real_create_c11)
        find_real();
    struct Begin *begin = NULL;
    if (fc_entries_are_used())
        begin = make((struct Begin){.c11_function = function, .argument = argument});
    if (!begin)
        FC_JUMP real_create_c11(thread, function, argument);
    const int error = real_create_c11(thread, begin_c11_thread, begin);
    if (error != thrd_success)
        fc_unmap(begin, sizeof *begin);
    return error;
}
