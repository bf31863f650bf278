/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of sections; see table.h.  A new figure is a member of its struct in fc-profile.h and a
 * row here, in a new section.  A changed line needs a new version of its section.
 */
#include "profile/table.h"

/* ---- The fields of each section; the arrays are in profile.c ----------------------------- */

/* What, type, record and member, how two are merged; then what else the type needs. */
#define FIELD(what, type, record, member, merge, ...)                                              \
    {                                                                                              \
        what, FC_FIELD_##type, G_STRUCT_OFFSET(record, member), FC_MERGE_##merge, ##__VA_ARGS__    \
    }

static const FcField process_fields[] = {
    FIELD("pid", SIGNED, FcProfile, pid, KEEP),
    FIELD("ppid", SIGNED, FcProfile, ppid, KEEP),
    FIELD("thread", SIGNED, FcProfile, thread_id, KEEP),
    FIELD("executable", STRING, FcProfile, executable, FIRST, .optional = TRUE),
    FIELD("directory", STRING, FcProfile, directory, FIRST, .optional = TRUE),
    FIELD("filter", STRING, FcProfile, filter, FIRST, .optional = TRUE),
    FIELD("depth", DEPTH, FcProfile, depth, FIRST, .optional = TRUE),
    FIELD("arguments", ARGUMENTS, FcProfile, command_line, FIRST, .optional = TRUE),
    FIELD("argument", ARGUMENT, FcProfile, command_line, KEEP, .optional = TRUE),
    FIELD("end", END, FcProfile, end, KEEP),
    FIELD("processes", NUMBER, FcProfile, processes, KEEP, .optional = TRUE),
    FIELD("failed", NUMBER, FcProfile, failed, KEEP, .optional = TRUE),
    FIELD("started", SIGNED, FcProfile, start_realtime_ns, LEAST),
    FIELD("ended", SIGNED, FcProfile, end_realtime_ns, MOST),
    FIELD("run", NUMBER, FcProfile, run_ns, SUM),
    FIELD("processors", NUMBER, FcProfile, machine.processors, SAME, .optional = TRUE),
    FIELD("booted", NUMBER, FcProfile, machine.booted_s, SAME, .optional = TRUE),
    FIELD("used-before", NUMBER, FcProfile, machine.used_before_ns, LEAST, .optional = TRUE),
    FIELD("used-after", NUMBER, FcProfile, machine.used_after_ns, MOST, .optional = TRUE),
    FIELD("used", NUMBER, FcProfile, machine.own_ns, SUM, .optional = TRUE),
};

static const FcField clock_fields[] = {
    FIELD("mode", MODE, FcProfile, time_mode, KEEP),
    FIELD("ticks-per-second", RATE, FcProfile, ticks_per_second, FIRST),
    FIELD("samples", NUMBER, FcProfile, samples, SUM, .optional = TRUE, .former = "looks"),
    FIELD("executed", NUMBER, FcProfile, executed, SUM, .optional = TRUE),
    FIELD("executed-by-timer", NUMBER, FcProfile, executed_by_timer, SUM, .optional = TRUE),
    FIELD("unsampled", NUMBER, FcProfile, unsampled_ns, SUM, .optional = TRUE),
    FIELD("costs", COSTS, FcProfile, costs_ps, MOST, .optional = TRUE),
};

static const FcField module_fields[] = {
    FIELD("the base", ADDRESS, FcProfileModule, base, KEEP),
    FIELD("the start", ADDRESS, FcProfileModule, start, KEEP),
    FIELD("the end", ADDRESS, FcProfileModule, end, KEEP),
    FIELD("the time of loading", NUMBER, FcProfileModule, load_ns, KEEP),
    FIELD("the time of unloading", NUMBER, FcProfileModule, unload_ns, KEEP),
    FIELD("the build-id", NAME, FcProfileModule, build_id, KEEP),
    FIELD("the path", STRING, FcProfileModule, path, KEEP),
};

/* merge.c merges the bounds, since those of a function without a completed call do not count. */
static const FcField function_fields[] = {
    FIELD(NULL, PLACE, FcProfileFunction, location, KEY),
    FIELD("the number of calls", NUMBER, FcProfileFunction, calls, SUM),
    FIELD("the total time", NUMBER, FcProfileFunction, times.total_ns, SUM),
    FIELD("the local time", NUMBER, FcProfileFunction, times.local_ns, SUM),
    FIELD("the least total time", NUMBER, FcProfileFunction, bounds.total_min_ns, KEEP),
    FIELD("the greatest total time", NUMBER, FcProfileFunction, bounds.total_max_ns, KEEP),
    FIELD("the least local time", NUMBER, FcProfileFunction, bounds.local_min_ns, KEEP),
    FIELD("the greatest local time", NUMBER, FcProfileFunction, bounds.local_max_ns, KEEP),
    FIELD(NULL, HISTOGRAM, FcProfileFunction, histogram, SUM),
};

static const FcField cpu_bounds_fields[] = {
    FIELD(NULL, MARK, FcProfileFunction, has_cpu_bounds, KEEP),
    FIELD("the least total time on the CPU", NUMBER, FcProfileFunction, cpu.total_min_ns, KEEP),
    FIELD("the most total time on the CPU", NUMBER, FcProfileFunction, cpu.total_max_ns, KEEP),
    FIELD("the least local time on the CPU", NUMBER, FcProfileFunction, cpu.local_min_ns, KEEP),
    FIELD("the most local time on the CPU", NUMBER, FcProfileFunction, cpu.local_max_ns, KEEP),
};

static const FcField counted_fields[] = {
    FIELD("the number of counted calls", NUMBER, FcProfileFunction, counted, SUM),
    FIELD("the number of timed calls", NUMBER, FcProfileFunction, timed, SUM),
    FIELD("the error of the total time", NUMBER, FcProfileFunction, total_error_ns, KEEP),
    FIELD("the error of the local time", NUMBER, FcProfileFunction, local_error_ns, KEEP),
};

static const FcField uncounted_fields[] = {
    FIELD(NULL, MARK, FcProfileFunction, uncounted, ANY),
};

/* merge.c merges these, and the errors from them. */
static const FcField counted_squares_fields[] = {
    FIELD("the square of the total error", SQUARE, FcProfileFunction, total_square, KEEP),
    FIELD("the square of the local error", SQUARE, FcProfileFunction, local_square, KEEP),
};

static const FcField thread_fields[] = {
    FIELD("the thread id", SIGNED, FcProfileThread, tid, KEEP),
    FIELD("the time of start", NUMBER, FcProfileThread, start_ns, KEEP),
    FIELD("the time of the end", NUMBER, FcProfileThread, end_ns, KEEP),
    FIELD("the time run", NUMBER, FcProfileThread, run_ns, KEEP),
    FIELD("the number of calls", NUMBER, FcProfileThread, calls, KEEP),
    FIELD("0 or 1", FLAG, FcProfileThread, ended, KEEP),
    FIELD("the name", NAME, FcProfileThread, name, KEEP),
};

static const FcField wait_thread_fields[] = {
    FIELD("how it was looked at", BELOW, FcProfileThread, waits, KEEP, FC_WAITS_COUNT),
    FIELD("the time off the CPU", NUMBER, FcProfileThread, wait_ns, KEEP),
    FIELD("the preempted time", NUMBER, FcProfileThread, preempted_ns, KEEP),
    FIELD("the time of the manager", NUMBER, FcProfileThread, manager_ns, KEEP),
};

static const FcField thread_function_fields[] = {
    FIELD("the function", INDEX, FcProfileThreadFunction, function, KEY, FC_ARRAY_FUNCTIONS),
    FIELD("the number of calls", NUMBER, FcProfileThreadFunction, calls, KEEP),
    FIELD("the total time", NUMBER, FcProfileThreadFunction, times.total_ns, KEEP),
    FIELD("the local time", NUMBER, FcProfileThreadFunction, times.local_ns, KEEP),
};

static const FcField thread_arc_fields[] = {
    FIELD("the arc", INDEX, FcProfileThreadArc, arc, KEY, FC_ARRAY_ARCS),
    FIELD("the calls", NUMBER, FcProfileThreadArc, calls, KEEP),
    FIELD("the total time", NUMBER, FcProfileThreadArc, times.total_ns, KEEP),
    FIELD("the overhead", NUMBER, FcProfileThreadArc, times.total_cost_ns, KEEP),
    FIELD("the time off the CPU", NUMBER, FcProfileThreadArc, times.total_wait_ns, KEEP),
};

static const FcField frame_fields[] = {
    FIELD(NULL, PLACE, FcProfileFrame, site, KEY),
    FIELD("the function", INDEX, FcProfileFrame, function, KEY, FC_ARRAY_FUNCTIONS),
};

static const FcField trace_thread_fields[] = {
    FIELD(NULL, TRACE, FcProfileThread, trace, KEEP),
    FIELD("the number of records", NUMBER, FcProfileThread, trace_all, KEEP),
};

static const FcField trace_fields[] = {
    FIELD("the kind", BELOW, FcProfileTraceRecord, kind, KEEP, FC_TRACE_KINDS),
    FIELD("the time", NUMBER, FcProfileTraceRecord, time_ns, KEEP),
    FIELD("the function", INDEX, FcProfileTraceRecord, function, KEY, FC_ARRAY_FUNCTIONS),
    FIELD("the stack", BELOW, FcProfileTraceRecord, stack, KEEP, G_MAXINT),
    FIELD("the depth", BELOW, FcProfileTraceRecord, depth, KEEP, G_MAXINT),
    FIELD("the time of the call", NUMBER, FcProfileTraceRecord, begun_ns, KEEP),
};

static const FcField lane_thread_fields[] = {
    FIELD("the start", NUMBER, FcProfileThread, lane_start_ns, KEEP),
    FIELD("the width of a bucket", NUMBER, FcProfileThread, lane_ns, KEEP),
};

static const FcField lane_fields[] = {
    FIELD("the bucket", BELOW, FcProfileLane, bucket, KEEP, FC_LANE_BUCKETS),
    FIELD("the time off the CPU", NUMBER, FcProfileLane, wait_ns, KEEP),
    FIELD("the preempted time", NUMBER, FcProfileLane, preempted_ns, KEEP),
};

static const FcField arc_fields[] = {
    FIELD("the caller", LINK, FcProfileArc, caller, KEY, FC_ARRAY_FUNCTIONS),
    FIELD(NULL, PLACE, FcProfileArc, site, KEY),
    FIELD("the function", INDEX, FcProfileArc, callee, KEY, FC_ARRAY_FUNCTIONS),
    FIELD("the number of calls", NUMBER, FcProfileArc, calls, SUM),
    FIELD("the total time", NUMBER, FcProfileArc, times.total_ns, SUM),
};

static const FcField apportioned_arc_fields[] = {
    FIELD(NULL, MARK, FcProfileArc, apportioned, ANY),
};

static const FcField context_fields[] = {
    FIELD("the parent", LINK, FcProfileContext, parent, KEY, FC_ARRAY_CONTEXTS),
    FIELD(NULL, PLACE, FcProfileContext, site, KEY),
    FIELD("the function", INDEX, FcProfileContext, function, KEY, FC_ARRAY_FUNCTIONS),
    FIELD("the number of calls", NUMBER, FcProfileContext, calls, SUM),
    FIELD("the total time", NUMBER, FcProfileContext, times.total_ns, SUM),
    FIELD("the local time", NUMBER, FcProfileContext, times.local_ns, SUM),
};

static const FcField apportioned_context_fields[] = {
    FIELD(NULL, MARK, FcProfileContext, apportioned, ANY),
};

/* Offsets in FcProfileTimes.  Arcs have only total times. */
static const FcField cost_fields[] = {
    FIELD("what was taken off the total time", NUMBER, FcProfileTimes, total_cost_ns, SUM),
    FIELD("what was taken off the local time", NUMBER, FcProfileTimes, local_cost_ns, SUM),
};
static const FcField wait_fields[] = {
    FIELD("the total time off the CPU", NUMBER, FcProfileTimes, total_wait_ns, SUM),
    FIELD("the local time off the CPU", NUMBER, FcProfileTimes, local_wait_ns, SUM),
};
static const FcField wait_arc_fields[] = {
    FIELD("the time off the CPU", NUMBER, FcProfileTimes, total_wait_ns, SUM),
};

static const FcField off_function_fields[] = {FIELD(NULL, OFF, FcProfileFunction, off, SUM)};
static const FcField off_thread_function_fields[] = {
    FIELD(NULL, OFF, FcProfileThreadFunction, off, KEEP)};

static const FcField slowest_fields[] = {
    FIELD("the function", INDEX, FcProfileSlowCall, function, KEY, FC_ARRAY_FUNCTIONS),
    FIELD("the context", LINK, FcProfileSlowCall, context, KEY, FC_ARRAY_CONTEXTS),
    FIELD("the thread", SIGNED, FcProfileSlowCall, tid, KEEP),
    FIELD("the time of day", NUMBER, FcProfileSlowCall, realtime_ns, KEEP),
    FIELD("the total time", NUMBER, FcProfileSlowCall, total_ns, KEEP),
};

static const FcField note_fields[] = {
    FIELD("the kind", STRING, FcProfileNote, kind, KEEP),
    FIELD("the count", NUMBER, FcProfileNote, count, KEEP),
};

static const FcField ranks_fields[] = {
    FIELD("count", NUMBER, FcProfile, ranks, SUM),
    FIELD("threads", NUMBER, FcProfile, merged_threads, SUM),
};

/* ranks.c merges what is not a sum. */
#define SPREAD(member)                                                                             \
    FIELD("the sum of all ranks", NUMBER, FcProfileRanks, member.sum, SUM),                        \
        FIELD("the least of a rank", NUMBER, FcProfileRanks, member.least, KEEP),                  \
        FIELD("the most of a rank", NUMBER, FcProfileRanks, member.most, KEEP),                    \
        FIELD("the rank with the most", SIGNED, FcProfileRanks, member.most_rank, KEEP),           \
        FIELD("the sum of the squares", SQUARE, FcProfileRanks, member.squares, SUM)
#define RANK_FIELDS(what, array)                                                                   \
    {                                                                                              \
        FIELD(what, INDEX, FcProfileRanks, of, KEY, FC_ARRAY_##array),                             \
            FIELD("the number of ranks", NUMBER, FcProfileRanks, ranks, SUM), SPREAD(calls),       \
            SPREAD(local), SPREAD(total)                                                           \
    }
static const FcField rank_function_fields[] = RANK_FIELDS("the function", FUNCTIONS);
static const FcField rank_context_fields[] = RANK_FIELDS("the context", CONTEXTS);

/* mpi.c merges these. */
static const FcField partner_fields[] = {
    FIELD("the rank", SIGNED, FcProfilePartner, rank, KEEP),
    FIELD("the partner", SIGNED, FcProfilePartner, peer, KEEP),
    FIELD("the width", NUMBER, FcProfilePartner, width, KEEP),
    FIELD("the messages sent", NUMBER, FcProfilePartner, sent, SUM),
    FIELD("the bytes sent", NUMBER, FcProfilePartner, sent_bytes, SUM),
    FIELD("the messages received", NUMBER, FcProfilePartner, received, SUM),
    FIELD("the bytes received", NUMBER, FcProfilePartner, received_bytes, SUM),
    FIELD("the receives posted", NUMBER, FcProfilePartner, posted, SUM),
    FIELD("the bytes posted", NUMBER, FcProfilePartner, posted_bytes, SUM),
};

/* mpi.c merges what is not a sum. */
static const FcField collective_fields[] = {
    FIELD(NULL, PLACE, FcProfileCollective, function, KEY),
    FIELD(NULL, PLACE, FcProfileCollective, site, KEY),
    FIELD("the group", ADDRESS, FcProfileCollective, group, KEY),
    FIELD("the first rank", NUMBER, FcProfileCollective, first, KEEP),
    FIELD("the size of the group", NUMBER, FcProfileCollective, size, KEEP),
    FIELD("the number of ranks", NUMBER, FcProfileCollective, ranks, SUM),
    FIELD("the number of calls", NUMBER, FcProfileCollective, calls, SUM),
    FIELD("the least calls of a rank", NUMBER, FcProfileCollective, calls_least, KEEP),
    FIELD("the most calls of a rank", NUMBER, FcProfileCollective, calls_most, KEEP),
    FIELD("the time of all ranks", NUMBER, FcProfileCollective, sum_ns, SUM),
    FIELD("the least time of a rank", NUMBER, FcProfileCollective, least_ns, KEEP),
    FIELD("the rank with the least time", SIGNED, FcProfileCollective, least_rank, KEEP),
    FIELD("the most time of a rank", NUMBER, FcProfileCollective, most_ns, KEEP),
    FIELD("the rank with the most time", SIGNED, FcProfileCollective, most_rank, KEEP),
};

/* The kinds in the order of FcWaitKind. */
static const FcField wait_site_fields[] = {
    FIELD("the function", INDEX, FcProfileWaitSite, function, KEY, FC_ARRAY_FUNCTIONS),
    FIELD(NULL, PLACE, FcProfileWaitSite, site, KEY),
    FIELD("the time for a lock", NUMBER, FcProfileWaitSite, kind_ns[FC_WAIT_LOCK], SUM),
    FIELD("the time for a signal", NUMBER, FcProfileWaitSite, kind_ns[FC_WAIT_SIGN], SUM),
    FIELD("the time for input", NUMBER, FcProfileWaitSite, kind_ns[FC_WAIT_INPUT], SUM),
    FIELD("the time asleep", NUMBER, FcProfileWaitSite, kind_ns[FC_WAIT_SLEEP], SUM),
    FIELD("the time for the disk", NUMBER, FcProfileWaitSite, kind_ns[FC_WAIT_DISK], SUM),
    FIELD("the time for something else", NUMBER, FcProfileWaitSite, kind_ns[FC_WAIT_OTHER], SUM),
};

/* A merge of ranks keeps what they have in common. */
static const FcField job_fields[] = {
    FIELD("rank", SIGNED, FcProfile, job.rank, SAME),
    FIELD("local-rank", SIGNED, FcProfile, job.local_rank, SAME),
    FIELD("size", NUMBER, FcProfile, job.size, SAME, .optional = TRUE),
    FIELD("name", STRING, FcProfile, job.name, SAME, .optional = TRUE),
    FIELD("launcher", STRING, FcProfile, job.launcher, SAME, .optional = TRUE),
    FIELD("host", STRING, FcProfile, job.host, SAME, .optional = TRUE),
    FIELD("cpus", STRING, FcProfile, job.cpus, SAME, .optional = TRUE),
};

/* ---- The heap ---------------------------------------------------------------------------- */

static const FcField heap_fields[] = {
    FIELD("allocations", TOTAL, FcProfile, heap.allocations, SUM),
    FIELD("frees", TOTAL, FcProfile, heap.frees, SUM),
    FIELD("bytes", TOTAL, FcProfile, heap.bytes, SUM),
    FIELD("live-blocks", TOTAL, FcProfile, heap.live_blocks, SUM),
    FIELD("live-bytes", TOTAL, FcProfile, heap.live_bytes, SUM),
    FIELD("peak-bytes", TOTAL, FcProfile, heap.peak_bytes, KEEP),
    FIELD("peak-time", TOTAL, FcProfile, heap.peak_ns, KEEP),
    FIELD("maps", TOTAL, FcProfile, heap.maps, SUM),
    FIELD("map-bytes", TOTAL, FcProfile, heap.map_bytes, SUM),
    FIELD("unmaps", TOTAL, FcProfile, heap.unmaps, SUM),
    FIELD("unmap-bytes", TOTAL, FcProfile, heap.unmap_bytes, SUM),
    FIELD("scanned", TOTAL, FcProfile, heap.scanned, KEEP),
    FIELD("unlisted-blocks", TOTAL, FcProfile, heap.unlisted.blocks, SUM),
    FIELD("unlisted-bytes", TOTAL, FcProfile, heap.unlisted.bytes, SUM),
    FIELD("unlisted-leaks", TOTAL, FcProfile, unlisted_leaks.blocks, SUM),
    FIELD("unlisted-leak-bytes", TOTAL, FcProfile, unlisted_leaks.bytes, SUM),
};

static const FcField heap_frame_fields[] = {
    FIELD("the parent", LINK, FcProfileHeapFrame, parent, KEY, FC_ARRAY_HEAP_FRAMES),
    FIELD(NULL, PLACE, FcProfileHeapFrame, location, KEY),
};

static const FcField alloc_site_fields[] = {
    FIELD(NULL, POINT, FcProfileAllocSite, point, KEY),
    FIELD("the number of allocations", NUMBER, FcProfileAllocSite, allocations, SUM),
    FIELD("the bytes allocated", NUMBER, FcProfileAllocSite, bytes, SUM),
    FIELD("the number of frees", NUMBER, FcProfileAllocSite, frees, SUM),
    FIELD("the number of live blocks", NUMBER, FcProfileAllocSite, live_blocks, SUM),
    FIELD("the bytes live", NUMBER, FcProfileAllocSite, live_bytes, SUM),
    FIELD("the number of reachable blocks", NUMBER, FcProfileAllocSite, reachable_blocks, SUM),
    FIELD("the bytes reachable", NUMBER, FcProfileAllocSite, reachable_bytes, SUM),
    FIELD("the number of indirectly lost blocks", NUMBER, FcProfileAllocSite, indirect_blocks, SUM),
    FIELD("the bytes lost indirectly", NUMBER, FcProfileAllocSite, indirect_bytes, SUM),
    FIELD("the bytes at the peak", NUMBER, FcProfileAllocSite, peak_bytes, SUM),
    FIELD("the number of temporary blocks", NUMBER, FcProfileAllocSite, temporary, SUM),
    FIELD("the lifetime", NUMBER, FcProfileAllocSite, lifetime_ns, SUM),
    FIELD(NULL, SIZES, FcProfileAllocSite, sizes, SUM),
};

static const FcField bad_free_fields[] = {
    FIELD("what is wrong with the free", BAD_KIND, FcProfileBadFree, kind, KEEP),
    FIELD("the pointer", ADDRESS, FcProfileBadFree, pointer, KEEP),
    FIELD("the block", ADDRESS, FcProfileBadFree, block, KEEP),
    FIELD("the block's size", NUMBER, FcProfileBadFree, size_bytes, KEEP),
    FIELD("the time", NUMBER, FcProfileBadFree, time_ns, KEEP),
    FIELD(NULL, POINT, FcProfileBadFree, here, KEEP),
    FIELD(NULL, POINT, FcProfileBadFree, allocated, KEEP),
    FIELD(NULL, POINT, FcProfileBadFree, freed, KEEP),
};

static const FcField heap_sample_fields[] = {
    FIELD("the time", NUMBER, FcProfileHeapSample, time_ns, KEEP),
    FIELD("the bytes live", NUMBER, FcProfileHeapSample, live_bytes, KEEP),
};

/* ---- The sections ------------------------------------------------------------------------ */

#define SECTION(name, lines, array, needs, fields, ...)                                            \
    {                                                                                              \
        name, FC_LINES_##lines, FC_ARRAY_##array, FC_SECTION_##needs, fields,                      \
            G_N_ELEMENTS(fields), ##__VA_ARGS__                                                    \
    }
#define FC_SECTION_NOTHING FC_SECTION_COUNT

const FcSection fc_sections[FC_SECTION_COUNT] = {
    [FC_SECTION_PROCESS] = SECTION("process", KEYS, NONE, NOTHING, process_fields),
    [FC_SECTION_CLOCK] = SECTION("clock", KEYS, NONE, NOTHING, clock_fields),
    [FC_SECTION_MODULES] = SECTION("modules", RECORDS, MODULES, NOTHING, module_fields),
    [FC_SECTION_FUNCTIONS] = SECTION("functions", AGAIN, FUNCTIONS, NOTHING, function_fields),
    [FC_SECTION_THREADS] = SECTION("threads", RECORDS, THREADS, NOTHING, thread_fields),
    [FC_SECTION_THREAD_FUNCTIONS] =
        SECTION("thread-functions", RECORDS, THREAD_FUNCTIONS, THREADS, thread_function_fields),
    [FC_SECTION_THREAD_STACKS] =
        SECTION("thread-stacks", RECORDS, THREAD_STACK, THREADS, frame_fields),
    [FC_SECTION_ARCS] = SECTION("arcs", RECORDS, ARCS, NOTHING, arc_fields),
    [FC_SECTION_CONTEXTS] = SECTION("contexts", RECORDS, CONTEXTS, NOTHING, context_fields),
    [FC_SECTION_REPAIRS] = SECTION("repairs", RECORDS, REPAIRS, NOTHING, note_fields),
    [FC_SECTION_LOSSES] = SECTION("losses", RECORDS, LOSSES, NOTHING, note_fields),
    [FC_SECTION_HEAP] = SECTION("heap", KEYS, NONE, NOTHING, heap_fields),
    [FC_SECTION_HEAP_FRAMES] =
        SECTION("heap-frames", RECORDS, HEAP_FRAMES, HEAP, heap_frame_fields),
    [FC_SECTION_HEAP_PLACES] =
        SECTION("heap-places", RECORDS, ALLOC_SITES, HEAP, alloc_site_fields),
    [FC_SECTION_HEAP_BLOCKS] = {"heap-blocks", FC_LINES_RUNS, FC_ARRAY_HEAP_BLOCKS,
                                FC_SECTION_HEAP_PLACES},
    [FC_SECTION_HEAP_BAD_FREES] =
        SECTION("heap-bad-frees", RECORDS, HEAP_BAD_FREES, HEAP, bad_free_fields),
    [FC_SECTION_HEAP_SAMPLES] =
        SECTION("heap-samples", RECORDS, HEAP_SAMPLES, HEAP, heap_sample_fields),
    [FC_SECTION_COUNTED] = SECTION("counted", FIGURES, FUNCTIONS, FUNCTIONS, counted_fields),
    [FC_SECTION_APPORTIONED_ARCS] =
        SECTION("apportioned-arcs", FIGURES, ARCS, ARCS, apportioned_arc_fields),
    [FC_SECTION_APPORTIONED_CONTEXTS] =
        SECTION("apportioned-contexts", FIGURES, CONTEXTS, CONTEXTS, apportioned_context_fields),
    [FC_SECTION_COST_FUNCTIONS] =
        SECTION("cost-functions", FIGURES, FUNCTIONS, FUNCTIONS, cost_fields, .of_times = TRUE),
    [FC_SECTION_COST_ARCS] = {"cost-arcs", FC_LINES_FIGURES, FC_ARRAY_ARCS, FC_SECTION_ARCS,
                              cost_fields, 1, .of_times = TRUE},
    [FC_SECTION_COST_CONTEXTS] =
        SECTION("cost-contexts", FIGURES, CONTEXTS, CONTEXTS, cost_fields, .of_times = TRUE),
    [FC_SECTION_COST_THREADS] = SECTION("cost-threads", FIGURES, THREAD_FUNCTIONS, THREAD_FUNCTIONS,
                                        cost_fields, .of_times = TRUE),
    [FC_SECTION_WAIT_THREADS] =
        SECTION("wait-threads", FIGURES, THREADS, THREADS, wait_thread_fields),
    [FC_SECTION_WAIT_THREAD_FUNCTIONS] = SECTION("wait-thread-functions", FIGURES, THREAD_FUNCTIONS,
                                                 THREAD_FUNCTIONS, wait_fields, .of_times = TRUE),
    [FC_SECTION_WAIT_FUNCTIONS] =
        SECTION("wait-functions", FIGURES, FUNCTIONS, FUNCTIONS, wait_fields, .of_times = TRUE),
    [FC_SECTION_OFF_FUNCTIONS] =
        SECTION("off-functions", FIGURES, FUNCTIONS, FUNCTIONS, off_function_fields),
    [FC_SECTION_OFF_THREAD_FUNCTIONS] = SECTION("off-thread-functions", FIGURES, THREAD_FUNCTIONS,
                                                THREAD_FUNCTIONS, off_thread_function_fields),
    [FC_SECTION_CPU_BOUNDS] =
        SECTION("cpu-bounds", FIGURES, FUNCTIONS, FUNCTIONS, cpu_bounds_fields),
    [FC_SECTION_WAIT_ARCS] =
        SECTION("wait-arcs", FIGURES, ARCS, ARCS, wait_arc_fields, .of_times = TRUE),
    [FC_SECTION_WAIT_CONTEXTS] =
        SECTION("wait-contexts", FIGURES, CONTEXTS, CONTEXTS, wait_fields, .of_times = TRUE),
    [FC_SECTION_THREAD_ARCS] =
        SECTION("thread-arcs", RECORDS, THREAD_ARCS, ARCS, thread_arc_fields),
    [FC_SECTION_LATENCIES] = {"latencies", FC_LINES_RUNS, FC_ARRAY_LATENCIES, FC_SECTION_ARCS},
    [FC_SECTION_SLOWEST] = SECTION("slowest", RECORDS, SLOWEST, CONTEXTS, slowest_fields),
    [FC_SECTION_TRACE_THREADS] =
        SECTION("trace-threads", FIGURES, THREADS, THREADS, trace_thread_fields),
    [FC_SECTION_TRACE] = SECTION("trace", RECORDS, THREAD_TRACE, TRACE_THREADS, trace_fields),
    [FC_SECTION_JOB] = SECTION("job", KEYS, NONE, NOTHING, job_fields),
    [FC_SECTION_RANKS] = SECTION("ranks", KEYS, NONE, NOTHING, ranks_fields),
    [FC_SECTION_RANK_FUNCTIONS] =
        SECTION("rank-functions", RECORDS, RANK_FUNCTIONS, FUNCTIONS, rank_function_fields),
    [FC_SECTION_RANK_CONTEXTS] =
        SECTION("rank-contexts", RECORDS, RANK_CONTEXTS, CONTEXTS, rank_context_fields),
    [FC_SECTION_COUNTED_SQUARES] =
        SECTION("counted-squares", FIGURES, FUNCTIONS, COUNTED, counted_squares_fields),
    [FC_SECTION_UNCOUNTED] = SECTION("uncounted", FIGURES, FUNCTIONS, FUNCTIONS, uncounted_fields),
    [FC_SECTION_LANE_THREADS] =
        SECTION("lane-threads", FIGURES, THREADS, THREADS, lane_thread_fields),
    [FC_SECTION_LANES] = SECTION("lanes", RECORDS, THREAD_LANES, LANE_THREADS, lane_fields),
    [FC_SECTION_MPI_PARTNERS] = SECTION("mpi-partners", RECORDS, PARTNERS, NOTHING, partner_fields),
    [FC_SECTION_MPI_COLLECTIVES] =
        SECTION("mpi-collectives", RECORDS, COLLECTIVES, MODULES, collective_fields),
    [FC_SECTION_WAIT_SITES] =
        SECTION("wait-sites", RECORDS, WAIT_SITES, FUNCTIONS, wait_site_fields),
};

const FcSection *fc_section_of(FcArrayName array)
{
    for (guint i = 0; i < FC_SECTION_COUNT; i++)
        if (fc_sections[i].array == array &&
            (fc_sections[i].lines == FC_LINES_RECORDS || fc_sections[i].lines == FC_LINES_AGAIN))
            return &fc_sections[i];
    return NULL;
}
