/*
 * fake_nccl_inside.h: what the files of the tests' NCCL share: communicators, and where their ranks meet.
 */
#ifndef GND_TESTS_FAKE_NCCL_INSIDE_H
#define GND_TESTS_FAKE_NCCL_INSIDE_H

#include "fake_nccl.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define NCCL __attribute__((visibility("default")))
enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, IN_PROGRESS = 7, RANKS = 8 };

typedef struct ncclComm comm;

/* A send or receive that its other side has not come to. */
typedef struct part {
    struct part *next;
    comm *of;
    int peer;
    bool is_send;
    char *address;
    size_t bytes;
} part;

/* What a rank gives to an all-reduce, until all have come to it. */
typedef struct term {
    struct term *next;
    comm *of;
    const void *from;
    void *to;
    size_t count;
    int type, op;
} term;

/* Where the ranks of one communicator meet. */
typedef struct room {
    struct room *next;
    char id[128];
    int size, here, ended, users, splits;
    comm *rank[RANKS];
    part *open;
    term *terms; /* the newest comes first */
} room;

struct ncclComm {
    room *room;
    int rank, open; /* parts that wait */
    double ready;   /* when it is made at the earliest */
    int error;
    bool ends;
    comm **split; /* where the new one goes, while ncclCommSplit waits */
    int color, key;
    bool blocks, is_blocking; /* the new one; this one: it may be destroyed at once */
    int registered;           /* pieces of memory */
};

extern pthread_mutex_t fake_nccl_mutex;
extern fake_nccl_state fake_nccl_now;

/* Of a communicator, while the mutex is held. */
int fake_nccl_state_of(const comm *c);
/* Every call but the question for the state and the abort: with a communicator where nothing is in progress. */
bool fake_nccl_allowed(const comm *c);

#endif
