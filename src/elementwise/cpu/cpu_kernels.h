/*
 * cpu_kernels.h: the inner loops of operators, casts and copies, which other topics use, too. They are
 * compiled once for each instruction set; kernels/cpu/isa.h says how the best set is chosen.
 *
 * Every loop works on dense elements of one dtype. What is strided, broadcast, of another dtype or
 * masked is brought into that form by the driver, a tile at a time, through buffers that stay in
 * the first-level cache: so there is one loop for each operator and dtype, not one for each layout.
 */
#ifndef GNDI_CPU_KERNELS_H
#define GNDI_CPU_KERNELS_H

#include "kernels/ops/op_sets.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An operator in one loop over n elements. `operand`: outputs, then inputs; an output may be the
   same memory as an input. Nonzero if a CHECKED operator met values it does not take. */
typedef int (*gndi_cpu_kernel)(char *const *operand, int64_t n, const double *params);

/* n dense elements cast from one dtype to another. */
typedef void (*gndi_cpu_cast)(const char *from, char *to, int64_t n);
/* n elements of 1, 2, 4, 8 or 16 bytes: from strided to dense, from dense to strided, one value
   repeated, and from dense to strided where `mask` is not 0. */
typedef void (*gndi_cpu_gather)(const char *from, int64_t stride, char *to, int64_t n);
typedef void (*gndi_cpu_scatter_loop)(const char *from, char *to, int64_t stride, int64_t n);
typedef void (*gndi_cpu_repeat)(const char *value, char *to, int64_t n);
typedef void (*gndi_cpu_scatter_masked)(const char *from, char *to, int64_t stride, const uint8_t *mask, int64_t n);
/* to[r][c] = from[r][c] over rows x columns, by byte strides; `to` is dense along c. Made for a
   `from` that is dense along r. `streams`: past the caches where whole lines can be written. */
typedef void (*gndi_cpu_transpose)(const char *from, int64_t from_row, int64_t from_column, char *to, int64_t to_row,
                                   int64_t rows, int64_t columns, bool streams);

/* A dense copy past the caches; after the last of them, `stream_end` makes them visible
   to others. */
typedef void (*gndi_cpu_stream)(const char *from, char *to, int64_t bytes);

enum { GNDI_CPU_SIZES = 5 }; /* 1, 2, 4, 8, 16 bytes, by their logarithm */

typedef struct gndi_cpu_kernels {
    gndi_cpu_kernel op[GNDI_OP_COUNT][GND_DTYPE_COUNT]; /* NULL: no such loop */
    gndi_cpu_cast cast[GND_DTYPE_COUNT][GND_DTYPE_COUNT];
    gndi_cpu_gather gather[GNDI_CPU_SIZES];
    gndi_cpu_gather gather_near[GNDI_CPU_SIZES]; /* of what the second cache holds: nothing is fetched ahead */
    gndi_cpu_scatter_loop scatter[GNDI_CPU_SIZES];
    gndi_cpu_scatter_masked scatter_masked[GNDI_CPU_SIZES];
    gndi_cpu_repeat repeat[GNDI_CPU_SIZES];
    gndi_cpu_transpose transpose[GNDI_CPU_SIZES];
    gndi_cpu_stream stream;
    void (*stream_end)(void);
} gndi_cpu_kernels;

/* The kernels for this CPU, chosen at the first call. Thread-safe. */
const gndi_cpu_kernels *gndi_cpu_kernels_get(void);

#ifdef __cplusplus
}
#endif

#endif
