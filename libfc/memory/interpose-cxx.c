/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the C++ operators new and delete.  The real ones work through malloc and
 * free; these only add which operator it was, so that `new[]` released by `free` can be detected.
 * Exceptions pass through: there is nothing here to undo.
 */
#include "libfc/memory/interpose-cxx.h"

#include "libfc/base/libc.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/memory/alloc.h"

#include <dlfcn.h>
#include <stdlib.h>

#define CALLER __builtin_return_address(0)
#define HERE CALLER, __builtin_dwarf_cfa()

/* Marks an operator of a library that was looked up and is not there. */
static char nowhere[1];

/* The loader allocates a message if there is none.  That is no allocation of the program's, and
 * must not be freed when the program looks something up: the second call makes the loader forget
 * it. */
static void *look_up(const char *symbol)
{
    bool was_looking_up = fc_thread.is_looking_up;
    fc_thread.is_looking_up = true;
    void *function = fc_libc()->dlsym(RTLD_NEXT, symbol);
    for (int i = 0; !function && i < 2; i++)
        (void)fc_libc()->dlerror();
    fc_thread.is_looking_up = was_looking_up;
    return function;
}

/* The next library's operator.  NULL: there is none, or the C++ runtime came with a plug-in,
 * where RTLD_NEXT does not look.  Then libfc's own_new is used. */
static void *find(void **found, const char *symbol)
{
    /* relaxed: threads that look it up at the same time find the same */
    void *function = __atomic_load_n(found, __ATOMIC_RELAXED);
    if (fc_unlikely(function == NULL))
    {
        function = look_up(symbol);
        if (!function)
            function = nowhere;
        __atomic_store_n(found, function, __ATOMIC_RELAXED);
    }
    return fc_likely(function != nowhere) ? function : NULL;
}

/* ---- Without a library that has them ----------------------------------------------------
 *
 * Linked with -static-libstdc++ a program has no operators of its own: the linker took ours, being
 * first on its command line.  The rest of its C++ runtime can be reached by these weak references,
 * for whose sake the linker exports it; a program that catches what we throw has all of them. */

extern void (*get_new_handler(void))(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));
extern void *allocate_exception(size_t bytes) __asm__("__cxa_allocate_exception")
    __attribute__((weak));
extern void throw_exception(void *object, const void *type,
                            void (*destroy)(void *)) __asm__("__cxa_throw") __attribute__((weak));
extern const char bad_alloc_type[] __asm__("_ZTISt9bad_alloc") __attribute__((weak));
extern const void *const bad_alloc_table[] __asm__("_ZTVSt9bad_alloc") __attribute__((weak));
extern void destroy_bad_alloc(void *object) __asm__("_ZNSt9bad_allocD1Ev") __attribute__((weak));

#define TABLE_START 2 /* an object points to after the offset and the type */

/* throw std::bad_alloc() */
static void throw_bad_alloc(void)
{
    if (!allocate_exception || !throw_exception || !bad_alloc_type || !bad_alloc_table ||
        !destroy_bad_alloc)
    {
        fc_libc()->abort(); /* as for whatever nobody catches */
        __builtin_unreachable();
    }
    const void **object = allocate_exception(sizeof *object);
    *object = &bad_alloc_table[TABLE_START];
    throw_exception(object, bad_alloc_type, destroy_bad_alloc);
}

/* The operator of the module of the code at `caller`, or of a library that came with it.  In a
 * program without a C++ runtime each plug-in may have its own, which alone knows its handler,
 * and how to throw what the plug-in catches.  NULL: there is none. */
static void *operator_near(const void *caller, const char *symbol)
{
    Dl_info module;
    Dl_info own;
    bool was_looking_up = fc_thread.is_looking_up;
    fc_thread.is_looking_up = true;
    void *found = fc_libc_find_near(caller, symbol);
    /* finds the interposer itself if the program was linked with -static-libstdc++ */
    if (found && fc_libc()->dladdr(found, &module) != 0 && fc_libc()->dladdr(nowhere, &own) != 0 &&
        module.dli_fbase == own.dli_fbase)
        found = NULL;
    fc_thread.is_looking_up = was_looking_up;
    return found;
}

static void *allocate(size_t bytes, size_t alignment)
{
    void *pointer = NULL;
    if (alignment <= sizeof(void *))
        return malloc(bytes != 0 ? bytes : 1);
    return posix_memalign(&pointer, alignment, bytes) == 0 ? pointer : NULL;
}

/* There is no memory, and no known handler. */
static void *fail(const void *caller, size_t bytes, size_t alignment, bool may_fail)
{
    typedef void *New(size_t bytes);
    typedef void *NothrowNew(size_t bytes, const void *nothrow);
    typedef void *AlignedNew(size_t bytes, size_t alignment);
    typedef void *AlignedNothrowNew(size_t bytes, size_t alignment, const void *nothrow);
    static const char nothrow[1]; /* never read */
    static const char *const symbols[2][2] = {
        {"_Znwm", "_ZnwmRKSt9nothrow_t"},
        {"_ZnwmSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t"}};
    void *function = operator_near(caller, symbols[alignment != 0][may_fail]);
    if (function && alignment != 0 && may_fail)
        return ((AlignedNothrowNew *)function)(bytes, alignment, nothrow);
    if (function && alignment != 0)
        return ((AlignedNew *)function)(bytes, alignment);
    if (function && may_fail)
        return ((NothrowNew *)function)(bytes, nothrow);
    if (function)
        return ((New *)function)(bytes);
    if (!may_fail)
        throw_bad_alloc();
    return NULL;
}

/* As the standard prescribes. */
static void *own_new(const void *caller, size_t bytes, size_t alignment, bool may_fail)
{
    for (;;)
    {
        void *pointer = allocate(bytes, alignment);
        void (*handler)(void) = NULL;
        if (pointer)
            return pointer;
        if (get_new_handler)
            handler = get_new_handler();
        if (!handler)
            return fail(caller, bytes, alignment, may_fail);
        handler();
    }
}

/* ---- The operators ------------------------------------------------------------------ */

static bool is_decided; /* whether memory is profiled */

#define NEW_OPERATORS(X)                                                                           \
    X(_Znwm, FC_CALL_NEW, (size_t bytes), (bytes), (CALLER, bytes, 0, false))                      \
    X(_Znam, FC_CALL_NEW_ARRAY, (size_t bytes), (bytes), (CALLER, bytes, 0, false))                \
    X(_ZnwmRKSt9nothrow_t, FC_CALL_NEW, (size_t bytes, const void *nothrow), (bytes, nothrow),     \
      (CALLER, bytes, 0, true))                                                                    \
    X(_ZnamRKSt9nothrow_t, FC_CALL_NEW_ARRAY, (size_t bytes, const void *nothrow),                 \
      (bytes, nothrow), (CALLER, bytes, 0, true))                                                  \
    X(_ZnwmSt11align_val_t, FC_CALL_NEW, (size_t bytes, size_t alignment), (bytes, alignment),     \
      (CALLER, bytes, alignment, false))                                                           \
    X(_ZnamSt11align_val_t, FC_CALL_NEW_ARRAY, (size_t bytes, size_t alignment),                   \
      (bytes, alignment), (CALLER, bytes, alignment, false))                                       \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t, FC_CALL_NEW,                                             \
      (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow),          \
      (CALLER, bytes, alignment, true))                                                            \
    X(_ZnamSt11align_val_tRKSt9nothrow_t, FC_CALL_NEW_ARRAY,                                       \
      (size_t bytes, size_t alignment, const void *nothrow), (bytes, alignment, nothrow),          \
      (CALLER, bytes, alignment, true))

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

/* Each operator jumps to where `now` points.  At first that is `first`, which looks the real one
 * up.  When it is known whether memory is profiled, it is `recorded` or the real one.  `own` is
 * used if there is no real one. */
#define DEFINE_START(type, symbol, parameters, arguments, own)                                     \
    typedef type Type##symbol parameters;                                                          \
    static Type##symbol first##symbol;                                                             \
    static Type##symbol *now##symbol = first##symbol;                                              \
    static void *real##symbol;                                                                     \
    static type first##symbol parameters                                                           \
    {                                                                                              \
        Type##symbol *function = (Type##symbol *)find(&real##symbol, #symbol);                     \
        if (!function)                                                                             \
            return own;                                                                            \
        /* relaxed: as in find() */                                                                \
        if (is_decided && __atomic_load_n(&now##symbol, __ATOMIC_RELAXED) == first##symbol)        \
            __atomic_store_n(&now##symbol, function, __ATOMIC_RELAXED);                            \
        return function arguments;                                                                 \
    }                                                                                              \
    FC_EXPORT Type##symbol symbol;                                                                 \
    FC_EXPORT FC_JUMPING type symbol parameters                                                    \
    {                                                                                              \
        FC_JUMP __atomic_load_n(&now##symbol, __ATOMIC_RELAXED) arguments;                         \
    }

#define DEFINE_NEW(symbol, call, parameters, arguments, own_arguments)                             \
    DEFINE_START(void *, symbol, parameters, arguments, own_new own_arguments)                     \
    static void *recorded##symbol parameters                                                       \
    {                                                                                              \
        Type##symbol *function = (Type##symbol *)find(&real##symbol, #symbol);                     \
        void *pointer = function ? function arguments : own_new own_arguments;                     \
        if (pointer)                                                                               \
            fc_alloc_record(FC_RECORD_NAMED, call, pointer, bytes, HERE);                          \
        return pointer;                                                                            \
    }

/* The operators of jemalloc and tcmalloc, for example, free without `free`: the manager is told. */
#define DEFINE_DELETE(symbol, call, parameters, arguments)                                         \
    DEFINE_START(void, symbol, parameters, arguments, free(pointer))                               \
    static void recorded##symbol parameters                                                        \
    {                                                                                              \
        Type##symbol *function = (Type##symbol *)find(&real##symbol, #symbol);                     \
        const void *address = pointer;                                                             \
        fc_thread.last_freed = NULL;                                                               \
        if (address)                                                                               \
            fc_alloc_record(FC_RECORD_FREE_NAMED, call, address, 0, HERE);                         \
        if (function)                                                                              \
            function arguments;                                                                    \
        else                                                                                       \
            free(pointer);                                                                         \
        if (address && fc_thread.last_freed != address)                                            \
            fc_alloc_record(FC_RECORD_NAMED, call, address, 0, HERE);                              \
    }

NEW_OPERATORS(DEFINE_NEW)
DELETE_OPERATORS(DEFINE_DELETE)

#define RECORD(symbol, ...) now##symbol = recorded##symbol;
#define FIND(symbol, ...) real##symbol = found_at_start(has_any, #symbol);

/* A library that has one of them has most of them.  The others are not looked up in vain, since
 * the loader would allocate before the program does. */
static void *found_at_start(bool has_any, const char *symbol)
{
    void *function = has_any ? look_up(symbol) : NULL;
    return function ? function : nowhere;
}

/* Looked up at start: the loader waits while another thread is in a library's constructor, and
 * later that may be one that waits for a thread that allocates. */
void fc_interpose_cxx_find(void)
{
    const bool has_any = fc_libc_is_exported("_Znwm");
    NEW_OPERATORS(FIND)
    DELETE_OPERATORS(FIND)
}

void fc_interpose_cxx_start(bool memory)
{
    if (memory)
    {
        NEW_OPERATORS(RECORD)
        DELETE_OPERATORS(RECORD)
    }
    is_decided = true;
}
