/*
 * sets_unique.c: unique: checks, and the distinct values of all elements by sorting.
 */
#include "sets/sets.h"
#include "elementwise/truths.h"

bool gndi_unique_flat(gndi_unique *u) {
    gndi_temporaries s = {.fn = u->fn};
    bool done = false;
    const bool indexed = u->wishes & (GNDI_UNIQUE_INDEX | GNDI_UNIQUE_INVERSE);
    const uint64_t worthwhile = gndi_unique_worthwhile(u);
    gnd_array *sorted = NULL, *indices = NULL;
    if (worthwhile) sorted = gndi_sets_sorted(&s, u->x, indexed ? &indices : NULL, worthwhile);
    if (s.failed) return gndi_sets_end(&s, u);
    if (!sorted) {
        gndi_temporaries_end(&s, NULL);
        if (!gndi_unique_table(u, worthwhile != 0, &done)) return false;
        if (done) return true;
        sorted = gndi_sets_sorted(&s, u->x, indexed ? &indices : NULL, 0);
    }
    gnd_array *edges = NULL; /* only for the sum of them */
    if (u->wishes & GNDI_UNIQUE_INVERSE) edges = gndi_sets_edges(&s, sorted, u->equal_nan);
    gndi_sets_results(&s, u, sorted, edges, indices, u->x->ndim, u->x->shape);
    return gndi_sets_end(&s, u);
}

/* ---- the public functions ------------------------------------------------------------------- */

/* Whether there is an axis to go along, and which. */
static bool check_axes(const char *fn, const gnd_array *x, const gnd_axes *axes, int *axis) {
    *axis = -1;
    if (!gndi_sort_check_options(fn, axes)) return false;
    if (axes->out) {
        gndi_raise(GND_ERROR_INVALID, fn, "takes no `out`: how large the result is depends on x");
        return false;
    }
    if (axes->count == 0) return true;
    if (axes->count != 1) {
        gndi_raise(GND_ERROR_INVALID, fn, "works along one axis, or with GND_ALL; %d were given",
                   axes->count < 0 ? 0 : axes->count);
        return false;
    }
    return gndi_normalize_axis(fn, axes->axis[0], x->ndim, axis);
}

static void store(gnd_array **to, gnd_array *result) {
    if (to) *to = result;
}

static gnd_array *unique(const char *fn, const gnd_array *x, const gnd_axes *axes, const gnd_unique_options *options) {
    gndi_unique u = {.fn = fn, .x = x, .equal_nan = !options->distinct_nan};
    int axis;
    store(options->index, NULL), store(options->inverse, NULL), store(options->counts, NULL);
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!check_axes(fn, x, axes, &axis)) return NULL;
    if (options->index) u.wishes |= GNDI_UNIQUE_INDEX;
    if (options->inverse) u.wishes |= GNDI_UNIQUE_INVERSE;
    if (options->counts) u.wishes |= GNDI_UNIQUE_COUNTS;
    gnd_array *made;
    if (!(u.x = gndi_truths(fn, x, &made))) return NULL;
    const bool good = axis < 0 || x->ndim == 1 ? gndi_unique_flat(&u) : gndi_unique_rows(&u, axis);
    gnd_release(made);
    if (!good) return NULL;
    store(options->index, u.index), store(options->inverse, u.inverse);
    store(options->counts, u.counts);
    return u.values;
}

gnd_array *gnd_unique(const gnd_array *x, gnd_axes axes, const gnd_unique_options *options) {
    const gnd_unique_options none = {.index = NULL};
    return unique("gnd_unique", x, &axes, options ? options : &none);
}

/* ---- the array API's ------------------------------------------------------------------------ */

static gnd_array *distinct(const char *fn, const gnd_array *x, gnd_unique_options options) {
    const gnd_axes all = {.count = 0};
    options.distinct_nan = true;
    return unique(fn, x, &all, &options);
}

gnd_array *gnd_unique_values(const gnd_array *x) {
    return distinct("gnd_unique_values", x, (gnd_unique_options){.unsorted = true});
}

gnd_array *gnd_unique_counts(const gnd_array *x, gnd_array **counts) {
    return distinct("gnd_unique_counts", x, (gnd_unique_options){.counts = counts});
}

gnd_array *gnd_unique_inverse(const gnd_array *x, gnd_array **inverse) {
    return distinct("gnd_unique_inverse", x, (gnd_unique_options){.inverse = inverse});
}

gnd_array *gnd_unique_all(const gnd_array *x, gnd_array **index, gnd_array **inverse, gnd_array **counts) {
    const gnd_unique_options options = {.index = index, .inverse = inverse, .counts = counts};
    return distinct("gnd_unique_all", x, options);
}
