/*
 * compare.c: whether whole arrays are equal: an elementwise comparison, reduced by "any differ" or
 * "all are", and the one bool read by the host.
 */
#include "math/elementwise.h"
#include "math/item.h"
#include "math/reduce.h"

static bool check(const char *fn, const char *name, gnd_arg arg) {
    if (arg.kind != GND_ARG_ARRAY || arg.array) return true;
    gndi_raise_null(fn, name);
    return false;
}

/* Whether all elements of a bool array are true; the array is released. */
static bool all_of(const char *fn, gnd_array *mask) {
    const gnd_axes axes = {.count = 0};
    gndi_reduce_request r;
    bool answer = false;
    gndi_reduce_begin(&r, fn, mask, &axes, GNDI_REDUCE_ALL, GNDI_OP_logical_and, GNDI_RULE_TRUTH,
                      0);
    gnd_array *all = gndi_reduce(&r);
    if (!all || gndi_read(fn, all, &answer)) answer = false;
    gnd_release(all);
    gnd_release(mask);
    return answer;
}

static bool compare(const gndi_ew_request *request) {
    gnd_array *mask = NULL;
    if (gndi_elementwise(request, &mask)) return false;
    return all_of(request->fn, mask);
}

bool gnd_array_equal(const gnd_array *a, const gnd_array *b, bool equal_nan) {
    static const char fn[] = "gnd_array_equal";
    gndi_ew_request request = {
        .op = GNDI_OP_equal, .fn = fn, .args = {gnd_arg_array(a), gnd_arg_array(b)}};
    if (!check(fn, "a", request.args[0]) || !check(fn, "b", request.args[1])) return false;
    if (!gndi_same_shape(a, b)) return false;
    /* Close with no tolerance is equal. Integers have no NaN, and may not fit a float. */
    if (equal_nan && (a->dtype >= GND_FLOAT16 || b->dtype >= GND_FLOAT16)) {
        request.op = GNDI_OP_isclose;
        request.params[2] = 1;
    }
    return compare(&request);
}

bool(gnd_array_equiv)(gnd_arg a, gnd_arg b) {
    static const char fn[] = "gnd_array_equiv";
    const gndi_ew_request request = {.op = GNDI_OP_equal, .fn = fn, .args = {a, b}};
    int ndim = 0;
    int64_t shape[GND_MAX_DIMS];
    if (!check(fn, "a", a) || !check(fn, "b", b)) return false;
    for (int i = 0; i < 2; i++) {
        const gnd_array *x = request.args[i].array;
        if (request.args[i].kind == GND_ARG_ARRAY &&
            !gndi_broadcast(&ndim, shape, x->ndim, x->shape))
            return false;
    }
    return compare(&request);
}

bool(gnd_allclose)(gnd_arg a, gnd_arg b, double rtol, double atol, bool equal_nan) {
    static const char fn[] = "gnd_allclose";
    const gndi_ew_request request = {
        .op = GNDI_OP_isclose, .fn = fn, .args = {a, b}, .params = {rtol, atol, equal_nan}};
    if (!check(fn, "a", a) || !check(fn, "b", b)) return false;
    return compare(&request);
}
