/*
 * matmul_with.c: the product of matrices with NumPy's keywords: rows and columns along any axes, a dtype to
 * compute in, casting rules. Axes are moved to the end by a view, and those of the result back.
 */
#include "array/view.h"
#include "linalg/products.h"

bool gndi_check_product_options(const char *fn, const gnd_product_options *options) {
    if (options->dtype && !gndi_dtype_valid((int)options->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)options->dtype);
        return false;
    }
    if ((unsigned)options->casting <= GND_UNSAFE) return true;
    gndi_raise(GND_ERROR_INVALID, fn, "there is no casting rule number %d", (int)options->casting);
    return false;
}

bool gndi_check_casts(const char *fn, int count, const gnd_array *const arrays[], gnd_dtype dtype, const gnd_array *out,
                      gnd_casting casting) {
    static const char *const rules[] = {"same_kind", "no", "equiv", "safe", "unsafe"};
    for (int i = 0; i <= count; i++) {
        if (i == count && !out) break;
        const gnd_dtype other = (gnd_dtype)(i < count ? arrays[i] : out)->dtype;
        const gnd_dtype from = i < count ? other : dtype, to = i < count ? dtype : other;
        if (gnd_can_cast(from, to, casting)) continue;
        gndi_raise(GND_ERROR_DTYPE, fn, "%s is %s, which casting \"%s\" does not allow to %s %s",
                   i < count ? "an array" : "the result", gnd_dtype_name(from), rules[casting],
                   i < count ? "be computed in" : "go into out, which is", gnd_dtype_name(to));
        return false;
    }
    return true;
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* Numbers the axes of a list from the front; false and an error if it does not name `own` of them. */
static bool read_axes(const char *fn, const gnd_axes *given, const char *name, int ndim, int own, int *axis) {
    const int count = given->count > 0 ? given->count : 0;
    gnd_axes list = *given;
    uint64_t named;
    if (count != own) {
        gndi_raise(GND_ERROR_INVALID, fn, "%d axes are named for %s, which needs %d here", count, name, own);
        return false;
    }
    if (list.keepdims || list.dtype || list.where || list.initial || list.out) {
        gndi_raise(GND_ERROR_INVALID, fn, "the axes of %s have options, of which it takes none", name);
        return false;
    }
    if (count && !gndi_normalize_axes(fn, &list, ndim, &named)) return false;
    for (int i = 0; i < own; i++) axis[i] = list.axis[i] + (list.axis[i] < 0 ? ndim : 0);
    return true;
}

/* A view of `a` with the named axes moved to the end; or, if `back`, with the last axes moved to the named ones. */
static gnd_array *moved(const char *fn, const gnd_array *a, const gnd_axes *given, const char *name, int own,
                        bool back) {
    int axis[2], order[GND_MAX_DIMS], kept = 0;
    if (!read_axes(fn, given, name, a->ndim, own, axis)) return NULL;
    for (int i = 0; i < a->ndim; i++) {
        int at = 0;
        while (at < own && axis[at] != i) at++;
        const int end = a->ndim - own + at; /* of those named; the others keep their order */
        if (back)
            order[i] = at < own ? end : kept++;
        else
            order[at < own ? end : kept++] = i;
    }
    return gndi_permuted(fn, a, order);
}

/* ---- the product ---------------------------------------------------------------------------- */

/* An operand prepared for the product: a new reference. */
static gnd_array *side(const char *fn, const gnd_array *a, const char *name, const gnd_axes *axes, gnd_dtype dtype) {
    if ((gnd_dtype)a->dtype == dtype)
        return axes ? moved(fn, a, axes, name, a->ndim == 1 ? 1 : 2, false) : gndi_array_alias(fn, a);
    gnd_array *cast = gndi_copy_as(fn, a, dtype, 'K');
    if (!cast || !axes) return cast;
    gnd_array *view = moved(fn, cast, axes, name, a->ndim == 1 ? 1 : 2, false);
    gnd_release(cast);
    return view;
}

/* `out`: NULL, or where the product is written at once. */
static gnd_array *multiply(const char *fn, const gnd_array *a, const gnd_array *b, gnd_dtype dtype,
                           const gnd_axes *axes, gnd_array *out) {
    const gnd_dtype factors = gndi_takes_halves(a, b, dtype) ? (gnd_dtype)a->dtype : dtype;
    gnd_array *x = side(fn, a, "a", axes, factors);
    gnd_array *y = x ? side(fn, b, "b", axes ? axes + 1 : NULL, factors) : NULL;
    gnd_array *product = y ? gndi_matmul_in(fn, x, y, dtype, out) : NULL;
    gnd_release(y);
    gnd_release(x);
    if (!product || !axes) return product;
    gnd_array *view = moved(fn, product, axes + 2, "the result", (a->ndim > 1) + (b->ndim > 1), true);
    gnd_release(product);
    return gndi_sole_view(view);
}

gnd_array *gnd_matmul_with(const gnd_array *a, const gnd_array *b, gnd_product_options options) {
    static const char fn[] = "gnd_matmul_with";
    const gnd_array *const both[] = {a, b};
    if (!gndi_check_pair(fn, a, b) || !gndi_check_product_options(fn, &options)) return NULL;
    if (options.out && gndi_missing(options.out)) return gndi_raise_null(fn, "out"), NULL;
    if (a->ndim == 0 || b->ndim == 0)
        return gndi_fail(GND_ERROR_SHAPE, fn, "a has shape %s and b %s; both need at least 1 dimension",
                         gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
    const gnd_dtype dtype = options.dtype ? options.dtype : gnd_promote_types((gnd_dtype)a->dtype, (gnd_dtype)b->dtype);
    if (!gndi_check_casts(fn, 2, both, dtype, options.out, options.casting)) return NULL;
    const bool at_once = options.out && !options.axes && (gnd_dtype)options.out->dtype == dtype;
    gnd_array *product = multiply(fn, a, b, dtype, options.axes, at_once ? options.out : NULL);
    if (!product || !options.out || at_once) return product;
    const bool done = gndi_check_out(fn, a, options.out, product->ndim, product->shape) &&
                      gndi_copy_into(fn, options.out, product) == GND_OK;
    gnd_release(product);
    return done ? gndi_array_alias(fn, options.out) : NULL;
}
