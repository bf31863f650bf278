/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's stand-ins for the C++ operators new and delete.  They only add a name to
 * what the real ones do by way of malloc and free, so that `new[]` released by `free`
 * can be told.  Exceptions pass through: there is nothing here to undo.
 */
#include "libfc/alloc.h"
#include "libfc/config.h"
#include "libfc/process.h"
#include "libfc/sys.h"

#include <dlfcn.h>
#include <stdlib.h>

#define HERE __builtin_return_address(0), __builtin_dwarf_cfa()

/* The next library's operator; libstdc++ may have come in with a plug-in, out of the usual
 * order's sight. */
static void *find(void **found, const char *symbol)
{
    if (fc_likely(*found != NULL))
        return *found;
    void *function = dlsym(RTLD_NEXT, symbol);
    if (function == NULL)
    {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL)
            library = dlopen("libc++.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL)
            function = dlsym(library, symbol);
    }
    return *found = function;
}

static bool is_recording(void)
{
    return fc_config.memory && !fc_process_is_off();
}

#define OPERATOR_NEW(symbol, call, parameters, arguments)                                          \
    FC_EXPORT void *symbol parameters;                                                             \
    FC_EXPORT void *symbol parameters                                                              \
    {                                                                                              \
        static void *real;                                                                         \
        void *(*function)parameters;                                                               \
        *(void **)&function = find(&real, #symbol);                                                \
        void *pointer = function arguments;                                                        \
        if (pointer != NULL && is_recording())                                                     \
            fc_alloc_record(FC_RECORD_NAMED, call, pointer, bytes, HERE);                          \
        return pointer;                                                                            \
    }

#define OPERATOR_DELETE(symbol, call, parameters, arguments)                                       \
    FC_EXPORT void symbol parameters;                                                              \
    FC_EXPORT void symbol parameters                                                               \
    {                                                                                              \
        static void *real;                                                                         \
        void(*function) parameters;                                                                \
        *(void **)&function = find(&real, #symbol);                                                \
        if (pointer != NULL && is_recording())                                                     \
            fc_alloc_record(FC_RECORD_FREE_NAMED, call, pointer, 0, HERE);                         \
        function arguments;                                                                        \
    }

OPERATOR_NEW(_Znwm, FC_CALL_NEW, (size_t bytes), (bytes))
OPERATOR_NEW(_Znam, FC_CALL_NEW_ARRAY, (size_t bytes), (bytes))
OPERATOR_NEW(_ZnwmRKSt9nothrow_t, FC_CALL_NEW, (size_t bytes, const void *nothrow),
             (bytes, nothrow))
OPERATOR_NEW(_ZnamRKSt9nothrow_t, FC_CALL_NEW_ARRAY, (size_t bytes, const void *nothrow),
             (bytes, nothrow))
OPERATOR_NEW(_ZnwmSt11align_val_t, FC_CALL_NEW, (size_t bytes, size_t alignment),
             (bytes, alignment))
OPERATOR_NEW(_ZnamSt11align_val_t, FC_CALL_NEW_ARRAY, (size_t bytes, size_t alignment),
             (bytes, alignment))
OPERATOR_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, FC_CALL_NEW,
             (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow))
OPERATOR_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, FC_CALL_NEW_ARRAY,
             (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow))

OPERATOR_DELETE(_ZdlPv, FC_CALL_DELETE, (void *pointer), (pointer))
OPERATOR_DELETE(_ZdaPv, FC_CALL_DELETE_ARRAY, (void *pointer), (pointer))
OPERATOR_DELETE(_ZdlPvm, FC_CALL_DELETE, (void *pointer, size_t bytes), (pointer, bytes))
OPERATOR_DELETE(_ZdaPvm, FC_CALL_DELETE_ARRAY, (void *pointer, size_t bytes), (pointer, bytes))
OPERATOR_DELETE(_ZdlPvRKSt9nothrow_t, FC_CALL_DELETE, (void *pointer, const void *nothrow),
                (pointer, nothrow))
OPERATOR_DELETE(_ZdaPvRKSt9nothrow_t, FC_CALL_DELETE_ARRAY, (void *pointer, const void *nothrow),
                (pointer, nothrow))
OPERATOR_DELETE(_ZdlPvSt11align_val_t, FC_CALL_DELETE, (void *pointer, size_t alignment),
                (pointer, alignment))
OPERATOR_DELETE(_ZdaPvSt11align_val_t, FC_CALL_DELETE_ARRAY, (void *pointer, size_t alignment),
                (pointer, alignment))
OPERATOR_DELETE(_ZdlPvmSt11align_val_t, FC_CALL_DELETE,
                (void *pointer, size_t bytes, size_t alignment), (pointer, bytes, alignment))
OPERATOR_DELETE(_ZdaPvmSt11align_val_t, FC_CALL_DELETE_ARRAY,
                (void *pointer, size_t bytes, size_t alignment), (pointer, bytes, alignment))
OPERATOR_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, FC_CALL_DELETE,
                (void *pointer, size_t alignment, const void *nothrow),
                (pointer, alignment, nothrow))
OPERATOR_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, FC_CALL_DELETE_ARRAY,
                (void *pointer, size_t alignment, const void *nothrow),
                (pointer, alignment, nothrow))
