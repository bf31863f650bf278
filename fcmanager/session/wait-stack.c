/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See wait-stack.h.
 */
#include "fcmanager/session/wait-stack.h"

#include <sys/uio.h>

/* What the C library and others need below the function that waits. */
#define STACK_BYTES 8192u
#define PAGE_BYTES 4096u

/* An unwinder takes some 50 KB beside the files. */
#define UNWINDERS_MAX 64u
static guint unwinders;
static GHashTable *files; /* that they read */

/* Returns how many bytes of the stack were copied. */
static gsize copy_stack(gint64 tid, const FcProcThread *found, guint8 *copy)
{
    const struct iovec to = {copy, STACK_BYTES};
    /* The stack may end within these bytes.  The kernel copies each part as a whole or not at all,
     * so no part is in two pages. */
    struct iovec from[STACK_BYTES / PAGE_BYTES + 1];
    guint64 at = found->stack_pointer;
    const guint64 end = at + STACK_BYTES;
    guint count = 0;
    for (; at < end; count++)
    {
        const gsize bytes = MIN(PAGE_BYTES - at % PAGE_BYTES, end - at);
        from[count].iov_base = (void *)(guintptr)at; // NOLINT(performance-no-int-to-ptr)
        from[count].iov_len = bytes;
        at += bytes;
    }
    /* the process's first thread may have ended, and has no memory then */
    const ssize_t copied = process_vm_readv((pid_t)tid, &to, 1, from, count, 0);
    return copied > 0 ? (gsize)copied : 0;
}

/* FALSE: there are too many unwinders. */
static gboolean make_unwinder(FcWaitStack *process, const FcModules *modules, gint64 tid)
{
    const guint changes = fc_modules_change_count(modules);
    if (!process->unwinder && unwinders == UNWINDERS_MAX)
        return FALSE;
    if (!process->unwinder)
    {
        if (!files)
            files = g_hash_table_new(g_str_hash, g_str_equal);
        process->unwinder = fc_unwinder_new((gint)tid, files);
        unwinders++;
    }
    else if (process->changes != changes)
        fc_unwinder_expire(process->unwinder, (gint)tid);
    process->changes = changes;
    return TRUE;
}

guint fc_wait_stack_read(FcWaitStack *process, const FcModules *modules, gint64 tid,
                         const FcProcThread *found, FcUnwindFrame *frames)
{
    guint8 stack[STACK_BYTES];
    FcUnwindRegisters registers = {.known = 1u << FC_UNWIND_SP | 1u << FC_UNWIND_IP};
    const gsize bytes = found->stack_pointer != 0 ? copy_stack(tid, found, stack) : 0;
    if (bytes == 0 || !make_unwinder(process, modules, tid))
        return 0;
    registers.value[FC_UNWIND_SP] = found->stack_pointer;
    registers.value[FC_UNWIND_IP] = found->program_counter;
    return fc_unwinder_walk(process->unwinder, registers, stack, bytes, frames,
                            FC_WAIT_STACK_FRAMES);
}

void fc_wait_stack_forget(FcWaitStack *process)
{
    unwinders -= process->unwinder != NULL;
    g_clear_pointer(&process->unwinder, fc_unwinder_unref);
}
