/* SPDX-License-Identifier: 0BSD
 *
 * Found by clang before libstdc++'s <bits/c++config.h>, which all headers of that library include
 * first: between the two macros that open and close its namespaces nothing is instrumented.  So
 * headers that have no wrapper, as not every libstdc++ has them, are left out as well.  With
 * libc++, programs that ask for <bits/c++config.h> find nothing in here.
 */
#pragma clang system_header
#if __has_include_next(<bits/c++config.h>)
#pragma clang attribute push(__attribute__((no_instrument_function)), apply_to = function)
#include_next <bits/c++config.h>
#pragma clang attribute pop
#endif
#if defined(__GLIBCXX__) && !_GLIBCXX_INLINE_VERSION
#undef _GLIBCXX_BEGIN_NAMESPACE_VERSION
#undef _GLIBCXX_END_NAMESPACE_VERSION
#define _GLIBCXX_BEGIN_NAMESPACE_VERSION                                                           \
    _Pragma("clang attribute push(__attribute__((no_instrument_function)), apply_to = function)")
#define _GLIBCXX_END_NAMESPACE_VERSION _Pragma("clang attribute pop")
#endif
