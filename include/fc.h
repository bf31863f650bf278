/* SPDX-License-Identifier: 0BSD
 *
 * Functions by which a program controls its own profile.  They do nothing in a program that is not
 * profiled, and they link without libfc.
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
    __attribute__((weak, no_instrument_function)) void __functioncheck_pause(int);

#define FC_H_INLINE static __inline__ __attribute__((always_inline, no_instrument_function, unused))

    /* A region's hooks get the same call site as those of an inlined function: the return
     * address of the surrounding function. */

    /* Begins and ends a region: a part of a function that the profile shows as a function called
     * `name`.  `name` is the same string literal at both ends.  Both ends must be in the same
     * call of the same function. */
    FC_H_INLINE void fc_region_begin(const char *name)
    {
        __cyg_profile_func_enter((void *)name, __builtin_return_address(0));
    }

    FC_H_INLINE void fc_region_end(const char *name)
    {
        __cyg_profile_func_exit((void *)name, __builtin_return_address(0));
    }

    /* Writes the profile so far to functioncheck.PID.snapshot-NAME.fc.  The program goes on
     * meanwhile. */
    FC_H_INLINE void fc_snapshot(const char *name)
    {
        if (__functioncheck_snapshot)
            __functioncheck_snapshot(name);
    }

    /* What any thread does between these two is not in the profile.  Each returns when it is done,
     * after some milliseconds.  To pause what is paused does nothing. */
    FC_H_INLINE void fc_pause(void)
    {
        if (__functioncheck_pause)
            __functioncheck_pause(1);
    }

    FC_H_INLINE void fc_resume(void)
    {
        if (__functioncheck_pause)
            __functioncheck_pause(0);
    }

    /* Sets the calling thread's name in the profile, in place of the kernel's name for it. */
    FC_H_INLINE void fc_thread_label(const char *name)
    {
        if (__functioncheck_label)
            __functioncheck_label(name);
    }

#ifdef __cplusplus
}

namespace fc
{
/* A region from here to the end of the block: `fc::region here("name");` */
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
