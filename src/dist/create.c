/*
 * create.c: new split arrays: empty, filled, ranges, and of blocks that ranks have already.
 */
#include "dist/dist.h"
#include <math.h>
#include <string.h>
#undef gnd_dist_full
#undef gnd_dist_arange

/* The array without its block; NULL if the arguments are wrong on all ranks. */
static gnd_dist *start(gnd_mesh *mesh, const char *fn, gnd_shape shape, gnd_dtype dtype, gnd_layout layout) {
    gndi_layout resolved;
    if (!mesh) return gndi_dist_status(fn), NULL;
    bool good = shape.ndim >= 0 && shape.ndim <= GND_MAX_DIMS;
    for (int i = 0; good && i < shape.ndim; i++) good = shape.dim[i] >= 0;
    if (!good) return gndi_dist_raise(GND_ERROR_SHAPE, fn, "a size is negative, or there are too many axes"), NULL;
    if (dtype == GND_DTYPE_NONE) dtype = GND_FLOAT64;
    if (gnd_dtype_size(dtype) == 0)
        return gndi_dist_raise(GND_ERROR_DTYPE, fn, "there is no dtype %d", (int)dtype), NULL;
    if (!gndi_layout_resolve(mesh, fn, shape, layout, &resolved)) return NULL;
    return gndi_dist_new(mesh, fn, shape, dtype, resolved);
}

gnd_dist *gnd_dist_empty(gnd_mesh *mesh, gnd_shape shape, gnd_dtype dtype, gnd_layout layout) {
    static const char fn[] = "gnd_dist_empty";
    GNDI_CALL(fn);
    gnd_dist *x = start(mesh, fn, shape, dtype, layout);
    return x ? gndi_dist_done(x, fn, gnd_empty(gndi_dist_local_shape(x), x->dtype)) : NULL;
}

gnd_dist *gnd_dist_full(gnd_mesh *mesh, gnd_shape shape, gnd_arg value, gnd_dtype dtype, gnd_layout layout) {
    static const char fn[] = "gnd_dist_full";
    GNDI_CALL(fn);
    if (value.kind == GND_ARG_ARRAY && (!value.array || gnd_ndim(value.array) != 0))
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "the value is a number or a 0-d array"), NULL;
    /* Without a dtype, and to check the value on ranks that have no elements as well, one is made by gnd. */
    const gnd_array *one = (gnd_full)(GND_SCALAR, value, dtype);
    if (!one && gnd_error()->code != GND_ERROR_MEMORY) return NULL; /* of memory this rank alone */
    if (dtype == GND_DTYPE_NONE) dtype = gnd_result_type_n(1, &value);
    gnd_dist *x = start(mesh, fn, shape, dtype, layout);
    return x ? gndi_dist_done(x, fn, one ? (gnd_full)(gndi_dist_local_shape(x), value, dtype) : NULL) : NULL;
}

/* ---- ranges -------------------------------------------------------------------------------------------------- */

static bool real_number(gnd_arg a, double otherwise, double *out) {
    *out = a.kind == GND_ARG_NONE ? otherwise : a.kind == GND_ARG_REAL ? a.re : (double)a.i;
    return a.kind != GND_ARG_ARRAY && a.kind != GND_ARG_COMPLEX && !(a.kind == GND_ARG_UINT && a.u > INT64_MAX);
}

static bool is_real(gnd_arg a) {
    return a.kind == GND_ARG_REAL;
}

/* As NumPy has it: ceil((stop - start) / step), exactly for integers; -1 if it is no number. */
static int64_t range_length(gnd_arg start, gnd_arg stop, gnd_arg step, double first, double last, double by) {
    if (!is_real(start) && !is_real(stop) && !is_real(step)) {
        const int64_t from = start.kind ? start.i : 0, to = stop.i, each = step.kind ? step.i : 1;
        if ((each > 0) == (to <= from)) return 0;
        const uint64_t distance = each > 0 ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
        const uint64_t stride = each > 0 ? (uint64_t)each : 0 - (uint64_t)each;
        return distance == 0 ? 0 : (int64_t)((distance - 1) / stride + 1);
    }
    const double length = ceil((last - first) / by);
    return length <= 0 ? 0 : length < 0x1p63 ? (int64_t)length : -1;
}

/* Elements `from` to `from + count` of the range: first + i * (second - first), as gnd_arange computes them. */
static gnd_array *range_part(gnd_arg start, gnd_arg step, double first, double by, int64_t from, int64_t count,
                             gnd_dtype dtype) {
    const bool whole = !is_real(start) && !is_real(step);
    const gnd_arg two =
        whole ? gnd_arg_int((start.kind ? start.i : 0) + 2 * (step.kind ? step.i : 1)) : gnd_arg_real(first + 2 * by);
    const gnd_array *pair = (gnd_arange)(start, two, step, dtype);
    const gnd_array *zero = gnd_slice(pair, "0"), *one = gnd_slice(pair, "1");
    const gnd_array *index = gnd_astype(gnd_arange(from, from + count, 1, GND_INT64), dtype);
    return gnd_add(gnd_multiply(index, gnd_subtract(one, zero)), zero);
}

gnd_dist *gnd_dist_arange(gnd_mesh *mesh, gnd_arg start_, gnd_arg stop, gnd_arg step, gnd_dtype dtype,
                          gnd_layout layout) {
    static const char fn[] = "gnd_dist_arange";
    GNDI_CALL(fn);
    double first, last, by;
    if (!real_number(start_, 0, &first) || !real_number(stop, NAN, &last) || !real_number(step, 1, &by))
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "start, stop and step are real numbers below 2^63"), NULL;
    const int64_t length = by == 0 ? -1 : range_length(start_, stop, step, first, last, by);
    if (length < 0 || isnan(last - first) || isnan(by))
        return gndi_dist_raise(GND_ERROR_VALUE, fn, "from %g to %g by %g: the length is no number", first, last, by),
               NULL;
    if (dtype == GND_DTYPE_NONE) dtype = is_real(start_) || is_real(stop) || is_real(step) ? GND_FLOAT64 : GND_INT64;
    if (dtype == GND_BOOL && length > 2)
        return gndi_dist_raise(GND_ERROR_DTYPE, fn, "a range of bool has two elements at most"), NULL;
    gnd_dist *x = start(mesh, fn, (gnd_shape){.ndim = 1, .dim = {length}}, dtype, layout);
    if (!x) return NULL;
    gndi_box box;
    gndi_box_of(x, gnd_mesh_rank(mesh), &box);
    gnd_array *local = dtype == GND_BOOL ? gnd_slice((gnd_arange)(start_, stop, step, dtype), "%lld:%lld",
                                                     (long long)box.start[0], (long long)(box.start[0] + box.count[0]))
                                         : range_part(start_, step, first, by, box.start[0], box.count[0], dtype);
    return gndi_dist_done(x, fn, local);
}

/* ---- of blocks ----------------------------------------------------------------------------------------------- */

/* What ranks tell each other of their blocks. */
typedef struct block {
    int32_t code; /* of the error, if there is no block */
    int32_t ndim, dtype;
    int64_t dim[GND_MAX_DIMS];
} block;
_Static_assert(sizeof(block) <= sizeof(gnd_error_record), "a mesh gathers so much at once");

/* The cuts along an axis of the mesh, from the lengths of the blocks there, as the first rank of each place says. */
static void cuts_of_blocks(const gnd_mesh *mesh, const block *all, int k, int axis, int64_t *cuts) {
    cuts[0] = 0;
    for (int place = 0; place < mesh->grid[k]; place++) {
        const int rank = k == 0 ? place * mesh->grid[1] : place;
        cuts[place + 1] = cuts[place] + all[rank].dim[axis];
    }
}

/* The first rank whose block does not fit the array; -1 if all do. */
static int misfit(const gnd_dist *x, const block *all) {
    for (int r = 0; r < gnd_mesh_size(x->mesh); r++) {
        gndi_box box;
        gndi_box_of(x, r, &box);
        bool fits = all[r].ndim == x->shape.ndim && all[r].dtype == (int32_t)x->dtype;
        for (int i = 0; fits && i < x->shape.ndim; i++) fits = all[r].dim[i] == box.count[i];
        if (!fits) return r;
    }
    return -1;
}

gnd_dist *gnd_dist_from_local(gnd_mesh *mesh, gnd_array *local, gnd_layout layout) {
    static const char fn[] = "gnd_dist_from_local";
    if (!mesh) return gndi_dist_status(fn), NULL;
    GNDI_CALL(fn);
    if (layout.count[0] || layout.count[1])
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "the layout has cuts: they follow from the blocks"), NULL;
    if (!gndi_mesh_enter(mesh, fn, "%d %d", layout.axis[0], layout.axis[1])) return NULL;
    block own = {0};
    if (local) {
        own.ndim = gnd_ndim(local), own.dtype = (int32_t)gnd_dtype_of(local);
        for (int i = 0; i < own.ndim; i++) own.dim[i] = gnd_dim(local, i);
    } else {
        own.code = (int32_t)gndi_dist_status(fn);
    }
    const block *all = gndi_mesh_gather(mesh, fn, &own, sizeof own);
    if (!all) return NULL;
    bool missing = false;
    for (int r = 0; r < gnd_mesh_size(mesh); r++) missing = missing || all[r].code;
    if (missing) return gndi_mesh_agree_on(mesh, fn, local ? NULL : gnd_error()), NULL;
    gnd_shape shape = {.ndim = all[0].ndim};
    memcpy(shape.dim, all[0].dim, sizeof shape.dim);
    gndi_layout resolved;
    if (!gndi_layout_resolve(mesh, fn, shape, layout, &resolved)) return NULL;
    gnd_dist *x = gndi_dist_new(mesh, fn, shape, (gnd_dtype)all[0].dtype, resolved);
    if (!x) return NULL;
    for (int k = 0; k < 2; k++) {
        if (resolved.axis[k] < 0) continue;
        cuts_of_blocks(mesh, all, k, resolved.axis[k], x->cuts[k]);
        x->shape.dim[resolved.axis[k]] = x->cuts[k][mesh->grid[k]];
    }
    const int bad = misfit(x, all);
    if (bad < 0) return gndi_dist_done(x, fn, local);
    gnd_dist_release(x);
    gndi_dist_raise(all[bad].dtype == all[0].dtype ? GND_ERROR_SHAPE : GND_ERROR_DTYPE, fn,
                    "the block of rank %d, %s of %d axes, does not fit that of rank 0, %s of %d axes", bad,
                    gnd_dtype_name((gnd_dtype)all[bad].dtype), all[bad].ndim, gnd_dtype_name((gnd_dtype)all[0].dtype),
                    all[0].ndim);
    return NULL;
}

gnd_dist *gnd_dist_like(const gnd_dist *x, gnd_array *local, gnd_dtype dtype) {
    static const char fn[] = "gnd_dist_like";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    if (gnd_dtype_size(dtype) == 0)
        return gndi_dist_raise(GND_ERROR_DTYPE, fn, "there is no dtype %d", (int)dtype), NULL;
    gnd_dist *y = gndi_dist_new(x->mesh, fn, x->shape, dtype, gndi_layout_of(x));
    return y ? gndi_dist_done(y, fn, local) : NULL;
}
