/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pipe to fcmanager.  The only writer to it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>

/* Takes over `fd`, the pipe's write end (non-blocking, close-on-exec, already at
 * its final number).  `manager_pid` and `manager_fd` name the pipe's read end
 * in fcmanager: a way back in when the program closed `fd`. */
void fc_channel_open(int fd, int manager_pid, int manager_fd);

/* Sends one message: `message` and `bytes` of payload, split as fc-format.h says
 * where they do not fit in one; fills in magic, length and process key.  Waits
 * while the pipe is full.  False once fcmanager is gone, or no longer to be
 * reached: profiling is off then (fc_state_stop has been called).
 * Async-signal-safe and thread-safe.  The parts of a split payload are sent under a
 * lock, so that those of several threads never mix. */
bool fc_channel_send(struct FcMessage *message, const void *payload, size_t bytes);

/* fc_state_stop, and fcmanager is told, so that the profile says that there was more. */
void fc_channel_stop(const char *reason);

/* As fc_channel_send, for a message that is already assembled in one piece with its
 * payload behind it. */
bool fc_channel_send_whole(struct FcMessage *message, size_t bytes);

/* As fc_channel_send, for one without payload that can wait for the calling thread's next message,
 * of whatever kind, which is sent behind it, or until the thread has FC_HELD_MAX such.  Signals
 * blocked. */
bool fc_channel_send_later(const struct FcMessage *message);

/* Sends those that wait. */
bool fc_channel_send_held(void);

/* Lets the kernel tell fcmanager who this process is: see FC_HELLO_SIGNED.  0, or -errno: -EAGAIN
 * where another process has the same key. */
int fc_channel_sign(void);
/* Whether fcmanager has told this process FC_FOLLOWED or FC_ANSWERED; -1 where the kernel does not
 * say. */
int fc_channel_is_told(int64_t what);
/* Waits until fcmanager follows this process, which has signed and said hello; not for ever. */
void fc_channel_wait_until_followed(void);

/* Whether fcmanager still has its end open. */
bool fc_channel_is_alive(void);

/* In a forked child, before anything else is sent: locks that threads of the parent
 * held are free. */
void fc_channel_after_fork(void);

/* Closes our end, where it is still ours. */
void fc_channel_close(void);

/* For the image that is executed next, where this process may no longer open the pipe by way of
 * fcmanager, and so that one may not either (Landlock, chroot without /proc): leaves the descriptor
 * open for it, unless it is of another user or group than this process by now.  Whether it did; to
 * be undone by fc_channel_close_on_exec if nothing was executed. */
bool fc_channel_leave_open(void);
void fc_channel_close_on_exec(void);

/* Moves `fd` to a number where the program won't look for the lowest free one;
 * close-on-exec.  Returns the new number, or -errno; `fd` is closed. */
int fc_channel_move_fd(int fd);

/* Opens anew what fcmanager, process `pid`, has open as `fd`; close-on-exec.  Returns the
 * descriptor, or -errno: /proc lets only the same user do this. */
int fc_channel_open_of_manager(int pid, int fd, int flags);
