/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pipe to fcmanager.  Nothing else writes to it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>

/* Takes over `fd`, the write end of the pipe: non-blocking, close-on-exec, with its final
 * number.  `manager_pid` and `manager_fd` name the read end in fcmanager, by which the pipe is
 * opened again if the program closes `fd`. */
void fc_channel_open(int fd, int manager_pid, int manager_fd);

/* Sends `message` with `bytes` of payload.  Fills in magic, length and process key, and splits
 * the payload as fc-format.h says where it is too long for one message.  Waits while the pipe is
 * full.  False: fcmanager is gone or can't be reached any more; then profiling is off
 * (fc_state_stop has been called).  Async-signal-safe and thread-safe.  The parts of a split
 * payload are sent under a lock, so they are not mixed with those of other threads. */
bool fc_channel_send(struct FcMessage *message, const void *payload, size_t bytes);

/* Stops profiling (fc_state_stop) and lets fcmanager know, so that the profile says that it is
 * incomplete. */
void fc_channel_stop(const char *reason);

/* As fc_channel_send, for a message that already lies in one piece with its payload. */
bool fc_channel_send_whole(struct FcMessage *message, size_t bytes);

/* As fc_channel_send, for a message without payload that may wait.  It is queued and sent
 * together with the calling thread's next message of any kind, or when FC_QUEUED_MAX are queued.
 * Signals blocked. */
bool fc_channel_send_later(const struct FcMessage *message);

/* Sends the queued messages of the calling thread. */
bool fc_channel_send_queued(void);

/* Lets the kernel attest to fcmanager who this process is: see FC_HELLO_SIGNED.  Returns 0, or
 * -errno; -EAGAIN: another process has the same key. */
int fc_channel_sign(void);
/* Whether fcmanager has answered this process with `what`, FC_FOLLOWED or FC_ANSWERED; -1: the
 * kernel does not say. */
int fc_channel_is_signalled(int64_t what);
/* Waits until fcmanager follows this process, which has signed and said hello.  Gives up after
 * some time. */
void fc_channel_wait_until_followed(void);

/* Whether fcmanager still has the read end open. */
bool fc_channel_is_alive(void);

/* In a forked child, before it sends anything: frees locks that other threads of the parent
 * held. */
void fc_channel_after_fork(void);

/* Closes the write end, unless the program has closed it and reused its number. */
void fc_channel_close(void);

/* Leaves the descriptor open for the image that is executed next.  This is for processes that
 * can't open the pipe again through fcmanager (Landlock, chroot without /proc), where that image
 * can't either.  Does nothing if the descriptor now belongs to another user or group than this
 * process.  Returns whether it is left open; if nothing was executed then, the caller undoes it
 * by fc_channel_close_on_exec. */
bool fc_channel_leave_open(void);
void fc_channel_close_on_exec(void);

/* Moves `fd` to a number where the program won't meet it when it looks for the lowest free one;
 * close-on-exec.  Returns the new number, or -errno; `fd` is closed in both cases. */
int fc_channel_move_fd(int fd);

/* Opens again what fcmanager, process `pid`, has open as `fd`; close-on-exec.  Returns the
 * descriptor, or -errno: /proc allows this to the same user only. */
int fc_channel_open_of_manager(int pid, int fd, int flags);
