/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables that a user may set, a row for each: name without FC_, what it is set to (NULL: a
 * switch, on when it exists), and what it does.  config.c reads them, tools/man.py makes
 * a part of the man pages from them.
 */
#pragma once

#define FC_VARIABLES(ROW)                                                                          \
    ROW(HELP, NULL, "print this list and end the program")                                         \
    ROW(QUIET, NULL, "print no notices")                                                           \
    ROW(NO_VERBOSE, NULL, "the same")                                                              \
    ROW(VERBOSE, NULL, "print all notices, and settings, wherever standard error goes")            \
    ROW(LOG, "FILE", "append notices to FILE (standard error, if that is a terminal)")             \
    ROW(BUFFER_SIZE, "RECORDS", "records a thread may be ahead of the manager (65536)")            \
    ROW(STACK_SIZE, "N", "starting size of a thread's call stack (512)")                           \
    ROW(FUNCTION_SIZE, "N", "starting size of the table of functions (512)")                       \
    ROW(GRAPH_SIZE, "N", "starting size of the call graph (512)")                                  \
    ROW(MEMORY_SIZE, "N", "starting size of the table of memory blocks (512)")                     \
    ROW(CONTEXTS, "N", "calling contexts kept apart, in all processes (100000)")                   \
    ROW(TIME_MODE, "MODE", "tsc, ext (elapsed), cpu or sys (of the thread) (tsc)")                 \
    ROW(DUMP_NAME, "NAME",                                                                         \
        "name of the profile, without .fc (functioncheck; in a job functioncheck.JOB-RANK); in "   \
        "it %p process id, %n program, %t time, %r rank, %j job, %% a %")                          \
    ROW(DUMP_PATH, "FOLDER", "folder of the profile (the working directory)")                      \
    ROW(RANKS, "LIST", "profile these ranks of a job only, such as 0,7,16-31 (all)")               \
    ROW(KEEP, "N", "keep N older profiles of that name, as NAME.old-1.fc and so on (0)")           \
    ROW(EVERY, "TIME",                                                                             \
        "write a snapshot every TIME (60s, 5m, 1h); with TIME,keep=N the last N stay (10); 0: "    \
        "none")                                                                                    \
    ROW(CHILDREN, "HOW",                                                                           \
        "merge: one profile for all child processes of an image and arguments; apart: one each "   \
        "(merge for those after the first 100)")                                                   \
    ROW(MPI, "0", "do not record the calls of MPI functions")                                      \
    ROW(OPENMP, "0", "do not record the calls of OpenMP's runtime library")                        \
    ROW(START, "paused", "the profile begins when it is resumed (fcctl, fc_resume)")               \
    ROW(NO_FORK, NULL, "SINGLE mode: do not profile forked processes")                             \
    ROW(ALLOW_THREAD, NULL, "THREAD mode: a profile for each thread")                              \
    ROW(USE_PID, NULL, "name the profile NAME.PID.fc")                                             \
    ROW(DEBUG, NULL, "debug notices of the manager")                                               \
    ROW(MEMORY, NULL, "profile memory")                                                            \
    ROW(MEMORY_SCAN, NULL, "look at the end which blocks can still be reached")                    \
    ROW(MEMORY_STACK, "FRAMES", "frames kept for a memory record (8)")                             \
    ROW(MEMORY_UNWIND, NULL, "unwind the stack, too, for each memory record")                      \
    ROW(LATENCY, NULL, "keep how long calls took, for percentiles by function and caller")         \
    ROW(SLOWEST, "N", "keep the N slowest calls of each function (0)")                             \
    ROW(TRACE, "RECORDS", "keep so many last records of each thread, for fcdump --trace (0)")      \
    ROW(MANAGER, "FILE", "path of fcmanager")                                                      \
    ROW(TRANSPORT, "WAY", "shared or pipe: the way of the records (shared)")                       \
    ROW(DETAIL, "DETAIL", "all or auto: record all calls, or count short ones (auto)")             \
    ROW(DEPTH, "N", "calls within N others or more are counted only, 1 to 1024 (any depth)")       \
    ROW(FILTER, "PATTERNS",                                                                        \
        "functions to profile: PATTERN, !PATTERN, skip:, count:, time:PATTERN, between ;")
