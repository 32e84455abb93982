/*
 * fake_nccl.h: what tests tell the NCCL of fake_nccl.c, and what it has seen: fake_nccl() of that library.
 */
#ifndef GND_TESTS_FAKE_NCCL_H
#define GND_TESTS_FAKE_NCCL_H

#include <stdatomic.h>

typedef struct fake_nccl_state {
    double slow;           /* seconds that making a communicator takes when all ranks are there */
    int refuses, fails;    /* the result of making one, at once and later; 0: it works */
    int breaks;            /* the state of communicators that are made; 0: none */
    atomic_int alive;      /* communicators */
    atomic_int aborted;    /* of all that there were */
    atomic_int misused;    /* calls that NCCL does not allow: while something is in progress, or after the end */
    atomic_int reduced;    /* parts that all-reduces were called with */
    atomic_int given;      /* pieces of memory that ncclMemAlloc has given, of all times; */
    atomic_int memory;     /* that there are; */
    atomic_int registered; /* and that are registered with a communicator */
    char listens[128];     /* NCCL_COMM_ID of the last id */
} fake_nccl_state;

#endif
