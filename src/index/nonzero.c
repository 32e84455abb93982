/*
 * nonzero.c: the indices of what is not zero.
 */
#include "index/compact.h"
#include "index/index.h"

/* ---- indices -------------------------------------------------------------------------------- */

static gnd_status check_array(const char *fn, const gnd_array *x, gnd_array **indices) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x");
    if (!indices) return gndi_raise_null(fn, "indices");
    if (x->ndim == 0)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "x has no dimensions, so that there are no indices; gnd_reshape(x, "
                          "GND_SHAPE(1)) has one");
    return GND_OK;
}

gnd_status gndi_nonzero(const char *fn, const gnd_array *mask, gnd_array **indices) {
    gndi_packing p;
    gndi_packing_begin(&p, fn, mask);
    return gndi_indices_split(fn, gndi_packing_run(&p), indices);
}

gnd_status gnd_nonzero(const gnd_array *x, gnd_array **indices) {
    static const char fn[] = "gnd_nonzero";
    const gnd_status status = check_array(fn, x, indices);
    return status ? status : gndi_nonzero(fn, x, indices);
}

gnd_status gnd_nonzero_bounded(const gnd_array *x, int64_t capacity, gnd_array **indices, gnd_array **count) {
    static const char fn[] = "gnd_nonzero_bounded";
    gndi_packing p;
    gnd_status status = check_array(fn, x, indices);
    if (status) return status;
    if (!count) return gndi_raise_null(fn, "count");
    *count = NULL;
    if (capacity < 0) return gndi_raise(GND_ERROR_VALUE, fn, "the capacity is %lld", (long long)capacity);
    gndi_packing_begin(&p, fn, x);
    status = gndi_indices_split(fn, gndi_packing_bounded(&p, capacity, count), indices);
    if (status) gnd_release(*count), *count = NULL;
    return status;
}

gnd_array *gnd_argwhere(const gnd_array *x) {
    static const char fn[] = "gnd_argwhere";
    gndi_packing p;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    gndi_packing_begin(&p, fn, x);
    p.by_rows = true;
    return gndi_packing_run(&p);
}

gnd_array *gnd_flatnonzero(const gnd_array *x) {
    static const char fn[] = "gnd_flatnonzero";
    gndi_packing p;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    gndi_packing_begin(&p, fn, x);
    p.flat = true;
    gnd_array *indices = gndi_packing_run(&p);
    if (!indices) return NULL;
    gnd_array *result = gndi_array_view(fn, indices, 1, indices->shape + 1, NULL, gndi_data(indices), GND_INT64);
    gndi_sole_view(result);
    gnd_release(indices);
    return result;
}
