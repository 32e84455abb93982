/*
 * sort_rows.h: gndi_cpu_sort_row and gndi_cpu_sort_workspace (sort_loops.h) as compiled for one instruction set.
 */
#ifndef GNDI_CPU_SORT_ROWS_H
#define GNDI_CPU_SORT_ROWS_H

#include "sort/cpu/sort_loops.h"

typedef struct gndi_cpu_row_sorts {
    void (*sort)(const gndi_cpu_row *row);
    int64_t (*workspace)(const gndi_cpu_row *row);
} gndi_cpu_row_sorts;

#endif
