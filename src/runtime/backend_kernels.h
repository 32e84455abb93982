/*
 * backend_kernels.h: the kernels each backend calls. They are in src/kernels, which stands above
 * the runtime: only their names are known here.
 */
#ifndef GNDI_BACKEND_KERNELS_H
#define GNDI_BACKEND_KERNELS_H

#include "runtime/runtime.h"

/* The instruction set that the CPU's kernels are taken from. */
const char *gndi_cpu_isa(void);
gnd_status gndi_cpu_elementwise(gnd_stream *s, const gndi_ew_plan *plan, const char *fn);
gnd_status gndi_cpu_reduce(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn);
gnd_status gndi_cpu_scan(gnd_stream *s, const gndi_scan_plan *plan, const char *fn);
gnd_status gndi_cpu_select(gnd_stream *s, const gndi_select_plan *plan, const char *fn);
gnd_status gndi_cpu_reduce_segments(gnd_stream *s, const gndi_segment_plan *plan, const char *fn);
gnd_status gndi_cpu_scatter_op(gnd_stream *s, const gndi_scatter_plan *plan, const char *fn);
gnd_status gndi_cpu_index(gnd_stream *s, const gndi_index_plan *plan, const char *fn);
gnd_status gndi_cpu_compact(gnd_stream *s, const gndi_compact_plan *plan, const char *fn);
gnd_status gndi_cpu_sort(gnd_stream *s, const gndi_sort_plan *plan, const char *fn);
gnd_status gndi_cpu_search(gnd_stream *s, const gndi_search_plan *plan, const char *fn);
gnd_status gndi_cpu_member(gnd_stream *s, const gndi_search_plan *plan, const char *fn);
gnd_status gndi_cpu_histogram(gnd_stream *s, const gndi_histogram_plan *plan, const char *fn);
gnd_status gndi_cpu_correlate(gnd_stream *s, const gndi_correlate_plan *plan, const char *fn);
gnd_status gndi_cpu_bits(gnd_stream *s, const gndi_bits_plan *plan, const char *fn);
gnd_status gndi_cpu_matmul(gnd_stream *s, const gndi_matmul_plan *plan, const char *fn);
gnd_status gndi_cpu_lapack(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn);
gnd_status gndi_cpu_fft(gnd_stream *s, const gndi_fft_plan *plan, const char *fn);
gnd_status gndi_cpu_fuse(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn);
const char *gndi_cpu_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan);
gnd_status gndi_cpu_random_draw(gnd_stream *s, const gndi_random_plan *plan, const char *fn);
gnd_status gndi_cpu_random_ties(gnd_stream *s, const gndi_random_ties *ties, const char *fn);
gnd_status gndi_cpu_sequence(gnd_stream *s, void *out, gnd_dtype dtype, int64_t n, gnd_arg first,
                             gnd_arg step, bool last_given, gnd_arg last, const char *fn);

#ifdef GNDI_WITH_CUDA
/* Called with the stream's device current; they launch, and do not wait. */
gnd_status gndi_cuda_elementwise(gnd_stream *s, const gndi_ew_plan *plan, const char *fn);
gnd_status gndi_cuda_reduce(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn);
gnd_status gndi_cuda_scan(gnd_stream *s, const gndi_scan_plan *plan, const char *fn);
gnd_status gndi_cuda_select(gnd_stream *s, const gndi_select_plan *plan, const char *fn);
gnd_status gndi_cuda_reduce_segments(gnd_stream *s, const gndi_segment_plan *plan, const char *fn);
gnd_status gndi_cuda_scatter_op(gnd_stream *s, const gndi_scatter_plan *plan, const char *fn);
gnd_status gndi_cuda_index(gnd_stream *s, const gndi_index_plan *plan, const char *fn);
gnd_status gndi_cuda_compact(gnd_stream *s, const gndi_compact_plan *plan, const char *fn);
gnd_status gndi_cuda_sort(gnd_stream *s, const gndi_sort_plan *plan, const char *fn);
gnd_status gndi_cuda_search(gnd_stream *s, const gndi_search_plan *plan, const char *fn);
gnd_status gndi_cuda_member(gnd_stream *s, const gndi_search_plan *plan, const char *fn);
gnd_status gndi_cuda_histogram(gnd_stream *s, const gndi_histogram_plan *plan, const char *fn);
gnd_status gndi_cuda_correlate(gnd_stream *s, const gndi_correlate_plan *plan, const char *fn);
gnd_status gndi_cuda_bits(gnd_stream *s, const gndi_bits_plan *plan, const char *fn);
gnd_status gndi_cuda_matmul(gnd_stream *s, const gndi_matmul_plan *plan, const char *fn);
gnd_status gndi_cuda_lapack(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn);
gnd_status gndi_cuda_fft(gnd_stream *s, const gndi_fft_plan *plan, const char *fn);
bool gndi_cuda_fft_gathers(const gndi_fft_plan *plan);
gnd_status gndi_cuda_fuse(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn);
const char *gndi_cuda_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan);
void gndi_cuda_fuse_load(void);
gnd_status gndi_cuda_random_draw(gnd_stream *s, const gndi_random_plan *plan, const char *fn);
gnd_status gndi_cuda_random_ties(gnd_stream *s, const gndi_random_ties *ties, const char *fn);
gnd_status gndi_cuda_random_set(gnd_stream *s, gndi_random_state *cell,
                                const gndi_random_state *state, const char *fn);
gnd_status gndi_cuda_sequence(gnd_stream *s, void *out, gnd_dtype dtype, int64_t n, gnd_arg first,
                              gnd_arg step, bool last_given, gnd_arg last, const char *fn);
/* Raises what a CUDA error (a cudaError_t) means, in the name of `fn`, unless it is cudaSuccess. */
gnd_status gndi_cuda_check(int error, const char *fn, const char *what);
#endif

#endif
