/*
 * index.h: indices into a split axis: which rank has each, and what goes there and comes back.
 */
#ifndef GNDI_DIST_INDEX_H
#define GNDI_DIST_INDEX_H

#include "dist/align.h"
#include "dist/group.h"

/* A variable for the tests: groups of more ranks than this, at most GNDI_ROUTE_MARKS, sort their indices. */
enum { GNDI_ROUTE_MARKS = 8 };
extern int gndi_route_marks;

/* Indices of a group's ranks, and the ranks that have their elements. */
typedef struct gndi_routing {
    gndi_group group;
    const int64_t *cuts; /* of the axis */
    int axis;            /* for messages */
    gnd_index_mode mode;
    bool copies;           /* all ranks of the group have the same indices: each serves its own of them */
    bool takes;            /* for gndi_route_take: own indices need not be packed */
    const gnd_dist *split; /* the indices, where ranks have different ones */
    int64_t *count;        /* gndi_route_count */
    bool good;             /* this rank has not failed, until all know */
    bool late;             /* it has failed since: what it has is worthless */
    gndi_numbers numbers;
    /* Of a few ranks: */
    const gnd_array *line;
    gnd_array *mark[GNDI_ROUTE_MARKS]; /* which of this rank's indices are each rank's */
    gnd_array *home;                   /* all of them, each counted in the block of the rank that has its element */
    gnd_array *near;                   /* counted in this rank's block: others' are outside of it; to take them */
    gnd_array *out[GNDI_ROUTE_MARKS];  /* those that are each rank's, packed, counted as in `home`; NULL: none */
    bool early; /* as many of these as there is room for go before anybody knows how many there are */
    bool more;  /* some rank has more of them for another one */
    gnd_array *in[GNDI_ROUTE_MARKS]; /* what comes early: as much as there is room for at the sender */
    gnd_array *y;                    /* rows that are taken: own ones, in their places */
    /* Of many: */
    gnd_array *sorted; /* this rank's indices, in the order of the ranks that have their elements, */
    gnd_array *order;  /* and where each of them stood */
} gndi_routing;

/* A block of indices as a vector of int64 in [0, length), where they are in range (else outside of it). */
gnd_array *gndi_plain_indices(const gnd_array *indices, int64_t length, gnd_index_mode mode);
/* Finds out where this rank's indices belong, and how many go from each rank to each. Collective over the mesh; waits.
   False, and the same error, on all ranks if one fails, was not `good` before, or has an index out of range.
   gndi_route_release on every path. */
bool gndi_route(gndi_routing *r, const char *fn, bool good, const gnd_array *indices);
/* The same in two steps. In between gndi_route_own takes own rows, while numbers are on their way. */
void gndi_route_begin(gndi_routing *r, const char *fn, bool good, const gnd_array *indices);
bool gndi_route_end(gndi_routing *r, const char *fn);
void gndi_route_own(gndi_routing *r, const gnd_array *x, gnd_shape rest, gnd_dtype dtype);
/* Before gndi_route_own: indices that go early, to be taken from blocks x. Collective; does nothing unless r->early. */
void gndi_route_early(gndi_routing *r, const char *fn, const gnd_array *x);
void gndi_route_release(gndi_routing *r);

/* What follows is collective as well. `rows` may be NULL on a rank that failed. NULL on an error of this rank, which
   has taken part. */

/* The indices that this rank is asked for, by the rank that asks, counted in its block. */
gnd_array *gndi_route_asked(const gndi_routing *r, const char *fn);
/* Rows that belong to this rank's indices, in their order, to where the indices belong: (asked, rest). */
gnd_array *gndi_route_there(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                            gnd_dtype dtype);
/* The other way round: rows for gndi_route_asked back to the ranks that asked, in the order of their indices. */
gnd_array *gndi_route_back(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                           gnd_dtype dtype);
/* All at once: the rows of blocks x, the axis first, that this rank's indices name. */
gnd_array *gndi_route_take(gndi_routing *r, const char *fn, const gnd_array *x, gnd_shape rest, gnd_dtype dtype);

/* ---- inside of it -------------------------------------------------------------------------------------------- */

/* How many indices go from one rank of the group to another. */
static inline int64_t gndi_route_count(const gndi_routing *r, int from, int to) {
    return r->count[from * r->group.size + to];
}
gnd_array *gndi_route_rows(int64_t rows, gnd_shape rest, gnd_dtype dtype);
/* For how many of rank p's indices for another rank there is room before anybody knows how many there are: the same
   number on all ranks where r->early. */
int64_t gndi_route_room(const gndi_routing *r, int p);
/* This rank's indices for rank p that did not go early. NULL: an error. */
gnd_array *gndi_route_later(const gndi_routing *r, int p);
/* What travels: half of the bytes where that is enough. */
static inline gnd_dtype gndi_route_travels(const gndi_routing *r) {
    return r->cuts[r->group.size] <= INT32_MAX ? GND_INT32 : GND_INT64;
}
/* gndi_route_take where indices are marked, and ranks have different ones (fetch.c). */
gnd_array *gndi_route_fetch(gndi_routing *r, const char *fn, const gnd_array *x, gnd_shape rest, gnd_dtype dtype);

#endif
