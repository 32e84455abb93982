/*
 * rows_index.c: indexing, counting, joining and convolution, by name. Arrays are float32 and random in
 * [0, 1) unless a name says otherwise; `bytes` counts each input read once and each output written
 * once, and what an expression makes in between.
 */
#include "bench.h"

const bench_row bench_rows_index[] = {
    {NULL, NULL, NULL, 0},
};
