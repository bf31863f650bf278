/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's stand-ins for the C++ operators new and delete.  They only add a name to
 * what the real ones do by way of malloc and free, so that `new[]` released by `free`
 * can be told.  Exceptions pass through: there is nothing here to undo.
 */
#include "libfc/alloc.h"
#include "libfc/interpose.h"
#include "libfc/sys.h"
#include "libfc/thread.h"

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

static bool is_decided; /* that memory is not profiled, or that it is */

#define NEW_OPERATORS(X)                                                                           \
    X(_Znwm, FC_CALL_NEW, (size_t bytes), (bytes))                                                 \
    X(_Znam, FC_CALL_NEW_ARRAY, (size_t bytes), (bytes))                                           \
    X(_ZnwmRKSt9nothrow_t, FC_CALL_NEW, (size_t bytes, const void *nothrow), (bytes, nothrow))     \
    X(_ZnamRKSt9nothrow_t, FC_CALL_NEW_ARRAY, (size_t bytes, const void *nothrow),                 \
      (bytes, nothrow))                                                                            \
    X(_ZnwmSt11align_val_t, FC_CALL_NEW, (size_t bytes, size_t alignment), (bytes, alignment))     \
    X(_ZnamSt11align_val_t, FC_CALL_NEW_ARRAY, (size_t bytes, size_t alignment),                   \
      (bytes, alignment))                                                                          \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t, FC_CALL_NEW,                                             \
      (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow))          \
    X(_ZnamSt11align_val_tRKSt9nothrow_t, FC_CALL_NEW_ARRAY,                                       \
      (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow))

#define DELETE_OPERATORS(X)                                                                        \
    X(_ZdlPv, FC_CALL_DELETE, (void *pointer), (pointer))                                          \
    X(_ZdaPv, FC_CALL_DELETE_ARRAY, (void *pointer), (pointer))                                    \
    X(_ZdlPvm, FC_CALL_DELETE, (void *pointer, size_t bytes), (pointer, bytes))                    \
    X(_ZdaPvm, FC_CALL_DELETE_ARRAY, (void *pointer, size_t bytes), (pointer, bytes))              \
    X(_ZdlPvRKSt9nothrow_t, FC_CALL_DELETE, (void *pointer, const void *nothrow),                  \
      (pointer, nothrow))                                                                          \
    X(_ZdaPvRKSt9nothrow_t, FC_CALL_DELETE_ARRAY, (void *pointer, const void *nothrow),            \
      (pointer, nothrow))                                                                          \
    X(_ZdlPvSt11align_val_t, FC_CALL_DELETE, (void *pointer, size_t alignment),                    \
      (pointer, alignment))                                                                        \
    X(_ZdaPvSt11align_val_t, FC_CALL_DELETE_ARRAY, (void *pointer, size_t alignment),              \
      (pointer, alignment))                                                                        \
    X(_ZdlPvmSt11align_val_t, FC_CALL_DELETE, (void *pointer, size_t bytes, size_t alignment),     \
      (pointer, bytes, alignment))                                                                 \
    X(_ZdaPvmSt11align_val_t, FC_CALL_DELETE_ARRAY,                                                \
      (void *pointer, size_t bytes, size_t alignment), (pointer, bytes, alignment))                \
    X(_ZdlPvSt11align_val_tRKSt9nothrow_t, FC_CALL_DELETE,                                         \
      (void *pointer, size_t alignment, const void *nothrow), (pointer, alignment, nothrow))       \
    X(_ZdaPvSt11align_val_tRKSt9nothrow_t, FC_CALL_DELETE_ARRAY,                                   \
      (void *pointer, size_t alignment, const void *nothrow), (pointer, alignment, nothrow))

/* Each jumps to where `now` points: until it is decided whether memory is profiled, or to find
 * out where, to `first`; then to `recorded` or to the real one. */
#define DEFINE_START(type, symbol, parameters, arguments)                                          \
    typedef type Type##symbol parameters;                                                          \
    static Type##symbol first##symbol;                                                             \
    static Type##symbol *now##symbol = first##symbol;                                              \
    static void *real##symbol;                                                                     \
    static type first##symbol parameters                                                           \
    {                                                                                              \
        Type##symbol *function = (Type##symbol *)find(&real##symbol, #symbol);                     \
        if (is_decided && now##symbol == first##symbol)                                            \
            now##symbol = function;                                                                \
        return function arguments;                                                                 \
    }                                                                                              \
    FC_EXPORT Type##symbol symbol;                                                                 \
    FC_EXPORT FC_JUMPING type symbol parameters                                                    \
    {                                                                                              \
        FC_JUMP now##symbol arguments;                                                             \
    }

#define DEFINE_NEW(symbol, call, parameters, arguments)                                            \
    DEFINE_START(void *, symbol, parameters, arguments)                                            \
    static void *recorded##symbol parameters                                                       \
    {                                                                                              \
        Type##symbol *function = (Type##symbol *)find(&real##symbol, #symbol);                     \
        void *pointer = function arguments;                                                        \
        if (pointer != NULL)                                                                       \
            fc_alloc_record(FC_RECORD_NAMED, call, pointer, bytes, HERE);                          \
        return pointer;                                                                            \
    }

/* Those of jemalloc and tcmalloc, for one, free without `free`: the manager is told. */
#define DEFINE_DELETE(symbol, call, parameters, arguments)                                         \
    DEFINE_START(void, symbol, parameters, arguments)                                              \
    static void recorded##symbol parameters                                                        \
    {                                                                                              \
        Type##symbol *function = (Type##symbol *)find(&real##symbol, #symbol);                     \
        const void *address = pointer;                                                             \
        fc_thread.last_freed = NULL;                                                               \
        if (address != NULL)                                                                       \
            fc_alloc_record(FC_RECORD_FREE_NAMED, call, address, 0, HERE);                         \
        function arguments;                                                                        \
        if (address != NULL && fc_thread.last_freed != address)                                    \
            fc_alloc_record(FC_RECORD_NAMED, call, address, 0, HERE);                              \
    }

NEW_OPERATORS(DEFINE_NEW)
DELETE_OPERATORS(DEFINE_DELETE)

#define RECORD(symbol, call, parameters, arguments) now##symbol = recorded##symbol;

void fc_interpose_cxx_start(bool memory)
{
    if (memory)
    {
        NEW_OPERATORS(RECORD)
        DELETE_OPERATORS(RECORD)
    }
    is_decided = true;
}
