/* SPDX-License-Identifier: 0BSD
 *
 * The wire format between libfc (inside the profiled process) and fcmanager: records
 * (fc-records.h), the shared chunks that hold them, and the messages on the pipe.
 *
 * Included by both sides; depends on <stdint.h> only.  fcmanager reads all of it as untrusted
 * input: a program may scribble over the shared memory and write into the pipe.  Integers have the
 * machine's byte order: both sides run on one machine and are built together.
 */
#pragma once

#include "libfc/fc-mpi.h"
#include "libfc/fc-records.h"

#include <stdint.h>

#define FC_WIRE_VERSION 6u

/* The most that fcmanager is asked to keep: slowest calls of each function, older profiles. */
#define FC_SLOWEST_MAX 1000u
#define FC_KEEP_MAX 1000u

/* ---- Shared memory --------------------------------------------------------
 * One memfd for the session, FC_CHUNK_BYTES * (1 + chunk_count) long: the first
 * 64 KiB hold struct FcShared, each 64 KiB after them a chunk; index 0 is never a chunk.
 *
 * A chunk is free while `owner` is 0.  A thread claims it by compare-and-swap of `owner` from 0 to
 * its process key, fills in the header, then records.  It gives the chunk away with an FC_MSG_CHUNK
 * message, which may come when the thread has filled a few more; fcmanager reads it in place and
 * stores 0 in `owner` (release; the claim acquires).  When a process dies, fcmanager takes every
 * chunk that the process still owns, in order of (thread, sequence): nothing that was recorded is
 * lost.
 *
 * A record is of the chunk's current use if its generation is the chunk's.  fcmanager
 * sets `ready` to 0 before it frees a chunk, so a claim that was cut short by SIGKILL (owner set,
 * ready 0) holds no records.  Records may be missing in the middle: a signal handler that
 * interrupts a hook between its reservation and its last store records behind the gap, which is
 * filled when the hook goes on.  fcmanager must not free a chunk with a gap while the thread that
 * owes the record may still write it.
 *
 * A chunk of kind FC_CHUNK_OF_COUNTS holds struct FcCount in place of records.  Its thread
 * announces it by FC_MSG_COUNTS and keeps it to the thread's end; `sequence` counts such chunks
 * by themselves.  Counters are filled from the first on; one whose `function` is 0 is free, and
 * so are all after it. fcmanager reads the chunk when the thread has ended, or the process quits
 * or is dead.  It frees the chunk when nobody writes to it any more: after FC_MSG_THREAD_END, or
 * at the process's death.
 *
 * A chunk of kind FC_CHUNK_OF_ENTRIES has pages of counters of function entries (fc-entries.h);
 * FC_MSG_ENTRY_PAGES says which.  It is read and freed like a chunk of counts.  The chunk for the
 * modules' own counters belongs to the process, not to a thread.
 *
 * A chunk of kind FC_CHUNK_OF_MPI has figures of MPI (fc-mpi.h) and belongs to the process;
 * FC_MSG_MPI announces it.  It is read at the end of the process and freed at its death. */
#define FC_CHUNK_BYTES 65536u
#define FC_CHUNK_HEADER_BYTES 64u
#define FC_CHUNK_UNITS ((FC_CHUNK_BYTES - FC_CHUNK_HEADER_BYTES) / 16u)
#define FC_CHUNK_RECORDS (FC_CHUNK_UNITS / FC_RECORD_UNITS)
/* How many units of a chunk a record may begin in.  The number is even, so that long records
 * alone fill a chunk, and leaves room for a long record that begins in the last of these units. */
#define FC_CHUNK_STARTS (FC_CHUNK_UNITS - 2u)

enum FcChunkKind
{
    FC_CHUNK_OF_RECORDS = 0,
    FC_CHUNK_OF_COUNTS = 1,
    FC_CHUNK_OF_ENTRIES = 2,
    FC_CHUNK_OF_MPI = 3,
    FC_CHUNK_KINDS,
};

/* The counter of the calls of one function from one call site.  Calls deeper than FC_DEPTH have
 * a counter of their own. */
#define FC_COUNT_DEEP (UINT64_C(1) << 62) /* in `function`: deeper than FC_DEPTH */
struct FcCount
{
    uint64_t word; /* atomic, see below */
    uint64_t site; /* the hooks' second argument */
    uint64_t time; /* in ticks, when the counter was made: the addresses are those of the modules
                      loaded then */
    uint64_t function; /* the hooks' first argument, stored LAST (release); 0: not in use */
};
#define FC_CHUNK_COUNTS FC_CHUNK_RECORDS
_Static_assert(sizeof(struct FcCount) == 32, "wire format");

/* FcCount.word: bits 16-63 are a sum of calls; bits 0-15, a signed number, are how many of these
 * have not been made yet.  A call subtracts one from it, in one instruction of 16 bits.  When
 * none is left, calls are added to both parts, again in one instruction.  So the word is right
 * at any time. */
static inline uint64_t fc_count_calls(uint64_t word)
{
    uint64_t sum = word >> 16;
    uint64_t ahead = (uint64_t)(int64_t)(int16_t)(uint16_t)word;
    return (sum - ahead) & ((UINT64_C(1) << 48) - 1);
}

struct FcChunk
{
    uint64_t owner;        /* atomic; 0 free, else the process key */
    uint32_t thread;       /* thread number within the process, from 1 */
    uint32_t sequence;     /* counts the thread's chunks, from 0 */
    uint32_t ready;        /* 1 once header is complete (release) */
    uint32_t answer;       /* atomic futex; not 0: FC_MSG_QUIT or FC_MSG_LIVE is answered */
    uint32_t answer_bytes; /* length of the text that fcmanager put in records */
    uint32_t generation;   /* changes at each claim; has FC_GENERATION_LONG */
    uint32_t taken;        /* libfc's own */
    uint32_t stopped;      /* atomic: 1: the message about it could not be sent, and no chunk
                              follows it */
    union
    {
        struct FcChunk *next;  /* libfc's own: the thread's next private buffer */
        uint64_t current_word; /* in shared memory: libfc/current-word.h */
    };
    uint32_t kind;       /* enum FcChunkKind; set before `ready` */
    uint32_t is_sent;    /* libfc's own, atomic: given away, and not claimed since */
    uint32_t is_awaited; /* atomic: a thread waits on the low half of `owner` for its release */
    union
    {
        struct FcUnit units[FC_CHUNK_UNITS];
        struct FcRecord records[FC_CHUNK_RECORDS]; /* if none is short */
        struct FcCount counts[FC_CHUNK_COUNTS];
        struct FcMpiTable mpi;
    };
};
_Static_assert(sizeof(struct FcChunk) == FC_CHUNK_BYTES, "wire format");

#define FC_PAUSE_ANSWERS 64u
struct FcShared
{
    uint64_t magic; /* FC_SHARED_MAGIC */
    uint32_t version;
    uint32_t chunk_count;
    uint32_t freed;       /* atomic futex: counts chunks that were freed */
    uint32_t waiters;     /* atomic: threads that wait for `freed` to change */
    uint32_t rounds;      /* atomic: how often fcmanager has emptied the pipe */
    uint32_t is_streamed; /* atomic: short records are made and bypass the caches (streams.h) */
    uint32_t pauses;      /* atomic: numbers that were given to FC_MSG_PAUSE */
    /* atomic futexes: where message n leaves n when it is answered */
    uint32_t pause_answers[FC_PAUSE_ANSWERS];
};
#define FC_SHARED_MAGIC UINT64_C(0x3164657261684346) /* "FChared1" */

/* ---- Messages on the pipe -------------------------------------------------
 * Each message is one write(2) of at most FC_MESSAGE_MAX bytes (PIPE_BUF), so messages of several
 * threads and processes never mix.  A longer payload is split into messages of the same type,
 * process and thread; all but the last have FC_MESSAGE_MORE. */
#define FC_MESSAGE_MAX 4096u
#define FC_MESSAGE_MAGIC 0x4346u /* "FC" */
#define FC_MESSAGE_MORE 1u
#define FC_PAYLOAD_MAX (1u << 20) /* of the joined payload; more is malformed */

enum FcMessageType
{
    FC_MSG_HELLO = 1,     /* payload FcHello: a process joins (start, fork, exec) */
    FC_MSG_TEXT,          /* argument: enum FcText; payload: bytes, no NUL at the end */
    FC_MSG_MODULE_LOAD,   /* payload FcModuleInfo + path; value: time; argument: number of the
                             answer in FcUserFilter that is waited for, 0: none */
    FC_MSG_MODULE_UNLOAD, /* payload FcModuleInfo (base, start, end); value: time */
    FC_MSG_THREAD_START,  /* argument: kernel thread id; value: time; payload FcStackInfo:
                             the thread's own stack */
    FC_MSG_THREAD_NAME,   /* payload: name; argument: FC_NAME_LABEL: the program chose it, so it
                             stays */
    FC_MSG_THREAD_END,    /* value: time; the thread's last chunk went before */
    FC_MSG_FORK,          /* the thread is about to fork; value: fork token; payload: time (8
                             bytes).  The child begins with the thread's stack as it is here, and
                             with the process's memory as it is at that time */
    FC_MSG_FORK_DONE,     /* value: fork token; argument: 1 child exists, 0 failed */
    FC_MSG_EXEC,          /* value: time; the process is about to exec */
    FC_MSG_EXEC_FAILED,   /* value: time; it did not */
    FC_MSG_CHUNK,         /* argument: chunk index; value: how many units, from the first on,
                             records begin in */
    FC_MSG_CHUNK_DATA,    /* transport `pipe`: payload FcDataHeader + records; no records: the
                             thread is about to use this transport */
    FC_MSG_QUIT,          /* value: time; argument: index of a chunk of the process
                             whose `answer` is waited for, 0: answer on the
                             reply pipe, FC_NO_ANSWER: none is awaited */
    FC_MSG_EXIT_STATUS,   /* argument: status passed to exit */
    FC_MSG_STACK,         /* payload FcStackInfo: memory that is or becomes a stack beside
                             the threads' own: of a coroutine or of signal handlers */
    FC_MSG_MEMORY,        /* payload FcRecord of memory, made by a thread after its
                             FC_MSG_THREAD_END, as libc frees what it kept for the thread */
    FC_MSG_LIVE, /* the process wants the list of its live blocks; only one of its threads still
                    runs. argument: index of a chunk for the answer, which is the decimal number
                    of a descriptor that fcmanager has open, or empty */
    FC_MSG_FOREIGN_ALLOCATOR, /* a library is about to be loaded whose calls of the C library's
                                 allocator libfc does not see */
    FC_MSG_COUNTS,  /* argument: index of a chunk of counts, in which the thread is to count */
    FC_MSG_STARTED, /* value: time at which libfc's start is over and the program goes on.  Sent
                       once, after the hello, and not by a forked child.  Payload FcOverhead, if
                       the process measured it */
    FC_MSG_STOPPED, /* nothing is recorded from here on, though the process goes on */
    FC_MSG_OFF,     /* payload FcRecord, an FC_RECORD_OFF of a thread that has made no record yet:
                       a forked child sends one with its hello */
    FC_MSG_CALL_SITES, /* the thread makes short records from here on.  value: a stack address below
                          all of theirs, by at most 2^32; payload: FcCallSite, the numbers that
                          it has */
    FC_MSG_NOT_SCANNED, /* the user wants to know which live blocks are reachable, but they were
                           not scanned */
    FC_MSG_CONTROL,     /* sent by fcctl, not by a profiled process: a request. value:
                           FC_WIRE_VERSION; payload FcControl */
    FC_MSG_ENTRIES,     /* argument: number of a module; value: address of the first record in the
                           process; payload: FcEntryMessage of the module's functions and calls */
    FC_MSG_ENTRY_PAGES, /* argument: index of a chunk of entries; payload FcEntryPages */
    FC_MSG_SNAPSHOT,    /* the program wants a snapshot; payload: the name that it gives it */
    FC_MSG_PAUSE,       /* the program wants that nothing is added to the profile (argument 1), or
                           that it goes on (0).  value: the number of its answer in FcShared, 0:
                           none is awaited */
    FC_MSG_PLACE,       /* where the thread executes; payload: FcPlace and a part of the stack */
    FC_MSG_MPI,         /* argument: index of a chunk of figures of MPI; 0: the payload is an
                           FcMpiTable, at the end of a process that has no such chunk */
    FC_MSG_LAST = FC_MSG_MPI,
};
#define FC_NO_ANSWER UINT32_MAX
#define FC_NAME_LABEL 1u

struct FcMessage
{
    uint16_t magic;
    uint8_t type;
    uint8_t flags;
    uint32_t length;  /* whole message, this header included */
    uint64_t process; /* process key: pid << 32 | a number that makes it unique */
    uint32_t thread;
    uint32_t argument;
    uint64_t value;
};
_Static_assert(sizeof(struct FcMessage) == 32, "wire format");

/* The list of live blocks that FC_MSG_LIVE asks for, ordered by address. */
enum FcLiveState
{
    FC_LIVE_LOST,
    FC_LIVE_INDIRECT, /* only lost blocks refer to it */
    FC_LIVE_REACHABLE,
};
struct FcLiveBlock
{
    uint64_t pointer;
    uint64_t bytes;
    uint32_t state; /* libfc writes this */
    uint32_t reserved;
};
struct FcLiveList
{
    uint64_t is_done; /* libfc sets it to 1 when every state is right */
    struct FcLiveBlock blocks[];
};

enum FcText
{
    FC_TEXT_EXECUTABLE = 1, /* absolute path */
    FC_TEXT_COMMAND_LINE,   /* arguments, each ended by NUL */
    FC_TEXT_DIRECTORY,      /* working directory at start */
};

enum FcTimeMode /* numbers as in the .fc format, version 3.0 */
{
    FC_TIME_TSC = 1,
    FC_TIME_EXT = 2,
    FC_TIME_CPU = 3,
    FC_TIME_SYS = 4,
};
enum FcProfileMode /* likewise */
{
    FC_MODE_SINGLE = 1,
    FC_MODE_FORK = 2,
    FC_MODE_THREAD = 3,
};

/* FC_CHILDREN: whether child processes with the same image and arguments have one profile. */
enum FcChildrenMode
{
    FC_CHILDREN_AUTO = 0, /* from the 101st profile of a session on */
    FC_CHILDREN_MERGE = 1,
    FC_CHILDREN_APART = 2,
};

struct FcHello
{
    uint32_t version; /* FC_WIRE_VERSION */
    int32_t pid;
    int32_t ppid;
    uint32_t flags;              /* FC_HELLO_* */
    uint64_t parent_process;     /* forked: parent's process key, else 0 */
    uint32_t parent_thread;      /* forked: number of the thread that forked */
    uint32_t thread;             /* number of the thread that goes on, always 1 */
    uint64_t fork_token;         /* forked: token of the parent's FC_MSG_FORK, 0: none */
    uint64_t start_time;         /* in ticks: when the hello was made */
    uint64_t start_monotonic_ns; /* CLOCK_MONOTONIC at start_time */
    int64_t start_realtime_ns;   /* CLOCK_REALTIME at start_time */
};
#define FC_HELLO_FORKED 1u
#define FC_HELLO_EXECED 2u
#define FC_HELLO_NO_MEMORY 4u /* it makes no records of memory, even if the session does */
#define FC_HELLO_SIGNED 8u    /* it has, or had, the lock of its key, see below */
#define FC_HELLO_ELSEWHERE                                                                         \
    16u /* it may be in another PID namespace than fcmanager, where its pid                        \
           is another; it waits for the answer, if it is signed */
_Static_assert(sizeof(struct FcHello) == 64, "wire format");

/* The kernel says who a process is.  Before its hello the process takes a write lock (fcntl,
 * F_SETLK) on the byte of the pipe whose number is its key. fcmanager asks who has that lock
 * (F_GETLK), gets a pid of its own PID namespace, and opens a pidfd for it.  The lock ends with
 * the process, or when the process closes the pipe.  In the other direction fcmanager signals by
 * read locks at key + FC_FOLLOWED (it follows the process; one that may be in another PID
 * namespace waits for this) and key + FC_ANSWERED (FC_MSG_QUIT was answered).  A reply on the
 * pipe could be read by another process; a lock can't be taken away by one. */
#define FC_FOLLOWED (INT64_C(1) << 62)
#define FC_ANSWERED (INT64_C(1) << 61)

#define FC_BUILD_ID_MAX 64u
struct FcModuleInfo
{
    uint64_t base;           /* load bias: run-time address less address in the file */
    uint64_t start;          /* lowest mapped address */
    uint64_t end;            /* one past the highest */
    uint32_t build_id_bytes; /* 0 if it has none */
    uint32_t reserved;
    uint8_t build_id[FC_BUILD_ID_MAX];
    /* the path follows, no NUL; empty only where it is not known */
};

struct FcStackInfo
{
    uint64_t start; /* addresses [start, end) */
    uint64_t end;
};

/* What profiling adds to a call, in 1/256 ticks.  "Inside" is the part between the times of the
 * call's two records. */
struct FcOverhead
{
    uint32_t recorded, inside; /* of a call that makes an ENTER and an EXIT; its part inside */
    uint32_t counted, after_inlining; /* of a counted call; of one after inlining */
    uint32_t empty; /* not added: what a call of an empty function takes without hooks */
};
_Static_assert(sizeof(struct FcOverhead) == 20, "wire format");

struct FcDataHeader
{
    uint32_t sequence;
    uint32_t count;      /* how many units records begin in */
    uint32_t generation; /* as in a chunk */
    uint32_t reserved;
    /* the units follow, and one more, into which the last record may extend */
};
#define FC_DATA_UNITS                                                                              \
    ((uint32_t)((FC_MESSAGE_MAX - sizeof(struct FcMessage) - sizeof(struct FcDataHeader)) /        \
                sizeof(struct FcUnit)) -                                                           \
     1)

/* fcmanager's answer on the reply pipe: once when it is ready to read (libfc prints the text),
 * and for each FC_MSG_QUIT with argument 0.  All waiting processes read from one pipe.  A
 * process that gets the answer for another one prints it, and goes on waiting for FC_ANSWERED. */
struct FcReply
{
    uint32_t magic;   /* FC_REPLY_MAGIC */
    uint32_t bytes;   /* of text that follow */
    uint64_t process; /* key of the process that it is for; 0: any that reads it */
};
#define FC_REPLY_MAGIC 0x7a524346u
#define FC_REPLY_TEXT_MAX 4000u

/* ---- Being asked from outside ------------------------------------------------------- */

/* fcctl finds the pipe by the mark of a profiled process (libfc/process/join.c), and opens it as
 * /proc/MANAGER/fd/N.  The kernel allows this to the same user only. fcmanager answers through a
 * pipe that the asker has made, and opens that as /proc/ASKER/fd/N. */
enum FcControlWhat
{
    FC_CONTROL_STATUS = 1, /* answered by a text of lines */
    FC_CONTROL_SNAPSHOT,   /* answered by a profile */
    FC_CONTROL_PAUSE,      /* like the next, answered by no text when it is done */
    FC_CONTROL_RESUME,
};
struct FcControl
{
    uint32_t what; /* enum FcControlWhat */
    int32_t pid;   /* the process in question; like `asker`, its number in the manager's PID
                      namespace */
    int32_t asker;
    int32_t fd; /* the write end of the asker's pipe, */
    uint64_t device;
    uint64_t inode;
};
_Static_assert(sizeof(struct FcControl) == 32, "wire format");

/* fcmanager sends FC_CONTROL_BEGUN or FC_CONTROL_REFUSED first.  After FC_CONTROL_BEGUN it sends
 * FC_CONTROL_DONE or FC_CONTROL_REFUSED, when the answer is complete. */
enum FcControlState
{
    FC_CONTROL_BEGUN = 1, /* the asker may close its own write end */
    FC_CONTROL_DONE,
    FC_CONTROL_REFUSED, /* the text says why */
};
struct FcControlAnswer
{
    uint32_t magic; /* FC_CONTROL_MAGIC */
    uint32_t state; /* enum FcControlState */
    uint64_t bytes; /* of text that follow */
};
#define FC_CONTROL_MAGIC 0x6c744346u
_Static_assert(sizeof(struct FcControlAnswer) == 16, "wire format");

/* ---- Knowing an fcmanager ------------------------------------------------------------ */

/* The name of a note in fcmanager's executable file (ELF, PT_NOTE), by which libfc recognizes
 * it, and an assembler statement that makes the note. */
#define FC_MANAGER_NOTE "FunctionCheck manager"
#define FC_MANAGER_NOTE_MAKE                                                                       \
    __asm__(".pushsection .note.functioncheck, \"a\", %note\n"                                     \
            ".balign 4\n"                                                                          \
            ".long 2f - 1f, 0, 1\n"                                                                \
            "1: .asciz \"" FC_MANAGER_NOTE "\"\n"                                                  \
            "2: .balign 4\n"                                                                       \
            ".popsection")
