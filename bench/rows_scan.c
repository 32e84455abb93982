/*
 * rows_scan.c: running sums, differences and scattered additions, by name. Arrays are float32 and
 * random in [0, 1) unless a name says otherwise.
 */
#include "bench.h"

const bench_row bench_rows_scan[] = {
    {NULL, NULL, NULL, 0},
};
