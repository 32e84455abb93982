/*
 * filter_tables.h: what the launchers of recursive filters share: the powers of a filter's matrix, on the host and on a
 * device (filter_tables.c).
 */
#ifndef GNDI_FILTER_TABLES_H
#define GNDI_FILTER_TABLES_H

#include "filter/cuda/filter_params.h"
#include "filter/filter_plan.h"

/* A part of a filter that one kernel does: up to 8 sections, or b / a of up to 16 states. */
typedef struct gndi_filter_part {
    int sections, states; /* of the kernel: what it is compiled for */
    int own;              /* states that are not padding */
    double numbers[GNDI_FILTER_NUMBERS];
} gndi_filter_part;

/* How large powers get: in a tile, over a group of tiles, over groups. Infinite: they overflow. */
typedef struct gndi_filter_sizes {
    double tile, group, groups;
} gndi_filter_sizes;

/* The lines of a plan (filter_cuda.c). */
gndi_filter_layout gndi_filter_layout_of(const gndi_filter_lines *lines, int dtype);

/* Fills GNDI_FILTER_TABLES(part->states) numbers. */
void gndi_filter_tables(const gndi_filter_part *part, double *tables, gndi_filter_sizes *sizes);

/* The tables on the stream's device, from a cache; a reference that the caller releases. */
gndi_buffer *gndi_filter_tables_on(gnd_stream *s, const gndi_filter_part *part, gndi_filter_sizes *sizes,
                                   const char *fn);

#endif
