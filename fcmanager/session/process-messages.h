/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Handles the messages about a process's records, threads, modules, texts, stacks, memory and exit
 * status.  Called by session.c, which handles the others itself.
 */
#pragma once

#include "fcmanager/session/process.h"

/* Ignores the messages that session.c handles, and all but chunks once the process is finished. */
void fc_process_message(FcProcess *process, const FcWireMessage *message);

/* Checks whether missing records have arrived that later records wait for.  To be called from time
 * to time. */
void fc_process_retry(FcProcess *process);
