/*
 * matmul.c: products of split arrays: which axes the ranks divide among themselves, so that as little as possible
 * moves, and what becomes of partial products. matmul_panels.c moves and multiplies.
 */
#include "dist/linalg/matmul.h"
#include "dist/align.h"
#include <string.h>

/* ---- the space of a product -------------------------------------------------------------------------------------- */

/* A vector has the inner axis alone; a matrix has `last` and, in front of it, `before`. */
static void map_axes(const gndi_product *p, gndi_factor *f, int before, int last) {
    const int ndim = f->x->shape.ndim;
    for (int i = 0; i < GNDI_ROLES; i++) f->axis[i] = -1;
    f->axis[ndim == 1 ? p->inner : last] = ndim - 1;
    if (ndim > 1) f->axis[before] = ndim - 2;
    for (int i = 0; i < ndim - 2; i++) f->axis[p->rows - (ndim - 2) + i] = i;
}

static gnd_shape stack_of(const gnd_dist *x) {
    gnd_shape shape = x->shape;
    shape.ndim = shape.ndim > 2 ? shape.ndim - 2 : 0;
    return shape;
}

bool gndi_product_of(gndi_product *p, const char *fn, const gnd_dist *a, const gnd_dist *b) {
    *p = (gndi_product){.fn = fn, .mesh = a->mesh, .factor = {{.x = a}, {.x = b}}, .cuts = {NULL, NULL}};
    const int m = a->shape.ndim, n = b->shape.ndim;
    if (!gndi_same_mesh(a->mesh, b->mesh))
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "the operands are on different meshes"), false;
    if (m == 0 || n == 0) return gndi_dist_raise(GND_ERROR_SHAPE, fn, "an operand is 0-d"), false;
    const int64_t inner = a->shape.dim[m - 1], other = b->shape.dim[n > 1 ? n - 2 : 0];
    if (inner != other)
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "a has %lld elements in a row, and b %lld in a column",
                               (long long)inner, (long long)other),
               false;
    const gnd_shape stacks[2] = {stack_of(a), stack_of(b)};
    const gnd_shape stack = gnd_broadcast_shapes(2, stacks);
    if (stack.ndim < stacks[0].ndim || stack.ndim < stacks[1].ndim) return false;
    p->rows = stack.ndim, p->inner = stack.ndim + 1, p->columns = stack.ndim + 2;
    map_axes(p, &p->factor[0], p->rows, p->inner);
    map_axes(p, &p->factor[1], p->inner, p->columns);
    for (int i = 0; i < stack.ndim; i++) {
        p->length[i] = stack.dim[i], p->axis[i] = i;
        for (int j = 0; j < 2; j++) {
            gndi_factor *f = &p->factor[j];
            if (f->axis[i] >= 0 && f->x->shape.dim[f->axis[i]] != stack.dim[i]) f->axis[i] = -1;
        }
    }
    p->length[p->rows] = m > 1 ? a->shape.dim[m - 2] : 1, p->length[p->inner] = inner;
    p->length[p->columns] = n > 1 ? b->shape.dim[n - 1] : 1;
    p->shape = stack;
    p->axis[p->inner] = -1;
    p->axis[p->rows] = m > 1 ? p->shape.ndim++ : -1;
    p->axis[p->columns] = n > 1 ? p->shape.ndim++ : -1;
    if (m > 1) p->shape.dim[p->axis[p->rows]] = p->length[p->rows];
    if (n > 1) p->shape.dim[p->axis[p->columns]] = p->length[p->columns];
    p->dtype = p->sum = gnd_promote_types(a->dtype, b->dtype);
    return true;
}

/* ---- what ranks divide ------------------------------------------------------------------------------------------- */

static int space_axis(const int *axes, int columns, int axis) {
    for (int i = 0; axis >= 0 && i <= columns; i++)
        if (axes[i] == axis) return i;
    return -1;
}

int gndi_factor_split(const gndi_product *p, const gndi_factor *f, int k) {
    return gndi_is_split(f->x, k) ? space_axis(f->axis, p->columns, f->x->axis[k]) : -1;
}

/* The axis of the space that ranks along one axis of the mesh divide: a splits `a`, b `b`, the result `c`. */
static int divided(const gndi_product *p, int a, int b, int c) {
    if (a < 0 && b < 0) return c;
    if (a < 0 || b < 0 || a == b) return a < 0 ? b : a;
    if (a < p->rows || b < p->rows) /* an axis of the stack */
        return c == a || c == b ? c : a < p->rows ? a : b;
    if (b == p->inner) return a; /* rows and inner axis */
    if (a == p->inner) return b; /* inner axis and columns */
    if (c == a || c == b) return c;
    return gndi_shape_count(p->factor[0].x->shape) >= gndi_shape_count(p->factor[1].x->shape) ? a : b;
}

static bool is_half(gnd_dtype t) {
    return t == GND_FLOAT16 || t == GND_BFLOAT16;
}

/* Elements of an operand, which splits the inner axis or none, that do not lie where ranks that divide `axis` need
   them, about, of what each rank needs. */
static double moving(const gndi_product *p, const gndi_factor *f, int k, int axis) {
    const int own = gndi_factor_split(p, f, k);
    const double all = (double)gndi_shape_count(f->x->shape);
    if (own < 0) return 0;
    return f->axis[axis] < 0 ? all : all / p->mesh->grid[k];
}

/* Whether partial products, of which every rank gets its part, are more than the operands that it would need for a part
   of the product at once. Those of halves are in float32. Others count twice where the operands come at once: long sums
   need fewer passes over the product, and adding partial ones is another pass. */
static bool sums_are_larger(const gndi_product *p, int k, int axis) {
    if (p->mesh->grid[1 - k] > 1 || axis < 0) return false;
    double elements = 0, bytes = 0;
    for (int j = 0; j < 2; j++) {
        const double moves = moving(p, &p->factor[j], k, axis);
        elements += moves, bytes += moves * (double)gnd_dtype_size(p->factor[j].x->dtype);
    }
    const bool twice = is_half(p->dtype) || gndi_product_fits(p, bytes);
    return elements <= (double)gndi_shape_count(p->shape) * (twice ? 2 : 1);
}

/* Another one, where the first axis of the mesh divides the same. */
static int another(const gndi_product *p, int c) {
    const int choices[] = {c, p->columns, p->rows};
    for (int i = 0; i < 3; i++)
        if (choices[i] >= 0 && choices[i] != p->work[0] && p->axis[choices[i]] >= 0) return choices[i];
    return -1;
}

static bool place_factor(gndi_product *p, gndi_factor *f) {
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    for (int k = 0; k < 2; k++) {
        if (p->work[k] < 0 || f->axis[p->work[k]] < 0) continue;
        layout.axis[k] = f->axis[p->work[k]], layout.cuts[k] = p->cuts[k];
    }
    f->need = gndi_dist_new(p->mesh, p->fn, f->x->shape, f->x->dtype, layout);
    f->moves = f->need && !gndi_dist_stays(f->x, f->need);
    return f->need != NULL;
}

bool gndi_product_divide(gndi_product *p, const gndi_layout *result) {
    for (int k = 0; k < 2; k++) {
        p->work[k] = -1, p->cuts[k] = NULL;
        if (p->mesh->grid[k] == 1) continue;
        const int a = gndi_factor_split(p, &p->factor[0], k), b = gndi_factor_split(p, &p->factor[1], k);
        const int c = space_axis(p->axis, p->columns, result->axis[k]);
        p->work[k] = divided(p, a, b, c);
        if (p->work[k] == p->inner && sums_are_larger(p, k, c)) p->work[k] = c;
        if (k == 1 && p->work[1] >= 0 && p->work[1] == p->work[0]) p->work[1] = another(p, c);
        if (p->work[k] < 0) continue;
        p->cuts[k] = p->work[k] == a   ? p->factor[0].x->cuts[k]
                     : p->work[k] == b ? p->factor[1].x->cuts[k]
                     : p->work[k] == c ? result->cuts[k]
                                       : NULL;
    }
    const bool partial = p->work[0] == p->inner || p->work[1] == p->inner;
    if (partial && is_half(p->dtype)) p->sum = GND_FLOAT32;
    return place_factor(p, &p->factor[0]) && place_factor(p, &p->factor[1]);
}

/* ---- partial products -------------------------------------------------------------------------------------------- */

/* Along which axis of the product its partial ones are cut, so that each rank along axis k of the mesh adds up one
   part: the result's, or of a long one the longest that is free. */
static int part_axis(const gnd_dist *c, int k, const gndi_layout *result) {
    int axis = result->axis[k];
    if (axis >= 0 && axis != c->axis[1 - k]) return axis;
    axis = -1;
    const int64_t bytes = gndi_shape_count(gndi_dist_local_shape(c)) * (int64_t)gnd_dtype_size(c->dtype);
    if (bytes <= GNDI_ALL_ADD_BYTES) return -1;
    for (int i = 0; i < c->shape.ndim; i++)
        if (i != c->axis[1 - k] && (axis < 0 || c->shape.dim[i] > c->shape.dim[axis])) axis = i;
    return axis;
}

static gnd_dist *product(gndi_product *p, const gndi_layout *result) {
    const gnd_dist *failed = NULL;
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    for (int k = 0; k < 2; k++) {
        if (!p->factor[k].x->local && !failed) failed = p->factor[k].x;
        if (p->work[k] >= 0 && p->axis[p->work[k]] >= 0)
            layout.axis[k] = p->axis[p->work[k]], layout.cuts[k] = p->cuts[k];
    }
    gnd_dist *c = gndi_dist_new(p->mesh, p->fn, p->shape, p->sum, layout);
    if (!c) return NULL;
    const int k = p->work[0] == p->inner ? 0 : p->work[1] == p->inner ? 1 : -1;
    gnd_array *local = k < 0 ? gndi_product_blocks(p, c) : gndi_product_summed(p, &c, k, part_axis(c, k, result));
    if (local && p->sum != p->dtype) local = gnd_astype(local, p->dtype);
    c->dtype = p->dtype;
    failed ? gndi_dist_failed_like(c, failed) : gndi_dist_done(c, p->fn, local);
    gnd_dist *y = gndi_dist_to(c, *result, p->fn);
    gnd_dist_release(c);
    return y;
}

gnd_dist *gnd_dist_matmul(const gnd_dist *a, const gnd_dist *b, gnd_layout result) {
    static const char fn[] = "gnd_dist_matmul";
    if (gndi_dist_missing(a, fn) || gndi_dist_missing(b, fn)) return NULL;
    GNDI_CALL(fn);
    gndi_product p;
    gndi_layout wanted;
    char first[160], second[160];
    if (!gndi_product_of(&p, fn, a, b) || !gndi_layout_resolve(p.mesh, fn, p.shape, result, &wanted)) return NULL;
    if (!gndi_mesh_enter(p.mesh, fn, "%s and %s", gndi_text_dist(a, first, sizeof first),
                         gndi_text_dist(b, second, sizeof second)))
        return NULL;
    gnd_dist *c = gndi_product_divide(&p, &wanted) ? product(&p, &wanted) : NULL;
    gnd_dist_release(p.factor[0].need), gnd_dist_release(p.factor[1].need);
    return c;
}

gnd_dist *gnd_dist_vdot(const gnd_dist *a, const gnd_dist *b) {
    static const char fn[] = "gnd_dist_vdot";
    if (gndi_dist_missing(a, fn) || gndi_dist_missing(b, fn)) return NULL;
    GNDI_CALL(fn);
    gndi_common common;
    char first[160];
    if (a->shape.ndim != b->shape.ndim ||
        memcmp(a->shape.dim, b->shape.dim, (size_t)a->shape.ndim * sizeof *a->shape.dim) != 0)
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "the arrays have different shapes"), NULL;
    const gnd_dist_arg operands[2] = {gnd_dist_arg_dist(a), gnd_dist_arg_dist(b)};
    if (!gndi_align(&common, fn, 2, operands, NULL)) return NULL;
    if (!gndi_mesh_enter(common.mesh, fn, "%s", gndi_text_dist(a, first, sizeof first))) return NULL;
    const gnd_array *x = gndi_aligned(&common, fn, operands[0]).array,
                    *y = gndi_aligned(&common, fn, operands[1]).array;
    const gnd_dtype dtype = gnd_promote_types(a->dtype, b->dtype);
    const gnd_dtype sum = dtype == GND_FLOAT16 || dtype == GND_BFLOAT16 ? GND_FLOAT32 : dtype;
    gnd_dist *c = gndi_dist_new(common.mesh, fn, GND_SCALAR, sum, (gndi_layout){{-1, -1}, {NULL, NULL}});
    if (!c) return NULL;
    gnd_array *local = common.failed ? NULL : gnd_vdot(gnd_astype(x, sum), gnd_astype(y, sum));
    for (int k = 1; k >= 0; k--)
        if (common.layout.axis[k] >= 0 && common.mesh->grid[k] > 1) local = gndi_partial_sum(&c, k, -1, local, fn);
    if (local && sum != dtype) local = gnd_astype(local, dtype);
    c->dtype = dtype;
    return common.failed ? gndi_dist_failed_like(c, common.failed) : gndi_dist_done(c, fn, local);
}
