/*
 * rows_fft.c: Fourier transforms and what is made of them, by name: c2c of complex64, r2c and dct of float32.
 * `bare.` before a name is cuFFT's own call for the same work, with a plan and a work area that are there.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef GNDB_WITH_CUDA
#    include "bare_cuda.h"
#endif

/* ---- workloads ------------------------------------------------------------------------------ */

BENCH_RUN(fft, gnd_fft(o->x, -1, -1, GND_FFT_BACKWARD))
BENCH_RUN(fft_axis0, gnd_fft(o->x, -1, 0, GND_FFT_BACKWARD))
BENCH_RUN(fft_axis1, gnd_fft(o->x, -1, 1, GND_FFT_BACKWARD))
BENCH_RUN(fft_all, gnd_fftn(o->x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD))
BENCH_RUN(fft_axes01, gnd_fft2(o->x, GND_SCALAR, GND_AXES(0, 1), GND_FFT_BACKWARD))
BENCH_RUN(fft_axes12, gnd_fft2(o->x, GND_SCALAR, GND_AXES(1, 2), GND_FFT_BACKWARD))
BENCH_RUN(rfft, gnd_rfft(o->x, -1, -1, GND_FFT_BACKWARD))
BENCH_RUN(rfft2, gnd_rfft2(o->x, GND_SCALAR, GND_AXES(0, 1), GND_FFT_BACKWARD))
BENCH_RUN(ifft, gnd_ifft(o->x, -1, -1, GND_FFT_BACKWARD))
BENCH_RUN(ifft_all, gnd_ifftn(o->x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD))
BENCH_RUN(irfft, gnd_irfft(o->x, -1, -1, GND_FFT_BACKWARD))
BENCH_RUN(dct, gnd_dct(o->x, 2, -1, -1, GND_FFT_BACKWARD, GND_ORTHOGONALIZE_BY_NORM))
BENCH_RUN(convolve, gnd_fftconvolve(o->x, o->y, GND_FULL, GND_ALL))

static void fft_in_place(operands *o) {
    /* Orthonormal, so that the numbers stay of one size. */
    gnd_fft_into(o->x, o->x, -1, -1, GND_FFT_ORTHO);
}

#ifdef GNDB_WITH_CUDA
static void stop_unless_done(int code) {
    if (!code) return;
    fprintf(stderr, "cuFFT by itself: error %d\n", code);
    exit(1);
}
static void bare_run(operands *o) {
    stop_unless_done(gndb_cufft_run(gnd_data(o->x), gnd_data(o->out), gnd_stream_native(gnd_current_stream())));
}
/* The plan, room for the result, and a look at whether both come to the same. */
static void bare_prepare(operands *o, const gndb_transform *t, gnd_array *expected) {
    o->out = gnd_zeros_like(expected, GND_DTYPE_NONE);
    if (gnd_error()) return; /* of the row */
    stop_unless_done(gndb_cufft_plan(t));
    bare_run(o);
    gnd_array *error = gnd_max(gnd_absolute(gnd_subtract(o->out, expected)), GND_ALL);
    gnd_array *size = gnd_max(gnd_absolute(expected), GND_ALL);
    if (gnd_item_double(error) > 1e-4 * gnd_item_double(size) && !gnd_error()) {
        fprintf(stderr, "cuFFT by itself: another transform than gnd's\n");
        exit(1);
    }
    gnd_release(error), gnd_release(size), gnd_release(expected);
}
#    define BARE(name, expected, ...)                                                                                  \
        static void name(operands *o) {                                                                                \
            const int64_t rows = gnd_dim(o->x, 0), columns = gnd_dim(o->x, -1);                                        \
            bare_prepare(o, &(const gndb_transform){__VA_ARGS__}, expected);                                           \
            (void)rows, (void)columns;                                                                                 \
        }
#    define GND_FFT_OF(axis) gnd_fft(o->x, -1, axis, GND_FFT_BACKWARD)
#    define GND_FFT_OF_ALL gnd_fftn(o->x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD)
BARE(bare_line, GND_FFT_OF(0), .rank = 1, .n = {rows}, .stride = 1, .apart = rows, .batch = 1)
BARE(bare_small, GND_FFT_OF(0), .rank = 1, .n = {rows}, .stride = 1, .apart = rows, .batch = 1)
BARE(bare_batch, GND_FFT_OF(1), .rank = 1, .n = {columns}, .stride = 1, .apart = columns, .batch = rows)
BARE(bare_axis0, GND_FFT_OF(0), .rank = 1, .n = {rows}, .stride = columns, .apart = 1, .batch = columns)
BARE(bare_2d, GND_FFT_OF_ALL, .rank = 2, .n = {rows, columns}, .stride = 1, .apart = rows * columns, .batch = 1)
BARE(bare_3d, GND_FFT_OF_ALL, .rank = 3, .n = {rows, rows, columns}, .stride = 1, .apart = rows * rows * columns,
     .batch = 1)
BARE(bare_real, gnd_rfft(o->x, -1, 0, GND_FFT_BACKWARD), .rank = 1, .n = {rows}, .stride = 1, .apart = rows, .batch = 1,
     .real = true)
#endif

/* What a pass over complex64 of 4096 x 4096 moves: in and out. */
#define PASS (16.0 * 4096 * 4096)

const bench_row bench_rows_fft[] = {
    {"fft.c2c_1d_2p24", NULL, fft, 0, "complex64[2^24]"},
    {"fft.c2c_batch_4096x4096", NULL, fft, PASS, "complex64[4096,4096]"},
    {"fft.c2c_axis0_4096x4096", NULL, fft_axis0, PASS, "complex64[4096,4096]"},
    {"fft.c2c_2d_4096", NULL, fft_all, 2 * PASS, "complex64[4096,4096]"},
    {"fft.c2c_3d_256", NULL, fft_all, 0, "complex64[256,256,256]"},
    {"fft.c2c_middle_256", NULL, fft_axis1, PASS, "complex64[256,256,256]"},
    {"fft.c2c_in_place_4096x4096", NULL, fft_in_place, PASS, "complex64[4096,4096]"},
    {"fft.r2c_1d_2p24", NULL, rfft, 0, "float32[2^24]"},
    {"fft.c2r_1d_2p24", NULL, irfft, 0, "complex64[8388609]"},
    {"fft.r2c_2d_4096", NULL, rfft2, PASS, "float32[4096,4096]"},
    {"fft.small_1024", NULL, fft, 0, "complex64[1024]"},
    {"fft.inverse_1d_2p24", NULL, ifft, 0, "complex64[2^24]"},
    {"fft.inverse_batch_4096x4096", NULL, ifft, PASS, "complex64[4096,4096]"},
    {"fft.inverse_2d_4096", NULL, ifft_all, 2 * PASS, "complex64[4096,4096]"},
    {"fft.inverse_3d_256", NULL, ifft_all, 0, "complex64[256,256,256]"},
    {"fft.axes12_16x512x512", NULL, fft_axes12, 0, "complex64[16,512,512]"},
    {"fft.axes01_512x512x16", NULL, fft_axes01, 0, "complex64[512,512,16]"},
    {"fft.dct_4096x4096", NULL, dct, 0, "float32[4096,4096]"},
    {"sig.fftconvolve_2p24_1001", NULL, convolve, 0, "float32[2^24] float32[1001]"},
    {"sig.fftconvolve_2048_15", NULL, convolve, 0, "float32[2048,2048] float32[15,15]"},
#ifdef GNDB_WITH_CUDA
    {"bare.fft.c2c_1d_2p24", bare_line, bare_run, 0, "complex64[2^24]"},
    {"bare.fft.c2c_batch_4096x4096", bare_batch, bare_run, 0, "complex64[4096,4096]"},
    {"bare.fft.c2c_axis0_4096x4096", bare_axis0, bare_run, 0, "complex64[4096,4096]"},
    {"bare.fft.c2c_2d_4096", bare_2d, bare_run, 0, "complex64[4096,4096]"},
    {"bare.fft.c2c_3d_256", bare_3d, bare_run, 0, "complex64[256,256,256]"},
    {"bare.fft.r2c_1d_2p24", bare_real, bare_run, 0, "float32[2^24]"},
    {"bare.fft.small_1024", bare_small, bare_run, 0, "complex64[1024]"},
#endif
    {0},
};
