/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Start and end of threads.  A thread becomes known at its first record.  Its end is noticed by a
 * thread-specific key, whose destructors run when the thread's frames and C++ thread_local objects
 * are gone.
 */
#include "libfc/process/threads.h"

#include "libfc/base/clock.h"
#include "libfc/base/libc.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/count/counters.h"
#include "libfc/count/depth.h"
#include "libfc/count/detail.h"
#include "libfc/count/recorded.h"
#include "libfc/process/entries.h"
#include "libfc/process/modules.h"
#include "libfc/stream/buffers.h"
#include "libfc/stream/call-sites.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/switches.h"

#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static unsigned end_key; /* a pthread_key_t */
static bool have_end_key;
static uint32_t last_number; /* atomic: the number of the process's newest thread */

/* Whether the calling thread's end is not reported, because profiling is off or the thread is
 * unknown.  If profiling is off, still takes the thread off the list of threads with buffers,
 * which another thread may be reading. */
static bool ends_unreported(void)
{
    if (!fc_state_is_off())
        return fc_thread.number == 0;
    const uint64_t old = fc_block_signals();
    fc_buffers_leave();
    fc_restore_signals(old);
    return true;
}

void fc_threads_end(void)
{
    uint64_t old = fc_block_signals();
    fc_entries_end_thread();
    fc_restore_signals(old);
    if (ends_unreported())
        return;
    old = fc_block_signals();
    const uint64_t end = fc_switches_check_last();
    fc_modules_update();
    fc_chunks_give_up(); /* including records that waited for a later one */
    fc_counters_end();
    fc_depth_end();
    fc_call_sites_end();
    fc_recorded_end();
    fc_detail_end();
    fc_threads_send_name();
    struct FcMessage message = {
        .type = FC_MSG_THREAD_END, .thread = fc_thread.number, .value = end};
    fc_channel_send(&message, NULL, 0);
    /* Destructors of other keys may still run instrumented code.  Its records belong to a new
       thread with the same kernel id, and each is sent at once. */
    fc_thread.number = 0;
    fc_thread.has_ended = true;
    fc_restore_signals(old);
}

static void thread_ends(void *unused)
{
    (void)unused;
    if (ends_unreported())
        return;
    /* libc calls the destructors in several rounds, as long as keys are set.  This key is set
       again in each round, so that its last destructor runs after those of the other keys. */
    if (++fc_thread.end_rounds >= PTHREAD_DESTRUCTOR_ITERATIONS ||
        fc_libc()->setspecific(end_key, &fc_thread) != 0)
        fc_threads_end();
}

void fc_threads_setup(void)
{
    have_end_key = fc_libc()->key_create(&end_key, thread_ends) == 0;
}

/* The bounds of the calling thread's own stack, roughly.  `start` is at or below the lowest
 * address that the stack can grow to. */
static struct FcStackInfo find_own_stack(long thread_id)
{
    const uint64_t main_gap = 128u << 20; /* the kernel maps nothing in this gap */
    const uint64_t usual = 8u << 20;
    struct rlimit limit = {0};
    bool is_main = thread_id == fc_sys(SYS_getpid);
    /* a thread's own variables are right above its stack, and so are the main thread's arguments */
    uint64_t end = is_main ? fc_libc()->getauxval(AT_EXECFN) : (uint64_t)(uintptr_t)&fc_thread;
    uint64_t bytes = is_main ? main_gap : usual;
    fc_sys(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
    if (limit.rlim_cur == RLIM_INFINITY)
        bytes = is_main ? UINT64_C(1) << 36 : usual;
    else if (limit.rlim_cur > bytes)
        bytes = limit.rlim_cur;
    return (struct FcStackInfo){.start = end > bytes ? end - bytes : 0, .end = end};
}

void fc_threads_start(void)
{
    /* relaxed: the number only has to be unique */
    fc_thread.number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    fc_thread.sequence = 0;
    fc_thread.sent_count = 0;
    fc_thread.back_count = 0;
    if (have_end_key)
        fc_libc()->setspecific(end_key, &fc_thread); /* libc allocates nothing for the first keys */
    long id = fc_sys(SYS_gettid);
    if (fc_thread.own_stack.end == 0) /* a forked child goes on with its parent's stack */
        fc_thread.own_stack = find_own_stack(id);
    struct FcMessage message = {.type = FC_MSG_THREAD_START,
                                .thread = fc_thread.number,
                                .argument = (uint32_t)id,
                                .value = fc_clock_peek()};
    fc_switches_begin_thread();
    fc_channel_send(&message, &fc_thread.own_stack, sizeof fc_thread.own_stack);
}

void fc_threads_after_fork(void)
{
    const uint32_t number = fc_thread.number;
    last_number = 0;
    fc_thread.number = 0;
    fc_chunks_after_fork(number);
}

void fc_threads_send_name(void)
{
    char name[17] = "";
    if (fc_thread.number == 0 || fc_sys(SYS_prctl, PR_GET_NAME, name, 0, 0, 0) < 0)
        return;
    struct FcMessage message = {.type = FC_MSG_THREAD_NAME, .thread = fc_thread.number};
    fc_channel_send(&message, name, strlen(name));
}
