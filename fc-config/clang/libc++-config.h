/* SPDX-License-Identifier: 0BSD
 *
 * Found by clang before libc++'s <__config_site>, which all headers of that library include first:
 * the attribute that nearly all functions of libc++ have becomes two.  So headers that have no
 * wrapper, as not every libc++ has them, are left out as well.  Programs with libstdc++ that ask
 * for <__config_site> find nothing in here.
 */
#pragma clang system_header
#if __has_include_next(<__config_site>)
#include_next <__config_site>
#ifndef __exclude_from_explicit_instantiation__
#define __exclude_from_explicit_instantiation__                                                    \
    __exclude_from_explicit_instantiation__, __no_instrument_function__
#endif
#endif
