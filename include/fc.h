/* SPDX-License-Identifier: 0BSD
 *
 * What a program can tell FunctionCheck, which profiles it.  All of it does nothing where the
 * program is not profiled, and links without libfc.
 */
#ifndef FC_H
#define FC_H

#ifdef __cplusplus
extern "C"
{
#endif

    /* The hooks; the C library has empty ones. */
    __attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *, void *);
    __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *, void *);
    __attribute__((weak, no_instrument_function)) void __functioncheck_snapshot(const char *);
    __attribute__((weak, no_instrument_function)) void __functioncheck_label(const char *);

#define FC_H_INLINE static __inline__ __attribute__((always_inline, no_instrument_function, unused))

    /* The hooks are told what they are told of a function that was inlined: where the one around it
     * returns to. */

    /* A part of a function, that is to be in the profile as a function of that name.  `name` is a
     * string literal, the same at both ends, which must be in the same call of the same function.
     */
    FC_H_INLINE void fc_region_begin(const char *name)
    {
        __cyg_profile_func_enter((void *)name, __builtin_return_address(0));
    }

    FC_H_INLINE void fc_region_end(const char *name)
    {
        __cyg_profile_func_exit((void *)name, __builtin_return_address(0));
    }

    /* Writes the profile as of now, while the program goes on, to
     * functioncheck.PID.snapshot-NAME.fc. */
    FC_H_INLINE void fc_snapshot(const char *name)
    {
        if (__functioncheck_snapshot)
            __functioncheck_snapshot(name);
    }

    /* What the calling thread is called in the profile, in place of its name for the kernel. */
    FC_H_INLINE void fc_thread_label(const char *name)
    {
        if (__functioncheck_label)
            __functioncheck_label(name);
    }

#ifdef __cplusplus
}

namespace fc
{
/* The region from here to the end of the block: `fc::region here("name");` */
class region
{
    const char *const name;

  public:
    __attribute__((always_inline, no_instrument_function)) explicit region(const char *literal)
        : name(literal)
    {
        fc_region_begin(name);
    }
    __attribute__((always_inline, no_instrument_function)) ~region()
    {
        fc_region_end(name);
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;
};
} // namespace fc
#endif

#endif
