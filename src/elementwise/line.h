/*
 * line.h: the elements of an array as one strided line, as the search and histogram hooks take them.
 */
#ifndef GNDI_ELEMENTWISE_LINE_H
#define GNDI_ELEMENTWISE_LINE_H

#include "runtime/runtime.h"

typedef struct gndi_line {
    gnd_array *array; /* a reference: to the array itself, or to a copy of it */
    char *data;
    int64_t step; /* bytes */
} gndi_line;

/* The elements of `a` in C order, as `dtype`: in place if they are evenly spaced and have that dtype, else copied.
   False and an error on failure. */
bool gndi_line_in_order(const char *fn, const gnd_array *a, gnd_dtype dtype, gndi_line *line);
/* The same in whatever order costs least. */
bool gndi_line_any_order(const char *fn, const gnd_array *a, gndi_line *line);
/* Releases it; a line that is all zero is allowed. */
void gndi_line_drop(gndi_line *line);

#endif
