/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of reports and exports; see report-table.h.  Each of them is defined in a file of its
 * own.
 */
#include "fcdump/report-table.h"

extern const FcReport fc_report_header, fc_report_losses, fc_report_summary, fc_report_heaviest,
    fc_report_hot_path, fc_report_overview, fc_report_runs, fc_report_info, fc_report_flat,
    fc_report_graph, fc_report_peek, fc_report_path, fc_report_cycles, fc_report_inlined,
    fc_report_tree, fc_report_ranks, fc_report_latency, fc_report_slowest, fc_report_trace,
    fc_report_suggest_filter, fc_report_threads, fc_report_waits, fc_report_messages,
    fc_report_collectives, fc_report_repairs, fc_report_heap, fc_report_leaks, fc_report_bad_frees,
    fc_report_bad_reallocs, fc_report_mem_functions, fc_report_mem_contexts, fc_report_mem_sizes,
    fc_export_json, fc_export_dot, fc_export_vcg, fc_export_folded, fc_export_html, fc_export_flame,
    fc_export_callgrind, fc_export_speedscope, fc_export_chrome, fc_export_pprof,
    fc_export_functions;

const FcReport *const fc_report_table[] = {
    &fc_report_header,       &fc_report_losses,
    &fc_report_overview,     &fc_report_runs,
    &fc_report_summary,      &fc_report_heaviest,
    &fc_report_hot_path,     &fc_report_info,
    &fc_report_flat,         &fc_report_graph,
    &fc_report_peek,         &fc_report_path,
    &fc_report_cycles,       &fc_report_inlined,
    &fc_report_tree,         &fc_report_ranks,
    &fc_report_latency,      &fc_report_slowest,
    &fc_report_trace,        &fc_report_suggest_filter,
    &fc_report_threads,      &fc_report_waits,
    &fc_report_messages,     &fc_report_collectives,
    &fc_report_repairs,      &fc_report_heap,
    &fc_report_leaks,        &fc_report_bad_frees,
    &fc_report_bad_reallocs, &fc_report_mem_functions,
    &fc_report_mem_contexts, &fc_report_mem_sizes,
    &fc_export_json,         &fc_export_dot,
    &fc_export_vcg,          &fc_export_folded,
    &fc_export_html,         &fc_export_flame,
    &fc_export_callgrind,    &fc_export_speedscope,
    &fc_export_chrome,       &fc_export_pprof,
    &fc_export_functions,    NULL,
};
