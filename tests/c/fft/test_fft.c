/*
 * test_fft.c: Fourier transforms in C: known values, plans, the cache of plans and its bound, several threads
 * at once. The oracle tests compare many more cases with NumPy and SciPy.
 */
#include "reads.h"
#include "values.h"
#include <math.h>
#include <pthread.h>

static bool near(const gnd_array *a, const gnd_array *b, double within) {
    return a && b && gnd_item_double(gnd_max(gnd_absolute(gnd_subtract(a, b)), GND_ALL)) <= within;
}

TEST(known_values) {
    gnd_array *x = DOUBLES(1, 2, 4, 7), *y = gnd_fft(x, -1, 0, GND_FFT_BACKWARD);
    CHECK(near(gnd_real(y), DOUBLES(14, -3, -4, -3), 1e-14));
    CHECK(near(gnd_imag(y), DOUBLES(0, 5, 0, -5), 1e-14));
    gnd_array *half = gnd_rfft(x, -1, 0, GND_FFT_BACKWARD);
    CHECK(gnd_dim(half, 0) == 3 && near(half, gnd_slice(y, ":3"), 1e-14));
    CHECK(near(gnd_irfft(half, 4, 0, GND_FFT_BACKWARD), x, 1e-14));
    CHECK(near(gnd_fft(x, 2, 0, GND_FFT_FORWARD), DOUBLES(1.5, -0.5), 1e-14));
    CHECK(near(gnd_hfft(DOUBLES(1, 2, 3), -1, 0, GND_FFT_BACKWARD), DOUBLES(8, -2, 0, -2), 1e-14));
    CHECK(reads(gnd_fftfreq(5, 0.1), "array([ 0.,  2.,  4., -4., -2.])"));
    CHECK(reads(gnd_fftshift(gnd_fftfreq(5, 0.1), GND_ALL), "array([-4., -2.,  0.,  2.,  4.])"));
    CHECK(near(gnd_dct(DOUBLES(1, 1, 1, 1), 2, -1, 0, GND_FFT_ORTHO, GND_ORTHOGONALIZE_BY_NORM), DOUBLES(2, 0, 0, 0),
               1e-14));
    CHECK(near(gnd_fftconvolve(DOUBLES(1, 2, 3), DOUBLES(0, 1, 0), GND_SAME, GND_ALL), DOUBLES(1, 2, 3), 1e-14));
    CHECK(gnd_next_fast_len(1009, true) == 1024 && gnd_next_fast_len(1009, false) == 1024);
}

static gnd_array *wave(int64_t rows, int64_t columns, gnd_dtype dtype) {
    gnd_array *t = gnd_arange(0, rows * columns, 1, GND_FLOAT64);
    return gnd_astype(gnd_reshape(gnd_sin(gnd_multiply(t, t)), GND_SHAPE(rows, columns)), dtype);
}

TEST(plans) {
    gnd_array *x = wave(12, 35, GND_COMPLEX128), *real = wave(12, 35, GND_FLOAT32);
    for (int effort = GND_FFT_ESTIMATE; effort <= GND_FFT_MEASURE; effort++) {
        gnd_fft_plan *there =
            gnd_fft_plan_new(GND_FFT_KIND_FFT, x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, (gnd_fft_effort)effort);
        gnd_fft_plan *back =
            gnd_fft_plan_new(GND_FFT_KIND_IFFT, x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, (gnd_fft_effort)effort);
        gnd_array *y = gnd_fft_plan_run(there, x);
        CHECK(near(y, gnd_fftn(x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD), 1e-11));
        CHECK(near(gnd_fft_plan_run(back, y), x, 1e-14));
        CHECK(gnd_fft_plan_run_into(back, y, y) == GND_OK && near(y, x, 1e-14));
        gnd_array *turned = gnd_slice(x, "::-1, ::-1"); /* other strides */
        CHECK(near(gnd_fft_plan_run(back, gnd_fft_plan_run(there, turned)), turned, 1e-14));
        gnd_fft_plan *half = gnd_fft_plan_new(GND_FFT_KIND_RFFT, real, GND_SHAPE(40), GND_AXES(1), GND_FFT_ORTHO,
                                              (gnd_fft_effort)effort);
        CHECK(near(gnd_fft_plan_run(half, real), gnd_rfft(real, 40, 1, GND_FFT_ORTHO), 1e-5));
        CHECK_ERROR(gnd_fft_plan_run(there, gnd_slice(x, "1:")), GND_ERROR_SHAPE, "(11, 35)");
        CHECK_ERROR(gnd_fft_plan_run(half, x), GND_ERROR_DTYPE, "complex128");
        CHECK_ERROR(gnd_fft_plan_run_into(there, NULL, x), GND_ERROR_INVALID, "out");
        gnd_fft_plan_release(there), gnd_fft_plan_release(back), gnd_fft_plan_release(half);
    }
    CHECK_ERROR(gnd_fft_plan_run(NULL, x), GND_ERROR_INVALID, "plan");
    CHECK_ERROR(gnd_fft_plan_new(GND_FFT_KIND_RFFT, x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_FFT_ESTIMATE),
                GND_ERROR_DTYPE, "must be real");
    CHECK_ERROR(gnd_fft_plan_new(GND_FFT_KIND_FFT, x, GND_SCALAR, GND_NO_AXES, GND_FFT_BACKWARD, GND_FFT_ESTIMATE),
                GND_ERROR_INVALID, "no axis");
    CHECK_ERROR(gnd_fft_plan_new((gnd_fft_kind)9, x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_FFT_ESTIMATE),
                GND_ERROR_INVALID, "kind number 9");
    CHECK_ERROR(gnd_fft_plan_new(GND_FFT_KIND_FFT, x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, (gnd_fft_effort)7),
                GND_ERROR_INVALID, "effort number 7");
    gnd_fft_plan_release(NULL);
}

/* Plans that take the factor along, of results in any strides: along each axis, of matrices in a stack. */
TEST(plans_of_inverses) {
    gnd_array *x = gnd_reshape(wave(12, 35, GND_COMPLEX64), GND_SHAPE(4, 3, 35));
    gnd_array *turned = gnd_permute(x, GND_AXES(2, 0, 1));
    for (int i = 0; i < 6; i++) {
        const gnd_array *a = i < 3 ? x : turned;
        const gnd_axes axes = i % 3 == 2 ? GND_AXES(0, 2) : GND_AXES(i % 3);
        gnd_array *expected = gnd_divide(gnd_ifftn(a, GND_SCALAR, axes, GND_FFT_FORWARD),
                                         (double)(i % 3 == 2 ? gnd_dim(a, 0) * gnd_dim(a, 2) : gnd_dim(a, i % 3)));
        gnd_fft_plan *plan =
            gnd_fft_plan_new(GND_FFT_KIND_IFFT, a, GND_SCALAR, axes, GND_FFT_BACKWARD, GND_FFT_MEASURE);
        gnd_array *out = gnd_zeros(GND_SHAPE(gnd_dim(a, 0), gnd_dim(a, 1), 2 * gnd_dim(a, 2)), GND_COMPLEX64);
        CHECK(near(gnd_fft_plan_run(plan, a), expected, 1e-6));
        CHECK(gnd_fft_plan_run_into(plan, gnd_slice(out, "..., ::2"), a) == GND_OK);
        CHECK(near(gnd_slice(out, "..., ::2"), expected, 1e-6));
        CHECK(gnd_item_double(gnd_max(gnd_absolute(gnd_slice(out, "..., 1::2")), GND_ALL)) == 0);
        gnd_fft_plan_release(plan);
    }
    gnd_array *half = gnd_rfft(gnd_real(x), -1, 2, GND_FFT_BACKWARD);
    gnd_fft_plan *back =
        gnd_fft_plan_new(GND_FFT_KIND_IRFFT, half, GND_SHAPE(35), GND_AXES(2), GND_FFT_BACKWARD, GND_FFT_MEASURE);
    CHECK(near(gnd_fft_plan_run(back, half), gnd_real(x), 1e-6));
    gnd_fft_plan_release(back);
}

static gnd_fft_cache_stats stats(void) {
    gnd_fft_cache_stats s = {0};
    CHECK(gnd_fft_cache_stats_of(gnd_current_device(), &s) == GND_OK);
    return s;
}

/* A plan holds what it needs from an array to a new one, and within the array. */
TEST(plans_are_whole) {
    gnd_array *x = wave(3, 60, GND_COMPLEX64);
    for (int kind = GND_FFT_KIND_FFT; kind <= GND_FFT_KIND_IFFT; kind++) {
        gnd_fft_plan *plan =
            gnd_fft_plan_new((gnd_fft_kind)kind, x, GND_SCALAR, GND_AXES(1), GND_FFT_BACKWARD, GND_FFT_ESTIMATE);
        const int64_t misses = stats().misses;
        gnd_array *result = gnd_fft_plan_run(plan, x), *same = gnd_copy(x);
        CHECK(gnd_fft_plan_run_into(plan, same, same) == GND_OK && near(same, result, 1e-6));
        CHECK(stats().misses == misses);
        gnd_fft_plan_release(plan);
    }
}

TEST(the_cache_is_bounded) {
    const gnd_device here = gnd_current_device();
    const size_t limit = stats().limit;
    CHECK(limit == (size_t)256 << 20);
    CHECK(gnd_fft_cache_clear(here) == GND_OK && stats().plans == 0 && stats().bytes == 0);
    gnd_array *x = wave(3, 64, GND_COMPLEX64);
    for (int i = 0; i < 3; i++) gnd_fft(x, -1, 1, GND_FFT_BACKWARD);
    CHECK(stats().plans == 1 && stats().bytes > 0);
    CHECK(gnd_fft_cache_set_limit(here, 3 * stats().bytes) == GND_OK);
    for (int n = 2; n < 40; n++) {
        gnd_fft(x, n, 1, GND_FFT_BACKWARD);
        CHECK(stats().bytes <= stats().limit && stats().plans <= 3);
    }
    const int64_t misses = stats().misses;
    gnd_fft(x, 39, 1, GND_FFT_BACKWARD); /* the newest are there */
    CHECK(stats().misses == misses);
    CHECK(gnd_fft_cache_set_limit(here, limit) == GND_OK);
    gnd_array *line = gnd_zeros(GND_SHAPE(1 << 22), GND_COMPLEX128);
    for (int i = 0; i < 2; i++) gnd_fft(line, -1, 0, GND_FFT_BACKWARD); /* a long one stays, too */
    CHECK(stats().misses == misses + 1);
    gnd_fft_plan *held =
        gnd_fft_plan_new(GND_FFT_KIND_FFT, x, GND_SCALAR, GND_AXES(1), GND_FFT_BACKWARD, GND_FFT_ESTIMATE);
    CHECK(gnd_fft_cache_set_limit(here, 0) == GND_OK);
    CHECK(stats().plans >= 1); /* those that are held */
    CHECK(near(gnd_fft_plan_run(held, x), gnd_fft(x, -1, 1, GND_FFT_BACKWARD), 0));
    gnd_fft_plan_release(held);
    CHECK(stats().plans == 0);
    CHECK(gnd_fft(x, -1, 1, GND_FFT_BACKWARD) && stats().plans == 0);
    CHECK(gnd_fft_cache_set_limit(here, limit) == GND_OK);
    CHECK_ERROR(gnd_fft_cache_stats_of(here, NULL), GND_ERROR_INVALID, "out is NULL");
    CHECK_ERROR(gnd_fft_cache_clear(gnd_gpu(99)), GND_ERROR_DEVICE, "99");
    CHECK_ERROR(gnd_fft_cache_set_limit(gnd_gpu(99), 1), GND_ERROR_DEVICE, "99");
}

/* Threads that share plans, make and drop them. */
static void *transforms(void *context) {
    int *wrong = context;
    GND_SCOPE {
        for (int i = 0; i < 60; i++) {
            gnd_array *x = wave(5, 20 + i % 7, GND_COMPLEX128);
            gnd_array *y = gnd_fftn(x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD);
            *wrong += !near(gnd_ifftn(y, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD), x, 1e-14);
            if (i % 20 == 19) gnd_fft_cache_clear(gnd_current_device());
        }
    }
    return NULL;
}

TEST(several_threads) {
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, transforms, &wrong[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(wrong[i] == 0);
    }
}

TEST(large_transforms) {
    /* Shared by threads: one long line, lines far apart, both. */
    gnd_array *x = wave(600, 700, GND_COMPLEX64);
    for (int i = 0; i < 3; i++) {
        const gnd_axes axes = i == 2 ? GND_AXES(0, 1) : GND_AXES(i);
        gnd_array *y = gnd_fftn(x, GND_SCALAR, axes, GND_FFT_ORTHO);
        CHECK(near(gnd_ifftn(y, GND_SCALAR, axes, GND_FFT_ORTHO), x, 1e-5));
        /* Parseval: the same sum of squares. */
        const double before = gnd_item_double(gnd_sum(gnd_square(gnd_absolute(x)), GND_ALL));
        const double after = gnd_item_double(gnd_sum(gnd_square(gnd_absolute(y)), GND_ALL));
        CHECK(fabs(after - before) < 1e-4 * before);
    }
    gnd_array *line = gnd_reshape(x, GND_SHAPE(600 * 700));
    CHECK(near(gnd_ifft(gnd_fft(line, -1, 0, 0), -1, 0, 0), line, 1e-5));
}

TEST_MAIN
