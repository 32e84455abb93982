/*
 * upfirdn.c: upsampling, FIR filters and downsampling along an axis.
 */
#include "resample/chunk.h"
#include "resample/resample.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"

/* ---- arguments -------------------------------------------------------------------------------- */

bool gndi_check_rates(const char *fn, int64_t up, int64_t down) {
    if (up >= 1 && down >= 1 && up <= INT32_MAX && down <= INT32_MAX) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "up is %lld and down is %lld; both must be between 1 and 2^31 - 1", (long long)up,
               (long long)down);
    return false;
}

bool gndi_upfirdn_border(const char *fn, gnd_upfirdn_mode mode, gnd_arg cval, gnd_dtype dtype,
                         gndi_upfirdn_request *r) {
    static const uint8_t borders[] = {
        [GND_UPFIRDN_CONSTANT] = GNDI_BORDER_CONSTANT,
        [GND_UPFIRDN_WRAP] = GNDI_BORDER_WRAP,
        [GND_UPFIRDN_EDGE] = GNDI_BORDER_NEAREST,
        [GND_UPFIRDN_SMOOTH] = GNDI_BORDER_SMOOTH,
        [GND_UPFIRDN_SYMMETRIC] = GNDI_BORDER_REFLECT,
        [GND_UPFIRDN_REFLECT] = GNDI_BORDER_MIRROR,
        [GND_UPFIRDN_LINE] = GNDI_BORDER_LINE,
        [GND_UPFIRDN_ANTISYMMETRIC] = GNDI_BORDER_ANTISYMMETRIC,
        [GND_UPFIRDN_ANTIREFLECT] = GNDI_BORDER_ANTIREFLECT,
    };
    if ((unsigned)mode >= sizeof borders) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
        return false;
    }
    r->border = (gndi_border)borders[mode];
    if (cval.kind == GND_ARG_NONE) return true;
    if (cval.kind == GND_ARG_ARRAY) {
        gndi_raise(GND_ERROR_INVALID, fn, "cval must be a number, or GND_NONE");
        return false;
    }
    if (cval.kind == GND_ARG_COMPLEX && !gndi_dtype_is_complex(dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "cval is complex, but the result has dtype %s", gnd_dtype_name(dtype));
        return false;
    }
    const gndi_parts value = gndi_arg_parts(cval);
    r->cval[0] = value.re, r->cval[1] = value.im;
    return true;
}

const gnd_array *gndi_upfirdn_taps(gndi_temporaries *s, const gnd_array *h, const char *name, gnd_dtype dtype) {
    if (s->failed) return NULL;
    if (h->ndim != 1 || h->size == 0) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "%s must have one dimension and at least one element; its shape is %s", name,
                   gndi_text_shape(h->ndim, h->shape));
        return gndi_temporaries_keep(s, NULL);
    }
    const bool wide = dtype == GND_FLOAT64 || dtype == GND_COMPLEX128;
    const gnd_dtype want = gndi_dtype_is_complex(h->dtype) ? dtype : wide ? GND_FLOAT64 : GND_FLOAT32;
    if ((gnd_dtype)h->dtype == want) return h;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, h, want, 'C'));
}

/* ---- the work --------------------------------------------------------------------------------- */

static gnd_status submit(const char *fn, gndi_upfirdn_plan *plan, const gndi_upfirdn_request *r) {
    plan->h = gndi_data(r->h), plan->x = gndi_data(r->x), plan->out = gndi_data(r->out);
    plan->joins = r->kept != NULL;
    gnd_stream *s = gndi_work_begin_joined(fn, r->kept, r->chunk, r->x, r->h, r->out, &plan->chunk);
    return s ? gndi_work_end(s, s->device->backend->upfirdn(s, plan, fn), fn) : gndi_ew_pending();
}

void gndi_upfirdn_lines(gndi_temporaries *s, const gndi_upfirdn_request *r) {
    if (s->failed || r->out->size == 0) return;
    const int last = r->x->ndim - 1;
    gndi_upfirdn_plan plan = {.dtype = r->x->dtype,
                              .taps_dtype = r->h->dtype,
                              .border = (uint8_t)r->border,
                              .cval = {r->cval[0], r->cval[1]},
                              .scale = r->scale,
                              .up = r->up,
                              .down = r->down,
                              .offset = r->offset,
                              .taps = r->h->size,
                              .h_step = r->h->strides[0],
                              .length = r->x->shape[last],
                              .x_first = r->x_first,
                              .count = r->out->shape[last],
                              .out_first = r->out_first};
    plan.grid = gndi_lines_grid(r->x, r->out);
    s->failed = submit(s->fn, &plan, r) != GND_OK;
}

/* Sums of nothing: along an axis without elements there is only the constant 0. */
static gnd_array *of_empty(gndi_temporaries *s, const gndi_upfirdn_request *r, gnd_array *out, int axis) {
    if (s->failed) return NULL;
    if (r->border != GNDI_BORDER_CONSTANT || r->cval[0] != 0 || r->cval[1] != 0) {
        gndi_raise(GND_ERROR_VALUE, s->fn, "x has no elements along axis %d, so there is nothing to continue", axis);
        return gndi_temporaries_keep(s, NULL);
    }
    s->failed = gndi_assign(s->fn, out, gnd_arg_int(0)) != GND_OK;
    return out;
}

gnd_array *gnd_upfirdn(const gnd_array *h, const gnd_array *x, int64_t up, int64_t down, int axis,
                       const gnd_upfirdn_options *options) {
    static const char fn[] = "gnd_upfirdn";
    static const gnd_upfirdn_options defaults = {0};
    if (!options) options = &defaults;
    if (gndi_missing(h)) return gndi_raise_null(fn, "h"), NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_check_together(fn, h, "h", x, "x") || !gndi_normalize_axis(fn, axis, x->ndim, &axis)) return NULL;
    const gnd_dtype dtypes[] = {(gnd_dtype)h->dtype, (gnd_dtype)x->dtype, GND_FLOAT32};
    const gnd_dtype dtype = gndi_promote_list(3, dtypes);
    gndi_upfirdn_request r = {.up = up, .down = down, .scale = 1};
    if (!gndi_check_rates(fn, up, down) || !gndi_upfirdn_border(fn, options->mode, options->cval, dtype, &r))
        return NULL;
    gndi_temporaries s = {.fn = fn};
    r.h = gndi_upfirdn_taps(&s, h, "h", dtype);
    if (s.failed) return NULL;
    const int64_t n = x->shape[axis];
    if (n > (INT64_MAX - h->size) / up - down)
        return gndi_temporaries_end(
            &s, gndi_fail(GND_ERROR_MEMORY, fn, "%lld elements times %lld are too many", (long long)n, (long long)up));
    const int64_t last = (n - 1) * up + h->size - 1; /* the last sample between the two rates */
    r.out = gndi_lines_new(&s, x, axis, last < 0 ? 0 : last / down + 1, dtype);
    if (n == 0) {
        of_empty(&s, &r, r.out, axis);
    } else {
        r.x = gndi_lines_of(&s, x, axis, dtype);
        gndi_upfirdn_lines(&s, &r);
    }
    return gndi_temporaries_end(&s, gndi_lines_back(&s, r.out, axis));
}
