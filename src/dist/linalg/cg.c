/*
 * cg.c: conjugate gradients for an operator of the program's own. Numbers stay on the device, where all ranks have the
 * same; the host looks at the residual.
 */
#include "dist/align.h"
#include <math.h>
#include <string.h>

typedef struct equations {
    const char *fn;
    gnd_dist_operator *a, *precondition;
    void *context, *precondition_context;
    gnd_dtype dtype;
    gnd_dist *x, *r, *p;
    gnd_mesh *mesh;
    gnd_dist *square; /* |r|^2, which is in no scope */
} equations;

static bool same_shape(const gnd_dist *a, const gnd_dist *b) {
    return a->shape.ndim == b->shape.ndim &&
           memcmp(a->shape.dim, b->shape.dim, (size_t)a->shape.ndim * sizeof *a->shape.dim) == 0;
}

/* An operator's result; in place of none, or one of another shape, an array that has failed, so that the rank goes on
   until all agree. NULL of no array, when the mesh is given up. */
static const gnd_dist *call(const equations *s, gnd_dist_operator *f, void *context, const gnd_dist *x) {
    if (!x) return NULL;
    const char *outer = gnd_part_of(NULL); /* its calls are the program's own */
    const gnd_dist *y = f(context, x);
    gnd_part_of(outer);
    if (y && same_shape(x, y)) return y;
    if (y) gndi_dist_raise(GND_ERROR_SHAPE, s->fn, "the operator returned an array of another shape");
    gnd_dist *failed = gndi_dist_new(x->mesh, s->fn, x->shape, x->dtype, gndi_layout_of(x));
    return failed ? gndi_dist_done(failed, s->fn, NULL) : x;
}

/* One pass over three blocks: the first one plus the second one times a number. */
static gnd_array *plus_multiple(void *context, int count, const gnd_array *const *block) {
    const equations *s = context;
    gnd_array *sum = NULL;
    if (count != 3) return NULL;
    GND_FUSE {
        const gnd_array *multiple = gnd_multiply(gnd_astype(block[1], s->dtype), block[2]);
        sum = gnd_keep(gnd_add(gnd_astype(block[0], s->dtype), multiple));
    }
    return sum;
}

/* *to = b + a factor. */
static void update(equations *s, gnd_dist **to, const gnd_dist *b, const gnd_dist *a, const gnd_dist *factor) {
    const gnd_dist *const list[] = {b, a, factor};
    gnd_dist_assign(to, gnd_dist_map(plus_multiple, s, s->dtype, 3, list));
}

typedef struct said {
    int32_t code;
    double value;
} said;

/* The square root of a number that all ranks have, as rank 0 has it; false if a rank has failed, as then all know. */
static bool root_of(const gnd_dist *square, const char *fn, double *out) {
    gnd_mesh *mesh = square->mesh;
    said own = {0};
    double re = 0, im = 0;
    const gnd_error_record *failure = gndi_dist_failure(square);
    if (!failure && gnd_item_parts(square->local, &re, &im) != GND_OK) failure = gnd_error();
    if (!failure) failure = gnd_error(); /* of an update before */
    own.code = failure ? (int32_t)failure->code : GND_OK, own.value = re;
    const said *all = gndi_mesh_gather(mesh, fn, &own, sizeof own);
    bool failed = !all;
    for (int r = 0; all && r < gnd_mesh_size(mesh); r++) failed = failed || all[r].code;
    if (all) *out = sqrt(all[0].value);
    if (all && failed) gndi_mesh_agree_on(mesh, fn, failure);
    return !failed;
}

/* |r|^2, whose exchange needs no more than r: it is on its way while others are updated. */
static void find_square(equations *s) {
    GND_STREAM(s->mesh->link->beside) {
        gnd_dist_release(s->square);
        s->square = gnd_dist_keep(gnd_dist_vdot(s->r, s->r));
    }
}

/* One iteration; *rho is that of the one before, and becomes its own. `z` is the preconditioned residual. With
   `squares`, the next one needs |r|^2. */
static void iterate(equations *s, gnd_dist **rho, const gnd_dist *z, gnd_dist *product, bool squares) {
    if (*rho)
        update(s, &s->p, z, s->p, gnd_dist_divide(product, *rho));
    else
        gnd_dist_assign(&s->p, gnd_dist_astype(z, s->dtype));
    if (product == s->square) gnd_dist_release(*rho), *rho = product, s->square = NULL;
    gnd_dist_assign(rho, product);
    const gnd_dist *q = call(s, s->a, s->context, s->p);
    const gnd_dist *alpha = gnd_dist_divide(product, gnd_dist_vdot(s->p, q));
    update(s, &s->r, s->r, q, gnd_dist_negative(alpha));
    if (squares) find_square(s);
    update(s, &s->x, s->x, s->p, alpha);
}

static bool run(equations *s, double limit, int64_t most, int64_t check, gnd_dist_cg_result *out) {
    gnd_dist *rho = NULL;
    bool good = true;
    find_square(s);
    for (int64_t i = 0; good; i++) {
        bool done = false;
        GND_SCOPE {
            if (i % check == 0 || i == most) {
                good = s->square && root_of(s->square, s->fn, &out->residual);
                out->iterations = i;
                out->converged = good && out->residual <= limit;
                done = !good || out->converged || i == most || !isfinite(out->residual);
            }
            if (!done) {
                const gnd_dist *z = s->precondition ? call(s, s->precondition, s->precondition_context, s->r) : s->r;
                gnd_dist *product = s->precondition ? gnd_dist_vdot(s->r, z) : s->square;
                good = product != NULL;
                if (good) iterate(s, &rho, z, product, !s->precondition || (i + 1) % check == 0 || i + 1 == most);
            }
        }
        if (done) break;
    }
    gnd_dist_release(rho), gnd_dist_release(s->square);
    return good;
}

static gnd_dtype working(gnd_dtype t) {
    if (t == GND_FLOAT16 || t == GND_BFLOAT16) return GND_FLOAT32;
    return gnd_dtype_kind(t) == 'f' || gnd_dtype_kind(t) == 'c' ? t : GND_FLOAT64;
}

/* x, r and p to begin with, and |b|. False if that failed, as all know. */
static bool begin(equations *s, const gnd_dist *b, const gnd_dist *start, double *norm) {
    s->r = gnd_dist_astype(b, s->dtype);
    s->x = start ? gnd_dist_astype(start, s->dtype)
                 : (gnd_dist_full)(b->mesh, b->shape, gnd_arg_int(0), s->dtype, gnd_dist_layout_of(b));
    if (start && s->x) s->x = gndi_dist_to(s->x, gndi_layout_of(b), s->fn);
    const gnd_dist *square = gnd_dist_vdot(s->r, s->r);
    if (!s->x || !square || !root_of(square, s->fn, norm)) return false;
    if (start && *norm == 0) s->x = gnd_dist_multiply(s->r, 0);
    if (start) s->r = gnd_dist_subtract(s->r, call(s, s->a, s->context, s->x));
    return s->r && s->x;
}

gnd_dist *gnd_dist_cg(gnd_dist_operator *a, void *context, const gnd_dist *b, const gnd_dist_cg_options *options,
                      gnd_dist_cg_result *result) {
    static const char fn[] = "gnd_dist_cg";
    static const gnd_dist_cg_options none;
    gnd_dist_cg_result own, *out = result ? result : &own;
    const gnd_dist_cg_options *o = options ? options : &none;
    memset(out, 0, sizeof *out);
    if (!a || gndi_dist_missing(b, fn)) return gndi_dist_status(fn), NULL;
    GNDI_CALL(fn);
    if (o->iterations < 0 || o->check < 0 || isnan(o->rtol) || isnan(o->atol))
        return gndi_dist_raise(GND_ERROR_VALUE, fn, "%lld iterations, checked every %lld, to within %g and %g",
                               (long long)o->iterations, (long long)o->check, o->rtol, o->atol),
               NULL;
    if (o->start && !same_shape(o->start, b))
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "the start has another shape than b"), NULL;
    equations s = {.fn = fn,
                   .a = a,
                   .mesh = b->mesh,
                   .precondition = o->precondition,
                   .context = context,
                   .precondition_context = o->precondition_context,
                   .dtype = working(b->dtype)};
    if (o->start) s.dtype = gnd_promote_types(s.dtype, working(o->start->dtype));
    double norm = 0;
    if (!begin(&s, b, o->start, &norm)) return NULL;
    if (norm == 0) return out->converged = true, gnd_dist_keep(s.x);
    const double relative = (o->rtol == 0 ? 1e-5 : o->rtol < 0 ? 0 : o->rtol) * norm;
    const int64_t most = o->iterations ? o->iterations : 10 * gndi_shape_count(b->shape);
    if (!run(&s, relative > o->atol ? relative : o->atol, most, o->check ? o->check : 1, out)) return NULL;
    return gnd_dist_keep(s.x);
}
