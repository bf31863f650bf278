/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The user's settings: ./.functioncheckrc and the FC_* variables.  For a privileged program, those
 * of its owner.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum FcDetailMode
{
    FC_DETAIL_ALL,  /* every call is recorded */
    FC_DETAIL_AUTO, /* short ones are counted */
};

#define FC_DEPTH_MAX 1024u

struct FcConfig
{
    bool help;
    bool debug;
    bool verbose;
    bool use_pid;
    bool memory;
    bool memory_scan;
    bool memory_unwind;
    bool latency;
    bool rc_used;
    bool is_privileged; /* fc_trust_is_privileged at the start */
    bool pipe_transport;
    bool quiet;       /* FC_QUIET */
    bool is_left_out; /* of FC_RANKS: not to be profiled */
    bool is_unique;   /* no file has the name yet, and none is replaced */
    enum FcDetailMode detail;
    enum FcTimeMode time_mode;
    enum FcProfileMode profile_mode;
    uint32_t buffer_records; /* records that a thread may have in flight to the manager */
    uint32_t stack_size;     /* starting sizes of the manager's tables: of a stack, */
    uint32_t function_size;  /* of functions, */
    uint32_t graph_size;     /* of arcs, */
    uint32_t memory_size;    /* of blocks of memory */
    uint32_t memory_stack;   /* frames of a block's stack in the file, at most */
    uint32_t slowest;        /* slowest calls to keep for each function; 0: none */
    uint32_t trace;          /* last records to keep for each thread; 0: none */
    uint32_t contexts;       /* calling contexts of all processes together, at most */
    uint32_t depth;          /* calls within one another that are recorded, at most; 0: no limit */
    uint32_t keep;           /* how many older profiles are kept under other names */
    uint32_t every_ms;       /* time from one snapshot to the next; 0: there are none */
    uint32_t every_keep;     /* how many snapshots are kept */
    bool no_snapshots;       /* FC_EVERY=0: fcmanager writes no profile before the end */
    enum FcChildrenMode children;
    bool mpi;             /* calls of MPI functions are recorded */
    bool openmp;          /* likewise those of OpenMP's runtime */
    bool is_paused;       /* the profile begins when it is resumed */
    char dump_name[256];  /* without .fc; a pattern */
    char rank[16];        /* what %r in it is replaced by */
    char dump_path[4096]; /* as given; "./" by default */
    char manager[4096];   /* FC_MANAGER, or empty */
    char filter[4096];    /* FC_FILTER, or empty; read by fcmanager */
};

extern struct FcConfig fc_config;

/* Fills in fc_config.  Called once, by the thread that starts profiling, before anything else.
 * Says in notices which values are bad, and sets where notices go.  False: the program is not
 * to be profiled, since it is privileged and its own settings do not say where the profile goes. */
bool fc_config_load(void);

/* Prints the start-up banner, as notices. */
void fc_config_print_banner(void);

/* Prints the list of variables on standard error. */
void fc_config_print_help(void);
