/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of the JSON export share, also with export-html.c, whose page has some of it.
 */
#pragma once

#include "fcdump/json.h"
#include "fcdump/report.h"

/* `address`, `module` and `offset`. */
void fc_export_json_place(const FcReportContext *context, FcJson *json,
                          const FcProfileLocation *place);
/* `file` and `line`. */
void fc_export_json_source(FcJson *json, const FcSymbol *symbol);
/* An object `key` of those of a call site and its name. */
void fc_export_json_site(const FcReportContext *context, FcJson *json, const char *key,
                         const FcProfileLocation *place);
/* Member `job`: an object, null where no rank is known. */
void fc_export_json_job(FcJson *json, const FcProfileJob *job);
/* An array `key` of the buckets that are not empty: objects of from_UNIT, below_UNIT and
 * `count`. */
void fc_export_json_buckets(FcJson *json, const char *key, const guint64 *buckets, guint number,
                            const char *unit, const char *count);
/* The time as it was measured, with instrumentation overhead. */
void fc_export_json_raw(FcJson *json, const char *key, guint64 ns, guint64 cost_ns);
/* `cpu_total_ns` and `cpu_local_ns`; null where --time has taken them away.  An arc has none of its
 * own. */
void fc_export_json_cpu(const FcReportContext *context, FcJson *json, const FcProfileTimes *times,
                        gboolean has_local);
/* `preempted_ns` and `waits` of a function, or of one in a thread. */
void fc_export_json_off(FcJson *json, const FcProfileTimes *times, const FcProfileOff *off);
/* The members that each export of a thread has: which thread it is, when it ran, its calls. */
void fc_export_json_thread_run(FcJson *json, const FcProfileThread *thread);
/* Member `lanes` of a thread: when it was off the CPU; null where that is not known. */
void fc_export_json_lanes(FcJson *json, const FcProfileThread *thread);
/* An object of the array `threads`. */
void fc_export_json_thread(const FcReportContext *context, FcJson *json,
                           const FcProfileThread *thread);
/* The index in the array of the profile's first context: 1 if the node of folded contexts is 0. */
guint fc_json_first_context(const FcProfile *profile);
/* Member `suggested_filter`: an object, null where the profile does not hold what hooks cost. */
void fc_export_json_suggested(const FcReportContext *context, FcJson *json);
/* Member `heap`: an object, null where the profile has none. */
void fc_export_json_heap(const FcReportContext *context, FcJson *json);
/* Member `mpi`: an object, null where the profile has no figures of MPI. */
void fc_export_json_mpi(const FcReportContext *context, FcJson *json);
/* Member `ranks`: functions and contexts by rank. */
void fc_export_json_ranks(const FcReportContext *context, FcJson *json);
