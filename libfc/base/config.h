/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the user asked for: ./.functioncheckrc and the FC_* variables; for a privileged program,
 * what its owner did.
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
    bool quiet;
    bool debug;
    bool verbose;
    bool use_pid;
    bool memory;
    bool memory_scan;
    bool memory_unwind;
    bool latency;
    bool rc_used;
    bool is_privileged; /* fc_trust_is_privileged, as of the start */
    bool pipe_transport;
    enum FcDetailMode detail;
    enum FcTimeMode time_mode;
    enum FcProfileMode profile_mode;
    uint32_t buffer_records; /* records a thread may have waiting for the manager */
    uint32_t stack_size;     /* entries that the manager's tables begin with: stacks, */
    uint32_t function_size;  /* functions, */
    uint32_t graph_size;     /* arcs */
    uint32_t memory_size;    /* and blocks of memory */
    uint32_t memory_stack;   /* most frames of a block's stack in the file */
    uint32_t slowest;        /* calls kept of each function; 0: none */
    uint32_t trace;          /* records kept of each thread; 0: none */
    uint32_t contexts;       /* most calling contexts, of all processes together */
    uint32_t depth;          /* most calls within one another that are recorded; 0: any number */
    uint32_t keep;           /* profiles of earlier runs that are kept under other names */
    char dump_name[256];     /* without .fc; a pattern */
    char rank[16];           /* what %r in it stands for */
    char dump_path[4096];    /* as given; "./" by default */
    char manager[4096];      /* FC_MANAGER, or empty */
    char filter[4096];       /* FC_FILTER, or empty: fcmanager reads it */
};

extern struct FcConfig fc_config;

/* Fills fc_config.  Called once, by the thread that starts profiling, before anything else. Notices
 * of bad values go to standard error unless FC_QUIET is set.  False where the program is not to be
 * profiled: it is privileged, and no settings of its own say where the profile goes to. */
bool fc_config_load(void);

/* The start-up banner, on standard error. */
void fc_config_print_banner(void);

/* The list of variables, on standard error. */
void fc_config_print_help(void);
