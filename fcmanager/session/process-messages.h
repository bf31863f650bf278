/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The messages about a process's records, threads, modules, texts, stacks, memory and exit
 * status.  Called by session.c, which deals with the others itself.
 */
#pragma once

#include "fcmanager/session/process.h"

/* Those that session.c deals with are ignored; so are all but chunks once the process is finished.
 */
void fc_process_message(FcProcess *process, const FcWireMessage *message);

/* Looks again whether the gaps that records wait behind were filled.  From time to time. */
void fc_process_retry(FcProcess *process);
