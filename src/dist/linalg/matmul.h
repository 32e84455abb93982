/*
 * matmul.h: a product of split arrays: the axes of both operands as those of one space, and which of them the ranks
 * divide among themselves.
 */
#ifndef GNDI_DIST_MATMUL_H
#define GNDI_DIST_MATMUL_H

#include "dist/linalg/partial.h"

/* Axes of the space of a product: those of the stack from 0 on, then rows, inner axis and columns. */
enum { GNDI_ROLES = GND_MAX_DIMS + 2 };

typedef struct gndi_factor {
    const gnd_dist *x;
    int axis[GNDI_ROLES]; /* which axis of x that one of the space is, or -1: none, or it is broadcast */
    gnd_dist *need;       /* where x's blocks have to be */
    bool moves;
} gndi_factor;

typedef struct gndi_product {
    const char *fn;
    gnd_mesh *mesh;
    int rows, inner, columns; /* axes of the space */
    int64_t length[GNDI_ROLES];
    gndi_factor factor[2]; /* a and b */
    gnd_shape shape;       /* of the product */
    int axis[GNDI_ROLES];  /* its axes, or -1 */
    int work[2];           /* the axis of the space that ranks along each axis of the mesh divide, or -1: none */
    const int64_t *cuts[2];
    gnd_dtype dtype, sum; /* of the product, and in which partial ones are added */
} gndi_product;

/* Fills it in for two arrays; raises on all ranks alike what does not fit. */
bool gndi_product_of(gndi_product *p, const char *fn, const gnd_dist *a, const gnd_dist *b);
/* Chooses what ranks divide, for a result of this layout, and where that has the blocks of a and b. */
bool gndi_product_divide(gndi_product *p, const gndi_layout *result);
/* The axis of the space that x splits along axis k of the mesh into several blocks, or -1. */
int gndi_factor_split(const gndi_product *p, const gndi_factor *f, int k);
/* The product of this rank's blocks: the panels of what moves come while others are multiplied. NULL on an error of
   this rank, which has taken part. `description` is that of the product, split as `work` says. */
gnd_array *gndi_product_blocks(const gndi_product *p, const gnd_dist *description);
/* The same where ranks along axis k of the mesh divide the inner axis: their partial products are added up, with the
   sum split along this axis of the product, or for everybody (-1). *c describes it then. */
gnd_array *gndi_product_summed(const gndi_product *p, gnd_dist **c, int k, int axis);
/* A product of blocks, in the dtype that partial ones are added in, into `to`; or added to it, of dtypes that are not
   half-precision. */
bool gndi_product_into(const gndi_product *p, gnd_array *to, const gnd_array *a, const gnd_array *b, bool adds);

/* Whether the factors, split along the inner axis, come all at once; for all ranks alike. That product. */
bool gndi_product_is_whole(const gndi_product *p);
gnd_array *gndi_product_whole(const gndi_product *p, const gnd_dist *description);
/* Whether a factor moves that is split along the inner axis. */
bool gndi_factor_splits_inner(const gndi_product *p, const gndi_factor *f);
/* Whether the factors go by windows, the same on all ranks (collective); and the product then. */
bool gndi_product_by_window(const gndi_product *p);
gnd_array *gndi_product_windowed(const gndi_product *p, const gnd_dist *description);
/* Whether so many bytes may come to a rank at once: twice what it has of the factors and of the result. */
bool gndi_product_fits(const gndi_product *p, double bytes);

/* A panel of a product, of which a part of the inner axis has been multiplied. */
typedef struct gndi_early {
    gnd_array *sum; /* of halves in float32, else in the product itself; NULL: nothing */
    int64_t from, till;
} gndi_early;
/* The part of the inner axis that this rank has of both factors. */
void gndi_product_own_inner(const gndi_product *p, int64_t *from, int64_t *till);
/* Whether this rank has what e says of the inner axis, of both factors, for elements `from` to `till` of one axis of
   the space. */
bool gndi_product_has(const gndi_product *p, int along, int64_t from, int64_t till, const gndi_early *e);
/* Multiplies what this rank has of both factors before anything moves, for elements `from` to `till` of one axis of the
   space: into `to`, unless they are halves. False after an error; else there is no sum where the rank lacks
   something. */
bool gndi_product_early(const gndi_product *p, int along, int64_t from, int64_t till, gnd_array *to, gndi_early *e);
/* The rest of it, of the panel's whole parts of a and b; both are added up into `to`. */
bool gndi_product_rest(const gndi_product *p, const gndi_early *e, gnd_array *to, const gnd_array *a,
                       const gnd_array *b);
/* Elements `from` to `till` along an axis; NULL stays NULL. */
gnd_array *gndi_product_range(const gnd_array *a, int axis, int64_t from, int64_t till);

#endif
