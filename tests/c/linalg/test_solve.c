/*
 * test_solve.c: systems, inverses, factors and determinants: values, matrices that fail and when that is
 * told, results of refused calls, several threads, and a machine without OpenBLAS. The oracle tests
 * compare many more cases with NumPy and SciPy.
 */
#define _GNU_SOURCE
#include "reads.h"
#include "values.h"
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static gnd_array *matrix(int64_t rows, int64_t columns, const double *values) {
    return gnd_from_host(values, GND_SHAPE(rows, columns), GND_FLOAT64);
}
#define MATRIX(rows, columns, ...) matrix(rows, columns, (const double[]){__VA_ARGS__})

/* Whether the elements are these but for rounding; NaN is NaN. */
static bool near(const gnd_array *a, int64_t n, const double *values) {
    double got[16];
    if (!a || gnd_size(a) != n || gnd_to_host(gnd_astype(a, GND_FLOAT64), got, (size_t)n * 8)) return false;
    for (int64_t i = 0; i < n; i++)
        if (isnan(got[i]) ? !isnan(values[i]) : !(fabs(got[i] - values[i]) <= 4e-15 * fabs(values[i]))) return false;
    return true;
}
#define NEAR(a, ...) near(a, (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

/* Three matrices, of which the second has no inverse. */
static gnd_array *one_is_singular(void) {
    const double values[] = {2, 0, 0, 4, 1, 0, 0, 0, 1, 0, 0, 5};
    return gnd_from_host(values, GND_SHAPE(3, 2, 2), GND_FLOAT64);
}

/* ---- values --------------------------------------------------------------------------------- */

TEST(systems) {
    gnd_array *a = MATRIX(2, 2, 2, 1, 0, 4), *b = DOUBLES(4, 8);
    CHECK(NEAR(gnd_solve(a, b), 1, 2));
    CHECK(NEAR(gnd_solve(gnd_transpose(a), b), 2, 1.5));
    CHECK(NEAR(gnd_solve(a, gnd_reshape(b, GND_SHAPE(2, 1))), 1, 2));
    gnd_triangular_options options = {0};
    CHECK(NEAR(gnd_solve_triangular(a, b, options), 1, 2));
    options.trans = GND_TRANS_T;
    CHECK(NEAR(gnd_solve_triangular(a, b, options), 2, 1.5));
    options.lower = true, options.trans = GND_TRANS_NONE;
    CHECK(NEAR(gnd_solve_triangular(a, b, options), 2, 2));
    options.unit_diagonal = true;
    CHECK(NEAR(gnd_solve_triangular(a, b, options), 4, 8));
    CHECK(NEAR(gnd_inv(a), 0.5, -0.125, 0, 0.25));
    CHECK(HOLDS_AS(gnd_solve(gnd_astype(a, GND_INT8), gnd_astype(b, GND_FLOAT32)), GND_FLOAT64, 1, 2));
    CHECK(NEAR(gnd_tensorsolve(gnd_reshape(a, GND_SHAPE(1, 2, 2)), gnd_reshape(b, GND_SHAPE(1, 2)), GND_ALL), 1, 2));
    CHECK(NEAR(gnd_tensorinv(gnd_reshape(a, GND_SHAPE(2, 2, 1)), 1), 0.5, -0.125, 0, 0.25));
}

TEST(factors) {
    gnd_array *a = MATRIX(2, 2, 1, 2, 4, 4), *p, *l, *u, *pivots;
    CHECK(gnd_lu(&p, &l, &u, a) == GND_OK);
    CHECK(HOLDS(p, 0, 1, 1, 0) && HOLDS(l, 1, 0, 0.25, 1) && HOLDS(u, 4, 4, 0, 1));
    CHECK(gnd_lu_indices(&p, NULL, NULL, a) == GND_OK && HOLDS_AS(p, GND_INT64, 1, 0));
    CHECK(gnd_lu_permuted(&l, &u, a) == GND_OK && HOLDS(l, 0.25, 1, 1, 0));
    CHECK(gnd_lu_factor(&l, &pivots, a) == GND_OK);
    CHECK(HOLDS(l, 4, 4, 0.25, 1) && HOLDS_AS(pivots, GND_INT32, 1, 1));
    CHECK(NEAR(gnd_lu_solve(l, pivots, DOUBLES(3, 8), GND_TRANS_NONE), 1, 1));
    CHECK(NEAR(gnd_lu_solve(l, pivots, DOUBLES(5, 6), GND_TRANS_T), 1, 1));
    gnd_array *s = MATRIX(2, 2, 4, 2, 2, 10);
    CHECK(NEAR(gnd_cholesky(s, false), 2, 0, 1, 3) && NEAR(gnd_cholesky(s, true), 2, 1, 0, 3));
    gnd_array *c = gnd_cho_factor(s, true);
    CHECK(HOLDS(c, 2, 2, 1, 3));
    CHECK(NEAR(gnd_cho_solve(c, DOUBLES(6, 12), true), 1, 1));
}

TEST(determinants) {
    gnd_array *sign, *logarithm;
    CHECK(NEAR(gnd_det(MATRIX(2, 2, 0, 1, 1, 0)), -1));
    CHECK(NEAR(gnd_det(one_is_singular()), 8, 0, 5) || gnd_error());
    CHECK(gnd_slogdet(&sign, &logarithm, gnd_eye(400, 400, 0, GND_FLOAT32)) == GND_OK);
    CHECK(HOLDS_AS(sign, GND_FLOAT32, 1) && HOLDS_AS(logarithm, GND_FLOAT32, 0));
    CHECK(NEAR(gnd_det(gnd_zeros(GND_SHAPE(2, 0, 0), GND_FLOAT64)), 1, 1));
    CHECK(gnd_sync() == GND_OK);
}

/* ---- matrices that fail --------------------------------------------------------------------- */

TEST(a_failed_matrix_is_told_at_the_next_wait) {
    gnd_array *a = one_is_singular(), *b = gnd_full(GND_SHAPE(2), 4, GND_FLOAT64);
    CHECK(!gnd_linalg_strict(false));
    gnd_array *x = gnd_solve(a, b);
    CHECK(x != NULL);
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE,
                "gnd_solve: matrix 1 of 3 is singular: pivot 2 is zero (found when gnd_sync waited)");
    CHECK(gnd_sync() == GND_OK); /* once */
    CHECK(NEAR(x, 2, 1, NAN, NAN, 4, 0.8));
    gnd_array *inverse = gnd_inv(a);
    CHECK(inverse != NULL);
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "gnd_inv: matrix 1 of 3 is singular");
    CHECK(NEAR(inverse, 0.5, 0, 0, 0.25, NAN, NAN, NAN, NAN, 1, 0, 0, 0.2));
    gnd_array *c = gnd_cholesky(gnd_negative(MATRIX(1, 1, 4)), false);
    CHECK_ERROR(gnd_sync(), GND_ERROR_VALUE, "a matrix is not positive definite: its leading minor of order 1 is not");
    CHECK(HOLDS(c, NAN));
}

TEST(a_strict_thread_is_told_at_once) {
    gnd_array *a = one_is_singular(), *b = gnd_full(GND_SHAPE(2), 4, GND_FLOAT64);
    gnd_array *none = a;
    CHECK(!gnd_linalg_strict(true));
    CHECK(NEAR(gnd_solve(MATRIX(1, 1, 2), DOUBLES(3)), 1.5));
    CHECK_ERROR(none = gnd_solve(a, b), GND_ERROR_VALUE, "gnd_solve: matrix 1 of 3 is singular: pivot 2 is zero");
    CHECK(none == NULL);
    CHECK_ERROR(none = gnd_inv(a), GND_ERROR_VALUE, "gnd_inv: matrix 1 of 3");
    CHECK(none == NULL);
    CHECK_ERROR(none = gnd_cholesky(a, false), GND_ERROR_VALUE, "gnd_cholesky: matrix 1 of 3 is not positive definite");
    CHECK(none == NULL);
    CHECK_ERROR(none = gnd_cho_factor(a, false), GND_ERROR_VALUE, "gnd_cho_factor: matrix 1");
    CHECK(none == NULL);
    CHECK_ERROR(none = gnd_solve_triangular(a, b, (gnd_triangular_options){0}), GND_ERROR_VALUE,
                "gnd_solve_triangular: matrix 1 of 3 is singular: pivot 2 is zero");
    CHECK(none == NULL);
    CHECK(NEAR(gnd_det(a), 8, 0, 5));
    CHECK(gnd_linalg_strict(false));
    CHECK(gnd_sync() == GND_OK);
}

/* One of them: whichever is found first. */
TEST(a_failed_matrix_of_many_is_named) {
    const int64_t count = 3000;
    gnd_array *a = gnd_zeros(GND_SHAPE(count, 3, 3), GND_FLOAT64);
    gnd_array *good = gnd_slice(a, ":1234");
    CHECK(gnd_copyto(good, gnd_arg_array(gnd_eye(3, 3, 0, GND_FLOAT64))) == GND_OK);
    for (int i = 0; i < 5; i++) {
        gnd_error_record error;
        gnd_release(gnd_inv(a));
        CHECK(gnd_sync() == GND_ERROR_VALUE && gnd_error_take(&error));
        const char *named = strstr(error.message, "gnd_inv: matrix ");
        const int64_t number = named ? strtoll(named + strlen("gnd_inv: matrix "), NULL, 10) : -1;
        CHECK(number >= 1234 && number < count);
        CHECK(strstr(error.message, "of 3000 is singular: pivot 1 is zero"));
    }
}

/* ---- bad input ------------------------------------------------------------------------------ */

TEST(refused_calls_leave_no_results) {
    gnd_array *line = DOUBLES(1, 2), *half = gnd_ones(GND_SHAPE(2, 2), GND_FLOAT16);
    gnd_array *x = line, *y = line, *z = line;
    CHECK_ERROR(gnd_lu(&x, &y, &z, line), GND_ERROR_SHAPE, "gnd_lu: a must be a matrix");
    CHECK(!x && !y && !z);
    x = y = z = line;
    CHECK_ERROR(gnd_lu_indices(&x, &y, &z, NULL), GND_ERROR_INVALID, "gnd_lu_indices");
    CHECK(!x && !y && !z);
    x = y = line;
    CHECK_ERROR(gnd_lu_permuted(&x, &y, half), GND_ERROR_DTYPE, "float16");
    CHECK(!x && !y);
    x = y = line;
    CHECK_ERROR(gnd_lu_factor(&x, &y, half), GND_ERROR_DTYPE, "float16");
    CHECK(!x && !y);
    x = y = line;
    CHECK_ERROR(gnd_slogdet(&x, &y, line), GND_ERROR_SHAPE, "gnd_slogdet");
    CHECK(!x && !y);
    CHECK_ERROR(gnd_solve(NULL, line), GND_ERROR_INVALID, "gnd_solve");
    CHECK_ERROR(gnd_tensorinv(line, 0), GND_ERROR_VALUE, "ind");
}

static gnd_array *upper_of(const gnd_array *a) {
    gnd_array *u = NULL;
    gnd_lu(NULL, NULL, &u, a);
    return u;
}

static gnd_array *permuted_lower_of(const gnd_array *a) {
    gnd_array *l = NULL, *u = NULL;
    gnd_lu_permuted(&l, &u, a);
    gnd_release(u);
    return l;
}

TEST(out_of_memory) {
    gnd_array *a = MATRIX(2, 2, 4, 2, 2, 10), *b = gnd_ones(GND_SHAPE(3, 2, 1), GND_FLOAT32);
    gnd_array *lu, *pivots;
    CHECK(gnd_lu_factor(&lu, &pivots, a) == GND_OK);
    CHECK_FAILS_CLEANLY(gnd_solve(a, b));
    CHECK_FAILS_CLEANLY(gnd_inv(a));
    CHECK_FAILS_CLEANLY(gnd_det(a));
    CHECK_FAILS_CLEANLY(gnd_cholesky(gnd_transpose(a), true));
    CHECK_FAILS_CLEANLY(upper_of(a));
    CHECK_FAILS_CLEANLY(permuted_lower_of(a));
    CHECK_FAILS_CLEANLY(gnd_lu_solve(lu, pivots, b, GND_TRANS_NONE));
    CHECK_FAILS_CLEANLY(gnd_cho_solve(a, b, false));
    CHECK_FAILS_CLEANLY(gnd_tensorinv(a, 1));
}

/* ---- threads -------------------------------------------------------------------------------- */

/* The largest error of a's inverse times a. */
static double inverse_error(gnd_shape shape) {
    double worst = INFINITY;
    GND_SCOPE {
        gnd_array *a = gnd_astype(count_up(shape, GND_INT64), GND_FLOAT64);
        const int64_t n = shape.dim[shape.ndim - 1];
        gnd_array *unit = gnd_eye(n, n, 0, GND_FLOAT64);
        a = gnd_add(gnd_sin(a), gnd_multiply(unit, (double)n));
        gnd_array *x = gnd_solve(a, a);
        worst = gnd_item_double(gnd_max(gnd_absolute(gnd_subtract(x, unit)), GND_ALL));
    }
    return worst;
}

static void *solve_often(void *which) {
    const gnd_shape shapes[] = {GND_SHAPE(300, 300), GND_SHAPE(400, 12, 12), GND_SHAPE(3, 190, 190),
                                GND_SHAPE(20, 80, 80)};
    for (int i = 0; i < 8; i++)
        if (!(inverse_error(shapes[(i + *(const int *)which) % 4]) < 1e-12)) return which;
    return NULL;
}

/* How many threads OpenBLAS has; 0 if it is not loaded. */
static int openblas_threads(void) {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (!library) return 0;
    union {
        void *address;
        int (*call)(void);
    } get = {.address = dlsym(library, "openblas_get_num_threads")};
    const int threads = get.address ? get.call() : 0;
    dlclose(library);
    return threads;
}

TEST(several_threads_at_once) {
    static int number[4] = {0, 1, 2, 3};
    pthread_t caller[4];
    CHECK(inverse_error(GND_SHAPE(2, 2)) < 1e-14);
    const int before = openblas_threads();
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&caller[i], NULL, solve_often, &number[i]) == 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(caller[i], &failed);
        CHECK(!failed);
    }
    CHECK(openblas_threads() == before);
}

static void *is_strict(void *unused) {
    (void)unused;
    static bool strict;
    strict = gnd_linalg_strict(false);
    return &strict;
}

TEST(each_thread_is_strict_for_itself) {
    pthread_t thread;
    void *result = NULL;
    gnd_linalg_strict(true);
    CHECK(pthread_create(&thread, NULL, is_strict, NULL) == 0);
    pthread_join(thread, &result);
    CHECK(result && !*(bool *)result);
    CHECK(gnd_linalg_strict(false));
}

/* ---- a process of its own ------------------------------------------------------------------- */

/* A solve without its library: the message, and whether there is a result. */
static int child_without(void) {
    GND_SCOPE {
        gnd_array *b = gnd_ones(GND_SHAPE(2), GND_FLOAT64);
        gnd_array *x = gnd_solve(gnd_eye(2, 2, 0, GND_FLOAT64), b);
        printf("%s: %s\n", x ? "a result" : "no result", gnd_error() ? gnd_error()->message : "");
    }
    return 0;
}

/* How many threads OpenBLAS has, before and after a batch. */
static int child_threads(void) {
    GND_SCOPE {
        gnd_inv(gnd_eye(2, 2, 0, GND_FLOAT64));
        printf("%d", openblas_threads());
        gnd_inv(gnd_ones(GND_SHAPE(100, 1, 1), GND_FLOAT64));
        printf(" %d\n", openblas_threads());
    }
    return 0;
}

static const char *child(const char *environment, const char *part) {
    static char output[4096];
    char command[1024], self[512];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    output[0] = '\0';
    if (length <= 0) return output;
    self[length] = '\0';
    snprintf(command, sizeof command, "env %s '%s' child %s 2>&1", environment, self, part);
    FILE *pipe = popen(command, "r");
    output[pipe ? fread(output, 1, sizeof output - 1, pipe) : 0] = '\0';
    if (pipe) pclose(pipe);
    return output;
}

TEST(without_openblas) {
    const char *text = child("GND_DEVICE=cpu GND_WITHOUT=OpenBLAS", "without");
    CHECK(strstr(text, "no result: gnd_solve: this needs OpenBLAS, which is missing"));
    CHECK(strstr(text, "OpenBLAS (Debian: libopenblas0)"));
}

TEST(openblas_has_as_many_threads_as_gnd) {
    CHECK(strcmp(child("GND_DEVICE=cpu GND_NUM_THREADS=3", "threads"), "3 3\n") == 0);
    CHECK(strcmp(child("GND_DEVICE=cpu GND_NUM_THREADS=1", "threads"), "1 1\n") == 0);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "child") == 0)
        return strcmp(argv[2], "without") == 0 ? child_without() : child_threads();
    return tap_main(argc, argv);
}
