/*
 * test_kernel.c: kernels of the user's own as C programs use them: the macros, threads, fused blocks, streams, and
 * every allocation that may fail. What kernels compute is tests/oracle's subject.
 */
#include "values.h"
#include <pthread.h>

static gnd_kernel *sqdiff(void) {
    return gnd_kernel_elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "sqdiff", NULL);
}

TEST(elements_and_reductions) {
    gnd_kernel *k = sqdiff();
    gnd_array *x = DOUBLES(1, 2, 3, 4), *z = gnd_kernel_call(k, GND_ARGS(x, 1));
    CHECK(holds(z, 4, (double[]){0, 1, 4, 9}));
    CHECK(gnd_kernel_call_into(z, k, GND_ARGS(x, x)) == GND_OK);
    CHECK(holds(z, 4, (double[]){0, 0, 0, 0}));
    CHECK(strcmp(gnd_kernel_name(k), "sqdiff") == 0);
    gnd_kernel_release(k);

    gnd_kernel *norm = gnd_kernel_reduction("T x", "T n", "x * x", "a + b", "n = sqrt(a)", "0", "norm", NULL);
    gnd_array *m = gnd_reshape(DOUBLES(3, 4, 6, 8), GND_SHAPE(2, 2));
    CHECK(holds(gnd_kernel_reduce(norm, GND_ARGS(m), GND_AXES(1)), 2, (double[]){5, 10}));
    gnd_array *kept = gnd_kernel_reduce(norm, GND_ARGS(m), GND_AXES_KEEP(1));
    CHECK(gnd_ndim(kept) == 2 && holds(kept, 2, (double[]){5, 10}));
    gnd_kernel_release(norm);
}

TEST(several_outputs_given_and_new) {
    gnd_kernel *k =
        gnd_kernel_elementwise("float64 x", "float64 half, int32 whole", "half = x / 2; whole = (int32)x;", NULL, NULL);
    gnd_array *x = DOUBLES(1, 2.5, 4), *half = gnd_zeros(GND_SHAPE(3), GND_FLOAT64), *results[2];
    CHECK(gnd_kernel_apply(results, k, GND_ARGS(x), &(gnd_kernel_call_options){.out = {half}}) == GND_OK);
    CHECK(holds(half, 3, (double[]){0.5, 1.25, 2}));
    CHECK(gnd_dtype_of(results[1]) == GND_INT32 && holds(gnd_astype(results[1], GND_FLOAT64), 3, (double[]){1, 2, 4}));
    CHECK_ERROR(gnd_kernel_call(k, GND_ARGS(x)), GND_ERROR_INVALID, "has 2 outputs");
    CHECK_ERROR(gnd_kernel_apply(NULL, k, GND_ARGS(x), NULL), GND_ERROR_INVALID, "half is not given");
    gnd_kernel_release(k);

    gnd_kernel *count = gnd_kernel_elementwise("", "float64 y", "y = i", "count", NULL);
    gnd_shape shape = GND_SHAPE(2, 2);
    CHECK(gnd_kernel_apply(results, count, 0, NULL, &(gnd_kernel_call_options){.shape = &shape}) == GND_OK);
    CHECK(holds(results[0], 4, (double[]){0, 1, 2, 3}));
    gnd_kernel_release(count);

    gnd_kernel *sum = gnd_kernel_reduction("T x", "T s", "x", "a + b", NULL, "0", "sum", NULL);
    gnd_array *total = gnd_zeros(GND_SCALAR, GND_FLOAT64);
    results[0] = results[1] = NULL;
    CHECK(gnd_kernel_apply(results, sum, GND_ARGS(x), NULL) == GND_OK);
    CHECK(results[0] && !results[1] && gnd_item_double(results[0]) == 7.5);
    CHECK(gnd_kernel_apply(NULL, sum, GND_ARGS(x), &(gnd_kernel_call_options){.out = {total}}) == GND_OK);
    CHECK(gnd_item_double(total) == 7.5);
    CHECK_ERROR(gnd_kernel_apply(results, sum, GND_ARGS(x), &(gnd_kernel_call_options){.shape = &shape}),
                GND_ERROR_INVALID, "a reduction takes no shape");
    gnd_kernel_release(sum);
}

/* As many as are bound: the sanitizers see where one more is looked at. */
TEST(the_most_template_parameters) {
    char source[1024] = "template <int A0", body[256] = "A0", name[128] = "sum<0";
    for (int k = 1; k < 16; k++) {
        snprintf(source + strlen(source), sizeof source - strlen(source), ", int A%d", k);
        snprintf(body + strlen(body), sizeof body - strlen(body), " + A%d", k);
        snprintf(name + strlen(name), sizeof name - strlen(name), ", %d", k);
    }
    snprintf(source + strlen(source), sizeof source - strlen(source),
             "> __global__ void sum(double *x) { x[0] = %s; }\n", body);
    strcat(name, ">");
    gnd_module *module = gnd_module_new(source, &(gnd_module_options){.names = name});
    gnd_kernel *sum = gnd_module_function(module, name);
    gnd_array *x = gnd_zeros(GND_SHAPE(1), GND_FLOAT64);
    CHECK(gnd_launch(sum, GND_DIM3(1), GND_DIM3(1), 0, GND_ARGS(x)) == GND_OK);
    CHECK(gnd_item_double(x) == 120);
    gnd_kernel_release(sum);
    gnd_module_release(module);
}

TEST(modules) {
    gnd_module *module =
        gnd_module_new("__constant__ double weight[2];\n"
                       "template <class T> __global__ void scale(const T *x, T *y, T factor, int n) {\n"
                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    if (i < n) y[i] = factor * x[i] * weight[i % 2];\n"
                       "}\n",
                       &(gnd_module_options){.names = "scale<double>"});
    const double weight[2] = {1, 10};
    double back[2];
    CHECK(gnd_module_set(module, "weight", weight, sizeof weight) == GND_OK);
    CHECK(gnd_module_get(module, "weight", back, sizeof back) == GND_OK && back[1] == 10);
    gnd_kernel *scale = gnd_module_function(module, "scale<double>");
    gnd_module_release(module); /* functions keep it */
    gnd_array *x = DOUBLES(1, 2, 3), *y = gnd_zeros(GND_SHAPE(3), GND_FLOAT64);
    CHECK(gnd_launch(scale, GND_DIM3(2), GND_DIM3(2), 0, GND_ARGS(x, y, 2.0, 3)) == GND_OK);
    CHECK(holds(y, 3, (double[]){2, 40, 6}));
    gnd_kernel_release(scale);
}

TEST(nothing_is_no_kernel) {
    CHECK_ERROR(gnd_kernel_elementwise(NULL, "T z", "z = 1", NULL, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_kernel_elementwise("T x", NULL, "z = 1", NULL, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_kernel_elementwise("T x", "T z", NULL, NULL, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_kernel_reduction("T x", "T z", NULL, "a", NULL, NULL, NULL, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_vectorize(NULL, "x", NULL, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_guvectorize(NULL, "T x", "T y", "y", NULL, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_module_new(NULL, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_module_function(NULL, "f"), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_module_set(NULL, "f", "", 1), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_module_get(NULL, "f", NULL, 1), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_launch(NULL, GND_DIM3(1), GND_DIM3(1), 0, 0, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_kernel_call(NULL, 0, NULL), GND_ERROR_INVALID, "NULL");
    CHECK_ERROR(gnd_kernel_reduce(NULL, 0, NULL, GND_ALL), GND_ERROR_INVALID, "NULL");
    gnd_kernel *k = sqdiff();
    gnd_array *none = NULL;
    CHECK_ERROR(gnd_kernel_call(k, GND_ARGS(none, 1)), GND_ERROR_INVALID, "x");
    CHECK_ERROR(gnd_kernel_call(k, GND_ARGS(GND_NONE, 1)), GND_ERROR_INVALID, "GND_NONE");
    CHECK_ERROR(gnd_kernel_call(k, 2, NULL), GND_ERROR_INVALID, "takes 2 arguments");
    CHECK_ERROR(gnd_kernel_call_into(NULL, k, GND_ARGS(1, 1)), GND_ERROR_INVALID, "out");
    CHECK_ERROR(gnd_kernel_reduce(k, GND_ARGS(1, 1), GND_ALL), GND_ERROR_INVALID, "no reduction");
    gnd_kernel_release(k);
    gnd_kernel_release(NULL);
    gnd_module_release(NULL);
}

TEST(operands_of_a_fused_block) {
    gnd_kernel *k = sqdiff();
    gnd_array *x = DOUBLES(1, 2, 3, 4), *z = NULL, *w = NULL;
    GND_FUSE {
        gnd_array *shifted = gnd_add(x, 1);
        z = gnd_kernel_call(k, GND_ARGS(shifted, x)); /* wants shifted now */
        w = gnd_keep(gnd_multiply(z, 5));
        CHECK(gnd_kernel_call_into(z, k, GND_ARGS(x, 0)) == GND_OK); /* what w reads is computed first */
        gnd_keep(z);
    }
    CHECK(holds(w, 4, (double[]){5, 5, 5, 5}));
    CHECK(holds(z, 4, (double[]){1, 4, 9, 16}));
    gnd_release(z);
    gnd_release(w);
    gnd_kernel_release(k);
}

static void *call_from_a_thread(void *context) {
    gnd_kernel *k = context;
    int wrong = 0;
    for (int round = 0; round < 20; round++)
        GND_SCOPE {
            gnd_array *x = count_up(GND_SHAPE(100), round % 2 ? GND_FLOAT64 : GND_FLOAT32);
            gnd_array *z = gnd_astype(gnd_kernel_call(k, GND_ARGS(x, 1)), GND_FLOAT64);
            wrong += gnd_item_double(gnd_slice(z, "99")) != 98.0 * 98;
        }
    return wrong || gnd_error() ? context : NULL;
}

TEST(one_kernel_in_several_threads) {
    gnd_kernel *k = sqdiff();
    pthread_t thread[4];
    for (int t = 0; t < 4; t++) CHECK(pthread_create(&thread[t], NULL, call_from_a_thread, k) == 0);
    for (int t = 0; t < 4; t++) {
        void *result = k;
        CHECK(pthread_join(thread[t], &result) == 0 && !result);
    }
    gnd_kernel_release(k);
}

/* All kinds of kernels, once; true if nothing failed. */
static bool use_all(void) {
    bool good = true;
    GND_SCOPE {
        gnd_array *x = gnd_ones(GND_SHAPE(40), GND_FLOAT64), *y = gnd_zeros(GND_SHAPE(40), GND_FLOAT64);
        gnd_kernel *k =
            gnd_kernel_elementwise("T x", "T z", "z = f(x)", "failing",
                                   &(gnd_kernel_options){.preamble = "double f(double x) { return x + 1; }"});
        gnd_kernel *sum = gnd_kernel_reduction("T x", "T s", "x", "a + b", NULL, "0", "sum", NULL);
        gnd_kernel *vector = gnd_vectorize("float64(float64)", "x + 1", NULL, NULL);
        gnd_module *module =
            gnd_module_new("__constant__ int c; __global__ void f(gnd::array<double> x) { x[threadIdx.x] = c; }", NULL);
        gnd_kernel *f = module ? gnd_module_function(module, "f") : NULL;
        gnd_kernel *both = gnd_kernel_elementwise("T x", "T v, T w, T z", "v = w = z = x", NULL, NULL);
        gnd_array *results[3] = {NULL};
        const int c = 3;
        good = k && sum && vector && f && both;
        good = good && !gnd_kernel_apply(results, both, GND_ARGS(x),
                                         &(gnd_kernel_call_options){.out = {y, NULL, gnd_empty_like(x, 0)}});
        if (!good && (results[0] || results[1] || results[2])) CHECK(!"a failure changed results");
        good = good && gnd_kernel_call(k, GND_ARGS(x)) && gnd_kernel_call(sum, GND_ARGS(x)) &&
               gnd_kernel_call(vector, GND_ARGS(x)) && !gnd_module_set(module, "c", &c, sizeof c) &&
               !gnd_launch(f, GND_DIM3(1), GND_DIM3(40), 0, GND_ARGS(y));
        good = good && gnd_item_double(gnd_sum(y, GND_ALL)) == 120;
        gnd_kernel_release(k), gnd_kernel_release(sum), gnd_kernel_release(vector);
        gnd_kernel_release(f), gnd_kernel_release(both);
        gnd_module_release(module);
    }
    return good;
}

GND_API void gndi_fail_alloc_at(int64_t n);

TEST(every_allocation_may_fail) {
    CHECK(use_all());
    bool done = false;
    for (int64_t n = 1; n < 2000 && !done; n++) {
        gndi_fail_alloc_at(n);
        const bool good = use_all();
        gndi_fail_alloc_at(0);
        done = good && !gnd_error();
        if (!good && !gnd_error()) CHECK(!"failed without an error");
        if (gnd_error() && gnd_error()->code != GND_ERROR_MEMORY) CHECK(!"another error");
        gnd_error_clear();
    }
    CHECK(done);
}

TEST_MAIN
