/*
 * bits_params.h: the parameter block of the kernels that pack and unpack bits (bits_kernels.cu).
 */
#ifndef GNDI_BITS_PARAMS_H
#define GNDI_BITS_PARAMS_H

#include <stdint.h>

enum { GNDI_BITS_THREADS = 256, GNDI_BITS_EACH = 4, GNDI_BITS_AXES = 64 };

/* How the work is done. */
enum {
    GNDI_BITS_ANY,   /* a byte at a time, of any strides */
    GNDI_BITS_LINE,  /* one dense line: two bytes and their sixteen elements at a time */
    GNDI_BITS_ACROSS /* lines side by side: eight of them at a time */
};

typedef struct gndi_bits_params {
    char *element, *byte;
    int64_t element_step, byte_step;
    int64_t elements, bytes; /* of a line */
    int64_t work;            /* bytes to make or to read, of all lines */
    int64_t each;            /* of them in a line */
    int64_t lines;           /* ACROSS: groups of eight, also in shape[] */
    int32_t ndim;
    uint8_t itemsize, little, unpack;
    uint8_t lines_first; /* neighbouring threads take neighbouring lines */
    uint8_t words;       /* eight elements are a dense word, which lies on a multiple of 8 bytes */
    int64_t shape[GNDI_BITS_AXES], element_stride[GNDI_BITS_AXES], byte_stride[GNDI_BITS_AXES];
} gndi_bits_params;

#endif
