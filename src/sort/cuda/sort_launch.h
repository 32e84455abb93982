/*
 * sort_launch.h: what the launchers of sorting share: sort_rows_cuda.c chooses among the others.
 */
#ifndef GNDI_SORT_LAUNCH_H
#define GNDI_SORT_LAUNCH_H

#include "kernels/cuda/run_launch.h"
#include "sort/cuda/sort_params.h"
#include "runtime/hooks.h"

/* The class of a dtype's keys, and how they are made. */
int gndi_sort_class(uint8_t dtype);
gndi_sort_rule gndi_sort_rule_of(uint8_t dtype, bool descending);

/* Bytes of shared memory that a block can have, besides a few of its kernel's own. */
int64_t gndi_sort_shared_bytes(gnd_stream *s);

/* Whether neighbouring rows' elements are nearer to each other than a row's own. */
bool gndi_sort_lies_across(const gndi_sort_plan *plan, const struct gndi_sort_operand *operand);

/* Rows that fit a block; how many rows a block takes, 0 if not one fits. */
int64_t gndi_sort_block_rows(gnd_stream *s, const gndi_sort_plan *plan);
gnd_status gndi_sort_in_blocks(const gndi_cuda_run *run, const gndi_sort_plan *plan, bool gathers);

/* The first few of rows, if the plan asks for few of long rows. `parts`: how many pieces each row had better be cut
   into; each piece stores its first plan->keep elements, so that a row of the results has parts times as many. */
bool gndi_sort_first_takes(const gndi_sort_plan *plan);
int64_t gndi_sort_first_parts(const gnd_stream *s, const gndi_sort_plan *plan);
gnd_status gndi_sort_first_rows(const gndi_cuda_run *run, const gndi_sort_plan *plan, int64_t parts);

/* Rows of any length, whole. Of `start`, if it has data: `gathers` says that it is the plan's own
   meaning, in[start[k]]; else indices get start[k] for element k, which is in[k]. */
gnd_status gndi_sort_by_radix(gndi_cuda_run *run, const gndi_sort_plan *plan, bool gathers);

/* Divides rows of at most GNDI_SORT_MOST_SPLIT elements by the key of a rank: smaller ones, equal
   ones, larger ones; stores the first plan->keep. The operands share no memory. */
enum { GNDI_SORT_MOST_SPLIT = 1 << 30 };
gnd_status gndi_sort_split_rows(gndi_cuda_run *run, const gndi_sort_plan *plan, int64_t rank);

#endif
