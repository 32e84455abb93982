/*
 * sort_launch.h: what the launchers of sorting share: sort_rows_cuda.c chooses among the others.
 */
#ifndef GNDI_SORT_LAUNCH_H
#define GNDI_SORT_LAUNCH_H

#include "kernels/cuda/sort_params.h"
#include "runtime/backend_kernels.h"

/* The class of a dtype's keys, and how they are made. */
int gndi_sort_class(uint8_t dtype);
gndi_sort_rule gndi_sort_rule_of(uint8_t dtype, bool descending);

/* Bytes of shared memory that a block can have, besides a few of its kernel's own. */
int64_t gndi_sort_shared_room(gnd_stream *s);

/*
 * A sort that is being carried out. All memory it needs is one buffer, made before the first launch,
 * so that none of its launches can be left out for want of memory: launchers are called twice, first
 * to measure, when they take memory that is not there and launch nothing.
 */
typedef struct gndi_sort_run {
    gnd_stream *stream;
    const char *fn;
    bool measures;
    char *memory; /* while measuring: any address but NULL */
    size_t used;  /* set back by those who took it, once what they launched needs it no more */
    size_t most;
} gndi_sort_run;

void *gndi_sort_take(gndi_sort_run *run, int64_t bytes);
gnd_status gndi_sort_launch(const gndi_sort_run *run, const void *kernel, int64_t blocks,
                            int threads, size_t shared_bytes, void *params);
/* Sets memory to zero. */
gnd_status gndi_sort_clear(const gndi_sort_run *run, void *memory, size_t bytes);

/* Whether neighbouring rows' elements are nearer to each other than a row's own. */
bool gndi_sort_lies_across(const gndi_sort_plan *plan, const struct gndi_sort_operand *operand);

/* Rows that fit a block; how many rows a block takes, 0 if not one fits. */
int64_t gndi_sort_block_rows(gnd_stream *s, const gndi_sort_plan *plan);
gnd_status gndi_sort_in_blocks(const gndi_sort_run *run, const gndi_sort_plan *plan, bool gathers);

/* Rows of any length, whole. Of `start`, if it has data: `gathers` says that it is the plan's own
   meaning, in[start[k]]; else places get start[k] for element k, which is in[k]. */
gnd_status gndi_sort_by_radix(gndi_sort_run *run, const gndi_sort_plan *plan, bool gathers);

/* Divides rows of at most GNDI_SORT_MOST_SPLIT elements by the key of a rank: smaller ones, equal
   ones, larger ones; stores the first plan->keep. The operands share no memory. */
enum { GNDI_SORT_MOST_SPLIT = 1 << 30 };
gnd_status gndi_sort_split_rows(gndi_sort_run *run, const gndi_sort_plan *plan, int64_t rank);

#endif
