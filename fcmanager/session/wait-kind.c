/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See wait-kind.h.
 */
#include "fcmanager/session/wait-kind.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* The value of a glibc mutex that is locked and waited for. */
#define MUTEX_WAITED_FOR 2
#define ARGUMENTS 4

/* System calls that wait for a descriptor, on any architecture.  Other calls have a case below. */
static const glong input_calls[] = {
    SYS_read,         SYS_readv,    SYS_pread64,  SYS_preadv,       SYS_recvfrom,
    SYS_recvmsg,      SYS_recvmmsg, SYS_accept,   SYS_accept4,      SYS_epoll_pwait,
    SYS_write,        SYS_writev,   SYS_sendto,   SYS_sendmsg,      SYS_connect,
    SYS_io_getevents, SYS_splice,   SYS_sendfile, SYS_epoll_pwait2, SYS_io_uring_enter,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
};

typedef struct
{
    glong number;
    guint64 arguments[ARGUMENTS];
} Call;

/* Parses a line of /proc/PID/syscall.  FALSE: the thread is in no system call, or the text does not
 * say. */
static gboolean parse_call(const char *text, Call *call)
{
    char *end;
    call->number = (glong)g_ascii_strtoll(text, &end, 10);
    if (end == text || call->number < 0)
        return FALSE;
    for (guint i = 0; i < ARGUMENTS; i++)
        call->arguments[i] = g_ascii_strtoull(end, &end, 16);
    return TRUE;
}

/* glibc waits for a mutex with this value.  For anything else it waits with a bit set or with
 * another value. */
static FcWaitKind kind_of_futex(const Call *call)
{
    switch (call->arguments[1] & FUTEX_CMD_MASK)
    {
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
        return FC_WAIT_LOCK;
    case FUTEX_WAIT:
        return call->arguments[2] == MUTEX_WAITED_FOR ? FC_WAIT_LOCK : FC_WAIT_SIGN;
    default:
        return FC_WAIT_SIGN;
    }
}

/* Returns FC_WAIT_KINDS if it is not known. */
static FcWaitKind kind_of_call(const Call *call)
{
    const FcWaitKind of_poll = FC_WAIT_INPUT;
    for (guint i = 0; i < G_N_ELEMENTS(input_calls); i++)
        if (input_calls[i] == call->number)
            return FC_WAIT_INPUT;
    switch (call->number)
    {
    case SYS_futex:
        return kind_of_futex(call);
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
        return FC_WAIT_SLEEP;
#ifdef SYS_poll
    case SYS_poll: /* with no descriptors it sleeps */
        return call->arguments[1] == 0 ? FC_WAIT_SLEEP : of_poll;
#endif
    case SYS_ppoll:
        return call->arguments[1] == 0 ? FC_WAIT_SLEEP : of_poll;
#ifdef SYS_select
    case SYS_select:
        return call->arguments[0] == 0 ? FC_WAIT_SLEEP : of_poll;
#endif
    case SYS_pselect6:
        return call->arguments[0] == 0 ? FC_WAIT_SLEEP : of_poll;
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync:
    case SYS_syncfs:
    case SYS_msync:
        return FC_WAIT_DISK;
    case SYS_restart_syscall:
        return FC_WAIT_KINDS;
    default:
        return FC_WAIT_OTHER;
    }
}

/* Parts of names of kernel functions in which threads wait. */
static const struct
{
    const char *part;
    FcWaitKind kind;
} names[] = {
    {"futex", FC_WAIT_SIGN},    {"nanosleep", FC_WAIT_SLEEP}, {"poll", FC_WAIT_INPUT},
    {"select", FC_WAIT_INPUT},  {"pipe", FC_WAIT_INPUT},      {"sock", FC_WAIT_INPUT},
    {"unix_", FC_WAIT_INPUT},   {"inet", FC_WAIT_INPUT},      {"tcp_", FC_WAIT_INPUT},
    {"skb", FC_WAIT_INPUT},     {"tty", FC_WAIT_INPUT},       {"wait_woken", FC_WAIT_INPUT},
    {"eventfd", FC_WAIT_INPUT},
};

FcWaitKind fc_wait_kind_of(char state, const char *call, const char *where)
{
    Call parsed;
    FcWaitKind kind = FC_WAIT_KINDS;
    if (state == 'D')
        return FC_WAIT_DISK;
    if (call && parse_call(call, &parsed))
        kind = kind_of_call(&parsed);
    for (guint i = 0; where && kind == FC_WAIT_KINDS && i < G_N_ELEMENTS(names); i++)
        if (strstr(where, names[i].part))
            kind = names[i].kind;
    return kind == FC_WAIT_KINDS ? FC_WAIT_OTHER : kind;
}
