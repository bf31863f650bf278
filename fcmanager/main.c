/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libfc starts fcmanager in the first profiled process.  It serves the whole process tree and ends
 * by itself.  This is the only file that exits, and the only one that prints, apart from the
 * messages of FC_DEBUG.
 */
#include "fcmanager/base/affinity.h"
#include "fcmanager/base/memory-limit.h"
#include "fcmanager/base/notice.h"
#include "fcmanager/base/reply.h"
#include "fcmanager/session/session.h"
#include "fcmanager/session/source.h"
#include "profile/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

FC_MANAGER_NOTE_MAKE;

#define STATUS_USAGE 2
#define MAPPED_BYTES (128 * 1024)

typedef struct
{
    gint pipe_fd;
    gint reply_fd;
    gint shared_fd;
    gint filter_fd;
    gint pid;
    gint time_mode;
    gint profile_mode;
    gint functions;
    gint stack;
    gint graph;
    gint contexts;
    gboolean latency;
    gint trace;
    gint depth;
    gint slowest;
    gint memory;
    gint memory_stack;
    gboolean memory_profiling;
    gboolean use_pid;
    gint ranks;
    gint local_rank;
    gboolean unique;
    gboolean first;
    gint keep;
    gint every_ms;
    gint every_keep;
    gboolean recovery;
    gboolean paused;
    gint children;
    gboolean quiet;
    gboolean brief;
    gboolean debug;
    gboolean version;
    gboolean help;
    char *text; /* printed, and then the program ends */
    char *name;
    char *rank;
    char *job;
    char *launcher;
    char *directory;
    char *filter;
    char *log;
} Options;

static void options_clear(Options *options)
{
    g_free(options->text);
    g_free(options->name);
    g_free(options->rank);
    g_free(options->job);
    g_free(options->launcher);
    g_free(options->directory);
    g_free(options->filter);
    g_free(options->log);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean parse(int argc, char **argv, Options *options, GError **error)
{
    const GOptionEntry entries[] = {
        {"pipe", 0, 0, G_OPTION_ARG_INT, &options->pipe_fd, "read messages from FD", "FD"},
        {"reply", 0, 0, G_OPTION_ARG_INT, &options->reply_fd, "write answers to FD", "FD"},
        {"shared", 0, 0, G_OPTION_ARG_INT, &options->shared_fd, "shared memory", "FD"},
        {"choices", 0, 0, G_OPTION_ARG_INT, &options->filter_fd, "memory for what the user chose",
         "FD"},
        {"filter", 0, 0, G_OPTION_ARG_FILENAME, &options->filter, "what that is", "PATTERNS"},
        {"pid", 0, 0, G_OPTION_ARG_INT, &options->pid, "the process that starts us", "PID"},
        {"name", 0, 0, G_OPTION_ARG_FILENAME, &options->name, "base name of the files", "NAME"},
        {"rank", 0, 0, G_OPTION_ARG_STRING, &options->rank, "what %r in it stands for", "N"},
        {"job", 0, 0, G_OPTION_ARG_STRING, &options->job, "what %j in it stands for, and N is of",
         "NAME"},
        {"launcher", 0, 0, G_OPTION_ARG_STRING, &options->launcher, "what started that", "NAME"},
        {"ranks", 0, 0, G_OPTION_ARG_INT, &options->ranks, "how many it has", "N"},
        {"local-rank", 0, 0, G_OPTION_ARG_INT, &options->local_rank, "N on this host", "N"},
        {"unique", 0, 0, G_OPTION_ARG_NONE, &options->unique, "replace no file", NULL},
        {"first", 0, 0, G_OPTION_ARG_NONE, &options->first, "tell what becomes of all N's files",
         NULL},
        {"keep", 0, 0, G_OPTION_ARG_INT, &options->keep, "older files of a name to keep", "N"},
        {"every", 0, 0, G_OPTION_ARG_INT, &options->every_ms, "write snapshots so often", "MS"},
        {"every-keep", 0, 0, G_OPTION_ARG_INT, &options->every_keep, "of which so many stay", "N"},
        {"recovery", 0, 0, G_OPTION_ARG_NONE, &options->recovery,
         "write the profile so far now and then", NULL},
        {"children", 0, 0, G_OPTION_ARG_INT, &options->children,
         "0 auto, 1 merged by image and arguments, 2 apart", "N"},
        {"paused", 0, 0, G_OPTION_ARG_NONE, &options->paused, "add nothing before it is told to",
         NULL},
        {"directory", 0, 0, G_OPTION_ARG_FILENAME, &options->directory, "where they go", "PATH"},
        {"time-mode", 0, 0, G_OPTION_ARG_INT, &options->time_mode, "1 tsc, 2 ext, 3 cpu, 4 sys",
         "N"},
        {"profile-mode", 0, 0, G_OPTION_ARG_INT, &options->profile_mode,
         "1 single, 2 fork, 3 thread", "N"},
        {"functions", 0, 0, G_OPTION_ARG_INT, &options->functions, "first size of that table", "N"},
        {"stack", 0, 0, G_OPTION_ARG_INT, &options->stack, "likewise", "N"},
        {"graph", 0, 0, G_OPTION_ARG_INT, &options->graph, "likewise", "N"},
        {"memory", 0, 0, G_OPTION_ARG_INT, &options->memory, "likewise", "N"},
        {"contexts", 0, 0, G_OPTION_ARG_INT, &options->contexts, "calling contexts kept apart",
         "N"},
        {"memory-profiling", 0, 0, G_OPTION_ARG_NONE, &options->memory_profiling, "profile memory",
         NULL},
        {"trace", 0, 0, G_OPTION_ARG_INT, &options->trace, "records kept of each thread", "N"},
        {"depth", 0, 0, G_OPTION_ARG_INT, &options->depth, "deepest calls that are recorded", "N"},
        {"slowest", 0, 0, G_OPTION_ARG_INT, &options->slowest,
         "slowest calls kept of each function", "N"},
        {"latency", 0, 0, G_OPTION_ARG_NONE, &options->latency, "keep how long calls took", NULL},
        {"memory-stack", 0, 0, G_OPTION_ARG_INT, &options->memory_stack,
         "frames of a block's stack", "N"},
        {"use-pid", 0, 0, G_OPTION_ARG_NONE, &options->use_pid, "name files NAME.PID.fc", NULL},
        {"quiet", 0, 0, G_OPTION_ARG_NONE, &options->quiet, "print no notices", NULL},
        {"log", 0, 0, G_OPTION_ARG_FILENAME, &options->log, "print to FILE, not to stderr", "FILE"},
        {"brief", 0, 0, G_OPTION_ARG_NONE, &options->brief, "no notice where all goes well", NULL},
        {"debug", 0, 0, G_OPTION_ARG_NONE, &options->debug, "tell what happens on stderr", NULL},
        {"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "print the version", NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &options->help, "print this text", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autoptr(GOptionContext) context = g_option_context_new("- FunctionCheck's profile manager");
    g_option_context_set_summary(context,
                                 "Started by libfc in a profiled program; of no use by hand.");
    g_option_context_add_main_entries(context, entries, NULL);
    /* glib's own help would exit, even if it could not write */
    g_option_context_set_help_enabled(context, FALSE);
    if (!g_option_context_parse(context, &argc, &argv, error))
        return FALSE;
    if (options->help)
        options->text = g_option_context_get_help(context, TRUE, NULL);
    else if (options->version)
        options->text = g_strdup("fcmanager (FunctionCheck) " FC_VERSION "\n");
    if (options->text)
        return TRUE;
    if (argc > 1)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "unexpected argument '%s'",
                    argv[1]);
    else if (options->pipe_fd < 0 || options->reply_fd < 0 || !options->name || !options->directory)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "--pipe, --reply, --name and --directory are needed: libfc gives them");
    else if (options->time_mode < FC_TIME_TSC || options->time_mode > FC_TIME_SYS ||
             options->profile_mode < FC_MODE_SINGLE || options->profile_mode > FC_MODE_THREAD)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "--time-mode must be 1 to 4 and --profile-mode 1 to 3");
    else if (fcntl(options->pipe_fd, F_GETFD) < 0 || fcntl(options->reply_fd, F_GETFD) < 0 ||
             (options->shared_fd >= 0 && fcntl(options->shared_fd, F_GETFD) < 0) ||
             (options->filter_fd >= 0 && fcntl(options->filter_fd, F_GETFD) < 0))
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "the descriptors given are not open");
    else
        return TRUE;
    return FALSE;
}

/* ---- Out of the program's way ------------------------------------------------------ */

static gint compare_ints(gconstpointer a, gconstpointer b)
{
    return *(const int *)a - *(const int *)b;
}

/* Closes all descriptors above 2 but `keep`, which it sorts. */
static void close_others(int *keep, guint count)
{
    qsort(keep, count, sizeof *keep, compare_ints);
    guint from = STDERR_FILENO + 1;
    for (guint i = 0; i <= count; i++)
    {
        guint to = i < count ? (guint)keep[i] : G_MAXUINT;
        if (i < count && keep[i] < (int)from)
            continue;
        if (to > from || i == count)
            syscall(SYS_close_range, from, i < count ? to - 1 : to, 0);
        from = to + 1;
    }
}

/* Gives up the terminal and the inherited descriptors.  Keeps those of the options and `notice_fd`
 * open. */
static void detach(const Options *options, int notice_fd)
{
    int keep[] = {options->pipe_fd, options->reply_fd, options->shared_fd, options->filter_fd,
                  notice_fd};
    int null_fd = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO && null_fd >= 0; fd++)
        if (fd != null_fd && fd != keep[0] && fd != keep[1] && fd != keep[2] && fd != keep[3] &&
            fd != notice_fd && !(fd == STDERR_FILENO && options->debug))
            dup2(null_fd, fd);
    close_others(keep, G_N_ELEMENTS(keep));
    for (guint i = 0; i < G_N_ELEMENTS(keep); i++)
        if (keep[i] >= 0)
            fcntl(keep[i], F_SETFD, FD_CLOEXEC);
}

static void raise_limit(int which)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)which, &limit) < 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit((__rlimit_resource_t)which, &limit);
}

/* Blocks all signals.  A terminal, a shell, a limit or the program itself (kill(-1, ...)) may
 * signal the whole process tree; the manager must still write the files of the processes that end.
 * The kernel does not block the signals of a crash. */
static void block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    signal(SIGPIPE, SIG_IGN); /* a blocked SIGPIPE of the reply pipe would stay pending */
}

/* ---- The session --------------------------------------------------------------------- */

/* Returns what the options say of the job.  Strings belong to the options. */
static FcProfileJob find_job(const Options *options, char *host, char *cpus)
{
    if (!options->job)
        return (FcProfileJob){.rank = FC_NONE, .local_rank = FC_NONE};
    return (FcProfileJob){
        .rank = options->rank ? g_ascii_strtoll(options->rank, NULL, 10) : FC_NONE,
        .local_rank = options->local_rank,
        .size = (guint64)MAX(options->ranks, 0),
        .name = options->job[0] != '\0' ? options->job : NULL,
        .launcher = options->launcher,
        .host = host,
        .cpus = cpus,
    };
}

static int run(const Options *options, int notice_fd)
{
    g_autoptr(GError) error = NULL;
    char host[HOST_NAME_MAX + 1] = "";
    g_autofree char *cpus = fc_affinity_list();
    FcAffinity may_use;
    const gboolean knows_use = fc_affinity_read(0, &may_use);
    gethostname(host, sizeof host - 1);
    fc_affinity_widen();
    const FcProfileJob process_job = find_job(options, host, cpus);
    FcSessionSetup setup = {
        .job = &process_job,
        .may_use = knows_use ? &may_use : NULL,
        .reply_fd = options->reply_fd,
        .time_mode = (enum FcTimeMode)options->time_mode,
        .profile_mode = (enum FcProfileMode)options->profile_mode,
        .contexts = (guint32)CLAMP(options->contexts, 1, 1 << 30),
        .memory = options->memory_profiling,
        .latency = options->latency,
        .trace = (guint32)MAX(options->trace, 0),
        .depth = (guint32)MAX(options->depth, 0),
        .slowest = (guint32)CLAMP(options->slowest, 0, (gint)FC_SLOWEST_MAX),
        .memory_blocks = (guint32)CLAMP(options->memory, 0, 1 << 24),
        .memory_frames = (guint32)CLAMP(options->memory_stack, 0, 1024),
        .sizes = {(guint32)CLAMP(options->functions, 0, 1 << 20),
                  (guint32)CLAMP(options->graph, 0, 1 << 20),
                  (guint32)CLAMP(options->stack, 0, 1 << 20)},
        .every_ms = (guint32)MAX(options->every_ms, 0),
        .every_keep = (guint32)CLAMP(options->every_keep, 1, (gint)FC_KEEP_MAX),
        .recovery = options->recovery,
        .children = (enum FcChildrenMode)options->children,
        .paused = options->paused,
        .notice_fd = notice_fd,
        .quiet = options->quiet,
        .brief = options->brief,
        .debug = options->debug,
        .joined = fc_source_follow,
        .left = fc_source_unfollow,
        .find = fc_source_find,
        .forked = fc_source_forked,
        .answered = fc_source_signal_answered,
    };
    /* The descriptor stays open: images that are executed later find the memory through it. */
    if (options->shared_fd >= 0)
        setup.shared = fc_shared_map(options->shared_fd, &error);
    if (error)
    {
        g_autofree char *plain = fc_plain_text(error->message);
        g_autofree char *text = g_strdup_printf("FCMng: %s\n", plain);
        fc_reply_send(options->reply_fd, 0, text);
        return EXIT_FAILURE;
    }
    g_autofree char *trouble = NULL;
    const FcUserFilterSetup filter = {options->filter_fd, options->filter, FC_FILTER_NEAR,
                                      FC_FILTER_INSTALLED};
    if (options->filter_fd >= 0)
        setup.user_filter = fc_manager_filter_new(&filter, &trouble);
    setup.trouble = trouble;
    if (setup.user_filter && !trouble && options->filter && options->filter[0] != '\0')
        setup.filter = options->filter;
    const char *job = options->job && options->job[0] != '\0' ? options->job : NULL;
    const FcFilesNaming naming = {.pattern = options->name,
                                  .rank = options->rank,
                                  .job = job,
                                  .is_unique = options->unique,
                                  .is_first = options->first,
                                  .use_pid = options->use_pid,
                                  .keep = (guint)MAX(options->keep, 0),
                                  .quiet = options->quiet};
    setup.files = fc_files_new(options->directory, &naming);
    FcSource *source = fc_source_new(options->pipe_fd, setup.profile_mode);
    if (options->pid > 0)
        fc_source_expect(source, options->pid);
    setup.data = source;
    FcObserver *observer = setup.shared ? fc_observer_new() : NULL;
    setup.observer = observer;
    FcPcSampler *pc_sampler = fc_pc_sampler_new();
    setup.pc_sampler = pc_sampler;
    FcSession *session = fc_session_new(&setup);
    fc_session_greet(session);
    /* If this fails, the folder just can't be unmounted while the manager runs. */
    if (chdir("/") < 0 && options->debug)
        fprintf(stderr, "FCMng: debug: /: %s\n", g_strerror(errno));
    fc_source_run(source, session);
    fc_session_end(session);
    fc_notice_print(notice_fd, fc_session_unreported(session));
    fc_session_free(session);
    fc_observer_free(observer);
    fc_pc_sampler_free(pc_sampler);
    fc_source_free(source);
    return EXIT_SUCCESS;
}

/* Prints `text` and returns the exit status.  A reader that closed the pipe is no error. */
static int print(const char *text)
{
    errno = 0;
    fputs(text, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_SUCCESS;
    if (errno != EPIPE)
        fprintf(stderr, "fcmanager: standard output: %s\n", g_strerror(errno != 0 ? errno : EIO));
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(Options) options = {.pipe_fd = -1,
                               .reply_fd = -1,
                               .shared_fd = -1,
                               .filter_fd = -1,
                               .local_rank = -1,
                               .contexts = FC_CONTEXTS_DEFAULT};
    if (!parse(argc, argv, &options, &error))
    {
        g_autofree char *plain = fc_plain_text(error->message);
        fprintf(stderr, "fcmanager: %s\n", plain);
        return STATUS_USAGE;
    }
    if (options.text)
        return print(options.text);
    /* Tables grow by doubling.  Large ones stay mappings, which go back to the system at once.  By
     * default malloc would raise its threshold to the largest block that was ever freed. */
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_ARENA_MAX, 1); /* each takes 64 MiB of address space, which may be limited */
    block_signals();
    prctl(PR_SET_TIMERSLACK, 1000UL); /* ns: the poll intervals are short */
    int notice_fd = fc_notice_prepare(options.log);
    detach(&options, notice_fd);
    fcntl(options.reply_fd, F_SETFL, fcntl(options.reply_fd, F_GETFL) | O_NONBLOCK);
    raise_limit(RLIMIT_FSIZE);
    raise_limit(RLIMIT_NOFILE);
    raise_limit(RLIMIT_AS);
    raise_limit(RLIMIT_CPU);
    fc_memory_limit_start(notice_fd);
    return run(&options, notice_fd);
}
