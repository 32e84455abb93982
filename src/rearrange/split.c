/*
 * split.c: an array cut along an axis, into views.
 */
#include "rearrange/rearrange.h"

/* `count` indices of `a` along the axis from `first` on. */
static gnd_array *part_of(const char *fn, const gnd_array *a, int axis, int64_t first, int64_t count) {
    gndi_temporaries s = {.fn = fn};
    return gndi_temporaries_end(&s, gndi_step_part(&s, a, axis, first, count, 1));
}

/* A bound of a slice, brought into 0 .. length. */
static int64_t bound(int64_t index, int64_t length) {
    if (index < 0) index += length;
    return index < 0 ? 0 : index > length ? length : index;
}

static gnd_status check_cuts(const char *fn, const gnd_array *a, gnd_cuts cuts, int axis, bool even) {
    const int64_t length = a->shape[axis];
    if (cuts.sections < 0 || cuts.count < 0 || (cuts.sections && cuts.count))
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "%lld sections and %lld indices; give one of the two, and at least one "
                          "section",
                          (long long)cuts.sections, (long long)cuts.count);
    if (cuts.sections == 0 && cuts.count > 0 && !cuts.indices) return gndi_raise_null(fn, "cuts.indices");
    if (cuts.sections == 0 && !cuts.indices)
        return gndi_raise(GND_ERROR_INVALID, fn, "the number of sections must not be 0");
    if (even && cuts.sections && length % cuts.sections)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "axis %d of shape %s does not divide into %lld equal sections; "
                          "gnd_array_split allows for a rest",
                          axis, gndi_text_shape(a->ndim, a->shape), (long long)cuts.sections);
    return GND_OK;
}

static gnd_status cut(const char *fn, const gnd_array *a, gnd_cuts cuts, int axis, bool even, gnd_array *out[]) {
    if (!out) return gndi_raise_null(fn, "out");
    const int64_t number = cuts.sections > 0 ? cuts.sections : cuts.count + 1;
    if (gndi_missing(a)) return gndi_drop_list(gndi_raise_null(fn, "a"), 0, number, out);
    if (!gndi_normalize_axis(fn, axis, a->ndim, &axis)) return gndi_drop_list(gndi_ew_pending(), 0, number, out);
    gnd_status status = check_cuts(fn, a, cuts, axis, even);
    if (status) return gndi_drop_list(status, 0, number, out);
    const int64_t length = a->shape[axis];
    int64_t first = 0, end;
    for (int64_t k = 0; k < number; k++) {
        if (cuts.sections) {
            end = first + length / number + (k < length % number);
        } else {
            first = k == 0 ? 0 : bound(cuts.indices[k - 1], length);
            end = k == cuts.count ? length : bound(cuts.indices[k], length);
        }
        out[k] = part_of(fn, a, axis, first, end > first ? end - first : 0);
        if (!out[k]) return gndi_drop_list(gndi_ew_pending(), k, number, out);
        first = end;
    }
    return GND_OK;
}

gnd_status gnd_split(const gnd_array *a, gnd_cuts cuts, int axis, gnd_array *out[]) {
    return cut("gnd_split", a, cuts, axis, true, out);
}

gnd_status gnd_array_split(const gnd_array *a, gnd_cuts cuts, int axis, gnd_array *out[]) {
    return cut("gnd_array_split", a, cuts, axis, false, out);
}

/* gnd_split of an array that must have `least` dimensions. */
static gnd_status split_of(const char *fn, const gnd_array *a, gnd_cuts cuts, int least, int axis, gnd_array *out[]) {
    if (gndi_missing(a) || !out || a->ndim >= least) return cut(fn, a, cuts, axis, true, out);
    const gnd_status status = gndi_raise(GND_ERROR_SHAPE, fn, "takes arrays of at least %d dimensions; the shape is %s",
                                         least, gndi_text_shape(a->ndim, a->shape));
    return gndi_drop_list(status, 0, cuts.sections > 0 ? cuts.sections : cuts.count + 1, out);
}

gnd_status gnd_hsplit(const gnd_array *a, gnd_cuts cuts, gnd_array *out[]) {
    return split_of("gnd_hsplit", a, cuts, 1, a && a->ndim > 1 ? 1 : 0, out);
}

gnd_status gnd_vsplit(const gnd_array *a, gnd_cuts cuts, gnd_array *out[]) {
    return split_of("gnd_vsplit", a, cuts, 2, 0, out);
}

gnd_status gnd_dsplit(const gnd_array *a, gnd_cuts cuts, gnd_array *out[]) {
    return split_of("gnd_dsplit", a, cuts, 3, 2, out);
}

gnd_status gnd_unstack(const gnd_array *a, int axis, gnd_array *out[]) {
    static const char fn[] = "gnd_unstack";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    if (!gndi_normalize_axis(fn, axis, a->ndim, &axis)) return gndi_ew_pending();
    const int64_t number = a->shape[axis];
    if (!out && number > 0) return gndi_raise_null(fn, "out");
    for (int64_t k = 0; k < number; k++) {
        gndi_temporaries s = {.fn = fn};
        out[k] = gndi_temporaries_end(&s, gndi_step_at(&s, a, axis, k));
        if (!out[k]) return gndi_drop_list(gndi_ew_pending(), k, number, out);
    }
    return GND_OK;
}
