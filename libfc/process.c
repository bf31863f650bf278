/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The life of the profiled process.  Called by the loader (constructor, destructor),
 * by libc (fork and exit handlers) and by the slow path.  Never ends the program,
 * with the one exception of FC_HELP, which asks for just that.
 */
#include "libfc/process.h"

#include "libfc/buffers.h"
#include "libfc/channel.h"
#include "libfc/clock.h"
#include "libfc/config.h"
#include "libfc/exec.h"
#include "libfc/file.h"
#include "libfc/forks.h"
#include "libfc/interpose.h"
#include "libfc/join.h"
#include "libfc/modules.h"
#include "libfc/notice.h"
#include "libfc/ring.h"
#include "libfc/scan.h"
#include "libfc/spawn.h"
#include "libfc/stacks.h"
#include "libfc/sys.h"
#include "libfc/thread.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum State
{
    NOT_STARTED,
    STARTING,
    RUNNING,
    ENDING, /* off for all threads but the one that ends the process */
    OFF,
};

uint64_t fc_process_key;

static uint32_t state; /* atomic, enum State */
static struct FcSession session;
static uint32_t never_zeroed = 1;
static volatile uint32_t *fork_mark = &never_zeroed; /* 1; zeroed by the kernel in a forked child */
static uint32_t exit_parts;                          /* of finish_part, atomic */

bool fc_process_is_off(void)
{
    /* acquire: pairs with the release that ends the start */
    uint32_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    return now != RUNNING && !(now == ENDING && fc_thread.is_quitting);
}

/* Profiling is off, but the hooks go on reading the clock. */
static void use_cheapest_clock(void)
{
    if (fc_clock_mode != FC_TIME_TSC)
        fc_clock_mode = FC_TIME_EXT;
}

void fc_process_stop(const char *reason)
{
    if (__atomic_exchange_n(&state, OFF, __ATOMIC_ACQ_REL) == OFF)
        return;
    use_cheapest_clock();
    if (reason != NULL)
        fc_notice(reason);
}

/* ---- Joining the session ------------------------------------------------------- */

static void make_key(void)
{
    uint64_t microseconds = fc_clock_monotonic_ns() / 1000;
    fc_process_key =
        (uint64_t)(uint32_t)fc_sys(SYS_getpid) << 32 | (uint32_t)(microseconds | 1); /* never 0 */
}

static void send_hello(struct FcHello *hello)
{
    hello->version = FC_WIRE_VERSION;
    hello->flags |= fc_config.memory ? 0 : FC_HELLO_NO_MEMORY;
    hello->pid = (int32_t)fc_sys(SYS_getpid);
    hello->ppid = (int32_t)fc_sys(SYS_getppid);
    hello->thread = 1;
    hello->start_time = fc_clock_peek();
    hello->start_monotonic_ns = fc_clock_monotonic_ns();
    hello->start_realtime_ns = fc_clock_realtime_ns();
    struct FcMessage message = {.type = FC_MSG_HELLO};
    fc_channel_send(&message, hello, sizeof *hello);
}

static void send_text(enum FcText which, const char *text, size_t bytes)
{
    struct FcMessage message = {.type = FC_MSG_TEXT, .argument = which};
    if (bytes > 0)
        fc_channel_send(&message, text, bytes);
}

static void send_texts(void)
{
    static char text[65536];
    long bytes = fc_sys(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", text, sizeof text);
    if (bytes > 0)
        send_text(FC_TEXT_EXECUTABLE, text, (size_t)bytes);
    bytes = fc_sys(SYS_getcwd, text, sizeof text); /* counts the NUL */
    if (bytes > 1)
        send_text(FC_TEXT_DIRECTORY, text, (size_t)bytes - 1);
    send_text(FC_TEXT_COMMAND_LINE, text, fc_file_read("/proc/self/cmdline", text, sizeof text));
}

static void make_fork_mark(void)
{
    uint32_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    *page = 1;
    if (madvise(page, 4096, MADV_WIPEONFORK) == 0)
        fork_mark = page;
    else
        munmap(page, 4096);
}

bool fc_process_forked_unseen(void)
{
    return *fork_mark == 0;
}

static void exiting(int status, void *unused);
static void quick_exiting(void);

static bool start(struct FcHello *hello)
{
    fc_notice_setup();
    fc_config_load();
    if (fc_config.help)
    {
        fc_config_print_help();
        fc_sys(SYS_exit_group, 0);
    }
    make_key();
    make_fork_mark();
    fc_modules_setup();
    fc_exec_setup();
    fc_stacks_setup();
    fc_jumps_setup();
    switch (fc_join_session(&session, &hello->parent_process))
    {
    case FC_JOIN_LEAVE:
        fc_join_announce(NULL); /* for the images executed from here */
        return false;
    case FC_JOIN_DONE:
        hello->flags = FC_HELLO_EXECED;
        fc_config.time_mode = fc_clock_start(fc_config.time_mode, fc_config.memory);
        break;
    case FC_JOIN_NONE:
        fc_config.time_mode = fc_clock_start(fc_config.time_mode, fc_config.memory);
        fc_config_print_banner();
        if (!fc_spawn_manager(&session))
            return false;
        break;
    }
    fc_join_announce(&session);
    fc_channel_open(session.pipe_fd, session.manager_pid, session.manager_pipe_fd);
    fc_ring_setup(session.shared, fc_config.buffer_records);
    fc_thread_setup();
    /* Where one of these fails there are other signs of a fork, or of the end, if later. */
    fc_forks_setup();
    on_exit(exiting, NULL);
    at_quick_exit(quick_exiting);
    return true;
}

bool fc_process_start(void)
{
    uint32_t expected = NOT_STARTED;
    if (!__atomic_compare_exchange_n(&state, &expected, STARTING, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return expected == RUNNING;
    uint64_t old = fc_block_signals();
    struct FcHello hello = {0};
    bool good = start(&hello);
    __atomic_store_n(&state, good ? RUNNING : OFF, __ATOMIC_RELEASE);
    if (good)
    {
        if (fc_config.memory && !fc_interpose_is_first())
        {
            fc_notice("another malloc stands before libfc's, memory is not profiled");
            fc_config.memory = false;
        }
        send_hello(&hello);
        send_texts();
        fc_modules_scan();
    }
    else
        use_cheapest_clock();
    fc_interpose_start(good && fc_config.memory);
    fc_restore_signals(old);
    return good;
}

__attribute__((constructor)) static void loaded(void)
{
    fc_process_start();
}

/* ---- Forks ------------------------------------------------------------------------ */

void fc_process_after_fork(uint64_t token)
{
    *fork_mark = 1;
    fc_channel_after_fork();
    fc_modules_after_fork();
    struct FcHello hello = {
        .flags = FC_HELLO_FORKED,
        .parent_process = fc_process_key,
        .parent_thread = fc_thread.number,
        .fork_token = token,
    };
    fc_thread_after_fork();
    if (fc_process_is_off())
        return;
    if (fc_config.profile_mode != FC_MODE_FORK)
    {
        fc_process_stop(NULL);
        fc_channel_close(); /* this process must not keep the session open */
        fc_join_announce(NULL);
        return;
    }
    make_key();
    fc_join_announce(&session);
    __atomic_store_n(&exit_parts, 0, __ATOMIC_RELAXED);
    send_hello(&hello);
    fc_thread_start();
}

/* ---- The end ------------------------------------------------------------------------ */

static void quit(void)
{
    if (fc_process_is_off())
        return;
    uint64_t old = fc_block_signals();
    if (fc_process_forked_unseen())
        fc_process_after_fork(0);
    if (fc_thread.number == 0)
        fc_thread_start();
    fc_thread_send_name();
    fc_modules_scan_last();
    /* What other threads do from now on is past the end. */
    fc_thread.is_quitting = true;
    __atomic_store_n(&state, ENDING, __ATOMIC_SEQ_CST);
    fc_buffers_send_others();
    fc_scan_run(session.manager_pid);
    uint32_t index = fc_ring_take_for_answer();
    if (index == 0 && session.reply_fd < 0)
        index = FC_NO_ANSWER;
    struct FcMessage message = {.type = FC_MSG_QUIT,
                                .thread = fc_thread.number,
                                .argument = index,
                                .value = fc_clock_peek()};
    fc_channel_send(&message, NULL, 0);
    fc_restore_signals(old);
    if (fc_process_is_off())
        return;
    __atomic_store_n(&state, OFF, __ATOMIC_RELEASE);
    size_t bytes = 0;
    const char *text = NULL;
    if (index == 0)
        fc_spawn_read_reply(session.reply_fd, -1);
    else if (index != FC_NO_ANSWER)
        text = fc_ring_wait_for_answer(index, &bytes);
    if (text != NULL && bytes > 0)
        fc_notice_print(text, bytes);
    else if (text == NULL && index != 0 && index != FC_NO_ANSWER)
        fc_notice("the profile manager is gone, the profile is not complete");
    fc_channel_close();
}

/* exit() runs two of our functions, in an order that depends on how libfc was loaded:
 * libc's exit handler, which knows the status, and the loader's destructor, which is
 * behind all those of the program.  The later one is the end. */
static void finish_part(void)
{
    if (__atomic_add_fetch(&exit_parts, 1, __ATOMIC_ACQ_REL) == 2)
        quit();
}

void fc_process_send_status(int status)
{
    struct FcMessage message = {.type = FC_MSG_EXIT_STATUS, .argument = (uint32_t)status};
    if (!fc_process_is_off())
        fc_channel_send(&message, NULL, 0);
}

static void exiting(int status, void *unused)
{
    (void)unused;
    fc_process_send_status(status);
    finish_part();
}

static void quick_exiting(void)
{
    quit();
}

typedef void QuickExitFunction(int);

/* Here only to learn the status: its handlers, of which ours is the last, are not told. */
FC_EXPORT void quick_exit(int status)
{
    QuickExitFunction *real_quick_exit = (QuickExitFunction *)dlsym(RTLD_NEXT, "quick_exit");
    fc_process_send_status(status);
    real_quick_exit(status);
    __builtin_unreachable();
}

/* No handler runs here, and what the program records up to now may still be with us; for
 * many a program, shells among them, this is the normal end. */
FC_EXPORT void _exit(int status)
{
    /* The child of a vfork has its parent's memory, whose profile goes on. */
    bool is_ours = fc_process_key >> 32 == (uint64_t)fc_sys(SYS_getpid);
    if (is_ours || fc_process_forked_unseen())
    {
        fc_process_send_status(status);
        quit();
    }
    for (;;)
        fc_sys(SYS_exit_group, status);
}

FC_EXPORT void _Exit(int status)
{
    _exit(status);
}

__attribute__((destructor)) static void unloaded(void)
{
    finish_part();
}
