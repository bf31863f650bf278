/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See thread.h.
 */
#include "libfc/base/thread.h"

#include "libfc/base/sys.h"
#include "libfc/base/thread-hooks.h"

__thread struct FcThread fc_thread = {.cursor = FC_CURSOR_NONE};

__thread struct FcHooks fc_hooks;
#if defined(FC_TEST_EAGER) /* whose tables have another layout than those that modules know */
extern __thread struct FcHooks fc_module __asm__(FC_MODULE_HOOKS);
FC_EXPORT __thread struct FcHooks fc_module;
#else
extern __thread struct FcHooks fc_module __asm__(FC_MODULE_HOOKS)
    __attribute__((alias("fc_hooks"), visibility("default")));
#endif
