/*
 * npy_header.h: the header of a .npy file: a Python dictionary that tells dtype, order and shape.
 */
#ifndef GNDI_IO_NPY_HEADER_H
#define GNDI_IO_NPY_HEADER_H

#include "core/core.h"

/* What a header says. */
typedef struct gndi_npy_header {
    gnd_dtype dtype;
    bool swapped;       /* elements are in the other byte order than this machine's */
    bool fortran_order; /* the first axis is the fastest */
    int ndim;
    int64_t shape[GND_MAX_DIMS];
} gndi_npy_header;

/* Reads the dictionary, `length` characters of text. `name` is the file's, for messages. */
gnd_status gndi_npy_parse(const char *fn, const char *name, const char *text, size_t length, gndi_npy_header *out);

/* The longest header gndi_npy_format writes: magic, version, length, 32 sizes, padding. */
#define GNDI_NPY_HEADER_BYTES 1024
/* Writes all that comes before the data, as numpy.save does; returns its length. */
size_t gndi_npy_format(const gndi_npy_header *header, char text[GNDI_NPY_HEADER_BYTES]);

#endif
