/*
 * system.h: what the fronts of systems of linear equations share: a and b brought together into a plan
 * (system.c). The fronts differ in what they know of a.
 *
 *     solve.c       any matrix, inverses, tensors
 *     lu.c          LU factors, and systems with them
 *     cholesky.c    Cholesky factors, and systems with them
 *     triangular.c  triangles
 *     det.c         determinants
 */
#ifndef GNDI_LINALG_SYSTEM_H
#define GNDI_LINALG_SYSTEM_H

#include "linalg/linalg.h"

typedef struct gndi_system {
    gndi_temporaries *s;
    gnd_dtype dtype;
    const gnd_array *a;      /* the matrices that differ, each once */
    const gnd_array *pivots; /* of these */
    /* The right sides, then the solutions: column-major, those of one matrix of a adjacent. Or,
       where that has no elements, the result. */
    gnd_array *x;
    bool vector; /* b is one */
    int ndim;    /* of the broadcast batch */
    int64_t shape[GND_MAX_DIMS];
    int order[GND_MAX_DIMS], varying; /* the order of the axes of x; a varies along the first `varying` */
    gndi_lapack_plan plan;            /* all but op, a, and what the op asks for */
} gndi_system;

/* Checks a and b, brings their batches together, and copies b. `pivots` may be NULL, else they have been
   checked. False if nothing is left to be done: it failed, or there are no elements. */
bool gndi_system_begin(gndi_system *y, gndi_temporaries *s, const gnd_array *a, const char *name,
                       const gnd_array *pivots, const gnd_array *b);
/* The solutions in the shape of the result; ends the steps. */
gnd_array *gndi_system_end(gndi_system *y);

/* The matrices as LAPACK may read them: a itself if it has the dtype and dense columns, or dense rows and `transposed`
   is given, which then becomes true; else a copy. */
const gnd_array *gndi_matrices_read(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, gndi_lapack_matrix *to,
                                    bool *transposed);
#endif
