/*
 * npy.h: arrays in the .npy format, from and to wherever bytes come from and go.
 */
#ifndef GNDI_IO_NPY_H
#define GNDI_IO_NPY_H

#include "io/file.h"
#include "io/npy_header.h"

/* Reads an array that stands next in the source. `left` is how many bytes follow, -1 if that is not
   known: a file that is too short is refused before memory is taken. */
gnd_array *gndi_npy_read(gndi_source *source, int64_t left);

/* Its steps: reads the first bytes and the dictionary, and tells how many bytes that were; refuses a file that is too
   short for what it claims to hold; brings bytes of it into this machine's order, and bools to 0 or 1 (`context`: the
   header). */
gnd_status gndi_npy_read_header(gndi_source *source, gndi_npy_header *header, size_t *taken);
gnd_status gndi_npy_check_length(const gndi_source *source, const gndi_npy_header *header, int64_t left);
void gndi_npy_tidy(const void *context, char *data, size_t bytes);

/* What is written before the elements of `a`, and `a` as its elements are to be written in C order: itself,
   or its transpose, a new reference that goes to *transposed. Returns 0 and an error if that fails. */
size_t gndi_npy_begin(const gnd_array *a, char text[GNDI_NPY_HEADER_BYTES], gnd_array **transposed);

#endif
