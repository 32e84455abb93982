/*
 * openblas_threads.h: who makes the threads when BLAS and LAPACK run on the CPU: OpenBLAS, of which
 * one large call takes all cores, or gnd, of which several threads make calls of their own.
 */
#ifndef GNDI_OPENBLAS_THREADS_H
#define GNDI_OPENBLAS_THREADS_H

#include "libraries/library_tables.h"

/* Between these two calls OpenBLAS's routines stay on the thread that calls them; any number of threads may
   be in between. OpenBLAS has one count for the whole process, so calls of the program's other threads are
   single-threaded meanwhile, too; the last thread to leave restores the count. */
void gndi_openblas_alone(const gndi_openblas *blas);
void gndi_openblas_together(const gndi_openblas *blas);

/* To be called by a thread of gndi_parallel_for before it calls OpenBLAS, in between: an OpenBLAS built
   on OpenMP has a count for each thread that calls. */
static inline void gndi_openblas_alone_here(const gndi_openblas *blas) {
    if (blas->openblas_get_parallel() == 2) blas->openblas_set_num_threads(1);
}

#endif
