/*
 * numbers.h: a few numbers on the host. Designs and conversions compute in double on the host; these functions
 * read their arrays, hold their buffers and make their results.
 */
#ifndef GNDI_POLYNOMIAL_NUMBERS_H
#define GNDI_POLYNOMIAL_NUMBERS_H

#include "core/core.h"
#include <gnd/shape.h>
#include <complex.h>

typedef double complex gndi_complex;
#define GNDI_PI 3.14159265358979323846264338327950288

/* Buffers that are freed together. After a failed allocation `failed` is true, and the error is raised. */
typedef struct gndi_scratch {
    const char *fn; /* the public function, for messages */
    bool failed;
    void *blocks;
} gndi_scratch;

/* `count` elements of `size` bytes, zero; NULL after a failure, also an earlier one. */
void *gndi_scratch_get(gndi_scratch *s, int64_t count, size_t size);
#define gndi_scratch_doubles(s, count) ((double *)gndi_scratch_get(s, count, sizeof(double)))
#define gndi_scratch_complex(s, count) ((gndi_complex *)gndi_scratch_get(s, count, sizeof(gndi_complex)))
/* Frees all buffers. Returns the status: that of the pending error if something failed. */
gnd_status gndi_scratch_end(gndi_scratch *s);
/* Raises, and marks the scratch as failed. Returns false. */
bool gndi_scratch_fail(gndi_scratch *s, gnd_status status, const char *format, ...) GND_PRINTF(3, 4);

/* The elements of an array in C order. `real`: its dtype is not complex. */
typedef struct gndi_numbers {
    int64_t n;
    gndi_complex *at;
    bool real;
} gndi_numbers;

/* Reads an array of up to one dimension (one number if it has none) into a scratch buffer. Waits for it. */
bool gndi_numbers_read(gndi_scratch *s, const gnd_array *a, const char *name, gndi_numbers *numbers);
/* The same of real arrays: complex ones are refused. */
bool gndi_doubles_read(gndi_scratch *s, const gnd_array *a, const char *name, int64_t *n, double **values);
/* The same of an array of any shape. */
bool gndi_numbers_read_any(gndi_scratch *s, const gnd_array *a, const char *name, gndi_numbers *numbers);
bool gndi_doubles_read_any(gndi_scratch *s, const gnd_array *a, const char *name, int64_t *n, double **values);

/* New arrays on the current device; NULL, and failed, if that is impossible. */
gnd_array *gndi_array_of_doubles(gndi_scratch *s, int64_t n, const double *values);
gnd_array *gndi_array_of_int64(gndi_scratch *s, int64_t n, const int64_t *values);
gnd_array *gndi_array_of_complex(gndi_scratch *s, int64_t n, const gndi_complex *values);
gnd_array *gndi_matrix_of_doubles(gndi_scratch *s, int64_t rows, int64_t columns, const double *values);
gnd_array *gndi_matrix_of_complex(gndi_scratch *s, int64_t rows, int64_t columns, const gndi_complex *values);
gnd_array *gndi_array_shaped(gndi_scratch *s, const gnd_shape *shape, const void *values, gnd_dtype dtype);
/* Real if `real`, else complex. */
gnd_array *gndi_array_of_numbers(gndi_scratch *s, int64_t n, const gndi_complex *values, bool real);

#endif
