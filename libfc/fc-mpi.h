/* SPDX-License-Identifier: 0BSD
 *
 * Figures of a process's calls of MPI functions, in a chunk of kind FC_CHUNK_OF_MPI: how much it
 * sent to and received from each rank, and how long it was in collective calls.
 *
 * Included by libfc and by fcmanager, for which it is untrusted input.
 */
#pragma once

#include <stdint.h>

/* Partners that are no rank of the world. */
enum FcMpiPeer
{
    FC_MPI_OTHERS = -1,    /* ranks for which there was no room */
    FC_MPI_ELSEWHERE = -2, /* not of the world, as spawned ones are, or not known */
    FC_MPI_ANY = -3,       /* posted receives from any source */
    FC_MPI_PARTNER_LEAST = FC_MPI_ANY,
};

/* All figures are atomic sums.  Messages and bytes: a receive that was posted (MPI_Irecv) counts
 * with the size of its buffer; what came is not known. */
struct FcMpiPartner
{
    uint64_t key; /* atomic: the partner - FC_MPI_PARTNER_LEAST + 1; 0: not in use */
    uint64_t sent, sent_bytes;
    uint64_t received, received_bytes;
    uint64_t posted, posted_bytes;
    uint64_t reserved;
};
_Static_assert(sizeof(struct FcMpiPartner) == 64, "wire format");

/* Calls of one function from one call site on communicators of the same ranks.  All but the last
 * two are the same whoever writes them, after `key`. */
struct FcMpiCollective
{
    uint64_t key;      /* atomic: a hash of the next three; 0: not in use */
    uint64_t function; /* 0: not written yet */
    uint64_t site;
    uint64_t group;       /* a hash of the world's numbers of the ranks; 0: the whole world */
    uint32_t first, size; /* the lowest of them, and how many */
    uint64_t calls;
    uint64_t ns; /* elapsed time */
};
_Static_assert(sizeof(struct FcMpiCollective) == 56, "wire format");

#define FC_MPI_PARTNERS 511u
#define FC_MPI_COLLECTIVES 584u
struct FcMpiTable
{
    uint64_t rank;   /* of the process in the world, plus 1; 0: not known */
    uint64_t others; /* atomic: collective calls for which there was no room */
    struct FcMpiPartner partners[FC_MPI_PARTNERS];
    struct FcMpiCollective collectives[FC_MPI_COLLECTIVES];
};
