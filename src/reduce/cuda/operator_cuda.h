/*
 * operator_cuda.h: folds on CUDA, as their launchers share them. Only *_cuda.* files include it.
 */
#ifndef GNDI_OPERATOR_CUDA_H
#define GNDI_OPERATOR_CUDA_H

#include "reduce/cuda/operator_params.h"
#include "reduce/reduce_plan.h"
#include "runtime/cuda/runtime_cuda.h"

/* The kernel of an operator and loop. */
const gndi_fold_kernel *gndi_fold_get(gndi_op op, gnd_dtype loop);
/* Everything zero but what every fold needs. */
void gndi_fold_clear(gndi_fold_params *p, const gnd_stream *s);
/* Copies sizes or strides. */
void gndi_fold_copy(int64_t *to, int ndim, const int64_t *from);
/* Launches p->items times p->columns units. */
gnd_status gndi_fold_launch(gnd_stream *s, const gndi_fold_kernel *k, const gndi_fold_params *p, const char *fn);
/* Makes the partial results of all tiles that p's elements have, as many levels as are worth it, and
   puts them into p->partials. The buffer that holds them (NULL: no tiles) is for the caller to
   release after its own launch. */
gnd_status gndi_fold_tiles(gnd_stream *s, const gndi_fold_kernel *k, gndi_fold_params *p, gndi_buffer **buffer,
                           const char *fn);

/* The reducer PRODUCT of complex numbers, in the order of the elements: a thread an output. `mends`: the results
   are there, and those that are not finite are computed again. */
gnd_status gndi_cuda_products_in_order(gnd_stream *s, const gndi_reduce_plan *plan, bool mends, const char *fn);
/* Whether that is as quick as anything. */
bool gndi_cuda_few_products(const gndi_reduce_plan *plan);

/* The reducer OPERATOR. */
gnd_status gndi_cuda_reduce_operator(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn);

#endif
