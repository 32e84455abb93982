/*
 * dist.h: the split array inside the library, and what functions make of layouts.
 */
#ifndef GNDI_DIST_DIST_H
#define GNDI_DIST_DIST_H

#include "dist/exchange.h"

struct gnd_dist {
    gnd_owned owned;
    gnd_mesh *mesh;
    gnd_shape shape;
    gnd_dtype dtype;
    int axis[2];              /* of the array, that is split along each axis of the mesh; -1: copies */
    int64_t *cuts[2];         /* grid[k] + 1 of them; of a mesh axis with copies unused */
    gnd_array *local;         /* NULL: it has failed */
    gnd_error_record failure; /* why */
    int64_t cut_values[];
};

/* A layout that fits a shape. Cuts may be NULL: array_split's. */
typedef struct gndi_layout {
    int axis[2];
    const int64_t *cuts[2];
} gndi_layout;

/* A block: where it begins and how long it is along each axis. */
typedef struct gndi_box {
    int64_t start[GND_MAX_DIMS], count[GND_MAX_DIMS];
} gndi_box;

/* ---- layouts (layout.c): pure functions ---------------------------------------------------------------------- */

/* Where block k of array_split's begins. */
int64_t gndi_even_cut(int64_t length, int blocks, int k);
/* Checks a layout against mesh and shape; raises. */
bool gndi_layout_resolve(const gnd_mesh *mesh, const char *fn, gnd_shape shape, gnd_layout layout, gndi_layout *out);
static inline gndi_layout gndi_layout_of(const gnd_dist *x) {
    return (gndi_layout){{x->axis[0], x->axis[1]}, {x->cuts[0], x->cuts[1]}};
}
/* The place of a rank along an axis of the mesh. */
static inline int gndi_place(const gnd_mesh *mesh, int rank, int mesh_axis) {
    return mesh_axis == 0 ? rank / mesh->grid[1] : rank % mesh->grid[1];
}
/* The rank that stands at `place` along an axis of the mesh, beside this one. */
static inline int gndi_beside(const gnd_mesh *mesh, int mesh_axis, int place) {
    return mesh_axis == 0 ? place * mesh->grid[1] + mesh->place[1] : mesh->place[0] * mesh->grid[1] + place;
}
/* A rank's block of x. */
void gndi_box_of(const gnd_dist *x, int rank, gndi_box *out);
/* What two blocks have in common; false if nothing. */
bool gndi_box_meet(int ndim, const gndi_box *a, const gndi_box *b, gndi_box *out);
/* Whether a split is really one: of more than one block. */
static inline bool gndi_is_split(const gnd_dist *x, int mesh_axis) {
    return x->axis[mesh_axis] >= 0 && x->mesh->grid[mesh_axis] > 1;
}
/* The mesh axis along which this axis of the array is split into several blocks, or -1. */
int gndi_split_of(const gnd_dist *x, int axis);
/* "split along axis 0" and so on, for messages. */
const char *gndi_layout_words(const gnd_dist *x, char *text, size_t capacity);
/* "float32 (3, 4) split along axis 0": what GND_MESH_CHECK compares; without it "". */
const char *gndi_text_dist(const gnd_dist *x, char *text, size_t capacity);

/* ---- arrays (dist.c) ------------------------------------------------------------------------------------------- */

/* What a description takes, on this mesh. */
size_t gndi_dist_bytes(const gnd_mesh *mesh);
/* A new array without a block yet: gndi_dist_done follows on every path. Never NULL unless the mesh is given up. */
gnd_dist *gndi_dist_new(gnd_mesh *mesh, const char *fn, gnd_shape shape, gnd_dtype dtype, gndi_layout layout);
/* Gives it its block (NULL, or one of another shape or dtype: it has failed, by the pending error), and to the scope
   around the public function. */
gnd_dist *gndi_dist_done(gnd_dist *x, const char *fn, gnd_array *local);
/* The same of an array that has failed because `from` had. */
gnd_dist *gndi_dist_failed_like(gnd_dist *x, const gnd_dist *from);
/* Marks an array that was being written as failed: because `from` had, or by the pending error if it is NULL. */
gnd_status gndi_dist_fail(gnd_dist *x, const char *fn, const gnd_dist *from);
/* The shape of this rank's block. */
gnd_shape gndi_dist_local_shape(const gnd_dist *x);
/* The view of an array that is a box, relative to `origin` (NULL: 0): NULL stays NULL. */
gnd_array *gndi_box_view(const gnd_array *a, int ndim, const gndi_box *box, const int64_t *origin);
/* Why x has failed; NULL if it has not. */
static inline const gnd_error_record *gndi_dist_failure(const gnd_dist *x) {
    return x->local ? NULL : &x->failure;
}
/* Raises that an argument is NULL, unless it is there. */
bool gndi_dist_missing(const gnd_dist *x, const char *fn);

/* Whether it is `sender`'s copy of x that `receiver` gets: they stand at the same place along axes with copies. */
bool gndi_sends_to(const gnd_dist *x, int sender, int receiver);
/* Moves x's blocks into `to`, an array of the same shape; `local` is the new one's block, or NULL if there is none.
   On an error of its own the rank takes part. */
gnd_status gndi_dist_move(const gnd_dist *x, const gnd_dist *to, gnd_array *local, const char *fn);
/* The same of an array whose block is not x's own (NULL: it has failed). The meshes may be different grids of the same
   ranks. */
gnd_status gndi_dist_move_block(const gnd_dist *x, const gnd_array *block, const gnd_dist *to, gnd_array *local,
                                const char *fn);
/* Whether every rank has its new block already; and that, as a part of this rank's block of x (NULL stays NULL). */
bool gndi_dist_stays(const gnd_dist *x, const gnd_dist *to);
gnd_array *gndi_dist_block_here(const gnd_dist *x, const gnd_array *block, const gnd_dist *to);

/* One step of a move in several: along an axis it takes only what lies in a range, which each rank has one of. */
typedef struct gndi_step {
    const gnd_dist *x, *to;               /* of one shape; what moves has x's dtype */
    const gnd_array *from;                /* this rank's block of x, or a part of it; NULL: it has failed */
    gnd_array *into;                      /* this rank's block of `to`, or a part; NULL: none */
    const int64_t *from_start, *to_start; /* where these begin along each axis */
    bool keeps;                           /* what a rank has itself already is not copied */
    int axis;                             /* -1: everything moves */
    bool of_sender;                       /* the range is that of the rank that sends, not of the one that receives */
    void (*range)(const void *context, int rank, int64_t *from, int64_t *till);
    /* NULL: no more; else also a range of the rank that receives, along another axis. */
    void (*range_to)(const void *context, int rank, int64_t *from, int64_t *till);
    int axis_to;
    const void *context;
} gndi_step;
/* Adds this rank's pieces to the mesh's lists, behind those that are there, for gndi_mesh_exchange. */
void gndi_step_pieces(const gndi_step *step, int *sends, int *receives);

#endif
