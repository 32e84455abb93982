/*
 * mesh.h: the mesh inside the library, and what its functions share: the frame of a public call, errors, small
 * gathers. The library uses the public functions of libgnd alone.
 */
#ifndef GNDI_DIST_MESH_H
#define GNDI_DIST_MESH_H

#include <gnd.h>
#include <gnd_dist.h>
#include <stdatomic.h>

enum { GNDI_LINK_STREAMS = 4 };

/* What a grid shares with the mesh that it was made of. */
typedef struct gndi_link {
    atomic_int refs;
    gnd_transport transport;
    gnd_mesh_stats stats;
    bool dead;            /* the transport failed: no more calls */
    bool check;           /* GND_MESH_CHECK */
    uint64_t number;      /* of collective calls */
    double limit;         /* the longest that a call waits, in seconds; 0: any time */
    size_t small;         /* the most bytes that gndi_mesh_gather takes from a rank */
    char *gathered;       /* everyone's, on the host */
    char *given;          /* behind them: this rank's own */
    gnd_array *from, *to; /* the same on the device, of transports that move nothing on the host */
    int capacity;         /* of the lists below: what an exchange takes at most, so that it never allocates them */
    gnd_part *parts[2];   /* sends, receives */
    struct gndi_piece *pieces[2];
    int64_t *numbers; /* as many, for lists of lengths and cuts */
    gnd_array **moved[2], **listed[2];
    void **spare[2]; /* the addresses of parts if this rank fails; NULL: none */
    void *solver;    /* what a library of solvers keeps for this mesh, and how it is given back */
    void (*solver_close)(void *solver);
    gnd_stream *beside;                      /* for transfers beside work, on a GPU; NULL: the current one */
    gnd_stream *more[GNDI_LINK_STREAMS - 1]; /* for several that are waited for one by one: gndi_link_stream */
    gnd_stream *copies;     /* for copies beside the transport's calls, of transports that queue them; or NULL */
    gnd_event *fork, *join; /* where these begin, and their end */
    gnd_array *packed[2][GNDI_LINK_STREAMS]; /* bytes of the transport's own memory: gndi_packed_for */
    int64_t packed_each;                     /* of them, for each other rank; 0: there are none */
    bool packed_refused;                     /* not all ranks could have them */
    gnd_array **windows;                     /* bytes of each rank that all others write (window.c); NULL: none */
    gnd_array *window, *window_read;         /* this rank's: as it is written, and as it is read */
    gnd_event *window_own;                   /* the end of a rank's copies into its own */
    int64_t window_bytes;
    bool window_refused; /* not all ranks could have it */
} gndi_link;

struct gnd_mesh {
    atomic_int refs;
    gndi_link *link;
    int grid[2], place[2];
    gnd_dist *reserve; /* the memory of one array's description (dist.c) */
    gnd_mesh *row;     /* of a grid: the same ranks in a row; else NULL */
    gnd_mesh *square;  /* of a row: the same ranks as a grid that is nearly square; else NULL */
};

void gndi_mesh_retain(gnd_mesh *mesh);
/* Stream k of those for transfers beside work, made when it is first asked for; `beside` if it cannot be. */
gnd_stream *gndi_link_stream(gndi_link *link, int k);

/* ---- the transport's own memory (packed.c) --------------------------------------------------------------------- */

/*
 * Makes link->packed, where the transport has memory of its own: for each of the link's streams what is packed to be
 * sent [0] and what came [1], `bytes` or more for each other rank. It stays for later calls; the current stream comes
 * behind what used it last. Collective: `bytes` is the same on all ranks, and so is the result, the bytes for each
 * rank; 0: there is none. A part must be in this memory on both sides or on none.
 */
int64_t gndi_packed_for(gnd_mesh *mesh, const char *fn, int64_t bytes);
void gndi_packed_release(gndi_link *link);

/* ---- the frame of a public function ------------------------------------------------------------------------- */

typedef struct gndi_call {
    gnd_scope scope;
    const char *before;
} gndi_call;
void gndi_call_begin(gndi_call *call, const char *fn);
void gndi_call_end(gndi_call *call);
/* To the end of the block: errors of gnd's functions carry the name of this one, and temporary arrays are released. */
#define GNDI_CALL(fn)                                                                                                  \
    __attribute__((cleanup(gndi_call_end))) gndi_call gndi_call_here;                                                  \
    gndi_call_begin(&gndi_call_here, fn)

/* Records an error, unless one is pending; returns `code`. */
gnd_status gndi_dist_raise(gnd_status code, const char *fn, const char *format, ...) GND_PRINTF(3, 4);
/* The code of the pending error; raises one if there is none. */
gnd_status gndi_dist_status(const char *fn);

/* Whether what failed is to be tried once more: this rank had no memory, where the others go on or refuse alike.
   `pending`: whether there was an error before. Clears the error then. */
bool gndi_dist_try_again(int attempt, bool pending);

/* calloc with faults for the tests: gndi_dist_fail_alloc_at(n) makes the n-th one of this thread fail. */
void *gndi_dist_calloc(const char *fn, size_t bytes);
void *gndi_dist_try_calloc(size_t bytes); /* raises nothing */
GND_API void gndi_dist_fail_alloc_at(int64_t n);

/* ---- what moves (mesh_gather.c) ----------------------------------------------------------------------------- */

/* The beginning of a collective call. Raises, on all ranks alike, if the mesh is dead, or under GND_MESH_CHECK if the
   ranks' calls differ by function or by the text. */
bool gndi_mesh_enter(gnd_mesh *mesh, const char *fn, const char *format, ...) GND_PRINTF(3, 4);
/* Everyone's `bytes` bytes, at most link->small, in the order of ranks: on the host, to be read before the next call.
   Waits; allocates nothing. NULL if the transport failed. */
const void *gndi_mesh_gather(gnd_mesh *mesh, const char *fn, const void *from, size_t bytes);
/* The same with `count` int64 of each rank, in two steps, between which work that was queued after the first one goes
   on, and which no other gather of this mesh comes between. They are a vector on the device, on which a device does not
   wait for the host; or `host`; or both are NULL: this rank failed, and the first of its numbers is minus the code of
   its pending error. The end gives NULL if the transport failed. */
typedef struct gndi_numbers {
    gnd_status status;
    bool began, late; /* late: earlier work of this rank has failed, which it finds at the end */
    size_t bytes;
    double since;
} gndi_numbers;
gndi_numbers gndi_mesh_numbers_begin(gnd_mesh *mesh, const char *fn, const gnd_array *numbers, const int64_t *host,
                                     int count);
const int64_t *gndi_mesh_numbers_end(gnd_mesh *mesh, gndi_numbers *begun);
/* Waits for everybody. GND_OK if no rank has `failure` (NULL or GND_OK: none); else the first such rank's becomes
   the pending error of all. */
gnd_status gndi_mesh_agree_on(gnd_mesh *mesh, const char *fn, const gnd_error_record *failure);

/* Around calls of the transport: counts them, and marks the mesh as dead if they fail; then an error is pending. */
double gndi_mesh_seconds(void);
gnd_status gndi_mesh_moved(gnd_mesh *mesh, gnd_status status, size_t bytes_sent, double since);
/* What failed since, in work that is queued. */
gnd_status gndi_mesh_state(gnd_mesh *mesh);

/* ---- transports --------------------------------------------------------------------------------------------- */

void gndi_transport_alone(gnd_transport *out);
/* Waits for all ranks, `limit` seconds at most (0: any time). `meeting`: where they meet, for messages; or NULL. */
gnd_status gndi_transport_nccl(gnd_transport *out, const char *fn, const void *id, int size, int rank,
                               const char *meeting, double limit);
/* Whether NCCL is the tests' own, which moves memory of the host. */
bool gndi_nccl_on_host(void);
/* gnd_mesh_new_nccl, by the name of another function. */
gnd_mesh *gndi_mesh_new_nccl(const char *fn, const void *id, int size, int rank, const char *meeting);
/* GND_MESH_TIMEOUT in seconds, 0 for no limit; an error if it is no number. */
gnd_status gndi_mesh_first_limit(double *seconds, const char *fn);

/* ---- the watch (watch.c): a thread that gives up queued work of a transport that makes no progress for too long ----
   For transports whose calls return before the work is done, as NCCL's do: nobody who waits for the work can tell. */

enum { GNDI_WATCH_SLOTS = 16 };

/* What is watched. Functions are called by one thread at a time. */
typedef struct gndi_watched {
    void *context;
    int rank;
    bool (*record)(void *context, int slot); /* notes the end of the work that was queued last; by its thread */
    bool (*done)(void *context, int slot);   /* whether that has been reached */
    void (*give_up)(void *context);          /* makes the work end; by the watching thread, once */
} gndi_watched;

typedef struct gndi_watch gndi_watch;

/* NULL, and an error, if there is no memory or no thread. */
gndi_watch *gndi_watch_new(const gndi_watched *what, const char *fn);
/* The longest that work may make no progress, in seconds; 0: any time. */
void gndi_watch_limit(gndi_watch *watch, double seconds);
/* Around the calls that queue the work of a public function, which may wait themselves: for a connection, say. The
   first gives the error, if work was given up before. */
gnd_status gndi_watch_begin(gndi_watch *watch);
void gndi_watch_end(gndi_watch *watch);
/* The error, if work was given up; else calls `ask` (NULL: nothing), and nothing is given up meanwhile. */
gnd_status gndi_watch_state(gndi_watch *watch, void (*ask)(void *question), void *question);
/* Whether work was given up. */
bool gndi_watch_is_late(gndi_watch *watch);
/* Ends the thread. NULL is ignored. */
void gndi_watch_release(gndi_watch *watch);

#endif
