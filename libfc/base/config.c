/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads ./.functioncheckrc and the environment into fc_config, or a privileged program's own
 * settings.  Called once by start.c at the start; changes neither.
 *
 * Precedence: the environment beats the file, except that `!` in the file unsets
 * a variable wherever it was set: a switch is on when its variable exists,
 * whatever its value, so there would be no other way to turn one off.
 */
#include "libfc/base/config.h"

#include "libfc/base/file.h"
#include "libfc/base/job.h"
#include "libfc/base/libc.h"
#include "libfc/base/notice.h"
#include "libfc/base/sys.h"
#include "libfc/base/text.h"
#include "libfc/base/trust.h"
#include "libfc/base/variables.h"

#include <fcntl.h>
#include <string.h>

#define RC_FILE ".functioncheckrc"

struct FcConfig fc_config;

/* The rows of variables.h. */
enum Variable
{
#define NUMBER(name, argument, help) VAR_##name,
    FC_VARIABLES(NUMBER)
#undef NUMBER
        VAR_COUNT
};

static const struct
{
    const char *name;
    const char *help;
} variables[VAR_COUNT] = {
#define ROW(name, argument, help) {"FC_" #name, help},
    FC_VARIABLES(ROW)
#undef ROW
};

/* Where each variable's value stands: in the environment or in rc_text. */
static const char *values[VAR_COUNT];
#define RC_BYTES_MAX 16384
static char rc_text[RC_BYTES_MAX + 1];

static int find_variable(const char *name)
{
    for (int i = 0; i < VAR_COUNT; i++)
        if (strcmp(variables[i].name, name) == 0)
            return i;
    return -1;
}

#define PREFIX "FC_"

/* Returns the variable that `name` is probably meant to be; -1: none.  At most a third of the
 * letters may differ, since variables of other software may begin with FC_, too. */
static int find_meant(const char *name)
{
    int meant = -1;
    size_t least = (strlen(name + strlen(PREFIX)) + 1) / 3 + 1;
    for (int i = 0; i < VAR_COUNT; i++)
    {
        const size_t distance =
            fc_text_distance(name + strlen(PREFIX), variables[i].name + strlen(PREFIX));
        if (distance >= least)
            continue;
        meant = i;
        least = distance;
    }
    return meant;
}

/* Prints a notice for each variable of the environment that is probably a misspelt one of ours. */
static void find_misspelt(void)
{
    char **environment = fc_libc_environ();
    for (; environment && *environment; environment++)
    {
        char name[64];
        const size_t bytes = strcspn(*environment, "=");
        if (strncmp(*environment, PREFIX, strlen(PREFIX)) != 0 || bytes >= sizeof name)
            continue;
        memcpy(name, *environment, bytes);
        name[bytes] = '\0';
        const int meant = find_variable(name) < 0 ? find_meant(name) : -1;
        if (meant < 0)
            continue;
        struct FcLine line;
        fc_line_start(&line, "FCheck: ");
        fc_line_add(&line, name);
        fc_line_add(&line, " is no variable of FunctionCheck; the nearest is ");
        fc_line_add(&line, variables[meant].name);
        fc_notice_line(&line);
    }
}

/* Whether `value` leads out of the working directory.  A file there must not name a program to
 * execute, nor a file or folder elsewhere to write to.  This includes links: an archive may have
 * brought both the file and a link. */
static bool leads_out(enum Variable variable, const char *value)
{
    if (variable == VAR_MANAGER)
        return true;
    if (variable != VAR_DUMP_PATH && variable != VAR_LOG)
        return false;
    if (value[0] == '/')
        return true;
    for (const char *part = value; part; part = strchr(part, '/'))
    {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return fc_trust_has_link(value);
}

static void refuse(enum Variable variable)
{
    struct FcLine line;
    fc_line_start(&line, "FCheck: ");
    fc_line_add(&line, variables[variable].name);
    fc_line_add(&line, " in ./" RC_FILE " is not used: it leads out of the folder");
    fc_notice_line(&line);
}

static void take_value(enum Variable variable, const char *value, bool is_own)
{
    if (strcmp(value, "!") == 0)
        values[variable] = NULL;
    else if (is_own)
        values[variable] = value;
    else if (leads_out(variable, value))
        refuse(variable);
    else if (!fc_libc_getenv(variables[variable].name))
        values[variable] = value;
}

static void take_line(char *line, bool is_own)
{
    line += strspn(line, " \t\r");
    size_t name_bytes = strcspn(line, " \t\r");
    if (strncmp(line, "FC_", 3) != 0)
        return;
    char *value = line + name_bytes;
    if (*value != '\0')
    {
        *value++ = '\0';
        value += strspn(value, " \t\r");
    }
    size_t end = strlen(value);
    while (end > 0 && strchr(" \t\r", value[end - 1]))
        value[--end] = '\0';

    int variable = find_variable(line);
    if (variable >= 0)
        take_value((enum Variable)variable, value, is_own);
}

/* Reads the settings in a file.  `is_own`: it is a privileged program's own file.  Returns 0, or
 * -errno if no setting is used. -EFBIG: the file is too long.  Then no part of it is used, since
 * the cut may be within a value. */
static long load_file(const char *folder, const char *name, bool is_own)
{
    const int fd = fc_trust_open(folder, name);
    if (fd < 0)
        return fd;
    const size_t bytes = fc_file_read_fd(fd, rc_text, sizeof rc_text);
    if (bytes > RC_BYTES_MAX)
        return -EFBIG;
    rc_text[bytes] = '\0';
    for (char *line = rc_text; line;)
    {
        char *newline = strchr(line, '\n');
        if (newline)
            *newline++ = '\0';
        take_line(line, is_own);
        line = newline;
    }
    return 0;
}

/* Prints why an existing file is not used.  With `is_own` the program is not profiled then. */
static void explain(const char *file, long error, bool is_own)
{
    struct FcLine line;
    if (error == 0 || error == -ENOENT)
        return;
    fc_line_start(&line, "FCheck: ");
    fc_line_add(&line, file);
    fc_line_add(&line, " is not used: ");
    if (error == -EFBIG)
        fc_line_add(&line, "it is longer than 16 KiB");
    else
        fc_trust_add_reason(&line, error);
    if (is_own)
        fc_notice_unprofiled_line(&line);
    else
        fc_notice_line(&line);
}

static void load_rc_file(void)
{
    const long error = load_file(".", RC_FILE, false);
    fc_config.rc_used = error == 0;
    explain("./" RC_FILE, error, false);
}

/* Reads PROGRAM.functioncheckrc beside the program.  It must at least say where the profile goes.
 */
static void load_own_file(void)
{
    static char path[4096 + sizeof RC_FILE];
    long bytes = fc_sys(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, 4096);
    if (bytes <= 0 || bytes >= 4096)
        return;
    strcpy(path + bytes, RC_FILE);
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return;
    *slash = '\0';
    const long error = load_file(path, slash + 1, true);
    *slash = '/';
    explain(path, error, true);
}

static void complain(enum Variable variable, const char *used)
{
    struct FcLine line;
    fc_line_start(&line, "FCheck: ");
    fc_line_add(&line, variables[variable].name);
    fc_line_add(&line, ": bad value '");
    fc_line_add(&line, values[variable]);
    fc_line_add(&line, "', using ");
    fc_line_add(&line, used);
    fc_notice_line(&line);
}

/* Returns the variable's number; `fallback` if it is no number, `many` if it is more than `most`.
 */
static uint32_t number_up_to(enum Variable variable, uint32_t fallback, uint32_t most,
                             uint32_t many)
{
    const char *text = values[variable];
    if (!text)
        return fallback;
    uint64_t result = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (result <= most)
            result = result * 10 + (uint64_t)(*at - '0');
    const bool is_number = at != text && *at == '\0' && (result != 0 || fallback == 0);
    if (is_number && result <= most)
        return (uint32_t)result;
    const uint32_t used = is_number ? many : fallback;
    char digits[24];
    *fc_text_number(digits, used) = '\0';
    complain(variable, digits);
    return used;
}

static uint32_t number(enum Variable variable, uint32_t fallback)
{
    return number_up_to(variable, fallback, INT32_MAX, fallback);
}

static void path(enum Variable variable, char *into, size_t room, const char *fallback)
{
    const char *text = values[variable];
    if (text && (text[0] == '\0' || strlen(text) >= room))
    {
        complain(variable, fallback[0] != '\0' ? fallback : "the installed one");
        text = NULL;
    }
    strcpy(into, text ? text : fallback);
}

/* Reads a number at *text and moves *text past it.  UINT32_MAX: there is no number, or it is too
 * large. */
static uint32_t take_number(const char **text)
{
    uint64_t result = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (result < UINT32_MAX)
            result = result * 10 + (uint64_t)(*at - '0');
    const bool is_good = at != *text && result < UINT32_MAX;
    *text = at;
    return is_good ? (uint32_t)result : UINT32_MAX;
}

/* Reads a time such as 5m in the same way. 0: it is none, or more than 24 days. */
static uint32_t take_time_ms(const char **text)
{
    static const struct
    {
        const char *name;
        uint32_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    const uint64_t number = take_number(text);
    uint64_t ms = number * 1000;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(*text, units[i].name, strlen(units[i].name)) == 0)
        {
            ms = number * units[i].ms;
            *text += strlen(units[i].name);
            break;
        }
    return ms <= INT32_MAX ? (uint32_t)ms : 0;
}

#define EVERY_KEEP "keep="

static void load_every(void)
{
    const char *at = values[VAR_EVERY];
    fc_config.every_keep = 10;
    if (!at)
        return;
    fc_config.no_snapshots = strcmp(at, "0") == 0;
    if (fc_config.no_snapshots)
        return;
    fc_config.every_ms = take_time_ms(&at);
    if (strncmp(at, "," EVERY_KEEP, strlen("," EVERY_KEEP)) == 0)
    {
        at += strlen("," EVERY_KEEP);
        fc_config.every_keep = take_number(&at);
    }
    if (*at == '\0' && fc_config.every_ms > 0 && fc_config.every_keep >= 1 &&
        fc_config.every_keep <= FC_KEEP_MAX)
        return;
    complain(VAR_EVERY, "no snapshots");
    fc_config.every_ms = 0;
}

static void load_children(void)
{
    const char *word = values[VAR_CHILDREN];
    fc_config.children = FC_CHILDREN_AUTO;
    if (word && strcmp(word, "merge") == 0)
        fc_config.children = FC_CHILDREN_MERGE;
    else if (word && strcmp(word, "apart") == 0)
        fc_config.children = FC_CHILDREN_APART;
    else if (word)
        complain(VAR_CHILDREN, "merge after the first 100");
}

static void load_mpi(void)
{
    const char *word = values[VAR_MPI];
    fc_config.mpi = !word || strcmp(word, "0") != 0;
    if (word && fc_config.mpi && strcmp(word, "1") != 0)
        complain(VAR_MPI, "1");
}

static void load_openmp(void)
{
    const char *word = values[VAR_OPENMP];
    fc_config.openmp = !word || strcmp(word, "0") != 0;
    if (word && fc_config.openmp && strcmp(word, "1") != 0)
        complain(VAR_OPENMP, "1");
}

static void load_start(void)
{
    const char *word = values[VAR_START];
    fc_config.is_paused = word && strcmp(word, "paused") == 0;
    if (word && !fc_config.is_paused)
        complain(VAR_START, "no pause");
    if (!fc_config.is_paused || fc_config.profile_mode != FC_MODE_THREAD)
        return;
    fc_notice("there is no pause in THREAD mode: FC_START is not used");
    fc_config.is_paused = false;
}

/* The letters behind `%` in FC_DUMP_NAME; fcmanager puts in what they stand for. */
#define PATTERNS "pntrj%"

/* Prints a notice for each unknown pattern, which stays in the name as it is. */
static void check_patterns(const char *name)
{
    for (const char *at = strchr(name, '%'); at; at = strchr(at, '%'))
    {
        char pattern[] = {at[0], at[1], '\0'};
        at++;
        if (*at != '\0' && strchr(PATTERNS, *at))
        {
            at++;
            continue;
        }
        struct FcLine line;
        fc_line_start(&line, "FCheck: FC_DUMP_NAME: '");
        fc_line_add(&line, pattern);
        fc_line_add(&line, "' is not known and stays as it is");
        fc_notice_line(&line);
    }
}

static bool uses(const char *name, char pattern)
{
    for (const char *at = strchr(name, '%'); at && at[1] != '\0'; at = strchr(at + 2, '%'))
        if (at[1] == pattern)
            return true;
    return false;
}

/* Sets what %r is replaced by. fcmanager gets the job's name for %j on its command line. */
static void load_rank(void)
{
    const bool is_known = fc_job.rank != FC_JOB_UNKNOWN;
    *fc_text_number(fc_config.rank, is_known ? fc_job.rank : 0) = '\0';
    if (!is_known && uses(fc_config.dump_name, 'r'))
        fc_notice("FC_DUMP_NAME: no rank is known here, '%r' is 0");
    if (fc_job.name[0] == '\0' && uses(fc_config.dump_name, 'j'))
        fc_notice("FC_DUMP_NAME: no job is known here, '%j' is 0");
}

/* "functioncheck"; in a job "functioncheck.JOB-RANK", with leading zeros so that the names of all
 * ranks have the same length. */
static void make_default_name(void)
{
    uint32_t width = 1;
    char digits[24];
    strcpy(fc_config.dump_name, "functioncheck");
    if (fc_job.name[0] == '\0')
        return;
    char *at = stpcpy(stpcpy(fc_config.dump_name + strlen("functioncheck"), "."), fc_job.name);
    *at++ = '-';
    for (uint32_t most = fc_job.size > 0 ? fc_job.size - 1 : 0; most >= 10; most /= 10)
        width++;
    *fc_text_number(digits, fc_job.rank) = '\0';
    for (size_t i = strlen(digits); i < width; i++)
        *at++ = '0';
    strcpy(at, digits);
    fc_config.is_unique = true;
}

static void load_dump_name(void)
{
    char *name = fc_config.dump_name;
    if (!values[VAR_DUMP_NAME])
    {
        make_default_name();
        load_rank();
        return;
    }
    path(VAR_DUMP_NAME, name, sizeof fc_config.dump_name - 32, "functioncheck");
    if (strchr(name, '/')) /* a folder belongs into FC_DUMP_PATH */
    {
        complain(VAR_DUMP_NAME, "functioncheck");
        strcpy(name, "functioncheck");
    }
    size_t bytes = strlen(name);
    if (bytes > 3 && strcmp(name + bytes - 3, ".fc") == 0)
        name[bytes - 3] = '\0';
    check_patterns(name);
    load_rank();
}

static void load_time_mode(void)
{
    static const char *const names[] = {"tsc", "ext", "cpu", "sys"};
    fc_config.time_mode = FC_TIME_TSC;
    if (!values[VAR_TIME_MODE])
        return;
    for (int i = 0; i < 4; i++)
        if (strcmp(values[VAR_TIME_MODE], names[i]) == 0)
        {
            fc_config.time_mode = (enum FcTimeMode)(i + 1);
            return;
        }
    complain(VAR_TIME_MODE, "tsc");
}

static void load_transport(void)
{
    const char *text = values[VAR_TRANSPORT];
    if (!text || strcmp(text, "shared") == 0)
        return;
    if (strcmp(text, "pipe") == 0)
        fc_config.pipe_transport = true;
    else
        complain(VAR_TRANSPORT, "shared");
}

static void load_detail(void)
{
    const char *text = values[VAR_DETAIL];
    /* FC_MEMORY needs the caller of each allocation, and percentiles need the time of each call */
    const bool wants_all = fc_config.memory || fc_config.latency;
    fc_config.detail = wants_all ? FC_DETAIL_ALL : FC_DETAIL_AUTO;
    if (!text)
        return;
    if (strcmp(text, "auto") == 0)
        fc_config.detail = FC_DETAIL_AUTO;
    else if (strcmp(text, "all") == 0)
        fc_config.detail = FC_DETAIL_ALL;
    else
        complain(VAR_DETAIL, wants_all ? "all" : "auto");
}

static void load_ranks(void)
{
    bool is_list = true;
    const char *text = values[VAR_RANKS];
    if (text && fc_job.rank != FC_JOB_UNKNOWN)
        fc_config.is_left_out = !fc_job_is_listed(text, &is_list) && is_list;
    if (!is_list)
        complain(VAR_RANKS, "all");
}

static void load_filter(void)
{
    const char *text = values[VAR_FILTER];
    if (!text)
        return;
    if (strlen(text) < sizeof fc_config.filter)
        strcpy(fc_config.filter, text);
    else
        fc_notice("FC_FILTER is too long and not used");
}

/* Sets where notices go, by the settings that are known so far; called again when the file was
 * read.  In a job only the first rank prints notices.  If there is no profile, the first rank of
 * each machine says so.  Returns false if FC_LOG can't be used.  A privileged program accepts
 * only an absolute path there, since another user chose its working directory. */
static bool choose_notices(void)
{
    const char *log = values[VAR_LOG];
    const bool is_first = fc_job.rank == FC_JOB_UNKNOWN || fc_job.rank == 0;
    const bool is_first_here =
        is_first || fc_job.local_rank == FC_JOB_UNKNOWN || fc_job.local_rank == 0;
    const bool is_foreign = log && fc_config.is_privileged && log[0] != '/';
    fc_config.quiet = values[VAR_QUIET] || values[VAR_NO_VERBOSE];
    return fc_notice_choose(fc_config.quiet || !is_first_here, !is_first,
                            values[VAR_VERBOSE] || values[VAR_DEBUG], is_foreign ? NULL : log) &&
           !is_foreign;
}

bool fc_config_load(void)
{
    fc_config.is_privileged = fc_trust_is_privileged();
    for (int i = 0; i < VAR_COUNT; i++)
        values[i] = fc_config.is_privileged ? NULL : fc_libc_getenv(variables[i].name);
    if (!fc_config.is_privileged)
        fc_job_find();
    choose_notices();
    if (fc_config.is_privileged)
        load_own_file();
    else
        load_rc_file();

    const bool is_log_used = choose_notices();
    if (!is_log_used)
        complain(VAR_LOG, "standard error");
    if (!fc_config.is_privileged)
        find_misspelt();
    fc_config.help = values[VAR_HELP] != NULL;
    fc_config.debug = values[VAR_DEBUG] != NULL;
    fc_config.verbose = values[VAR_VERBOSE] != NULL || fc_config.debug;
    fc_config.use_pid = values[VAR_USE_PID] != NULL;
    fc_config.memory = values[VAR_MEMORY] != NULL;
    fc_config.memory_scan = values[VAR_MEMORY_SCAN] != NULL && fc_config.memory;
    fc_config.memory_unwind = values[VAR_MEMORY_UNWIND] != NULL;
    fc_config.latency = values[VAR_LATENCY] != NULL;
    fc_config.profile_mode = values[VAR_ALLOW_THREAD] ? FC_MODE_THREAD
                             : values[VAR_NO_FORK]    ? FC_MODE_SINGLE
                                                      : FC_MODE_FORK;
    fc_config.buffer_records = number(VAR_BUFFER_SIZE, 65536);
    fc_config.stack_size = number(VAR_STACK_SIZE, 512);
    fc_config.function_size = number(VAR_FUNCTION_SIZE, 512);
    fc_config.graph_size = number(VAR_GRAPH_SIZE, 512);
    fc_config.memory_size = number(VAR_MEMORY_SIZE, 512);
    fc_config.contexts = number(VAR_CONTEXTS, 100000);
    fc_config.slowest = number_up_to(VAR_SLOWEST, 0, FC_SLOWEST_MAX, FC_SLOWEST_MAX);
    fc_config.trace = number_up_to(VAR_TRACE, 0, INT32_MAX, INT32_MAX);
    fc_config.memory_stack = number(VAR_MEMORY_STACK, 8);
    fc_config.keep = number_up_to(VAR_KEEP, 0, FC_KEEP_MAX, FC_KEEP_MAX);
    load_every();
    load_children();
    load_mpi();
    load_openmp();
    load_start();
    load_ranks();
    load_dump_name();
    path(VAR_DUMP_PATH, fc_config.dump_path, sizeof fc_config.dump_path, "./");
    path(VAR_MANAGER, fc_config.manager, sizeof fc_config.manager, "");
    load_time_mode();
    load_transport();
    load_detail();
    if (fc_config.trace > 0 || fc_config.slowest > 0)
        fc_config.detail = FC_DETAIL_ALL; /* a call that is counted has no time */
    load_filter();
    /* a limit that is too large would be no limit */
    fc_config.depth = number_up_to(VAR_DEPTH, 0, FC_DEPTH_MAX, 0);
    return !fc_config.is_privileged || fc_config.dump_path[0] == '/';
}

static void print_entry(const char *label, const char *text, uint32_t value)
{
    struct FcLine line;
    fc_line_start(&line, "FCheck: ");
    fc_line_add(&line, label);
    fc_line_add(&line, " : ");
    if (text)
        fc_line_add(&line, text);
    else
        fc_line_add_number(&line, value);
    fc_notice_line(&line);
}

/* Prints the number unless it is 0. */
static void print_number(const char *label, uint32_t value)
{
    if (value != 0)
        print_entry(label, NULL, value);
}

/* Prints the settings that FunctionCheck 3 did not have.  Most of them are printed only if they
 * are set. */
static void print_others(void)
{
    print_entry("                detail", fc_config.detail == FC_DETAIL_ALL ? "all" : "auto", 0);
    print_entry("             transport", fc_config.pipe_transport ? "pipe" : "shared", 0);
    print_entry("              contexts", NULL, fc_config.contexts);
    if (fc_config.filter[0] != '\0')
        print_entry("                filter", fc_config.filter, 0);
    print_number("                 depth", fc_config.depth);
    if (fc_config.latency)
        print_entry("               latency", "on", 0);
    print_number("         slowest calls", fc_config.slowest);
    print_number("         trace records", fc_config.trace);
    if (fc_config.memory)
        print_entry("          memory stack", NULL, fc_config.memory_stack);
    if (fc_config.memory_unwind)
        print_entry("      memory unwinding", "on", 0);
    if (fc_config.memory_scan)
        print_entry("           memory scan", "on", 0);
    print_number("   older profiles kept", fc_config.keep);
    print_number(" ms between snapshots", fc_config.every_ms);
    if (fc_config.manager[0] != '\0')
        print_entry("               manager", fc_config.manager, 0);
}

/* Prints the start-up line, which says where the profile will be: when the program ends, it may
 * have closed standard error, or opened something else there.  With the usual names it takes less
 * than 80 columns. */
static void print_one_line(void)
{
    struct FcLine line;
    const size_t bytes = strlen(fc_config.dump_path);
    const bool is_here = strcmp(fc_config.dump_path, "./") == 0;
    fc_line_start(&line, "FCheck: FunctionCheck V" FC_VERSION);
    fc_line_add(&line, fc_config.rc_used ? " with ./" RC_FILE : "");
    fc_line_add(&line, ", profile: ");
    fc_line_add(&line, is_here ? "" : fc_config.dump_path);
    fc_line_add(&line, is_here || (bytes > 0 && fc_config.dump_path[bytes - 1] == '/') ? "" : "/");
    fc_line_add(&line, fc_config.dump_name);
    if (fc_config.use_pid)
    {
        fc_line_add(&line, ".");
        fc_line_add_number(&line, (unsigned long)fc_sys(SYS_getpid));
    }
    fc_line_add(&line, ".fc");
    fc_notice_line(&line);
}

void fc_config_print_banner(void)
{
    static const char *const time_modes[] = {"", "tsc", "ext", "cpu", "sys"};
    static const char *const profile_modes[] = {"", "no forks / threads in one profile",
                                                "forks allowed / threads in one profile",
                                                "no forks / threads allowed"};
    if (!fc_config.verbose)
    {
        print_one_line();
        return;
    }
    fc_notice("Starting FunctionCheck V" FC_VERSION);
    if (fc_config.rc_used)
        fc_notice("Settings of ./" RC_FILE " are in use");
    fc_notice("Profile parameters are:");
    print_entry("  functions table size", NULL, fc_config.function_size);
    print_entry("      stack table size", NULL, fc_config.stack_size);
    print_entry("            graph size", NULL, fc_config.graph_size);
    print_entry("           buffer size", NULL, fc_config.buffer_records);
    print_entry("             time mode", time_modes[fc_config.time_mode], 0);
    print_entry("        profiling mode", profile_modes[fc_config.profile_mode], 0);
    print_entry("            debug mode", fc_config.debug ? "on" : "off", 0);
    print_entry("      profiling memory", fc_config.memory ? "on" : "off", 0);
    print_entry("        dump-file name", fc_config.dump_name, 0);
    print_entry("        dump-file path", fc_config.dump_path, 0);
    print_others();
    fc_notice("");
}

/* Prints the line even with FC_QUIET: the user asked for it. */
static void print_help_line(struct FcLine *line)
{
    fc_line_end(line);
    fc_notice_print(line->text, line->bytes);
}

void fc_config_print_help(void)
{
    struct FcLine line;
    fc_notice_choose(false, false, false, NULL);
    fc_line_start(&line, "FunctionCheck " FC_VERSION
                         ": variables of the environment or of ./" RC_FILE " (VARIABLE VALUE)");
    print_help_line(&line);
    for (int i = 0; i < VAR_COUNT; i++)
    {
        fc_line_start(&line, "  ");
        fc_line_add(&line, variables[i].name);
        for (size_t at = strlen(variables[i].name); at < 18; at++)
            fc_line_add(&line, " ");
        fc_line_add(&line, variables[i].help);
        print_help_line(&line);
    }
}
