/*
 * lapack_cpu.h: what the CPU's parts of the `lapack` hook share.
 *
 *     lapack_cpu.c             which part does what; the batch, its threads, what failed
 *     lapack_cpu_factor.c      LU, Cholesky, triangles: factors and systems
 *     lapack_cpu_decompose.c   QR, singular values, eigenvalues
 */
#ifndef GNDI_LAPACK_CPU_H
#define GNDI_LAPACK_CPU_H

#include "kernels/lapack_plan.h"
#include "runtime/library_tables.h"

gnd_status gndi_cpu_lapack_factor(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn);
gnd_status gndi_cpu_lapack_decompose(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn);

#endif
