/*
 * 15_generalised_ufuncs.c: functions of vectors and matrices that broadcast: the length of each vector, and
 * the product of each pair of matrices, of a whole stack.
 *
 *     15_generalised_ufuncs [COUNT]
 *
 * A signature names the axes that one run of the body gets whole, "(m,n),(n,p)->(m,p)"; all axes before them are
 * looped over, and broadcast. Sizes are checked, and are variables of the body.
 */
#include "example.h"

#include <stdio.h>

enum { SIDE = 8, LENGTH = 100 };

/* The length of a vector, with the threads of a GPU's block summing it up together. */
static gnd_kernel *l2_norm(void) {
    return gnd_guvectorize("(n)->()", "T x", "T length",
                           "T sum = 0;\n"
                           "for (long long k = lane; k < n; k += lanes) sum += x[k] * x[k];\n"
                           "length = sqrt(lane_sum(sum));",
                           "l2_norm", &(gnd_kernel_options){.lanes = 32});
}

/* The product of two matrices; each of its elements is computed on its own. */
static gnd_kernel *matrix_product(void) {
    return gnd_guvectorize("(m,n),(n,p)->(m,p)", "T a, T b", "T c",
                           "T sum = 0;\n"
                           "for (int k = 0; k < n; k++) sum += a(m_, k) * b(k, p_);\n"
                           "c(m_, p_) = sum;",
                           "product", &(gnd_kernel_options){.parallel = "m,p"});
}

enum { LENGTHS, PRODUCTS, AGAINST_ONE, LINES };
static const char *const names[LINES] = {"the length of each of the vectors", "products of 8 x 8",
                                         "products with one matrix"};

/* A call of a kernel with one or two arguments. */
typedef struct job {
    gnd_kernel *kernel;
    const gnd_array *a, *b;
} job;
static void run(void *context) {
    const job *j = context;
    if (j->b) gnd_kernel_call(j->kernel, GND_ARGS(j->a, j->b));
    if (!j->b) gnd_kernel_call(j->kernel, GND_ARGS(j->a));
}

static void measure(gnd_kernel *norm, gnd_kernel *product, int64_t count, double ms[LINES]) {
    GND_SCOPE {
        gnd_array *x = example_random(GND_SHAPE(count, LENGTH), 21);
        gnd_array *lengths = gnd_kernel_call(norm, GND_ARGS(x));
        gnd_array *expected = gnd_vector_norm(x, 2, GND_AXES(1));
        example_check(example_difference(lengths, expected) < 1e-5, "lengths are not right");
        ms[LENGTHS] = example_time(run, &(job){norm, x, NULL});

        /* A stack of matrices against another one, and against one matrix, which broadcasts. */
        gnd_array *a = example_random(GND_SHAPE(count, SIDE, SIDE), 22);
        gnd_array *b = example_random(GND_SHAPE(count, SIDE, SIDE), 23);
        gnd_array *one = gnd_slice(b, "0");
        gnd_array *c = gnd_kernel_call(product, GND_ARGS(a, b));
        example_check(example_difference(c, gnd_matmul(a, b)) < 1e-5, "products are not right");
        gnd_array *d = gnd_kernel_call(product, GND_ARGS(a, one));
        example_check(example_difference(d, gnd_matmul(a, one)) < 1e-5, "nor against one");
        ms[PRODUCTS] = example_time(run, &(job){product, a, b});
        ms[AGAINST_ONE] = example_time(run, &(job){product, a, one});

        printf("on the %s: (%lld, %d) -> (%lld,), of mean %.3f; matrices -> (%lld, %d, %d)\n",
               gnd_current_device().kind == GND_GPU ? "GPU" : "CPU", (long long)count, LENGTH,
               (long long)gnd_dim(lengths, 0), gnd_item_double(gnd_mean(lengths, GND_ALL)), (long long)gnd_dim(c, 0),
               SIDE, SIDE);
        gnd_check();
    }
}

/* What does not fit is refused in words. */
static void show_refusal(gnd_kernel *product) {
    GND_SCOPE {
        gnd_array *a = example_random(GND_SHAPE(3, SIDE, SIDE), 24);
        gnd_kernel_call(product, GND_ARGS(a, gnd_slice(a, ":, :5, :")));
        gnd_error_record error;
        example_check(gnd_error_take(&error), "matrices that do not fit were multiplied");
        printf("\nOf operands that do not fit:\n%s\n", error.message);
    }
}

int main(int argc, char **argv) {
    const int64_t count = example_size(argc, argv, 100000, 5000);
    example_title("Generalised ufuncs");
    gnd_kernel *norm = l2_norm(), *product = matrix_product();
    gnd_check();
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), measure(norm, product, count, ms[d]);
    printf("\n%lld vectors of %d, and pairs of matrices:\n", (long long)count, LENGTH);
    example_table(LINES, names, ms[0]);
    show_refusal(product);
    printf("\nLook at the signatures: \"(n)->()\" and \"(m,n),(n,p)->(m,p)\" are all that was said\n"
           "about shapes. Every axis before those named is looped over, and sizes are\n"
           "checked.\n");
    gnd_kernel_release(norm), gnd_kernel_release(product);
    return 0;
}
