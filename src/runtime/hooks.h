/*
 * hooks.h: the kernels' entry points in both backends, by the rows of hooks.def. The topics define
 * them; src/backend puts them into tables.
 */
#ifndef GNDI_HOOKS_H
#define GNDI_HOOKS_H

#include "runtime/runtime.h"

#define HOOK(name, type)                                                                                               \
    gnd_status gndi_cpu_##name(gnd_stream *s, const type *plan, const char *fn);                                       \
    gnd_status gndi_cuda_##name(gnd_stream *s, const type *plan, const char *fn);
#define HOOK_GPU(name, type) gnd_status gndi_cuda_##name(gnd_stream *s, const type *plan, const char *fn);
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU

/* The other members of a table for kernels; see gndi_backend. */
const char *gndi_cpu_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan);
const char *gndi_cuda_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan);
bool gndi_cuda_fft_gathers(const gndi_fft_plan *plan);
bool gndi_cuda_scan_starts(const gndi_scan_plan *plan);
void gndi_cuda_fuse_load(void);

#endif
