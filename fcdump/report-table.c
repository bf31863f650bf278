/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of reports and exports; see report-table.h.
 */
#include "fcdump/report-table.h"

#include "fcdump/report.h"

const FcReport fc_report_table[] = {
    {"header", "what made this output, and from what", FC_REPORT_BOTH, fc_report_header},
    {"losses", "what is missing from the profile, if anything", FC_REPORT_BOTH, fc_report_losses},
    {"summary", "what ran, for how long, and what is notable", FC_REPORT_SCREEN, fc_report_summary},
    {"heaviest", "the functions with most local time", FC_REPORT_SCREEN, fc_report_heaviest},
    {"hot-path", "the heaviest chain of calls, from the outermost on", FC_REPORT_SCREEN,
     fc_report_hot_path},
    {"hints", "which options show the rest", FC_REPORT_SCREEN, fc_report_hints},
    {"info", "the program and its run", FC_REPORT_CLASSIC, fc_report_info},
    {"flat", "each function's time and calls", FC_REPORT_CLASSIC, fc_report_flat},
    {"graph", "call graph: whom each function called", FC_REPORT_CLASSIC, fc_report_graph},
    {"peek", NULL, FC_REPORT_OPTION, fc_report_peek},
    {"path", NULL, FC_REPORT_OPTION, fc_report_path},
    {"cycles", "functions that call each other in a circle", FC_REPORT_CLASSIC, fc_report_cycles},
    {"tree", "calling-context tree", FC_REPORT_ON_REQUEST, fc_report_tree},
    {"latency", "how long calls took: percentiles (FC_LATENCY), histograms", FC_REPORT_ON_REQUEST,
     fc_report_latency},
    {"trace", NULL, FC_REPORT_OPTION, fc_report_trace},
    {"threads", "each thread, where there are several", FC_REPORT_CLASSIC, fc_report_threads},
    {"notes", "events that did not fit and were mended", FC_REPORT_CLASSIC, fc_report_repairs},
    {"mem-heap", "the heap: totals, its size over time, the peak and who held it",
     FC_REPORT_CLASSIC, fc_report_heap},
    {"mem-leaks", "memory that was never freed", FC_REPORT_CLASSIC, fc_report_leaks},
    {"mem-free", "invalid pointers given to free", FC_REPORT_CLASSIC, fc_report_bad_frees},
    {"mem-realloc", "invalid pointers given to realloc", FC_REPORT_CLASSIC, fc_report_bad_reallocs},
    {"mem-functions", "what each function allocated", FC_REPORT_ON_REQUEST,
     fc_report_mem_functions},
    {"mem-contexts", "what each allocation site allocated", FC_REPORT_ON_REQUEST,
     fc_report_mem_contexts},
    {"mem-sizes", "how large the blocks of each function were", FC_REPORT_ON_REQUEST,
     fc_report_mem_sizes},
    {"json", "everything the profile holds, as JSON", FC_REPORT_EXPORT, fc_export_json},
    {"dot", "the call graph for graphviz", FC_REPORT_EXPORT, fc_export_dot},
    {"vcg", "the call graph for VCG viewers", FC_REPORT_EXPORT, fc_export_vcg},
    {"folded", "a line for each stack, for flamegraph.pl and speedscope", FC_REPORT_EXPORT,
     fc_export_folded},
    {"html", "everything in one page, for a browser", FC_REPORT_FILE, fc_export_html},
    {"flame", "flame graph, as an interactive SVG", FC_REPORT_FILE, fc_export_flame},
    {"callgrind", "for callgrind_annotate and KCachegrind", FC_REPORT_FILE, fc_export_callgrind},
    {"speedscope", "stacks by each weight, for speedscope", FC_REPORT_FILE, fc_export_speedscope},
    {"chrome", "the trace (FC_TRACE), for Perfetto and chrome://tracing", FC_REPORT_FILE,
     fc_export_chrome},
    {"pprof", "stacks by each weight, for pprof", FC_REPORT_FILE, fc_export_pprof},
    {NULL, NULL, FC_REPORT_ON_REQUEST, NULL},
};
