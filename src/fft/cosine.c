/*
 * cosine.c: cosine and sine transforms: one plan of real numbers; complex numbers are pairs of these.
 */
#include "fft/fft.h"
#include <math.h>

/* A transform by its name: of cosines or sines, and whether it is the inverse. */
typedef enum kind { DCT, IDCT, DST, IDST } kind;

typedef struct request {
    const char *fn;
    kind kind;
    const gnd_array *x;
    gnd_array *out;
    int type;
    gndi_fft_axes axes;
    gnd_fft_norm norm;
    gnd_orthogonalize orthogonalize;
} request;

/* ---- checks ----------------------------------------------------------------------------------- */

static bool check_arguments(const request *r, bool into) {
    if (gndi_missing(r->x) || (into && gndi_missing(r->out)))
        gndi_raise_null(r->fn, gndi_missing(r->x) ? "x" : "out");
    else if (r->type < 1 || r->type > 4)
        gndi_raise(GND_ERROR_INVALID, r->fn, "there is no type %d; there are 1 to 4", r->type);
    else if ((unsigned)r->orthogonalize > GND_ORTHOGONALIZE_NEVER)
        gndi_raise(GND_ERROR_INVALID, r->fn, "there is no way number %d to orthogonalize", (int)r->orthogonalize);
    else
        return gndi_fft_check_norm(r->fn, r->norm);
    return false;
}

static bool check_axes(const request *r) {
    const bool cosine = r->kind == DCT || r->kind == IDCT;
    if (gndi_fft_has_repeated(&r->axes)) {
        gndi_raise(GND_ERROR_AXIS, r->fn, "an axis is named twice, of an array of shape %s",
                   gndi_text_shape(r->x->ndim, r->x->shape));
        return false;
    }
    for (int i = 0; i < r->axes.count; i++) {
        if (!cosine || r->type != 1 || r->axes.n[i] > 1) continue;
        gndi_raise(GND_ERROR_VALUE, r->fn,
                   "a DCT-1 needs at least 2 elements, and there is 1 along axis %d of an array of "
                   "shape %s",
                   r->axes.axis[i], gndi_text_shape(r->x->ndim, r->x->shape));
        return false;
    }
    return true;
}

/* ---- the plan --------------------------------------------------------------------------------- */

static gndi_fft_dct dct_of(const request *r) {
    static const int inverse[] = {0, 1, 3, 2, 4};
    const bool back = r->kind == IDCT || r->kind == IDST;
    const int type = back ? inverse[r->type] : r->type;
    return (gndi_fft_dct)((r->kind == DCT || r->kind == IDCT ? GNDI_DCT1 : GNDI_DST1) + type - 1);
}

static double factor_of(const request *r) {
    const bool back = r->kind == IDCT || r->kind == IDST;
    const int more = r->type != 1 ? 0 : r->kind == DCT || r->kind == IDCT ? -1 : 1;
    double factor = 1;
    for (int i = 0; i < r->axes.count; i++) factor /= 2 * (double)(r->axes.n[i] + more);
    if (r->norm == GND_FFT_ORTHO) return sqrt(factor);
    return r->norm == (back ? GND_FFT_BACKWARD : GND_FFT_FORWARD) ? factor : 1;
}

static gnd_dtype dtype_of(const gnd_array *x) {
    if (gndi_dtype_is_complex(x->dtype)) return (gnd_dtype)x->dtype;
    return gndi_fft_real_of(x->dtype);
}

static gndi_fft_plan plan_of(const request *r, const gnd_array *in, const gnd_array *out, double factor, bool spare) {
    const bool wide = gndi_fft_is_wide(out->dtype);
    gndi_fft_plan plan = {.type = GNDI_FFT_R2R,
                          .dct = (uint8_t)dct_of(r),
                          .wide = wide,
                          .spare = spare,
                          .orthogonal = r->orthogonalize == GND_ORTHOGONALIZE_ALWAYS ||
                                        (r->orthogonalize == GND_ORTHOGONALIZE_BY_NORM && r->norm == GND_FFT_ORTHO),
                          .scale = factor};
    gndi_fft_describe(&plan, in, out, &r->axes);
    if (gndi_dtype_is_complex(out->dtype)) plan.batch[plan.batches++] = (gndi_fft_axis){2, wide ? 8 : 4, wide ? 8 : 4};
    return plan;
}

/* ---- the transform ---------------------------------------------------------------------------- */

static gnd_array *transform(gndi_temporaries *s, const request *r, const int64_t *shape, gnd_dtype dtype) {
    gnd_array *direct = r->out && gndi_fft_fits(r->out, dtype) ? r->out : NULL;
    double factor = factor_of(r);
    bool spare;
    gnd_array *in = gndi_fft_source(s, r->x, dtype, &r->axes, NULL, direct, &factor, &spare);
    if (s->failed) return NULL;
    gnd_array *out = direct ? direct : spare ? in : gndi_fft_new(s, r->x, shape, dtype, NULL);
    if (s->failed) return NULL;
    const gndi_fft_plan plan = plan_of(r, in, out, factor, spare);
    gndi_fft_submit(s, &plan, in, out);
    return out;
}

static gnd_status run(const request *r, gnd_array **result) {
    const gnd_array *x = r->x;
    int64_t shape[GND_MAX_DIMS];
    if (!check_axes(r)) return gndi_ew_pending();
    if (r->axes.count == 0) { /* as SciPy, nothing is done */
        if (!gndi_fft_check_out(r->fn, x, r->out, x->shape, (gnd_dtype)x->dtype)) return gndi_ew_pending();
        if (r->out) return gndi_copy_into(r->fn, r->out, x);
        *result = gndi_array_alias(r->fn, x);
        return *result ? GND_OK : gndi_ew_pending();
    }
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    for (int i = 0; i < r->axes.count; i++) shape[r->axes.axis[i]] = r->axes.n[i];
    const gnd_dtype dtype = dtype_of(x);
    if (!gndi_fft_check_out(r->fn, x, r->out, shape, dtype)) return gndi_ew_pending();
    gndi_temporaries s = {.fn = r->fn};
    gnd_array *made = transform(&s, r, shape, dtype);
    if (r->out && !s.failed && made != r->out) s.failed = gndi_copy_into(r->fn, r->out, made) != 0;
    if (!r->out) gndi_temporaries_give(&s, made, result);
    return gndi_temporaries_status(&s);
}

/* ---- the public functions --------------------------------------------------------------------- */

static gnd_status along_axis(request r, bool into, int64_t n, int axis, gnd_array **result) {
    if (!check_arguments(&r, into) || !gndi_fft_read_axis(r.fn, r.x, n, axis, false, &r.axes)) return gndi_ew_pending();
    return run(&r, result);
}

static gnd_status along_axes(request r, bool into, const gnd_shape *s, const gnd_axes *axes, gnd_array **result) {
    if (!check_arguments(&r, into) || !gndi_fft_read_axes(r.fn, r.x, s, axes, 0, false, &r.axes))
        return gndi_ew_pending();
    return run(&r, result);
}

#define ALONG_AXIS(name, kind)                                                                                         \
    gnd_array *gnd_##name(const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,                        \
                          gnd_orthogonalize orthogonalize) {                                                           \
        gnd_array *result = NULL;                                                                                      \
        along_axis((request){"gnd_" #name, kind, x, NULL, type, {0}, norm, orthogonalize}, false, n, axis, &result);   \
        return result;                                                                                                 \
    }                                                                                                                  \
    gnd_status gnd_##name##_into(gnd_array *out, const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm, \
                                 gnd_orthogonalize orthogonalize) {                                                    \
        return along_axis((request){"gnd_" #name "_into", kind, x, out, type, {0}, norm, orthogonalize}, true, n,      \
                          axis, NULL);                                                                                 \
    }

ALONG_AXIS(dct, DCT)   // gnd_dct(), gnd_dct_into()
ALONG_AXIS(idct, IDCT) // gnd_idct(), gnd_idct_into()
ALONG_AXIS(dst, DST)   // gnd_dst(), gnd_dst_into()
ALONG_AXIS(idst, IDST) // gnd_idst(), gnd_idst_into()

#define ALONG_AXES(name, kind)                                                                                         \
    gnd_array *gnd_##name(const gnd_array *x, int type, gnd_shape s, gnd_axes axes, gnd_fft_norm norm,                 \
                          gnd_orthogonalize orthogonalize) {                                                           \
        gnd_array *result = NULL;                                                                                      \
        along_axes((request){"gnd_" #name, kind, x, NULL, type, {0}, norm, orthogonalize}, false, &s, &axes, &result); \
        return result;                                                                                                 \
    }                                                                                                                  \
    gnd_status gnd_##name##_into(gnd_array *out, const gnd_array *x, int type, gnd_shape s, gnd_axes axes,             \
                                 gnd_fft_norm norm, gnd_orthogonalize orthogonalize) {                                 \
        return along_axes((request){"gnd_" #name "_into", kind, x, out, type, {0}, norm, orthogonalize}, true, &s,     \
                          &axes, NULL);                                                                                \
    }

ALONG_AXES(dctn, DCT)   // gnd_dctn(), gnd_dctn_into()
ALONG_AXES(idctn, IDCT) // gnd_idctn(), gnd_idctn_into()
ALONG_AXES(dstn, DST)   // gnd_dstn(), gnd_dstn_into()
ALONG_AXES(idstn, IDST) // gnd_idstn(), gnd_idstn_into()
