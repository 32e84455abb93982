/*
 * table.h: how the tables of the backends are composed: each of a device half (src/runtime/cpu, src/runtime/cuda)
 * and the kernels of all topics. Devices hold a copy whose functions have ranges for profilers around them
 * (traced.c).
 */
#ifndef GNDI_BACKEND_TABLE_H
#define GNDI_BACKEND_TABLE_H

#include "runtime/hooks.h"

extern gndi_backend gndi_plain_tables[2], gndi_device_tables[2]; /* by gnd_device_kind */

#ifdef GNDI_WITH_CUDA
void gndi_fill_cuda_table(gndi_backend *table);
/* Makes the table's functions fail with gndi_raise_lost, and its releases do nothing. */
void gndi_lose_table(void);
#endif
/* Fills `table` with the functions of `plain`; those that work in a public function's name get a range. */
void gndi_fill_traced_table(gndi_backend *table, const gndi_backend *plain);
/* fault.c */
void gndi_describe_fault(char *text, size_t bytes, const gndi_fault *f);

#endif
