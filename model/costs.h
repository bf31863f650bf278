/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far what was taken off for the hooks can be trusted.  Used by the header of fcdump's reports;
 * pure computation.
 */
#pragma once

#include "profile/fc-profile.h"

/* What was taken off for recorded calls may be wrong by this part of it. */
#define FC_COSTS_ERROR 0.25

/* What is compiled with the flags is other code: where it calls no hook it took so much more or
 * less of its time than plain code does, in single loops many times that. */
#define FC_COSTS_OF_CODE 0.05

/* By how much the `cost_ns` that were taken off may be wrong, of which `counted` calls made no
 * record; `costs_ps` as in a profile. */
double fc_costs_error_ns(const guint64 *costs_ps, double cost_ns, double counted);
