/*
 * shared_cpu.h: memory that processes share, for the CPU's table (shared_cpu.c).
 */
#ifndef GNDI_SHARED_CPU_H
#define GNDI_SHARED_CPU_H

#include "runtime/runtime.h"

void *gndi_cpu_shared_allocate(size_t bytes);
void gndi_cpu_shared_release(void *base);
gnd_status gndi_cpu_share(gndi_device *d, const void *base, void *out, const char *fn);
gnd_status gndi_cpu_shared_device(const void *from, int *index, const char *fn);
gnd_status gndi_cpu_open_shared(gndi_device *d, const void *from, size_t bytes, void **base, const char *fn);
void gndi_cpu_close_shared(void *base, size_t bytes);

#endif
