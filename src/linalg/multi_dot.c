/*
 * multi_dot.c: the product of a chain of matrices. cost[i][j] is the least number of multiplications
 * for matrices i to j, found for ever longer pieces of the chain; split[i][j] is where it is cut.
 */
#include "linalg/products.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_multi_dot

typedef struct chain {
    const char *fn;
    int count;
    const gnd_array *const *array;
    int64_t *size; /* matrix i is size[i] x size[i + 1] */
    double *cost;
    int *split;
} chain;

static bool refuse(const char *fn, int i, const gnd_array *a, const char *what) {
    gndi_raise(GND_ERROR_SHAPE, fn, "array %d must be %s; its shape is %s", i, what,
               gndi_text_shape(a->ndim, a->shape));
    return false;
}

/* Matrices all, but for a vector at either end. */
static bool check_chain(const char *fn, int count, const gnd_array *const *array) {
    for (int i = 0; i < count; i++) {
        const gnd_array *a = array[i];
        const bool end = i == 0 || i == count - 1;
        if (!end && a->ndim != 2) return refuse(fn, i, a, "2-dimensional");
        if (end && a->ndim != 1 && a->ndim != 2) return refuse(fn, i, a, "1- or 2-dimensional");
        if (i == 0) continue;
        if (array[i - 1]->shape[array[i - 1]->ndim - 1] == a->shape[0]) continue;
        gndi_raise(GND_ERROR_SHAPE, fn,
                   "array %d, of shape %s, must have as many columns as array %d, of shape %s, has "
                   "rows",
                   i - 1, gndi_text_shape(array[i - 1]->ndim, array[i - 1]->shape), i,
                   gndi_text_shape(a->ndim, a->shape));
        return false;
    }
    return true;
}

static void find_order(chain *c) {
    const int n = c->count;
    for (int i = 0; i < n; i++) c->cost[i * n + i] = 0;
    for (int length = 1; length < n; length++)
        for (int i = 0; i + length < n; i++) {
            const int j = i + length;
            double least = 0;
            for (int k = i; k < j; k++) {
                const double cost = c->cost[i * n + k] + c->cost[(k + 1) * n + j] +
                                    (double)c->size[i] * (double)c->size[k + 1] * (double)c->size[j + 1];
                if (k > i && cost >= least) continue;
                least = cost, c->split[i * n + j] = k;
            }
            c->cost[i * n + j] = least;
        }
}

/* The product of matrices i to j, at least two: a new array. */
static gnd_array *multiply(const chain *c, int i, int j) {
    const int k = c->split[i * c->count + j];
    gnd_array *left = i == k ? NULL : multiply(c, i, k), *right = NULL, *product = NULL;
    if (i == k || left) right = k + 1 == j ? NULL : multiply(c, k + 1, j);
    if ((i == k || left) && (k + 1 == j || right))
        product = gndi_matmul(c->fn, left ? left : c->array[i], right ? right : c->array[j], false);
    gnd_release(right);
    gnd_release(left);
    return product;
}

gnd_array *gnd_multi_dot(int count, const gnd_array *const arrays[]) {
    static const char fn[] = "gnd_multi_dot";
    GNDI_PARTS_OF(fn);
    if (count < 2) return gndi_fail(GND_ERROR_INVALID, fn, "takes at least two arrays, not %d", count);
    if (!gndi_check_arrays(fn, count, arrays)) return NULL;
    if (count == 2) return gnd_dot(arrays[0], arrays[1]);
    if (!check_chain(fn, count, arrays)) return NULL;
    const size_t n = (size_t)count;
    chain c = {.fn = fn, .count = count, .array = arrays};
    c.cost = gndi_malloc(fn, n * n * sizeof *c.cost + (n + 1) * sizeof *c.size + n * n * sizeof *c.split);
    if (!c.cost) return NULL;
    c.size = (int64_t *)(c.cost + n * n), c.split = (int *)(c.size + n + 1);
    const gnd_array *first = arrays[0], *last = arrays[count - 1];
    c.size[0] = first->ndim == 1 ? 1 : first->shape[0];
    for (int i = 1; i < count; i++) c.size[i] = arrays[i]->shape[0];
    c.size[count] = last->ndim == 1 ? 1 : last->shape[1];
    find_order(&c);
    gnd_array *product = multiply(&c, 0, count - 1);
    gndi_free(c.cost);
    return product;
}
