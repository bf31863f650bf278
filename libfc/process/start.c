/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sets up every part of libfc, and joins a session or starts one.  Called by the loader
 * (constructor) and by the slow path, whichever comes first.  Ends the program only if FC_HELP is
 * set, after printing the help.
 */
#include "libfc/process/start.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/base/libc.h"
#include "libfc/base/notice.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/count/detail.h"
#include "libfc/count/user-filter.h"
#include "libfc/hooks/jumps.h"
#include "libfc/hooks/stacks.h"
#include "libfc/memory/interpose.h"
#include "libfc/process/exec.h"
#include "libfc/process/exit.h"
#include "libfc/process/forks.h"
#include "libfc/process/join.h"
#include "libfc/process/modules.h"
#include "libfc/process/mpi.h"
#include "libfc/process/openmp.h"
#include "libfc/process/overhead.h"
#include "libfc/process/process.h"
#include "libfc/process/spawn.h"
#include "libfc/process/threads.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/streams.h"
#include "libfc/stream/switches.h"

static bool join_or_spawn(struct FcHello *hello)
{
    switch (fc_join_session(&fc_session, &hello->parent_process))
    {
    case FC_JOIN_LEAVE:
        fc_join_announce(NULL); /* for images that the program executes */
        return false;
    case FC_JOIN_DONE:
        hello->flags = FC_HELLO_EXECED;
        fc_config.time_mode = fc_clock_start(fc_config.time_mode, fc_config.memory);
        break;
    case FC_JOIN_NONE:
        fc_config.time_mode = fc_clock_start(fc_config.time_mode, fc_config.memory);
        fc_config_print_banner();
        if (!fc_spawn_manager(&fc_session))
            return false;
        break;
    }
    fc_join_announce(&fc_session);
    return true;
}

static bool start(struct FcHello *hello)
{
    fc_notice_setup();
    /* Looks up the real functions even if nothing is profiled, before there are threads that
       would do so at the same time. */
    fc_exec_setup();
    fc_stacks_setup();
    fc_jumps_setup();
    if (!fc_config_load())
    {
        fc_join_hide();
        fc_notice_unprofiled(
            "this program has more rights than who started it, it is not profiled");
        return false;
    }
    if (fc_config.help)
    {
        fc_config_print_help();
        fc_sys(SYS_exit_group, 0);
    }
    if (fc_config.is_left_out)
    {
        fc_join_hide();
        fc_join_announce(NULL);
        return false;
    }
    fc_process_setup();
    fc_modules_setup();
    if (!join_or_spawn(hello))
        return false;
    fc_channel_open(fc_session.pipe_fd, fc_session.manager_pid, fc_session.manager_pipe_fd);
    fc_chunks_setup(fc_session.shared, fc_session.chunk_count, fc_config.buffer_records,
                    fc_detail_scan);
    fc_streams_setup(fc_config.memory ? NULL : fc_session.shared);
    fc_user_filter_setup(fc_modules_update);
    fc_detail_setup(fc_config.detail == FC_DETAIL_AUTO && fc_session.shared != NULL);
    fc_switches_setup(fc_config.time_mode == FC_TIME_TSC || fc_config.time_mode == FC_TIME_EXT);
    fc_threads_setup();
    /* if one of these two fails, a fork or the end is still noticed, but later */
    fc_forks_setup();
    fc_exit_setup();
    return true;
}

/* Measures the overhead.  Signals are blocked, but is_blocking is cleared, so that the hooks do
 * all that they do in the program (deferred.h). */
static bool measure(struct FcOverhead *overhead)
{
    const uint64_t before = fc_thread.blocked_before;
    fc_thread.is_blocking = false;
    const bool is_measured = fc_overhead_measure(overhead);
    fc_thread.is_blocking = true;
    fc_thread.blocked_before = before;
    return is_measured;
}

bool fc_start(void)
{
    if (!fc_state_claim_start())
        return !fc_state_is_off();
    uint64_t old = fc_block_signals();
    struct FcHello hello = {0};
    bool good = start(&hello);
    fc_state_started(good);
    if (good)
    {
        if (fc_config.memory && !fc_interpose_is_first())
        {
            fc_notice("another malloc stands before libfc's, memory is not profiled");
            fc_config.memory = false;
        }
        fc_mpi_setup();
        fc_openmp_setup();
        fc_process_introduce(&hello);
        struct FcOverhead overhead = {0};
        bool is_measured = (hello.flags & FC_HELLO_EXECED) == 0 && measure(&overhead);
        fc_modules_scan();
        fc_process_send_started(is_measured ? &overhead : NULL);
    }
    fc_interpose_start(good && fc_config.memory);
    fc_restore_signals(old);
    return good;
}

__attribute__((constructor)) static void loaded(void)
{
    fc_libc_is_initialised();
    fc_join_set_environment(); /* if a record was made before this */
    fc_start();
}
