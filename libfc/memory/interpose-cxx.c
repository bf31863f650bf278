/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the C++ operators new and delete.  The real operators call malloc and
 * free.  The interposers only record which operator was called, so that `new[]` released by `free`
 * can be detected.  Exceptions pass through, since there is nothing to undo.
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

/* Its address stands for an operator that was looked up and not found. */
static char nowhere[1];

/* Returns the next library's symbol; NULL: there is none.  The loader then allocates an error
 * message.  This is not the program's allocation, and it must not be freed later in the
 * program's own call of dlsym.  The second call of dlerror makes the loader free the message
 * here. */
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

/* Returns the next library's operator, looked up at the first call.  NULL: there is none, or a
 * plug-in loaded the C++ runtime, where RTLD_NEXT does not search.  Then libfc's own_new is
 * used. */
static void *find(void **found, const char *symbol)
{
    /* relaxed: all threads find the same function */
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
 * A program that was linked with -static-libstdc++ has no operators of its own: the linker took
 * libfc's, which came first on its command line.  These weak references lead to the rest of its
 * C++ runtime, and make the linker export it.  A program that can catch what libfc throws has
 * all of them. */

extern void (*get_new_handler(void))(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));
extern void *allocate_exception(size_t bytes) __asm__("__cxa_allocate_exception")
    __attribute__((weak));
extern void throw_exception(void *object, const void *type,
                            void (*destroy)(void *)) __asm__("__cxa_throw") __attribute__((weak));
extern const char bad_alloc_type[] __asm__("_ZTISt9bad_alloc") __attribute__((weak));
extern const void *const bad_alloc_table[] __asm__("_ZTVSt9bad_alloc") __attribute__((weak));
extern void destroy_bad_alloc(void *object) __asm__("_ZNSt9bad_allocD1Ev") __attribute__((weak));

#define TABLE_START 2 /* an object points behind the offset and the type */

/* throw std::bad_alloc() */
static void throw_bad_alloc(void)
{
    if (!allocate_exception || !throw_exception || !bad_alloc_type || !bad_alloc_table ||
        !destroy_bad_alloc)
    {
        fc_libc()->abort(); /* as for an exception that is not caught */
        __builtin_unreachable();
    }
    const void **object = allocate_exception(sizeof *object);
    *object = &bad_alloc_table[TABLE_START];
    throw_exception(object, bad_alloc_type, destroy_bad_alloc);
}

/* Returns the operator that the module of the code at `caller` uses, from the module itself or
 * from a library that it loaded; NULL: there is none.  In a program without a C++ runtime each
 * plug-in may have its own.  Only that runtime knows the plug-in's new handler and can throw
 * what the plug-in catches. */
static void *operator_near(const void *caller, const char *symbol)
{
    Dl_info module;
    Dl_info own;
    bool was_looking_up = fc_thread.is_looking_up;
    fc_thread.is_looking_up = true;
    void *found = fc_libc_find_near(caller, symbol);
    /* if the program was linked with -static-libstdc++, the search finds libfc's interposer */
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

/* Called if there is no memory and no known new handler.  Calls the plug-in's own operator if
 * there is one.  Otherwise throws std::bad_alloc, or returns NULL if `may_fail`. */
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

/* Operator new as the C++ standard specifies it.  `alignment` 0: the default one. */
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

/* Defines an exported operator, which jumps to the function that `now` points to.  At first this
 * is `first`, which looks up the real operator.  Once it is known whether memory is profiled, it
 * is `recorded` or the real operator.  The expression `own` is used if there is no real one. */
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

/* Some operators delete, such as those of jemalloc and tcmalloc, do not call `free`.  A second
 * record tells fcmanager so. */
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

/* Looks up an operator only if `has_any`: a library that has one operator has most of them.  A
 * failed look-up would make the loader allocate before the program does. */
static void *found_at_start(bool has_any, const char *symbol)
{
    void *function = has_any ? look_up(symbol) : NULL;
    return function ? function : nowhere;
}

/* Called at start, since dlsym waits while another thread is in a library's constructor.  A
 * later call could deadlock, if that constructor waits for a thread that allocates. */
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
