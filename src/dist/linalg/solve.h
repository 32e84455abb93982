/*
 * solve.h: what libraries of solvers for split matrices do for gnd: one file each.
 */
#ifndef GNDI_DIST_SOLVE_H
#define GNDI_DIST_SOLVE_H

#include "dist/linalg/cyclic.h"

typedef enum gndi_solver {
    GNDI_LU,       /* b becomes the solution */
    GNDI_CHOLESKY, /* the lower triangle of a becomes the factor; b, if there is one, the solution */
    GNDI_QR,       /* the first rows of b become the solution of least squares */
} gndi_solver;

/* Whether the library is there and takes this mesh; raises on this rank. */
gnd_status gndi_scalapack_ready(gnd_mesh *mesh, const char *fn);
gnd_status gndi_cusolvermp_ready(gnd_mesh *mesh, const char *fn);

/* Solves, on all ranks at once; waits. cuSOLVERMp does no GNDI_QR. `b` may be NULL for GNDI_CHOLESKY. *info is
   LAPACK's: above 0 if the matrix is singular, or not positive definite. */
gnd_status gndi_scalapack_solve(gndi_solver how, gndi_cyclic *a, gndi_cyclic *b, int *info, const char *fn);
gnd_status gndi_cusolvermp_solve(gndi_solver how, gndi_cyclic *a, gndi_cyclic *b, int *info, const char *fn);

/* By gnd's own functions, on any mesh: y's block of the lower factor of x; and y's block of
   the solution of least squares, of matrices. Collective. NULL on an error of this rank, which has taken part. */
gnd_array *gndi_cholesky_blocks(const gnd_dist *x, const gnd_dist *y, const char *fn);
gnd_array *gndi_lstsq_rows(const gnd_dist *a, const gnd_dist *b, const gnd_dist *y, const char *fn);

#endif
