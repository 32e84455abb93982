/*
 * fft.c: Fourier transforms of split arrays: the list of axes, and which of them are split when.
 */
#include "dist/fft/fft.h"
#include "dist/align.h"
#include <stdio.h>
#include <string.h>

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */

static bool is_wide(gnd_dtype t) {
    return t != GND_FLOAT16 && t != GND_BFLOAT16 && t != GND_FLOAT32 && t != GND_COMPLEX64;
}

gnd_dtype gndi_fft_complex(gnd_dtype t) {
    return is_wide(t) ? GND_COMPLEX128 : GND_COMPLEX64;
}

gnd_dtype gndi_fft_real(gnd_dtype t) {
    return is_wide(t) ? GND_FLOAT64 : GND_FLOAT32;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static bool read_axis(gndi_fft *f, const gnd_dist *x, gnd_fft_kind kind, int axis, int64_t n, bool doubled) {
    gndi_fft_step *step = &f->step[f->count];
    if (axis < -x->shape.ndim || axis >= x->shape.ndim)
        return gndi_dist_raise(GND_ERROR_AXIS, f->fn, "axis %d is out of range of %d axes", axis, x->shape.ndim), false;
    *step = (gndi_fft_step){.kind = kind, .axis = axis < 0 ? axis + x->shape.ndim : axis};
    const int64_t size = x->shape.dim[step->axis];
    step->n = n != -1 ? n : doubled ? 2 * (size - 1) : size;
    f->count++;
    if (step->n >= 1) return true;
    gndi_dist_raise(GND_ERROR_VALUE, f->fn, "there is no transform of %lld elements, along axis %d of %lld",
                    (long long)step->n, step->axis, (long long)size);
    return false;
}

/* In the order of execution, NumPy's: from the last axis named to the first, but the real result's axis last. */
static bool read_axes(gndi_fft *f, const gnd_dist *x, gnd_fft_kind kind, const gnd_shape *s, const gnd_axes *axes) {
    const bool named = axes->count != 0, to_real = kind == GND_FFT_KIND_IRFFT;
    const int count = axes->count < 0 ? 0 : named ? axes->count : s->ndim ? s->ndim : x->shape.ndim;
    if (s->ndim < 0 || s->ndim > GND_MAX_DIMS || count > GND_MAX_DIMS)
        return gndi_dist_raise(GND_ERROR_INVALID, f->fn, "lists have 0 to %d entries", GND_MAX_DIMS), false;
    if (s->ndim && s->ndim != count)
        return gndi_dist_raise(GND_ERROR_SHAPE, f->fn, "s has %d sizes, and there are %d axes", s->ndim, count), false;
    if (count == 0 && kind >= GND_FFT_KIND_RFFT)
        return gndi_dist_raise(GND_ERROR_INVALID, f->fn, "there is no axis to transform along"), false;
    for (int k = 0; k < count; k++) {
        const int i = to_real ? k : count - 1 - k;
        gnd_fft_kind own = kind;
        if (i < count - 1 && kind == GND_FFT_KIND_RFFT) own = GND_FFT_KIND_FFT;
        if (i < count - 1 && kind == GND_FFT_KIND_IRFFT) own = GND_FFT_KIND_IFFT;
        if (!read_axis(f, x, own, named ? axes->axis[i] : i - count, s->ndim ? s->dim[i] : -1,
                       to_real && i == count - 1 && s->ndim == 0))
            return false;
    }
    return true;
}

static bool check(const gndi_fft *f, const gnd_dist *x, gnd_fft_kind kind) {
    if ((unsigned)f->norm > GND_FFT_FORWARD)
        return gndi_dist_raise(GND_ERROR_INVALID, f->fn, "there is no norm number %d", (int)f->norm), false;
    if (kind == GND_FFT_KIND_RFFT && gnd_dtype_kind(x->dtype) == 'c')
        return gndi_dist_raise(GND_ERROR_DTYPE, f->fn, "the input must be real, not %s", gnd_dtype_name(x->dtype)),
               false;
    return true;
}

/* The length of an axis behind a step. */
static int64_t length_behind(const gndi_fft_step *step) {
    return step->kind == GND_FFT_KIND_RFFT ? step->n / 2 + 1 : step->n;
}

/* ---- what can be done where the array is ------------------------------------------------------------------------- */

/* Whether the steps that have to come before this one are done: those of its axis, the one that takes real numbers
   before all, the one that gives them after all. */
static bool is_ready(const gndi_fft *f, int i) {
    if (f->step[i].done) return false;
    for (int j = 0; j < f->count; j++) {
        const gndi_fft_step *other = &f->step[j];
        if (j == i || other->done) continue;
        if (other->kind == GND_FFT_KIND_RFFT || f->step[i].kind == GND_FFT_KIND_IRFFT) return false;
        if (j < i && other->axis == f->step[i].axis) return false;
    }
    return true;
}

/* Several steps at once. */
typedef struct batch {
    int count, index[GND_MAX_DIMS];
    uint64_t axes;
} batch;

/* Those whose axes are whole, and which may come now, each behind those before it in the batch. */
static batch local_steps(gndi_fft *f) {
    batch b = {0};
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < f->count; i++) {
            const int axis = f->step[i].axis;
            if (!is_ready(f, i) || b.axes >> axis & 1 || gndi_split_of(f->at, axis) >= 0) continue;
            f->step[i].done = more = true;
            b.index[b.count++] = i, b.axes |= UINT64_C(1) << axis;
        }
    }
    return b;
}

/* The array behind a batch, as it is split now. */
static gnd_dist *behind_batch(const gndi_fft *f, const batch *b) {
    gnd_shape shape = f->at->shape;
    gnd_dtype dtype = f->at->dtype;
    for (int i = 0; i < b->count; i++) {
        const gndi_fft_step *step = &f->step[b->index[i]];
        shape.dim[step->axis] = length_behind(step);
        if (step->kind != GND_FFT_KIND_IRFFT)
            dtype = gndi_fft_complex(dtype);
        else if (dtype != GND_FLOAT16 && dtype != GND_BFLOAT16) /* which a single axis keeps */
            dtype = gndi_fft_real(dtype);
    }
    gndi_layout layout = gndi_layout_of(f->at);
    for (int k = 0; k < 2; k++)
        if (!gndi_is_split(f->at, k)) layout.axis[k] = -1;
    return gndi_dist_new(f->at->mesh, f->fn, shape, dtype, layout);
}

/* 16384 elements of complex64 at 8192 elements from each other: 3.5 ms for 1 GiB on an H200, and 0.73 ms behind each
   other. Up to 4096 gnd has kernels of its own. */
int64_t gndi_fft_dense_length = 8192;

/* The transforms of a batch on a block, in one call of gnd's. */
static gnd_array *transform(const gndi_fft *f, const void *context, const gnd_array *a, const int64_t *start) {
    const batch *b = context;
    gnd_shape s = {.ndim = b->count};
    gnd_axes axes = {.count = b->count};
    gnd_fft_kind kind = f->step[b->index[0]].kind;
    int next = 0, last = -1;
    (void)start;
    for (int i = 0; i < b->count; i++)
        if (f->step[b->index[i]].kind >= GND_FFT_KIND_RFFT) last = b->index[i], kind = f->step[last].kind;
    for (int i = 0; i < b->count; i++) {
        const int index = b->index[i], at = index == last ? b->count - 1 : next++;
        axes.axis[at] = f->step[index].axis, s.dim[at] = f->step[index].n;
    }
    const int axis = axes.axis[0];
    const bool turned = b->count == 1 && s.dim[0] >= gndi_fft_dense_length;
    if (turned) a = gnd_moveaxis(a, GND_AXES(axis), GND_AXES(-1)), axes.axis[0] = -1;
    gnd_array *y = kind == GND_FFT_KIND_FFT    ? gnd_fftn(a, s, axes, f->norm)
                   : kind == GND_FFT_KIND_IFFT ? gnd_ifftn(a, s, axes, f->norm)
                   : kind == GND_FFT_KIND_RFFT ? gnd_rfftn(a, s, axes, f->norm)
                                               : gnd_irfftn(a, s, axes, f->norm);
    return turned && y ? gnd_moveaxis(y, GND_AXES(-1), GND_AXES(axis)) : y;
}

/* The same in place: `a` is a part of a block of complex numbers, whose axes keep their lengths. */
static gnd_array *transform_in_place(const gndi_fft *f, const void *context, const gnd_array *a, const int64_t *start) {
    const batch *b = context;
    gnd_axes axes = {.count = b->count};
    gnd_array *own = (gnd_array *)a;
    (void)start;
    for (int i = 0; i < b->count; i++) axes.axis[i] = f->step[b->index[i]].axis;
    if (b->count == 1 && gnd_dim(a, axes.axis[0]) >= gndi_fft_dense_length)
        own = gnd_moveaxis(own, GND_AXES(axes.axis[0]), GND_AXES(-1)), axes.axis[0] = -1;
    if (!own) return NULL;
    const bool inverse = f->step[b->index[0]].kind == GND_FFT_KIND_IFFT;
    const gnd_status status = (inverse ? gnd_ifftn_into : gnd_fftn_into)(own, own, GND_SCALAR, axes, f->norm);
    return status == GND_OK ? own : NULL;
}

/* ---- which axis is split next ------------------------------------------------------------------------------------ */

static int first_ready(const gndi_fft *f) {
    for (int i = 0; i < f->count; i++)
        if (is_ready(f, i)) return i;
    return -1;
}

/* The better an axis is to be split along axis k of the mesh instead of `from`, the higher. 0: it cannot. */
static int merit(const gndi_fft *f, const gnd_dist *x, int axis, int k, int from, const gndi_layout *result) {
    const gnd_mesh *mesh = x->mesh;
    if (axis == from || (gndi_is_split(x, 1 - k) && x->axis[1 - k] == axis)) return 0;
    bool pending = false;
    for (int i = 0; i < f->count; i++) pending = pending || (!f->step[i].done && f->step[i].axis == axis);
    const bool enough = x->shape.dim[axis] >= mesh->grid[k];
    return 1 + 8 * enough + 4 * !pending + 2 * (result->axis[k] == axis);
}

static int best_axis(const gndi_fft *f, const gnd_dist *x, int k, int from, const gndi_layout *result) {
    int best = -1, most = 0;
    for (int i = 0; i < x->shape.ndim; i++) {
        const int m = merit(f, x, i, k, from, result);
        if (m > most || (m && m == most && x->shape.dim[i] > x->shape.dim[best])) best = i, most = m;
    }
    return best;
}

/* Where `x` goes, so that the axis of a step is whole. NULL with n1 set: it stays, and the line takes six steps. */
static gnd_dist *next_place(const gndi_fft *f, const gnd_dist *x, const gndi_fft_step *step, int k,
                            const gndi_layout *result, int64_t *n1) {
    gnd_mesh *mesh = x->mesh;
    gndi_layout layout = gndi_layout_of(x);
    int axis = best_axis(f, x, k, step->axis, result);
    if ((axis < 0 || x->shape.dim[axis] < mesh->grid[k]) && mesh->row && gndi_is_split(x, 1 - k)) {
        /* All ranks in a row. */
        const gndi_layout none = {{-1, -1}, {NULL, NULL}};
        gnd_dist *row = gndi_dist_new(mesh->row, f->fn, x->shape, x->dtype, none);
        if (!row) return NULL;
        layout = none, layout.axis[0] = best_axis(f, row, 0, step->axis, result);
        gnd_dist_release(row);
        return gndi_dist_new(mesh->row, f->fn, x->shape, x->dtype, layout);
    }
    if (axis >= 0 && x->shape.dim[axis] < mesh->grid[k] && x->shape.dim[axis] < 2) axis = -1;
    if ((axis < 0 || x->shape.dim[axis] < mesh->grid[k]) &&
        gndi_fft_line_fits(x, step->axis, step->n, mesh->grid[k], n1))
        return NULL;
    layout.axis[k] = axis, layout.cuts[k] = NULL;
    return gndi_dist_new(mesh, f->fn, x->shape, x->dtype, layout);
}

/* ---- a transform ------------------------------------------------------------------------------------------------- */

static gnd_shape result_shape(const gndi_fft *f, const gnd_dist *x) {
    gnd_shape shape = x->shape;
    for (int i = 0; i < f->count; i++) shape.dim[f->step[i].axis] = length_behind(&f->step[i]);
    return shape;
}

/* The last batch, and the move to where the result is to be. */
static void finish(gndi_fft *f, const batch *b, gnd_dist *made, gnd_dist *to) {
    gndi_fft_work *work = b->count ? transform : NULL;
    if (!to || !gndi_dist_stays(made, to)) {
        gndi_fft_stage(f, work, b, b->axes, made, to, -1);
        return;
    }
    gndi_fft_stage(f, work, b, b->axes, made, NULL, -1);
    f->block = gndi_dist_block_here(f->at, f->block, to);
    gnd_dist_release(f->at);
    f->at = to;
}

/* Whether a batch is the last one, in place on blocks of `to`, which are those of the result. */
static bool ends_there(const gndi_fft *f, const batch *b, const gnd_dist *to, const gndi_layout *result) {
    bool good = b->count > 0 && first_ready(f) < 0 && to->dtype == gndi_fft_complex(to->dtype);
    for (int i = 0; good && i < b->count; i++) {
        const gndi_fft_step *step = &f->step[b->index[i]];
        good = step->kind == f->step[b->index[0]].kind && step->kind < GND_FFT_KIND_RFFT &&
               step->n == to->shape.dim[step->axis];
    }
    gnd_dist *end = good ? gndi_dist_new(f->at->mesh, f->fn, to->shape, to->dtype, *result) : NULL;
    good = end && gndi_dist_stays(to, end);
    gnd_dist_release(end);
    return good;
}

/* The steps that follow a move to `to` if they can be done while it goes on, else none. */
static batch steps_then(gndi_fft *f, gnd_dist *to, const gndi_layout *result) {
    gnd_dist *at = f->at;
    if (!to) return (batch){0};
    f->at = to;
    batch b = local_steps(f);
    f->at = at;
    if (ends_there(f, &b, to, result)) return b;
    for (int i = 0; i < b.count; i++) f->step[b.index[i]].done = false;
    return (batch){0};
}

/* Steps on whole axes, and the move behind them; false when everything is done, or the mesh is given up. */
static bool go_on(gndi_fft *f, gnd_mesh *mesh, const gndi_layout *result) {
    const batch b = local_steps(f);
    gndi_fft_work *work = b.count ? transform : NULL;
    gnd_dist *made = behind_batch(f, &b);
    const int next = first_ready(f);
    if (!made) return false;
    if (next < 0) return finish(f, &b, made, gndi_dist_new(mesh, f->fn, made->shape, made->dtype, *result)), false;
    const gndi_fft_step *step = &f->step[next];
    const int k = gndi_split_of(made, step->axis); /* -1: an axis that is named twice */
    int64_t n1 = 0;
    gnd_dist *to = k < 0 ? NULL : next_place(f, made, step, k, result, &n1);
    const int dense = step->n >= gndi_fft_dense_length ? step->axis : -1;
    const batch then = steps_then(f, to, result);
    gndi_fft_stage_then(f, work, &b, b.axes, made, to, dense,
                        (gndi_fft_then){then.count ? transform_in_place : NULL, &then, then.axes});
    if (n1 && f->at) {
        f->step[next].done = true;
        gndi_fft_line(f, step, k, n1);
    }
    return f->at && !f->at->mesh->link->dead;
}

static gnd_dist *run(gndi_fft *f, const gnd_dist *x, gnd_layout result) {
    gndi_layout wanted;
    char text[160], steps[200] = "";
    if (!gndi_layout_resolve(x->mesh, f->fn, result_shape(f, x), result, &wanted)) return NULL;
    for (int i = 0; i < f->count && strlen(steps) < 150; i++)
        snprintf(steps + strlen(steps), 40, " %d:%lld", f->step[i].axis, (long long)f->step[i].n);
    if (!gndi_mesh_enter(x->mesh, f->fn, "%s%s", gndi_text_dist(x, text, sizeof text), steps)) return NULL;
    if (f->count == 0) return gndi_dist_to(x, wanted, f->fn);
    f->at = gndi_dist_new(x->mesh, f->fn, x->shape, x->dtype, gndi_layout_of(x));
    f->block = x->local ? gnd_slice(x->local, "...") : NULL;
    while (f->at && go_on(f, x->mesh, &wanted)) {
    }
    if (!f->at) return NULL;
    return x->local ? gndi_dist_done(f->at, f->fn, f->block) : gndi_dist_failed_like(f->at, x);
}

static gnd_dist *along_axis(const char *fn, gnd_fft_kind kind, const gnd_dist *x, int64_t n, int axis,
                            gnd_fft_norm norm, gnd_layout result) {
    gndi_fft f = {.fn = fn, .norm = norm};
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    if (!check(&f, x, kind) || !read_axis(&f, x, kind, axis, n, kind == GND_FFT_KIND_IRFFT)) return NULL;
    return run(&f, x, result);
}

static gnd_dist *along_axes(const char *fn, gnd_fft_kind kind, const gnd_dist *x, const gnd_shape *s,
                            const gnd_axes *axes, gnd_fft_norm norm, gnd_layout result) {
    gndi_fft f = {.fn = fn, .norm = norm};
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    if (!check(&f, x, kind) || !read_axes(&f, x, kind, s, axes)) return NULL;
    return run(&f, x, result);
}

#define TRANSFORM(name, kind)                                                                                          \
    gnd_dist *gnd_dist_##name(const gnd_dist *x, int64_t n, int axis, gnd_fft_norm norm, gnd_layout result) {          \
        return along_axis("gnd_dist_" #name, kind, x, n, axis, norm, result);                                          \
    }                                                                                                                  \
    gnd_dist *gnd_dist_##name##n(const gnd_dist *x, gnd_shape s, gnd_axes axes, gnd_fft_norm norm,                     \
                                 gnd_layout result) {                                                                  \
        return along_axes("gnd_dist_" #name "n", kind, x, &s, &axes, norm, result);                                    \
    }

TRANSFORM(fft, GND_FFT_KIND_FFT)     // gnd_dist_fft(), gnd_dist_fftn()
TRANSFORM(ifft, GND_FFT_KIND_IFFT)   // gnd_dist_ifft(), gnd_dist_ifftn()
TRANSFORM(rfft, GND_FFT_KIND_RFFT)   // gnd_dist_rfft(), gnd_dist_rfftn()
TRANSFORM(irfft, GND_FFT_KIND_IRFFT) // gnd_dist_irfft(), gnd_dist_irfftn()
