/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FIXTURE_ASAN: 1 under AddressSanitizer, with which a fork or a loop takes ten times as long, and
 * fewer rounds find what there is to find; else 0.
 */
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIXTURE_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FIXTURE_ASAN 1
#endif
#ifndef FIXTURE_ASAN
#define FIXTURE_ASAN 0
#endif
