/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interposes mlockall.  The kernel counts all mappings against the limit of locked memory,
 * including libfc's 64 MiB.  If mlockall fails for that reason, libfc shrinks its pool and tries
 * again.  Called by the program alone; nothing includes it.
 */
#include "libfc/base/libc.h"
#include "libfc/base/sys.h"
#include "libfc/stream/pool.h"

#include <dlfcn.h>

typedef int MlockallFunction(int);

FC_EXPORT MlockallFunction own_mlockall __asm__("mlockall");

static MlockallFunction *real_mlockall;

/* At start, since dlsym waits while another thread is in a library's constructor. */
__attribute__((constructor)) static void find_real(void)
{
    real_mlockall = (MlockallFunction *)fc_libc()->dlsym(RTLD_NEXT, "mlockall");
}

int own_mlockall(int flags)
{
    if (!real_mlockall)
        find_real();
    int result = real_mlockall(flags);
    if (result == 0 || fc_errno != ENOMEM)
        return result;
    fc_pool_shrink();
    return real_mlockall(flags);
}
