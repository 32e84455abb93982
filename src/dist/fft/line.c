/*
 * line.c: a transform along a split axis that has no other axis beside it: the line of n = n1 n2 elements as a
 * matrix, in six steps (D. H. Bailey, "FFTs in external or hierarchical memory", 1990).
 *
 * With j = j1 n2 + j2 and k = k2 n1 + k1, the sum over j is one over j1, a factor exp(-2 pi i j2 k1 / n), and one over
 * j2. Rows of the matrix are split first; each of the sums needs its axis whole, and the result its rows in k2.
 */
#include "dist/fft/fft.h"
#include <complex.h>
#include <string.h>

int64_t gndi_fft_line_bytes = 256 << 10;

bool gndi_fft_line_fits(const gnd_dist *x, int axis, int64_t n, int ranks, int64_t *n1) {
    int64_t elements = n;
    for (int i = 0; i < x->shape.ndim; i++) elements *= i == axis ? 1 : x->shape.dim[i];
    const int64_t size = (int64_t)gnd_dtype_size(gndi_fft_complex(x->dtype));
    if (elements * size <= gndi_fft_line_bytes || x->shape.ndim == GND_MAX_DIMS) return false;
    int64_t root = n;
    while (root > n / root) root = (root + n / root) / 2;
    while (root >= ranks && n % root) root--;
    *n1 = root;
    if (root >= ranks && n / root >= ranks) return true;
    *n1 = 0;
    return false;
}

/* ---- the pieces of a line ---------------------------------------------------------------------------------------- */

typedef struct line {
    int axis, k; /* of the array, split along axis k of the mesh */
    bool inverse;
    int64_t n, n1, n2;
} line;

/* `x` with another shape or dtype, and other cuts along axis k of the mesh. */
static gnd_dist *described(const gndi_fft *f, gnd_shape shape, gnd_dtype dtype, int k, int axis, const int64_t *cuts) {
    gndi_layout layout = gndi_layout_of(f->at);
    const int other = layout.axis[1 - k], old = f->at->axis[k], more = shape.ndim - f->at->shape.ndim;
    if (other > old && more) layout.axis[1 - k] = other + more;
    layout.axis[k] = axis, layout.cuts[k] = cuts;
    return gndi_dist_new(f->at->mesh, f->fn, shape, dtype, layout);
}

static gnd_shape with_axis(gnd_shape shape, int axis, int64_t n1, int64_t n2) {
    memmove(shape.dim + axis + 2, shape.dim + axis + 1, (size_t)(shape.ndim - axis - 1) * sizeof *shape.dim);
    shape.dim[axis] = n1, shape.dim[axis + 1] = n2, shape.ndim++;
    return shape;
}

/* Replaces the array by `made`, whose block is this one. */
static void become(gndi_fft *f, gnd_dist *made, gnd_array *block) {
    gnd_dist_release(f->at);
    f->at = made;
    f->block = block;
}

/* Numbers `from`, ... along an axis of an array, to go with it. */
static gnd_array *numbers(int64_t from, int64_t count, int ndim, int axis) {
    gnd_shape shape = {.ndim = ndim};
    for (int i = 0; i < ndim; i++) shape.dim[i] = i == axis ? count : 1;
    return gnd_reshape(gnd_arange((double)from, (double)(from + count), 1.0, GND_FLOAT64), shape);
}

/* The factor between both sums, on a block of (..., k1, j2, ...). */
static gnd_array *times_twiddles(const line *l, const gnd_array *a, const int64_t *start) {
    const int ndim = gnd_ndim(a), axis = l->axis;
    const double turn = (l->inverse ? 2 : -2) * 3.14159265358979323846 / (double)l->n;
    gnd_array *y = NULL;
    GND_FUSE {
        const gnd_array *k1 = numbers(start[axis], gnd_dim(a, axis), ndim, axis);
        const gnd_array *j2 = numbers(start[axis + 1], gnd_dim(a, axis + 1), ndim, axis + 1);
        const gnd_array *angle = gnd_multiply(gnd_multiply(k1, j2), turn);
        const gnd_array *factor = gnd_exp(gnd_multiply(angle, I));
        y = gnd_keep(gnd_multiply(a, gnd_astype(factor, gnd_dtype_of(a))));
    }
    return y;
}

static gnd_array *first_sum(const gndi_fft *f, const void *context, const gnd_array *a, const int64_t *start) {
    const line *l = context;
    const gnd_array *y = (l->inverse ? gnd_ifft : gnd_fft)(a, -1, l->axis, f->norm);
    return y ? times_twiddles(l, y, start) : NULL;
}

static gnd_array *second_sum(const gndi_fft *f, const void *context, const gnd_array *a, const int64_t *start) {
    const line *l = context;
    (void)start;
    return (l->inverse ? gnd_ifft : gnd_fft)(a, -1, l->axis + 1, f->norm);
}

/* ---- before and behind ------------------------------------------------------------------------------------------- */

/* The block's first elements up to `kept` of the whole line, as complex numbers, with the factors of irfft: the second
   half of the spectrum is the conjugate of the first, so that the real part of the transform of twice the first half,
   but for elements 0 and n / 2, is the result. */
static gnd_array *halved(const gnd_array *a, const line *l, int64_t from) {
    const int ndim = gnd_ndim(a);
    const gnd_array *at = numbers(from, gnd_dim(a, l->axis), ndim, l->axis);
    const gnd_array *once = gnd_logical_or(gnd_equal(at, 0.0), gnd_equal(at, (double)l->n / 2));
    return gnd_multiply(a, gnd_astype(gnd_where(once, 1.0, 2.0), gndi_fft_real(gnd_dtype_of(a))));
}

/* The line cut or filled up with zeros to n elements; of irfft's, only n / 2 + 1 are read. */
static void fit_line(gndi_fft *f, const line *l, gnd_fft_kind kind) {
    const gnd_mesh *mesh = f->at->mesh;
    const gnd_dtype dtype = gndi_fft_complex(f->at->dtype);
    const int64_t length = f->at->shape.dim[l->axis], most = kind == GND_FFT_KIND_IRFFT ? l->n / 2 + 1 : l->n;
    const int64_t kept = length < most ? length : most;
    gnd_shape shape = f->at->shape;
    shape.dim[l->axis] = l->n;
    gnd_dist *made = described(f, shape, dtype, l->k, l->axis, NULL);
    if (!made) return become(f, NULL, NULL);
    for (int i = 0; i < mesh->grid[l->k]; i++)
        made->cuts[l->k][i] = f->at->cuts[l->k][i] < kept ? f->at->cuts[l->k][i] : kept;
    made->cuts[l->k][mesh->grid[l->k]] = l->n;
    gndi_box have, want;
    gndi_box_of(f->at, gnd_mesh_rank(mesh), &have), gndi_box_of(made, gnd_mesh_rank(mesh), &want);
    gnd_array *block = NULL;
    if (f->block) {
        have.start[l->axis] = want.start[l->axis] - have.start[l->axis];
        have.count[l->axis] = want.count[l->axis];
        if (want.start[l->axis] + want.count[l->axis] > kept) have.count[l->axis] = kept - want.start[l->axis];
        int64_t origin[GND_MAX_DIMS];
        for (int i = 0; i < shape.ndim; i++) origin[i] = i == l->axis ? 0 : have.start[i];
        gnd_array *part = gnd_astype(gndi_box_view(f->block, shape.ndim, &have, origin), dtype);
        if (part && kind == GND_FFT_KIND_IRFFT) part = halved(part, l, want.start[l->axis]);
        block = part;
        if (part && have.count[l->axis] < want.count[l->axis]) {
            block = gnd_zeros(gndi_dist_local_shape(made), dtype);
            for (int i = 0; i < shape.ndim; i++) have.start[i] = 0;
            gnd_array *front = gndi_box_view(block, shape.ndim, &have, NULL);
            if (!front || gnd_transfer(front, part) != GND_OK) block = NULL;
        }
    }
    become(f, made, block);
}

/* What of the whole transform is the result. */
static void take_result(gndi_fft *f, const line *l, gnd_fft_kind kind) {
    if (kind < GND_FFT_KIND_RFFT || !f->at) return;
    gnd_shape shape = f->at->shape;
    const bool real = kind == GND_FFT_KIND_IRFFT;
    shape.dim[l->axis] = real ? l->n : l->n / 2 + 1;
    gnd_dist *made = described(f, shape, real ? gndi_fft_real(f->at->dtype) : f->at->dtype, l->k, l->axis, NULL);
    if (!made) return become(f, NULL, NULL);
    for (int i = 0; i <= made->mesh->grid[l->k]; i++) {
        const int64_t cut = f->at->cuts[l->k][i];
        made->cuts[l->k][i] = cut < shape.dim[l->axis] ? cut : shape.dim[l->axis];
    }
    gndi_box box;
    gndi_box_of(made, gnd_mesh_rank(made->mesh), &box);
    memset(box.start, 0, sizeof box.start);
    gnd_array *block = gndi_box_view(f->block, shape.ndim, &box, NULL);
    become(f, made, real && block ? gnd_real(block) : block);
}

/* ---- the six steps ----------------------------------------------------------------------------------------------- */

/* Cuts at multiples of `each`, of `count` rows. */
static const int64_t *row_cuts(const gndi_fft *f, int k, int64_t count, int64_t each) {
    int64_t *cuts = f->at->mesh->link->numbers;
    const int ranks = f->at->mesh->grid[k];
    for (int i = 0; i <= ranks; i++) cuts[i] = each * gndi_even_cut(count, ranks, i);
    return cuts;
}

/* Another shape of the block, where nothing moves. */
static void reshape(gndi_fft *f, gnd_dist *made, bool exchange_axes, int axis) {
    gnd_array *block = f->block;
    if (made && block && exchange_axes) {
        gnd_axes order = {.count = gnd_ndim(block)};
        for (int i = 0; i < order.count; i++) order.axis[i] = i == axis ? axis + 1 : i == axis + 1 ? axis : i;
        block = gnd_permute(block, order);
    }
    become(f, made, made && block ? gnd_reshape(block, gndi_dist_local_shape(made)) : NULL);
}

void gndi_fft_line(gndi_fft *f, const gndi_fft_step *step, int k, int64_t n1) {
    const bool inverse = step->kind == GND_FFT_KIND_IFFT || step->kind == GND_FFT_KIND_IRFFT;
    const line l = {.axis = step->axis, .k = k, .inverse = inverse, .n = step->n, .n1 = n1, .n2 = step->n / n1};
    const int axis = l.axis;
    fit_line(f, &l, step->kind);
    if (!f->at) return;
    const gnd_dtype dtype = f->at->dtype;
    const gnd_shape flat = f->at->shape, matrix = with_axis(flat, axis, l.n1, l.n2);
    const uint64_t rows = UINT64_C(1) << axis, columns = UINT64_C(2) << axis;
    gndi_fft_stage(f, NULL, NULL, 0, described(f, flat, dtype, k, axis, f->at->cuts[k]),
                   described(f, flat, dtype, k, axis, row_cuts(f, k, l.n1, l.n2)), -1);
    if (f->at) reshape(f, described(f, matrix, dtype, k, axis, NULL), false, axis);
    if (f->at)
        gndi_fft_stage(f, NULL, NULL, 0, described(f, matrix, dtype, k, axis, NULL),
                       described(f, matrix, dtype, k, axis + 1, NULL), -1);
    if (f->at)
        gndi_fft_stage(f, first_sum, &l, rows, described(f, matrix, dtype, k, axis + 1, NULL),
                       described(f, matrix, dtype, k, axis, NULL), -1);
    if (f->at)
        gndi_fft_stage(f, second_sum, &l, columns, described(f, matrix, dtype, k, axis, NULL),
                       described(f, matrix, dtype, k, axis + 1, NULL), -1);
    if (f->at) reshape(f, described(f, flat, dtype, k, axis, row_cuts(f, k, l.n2, l.n1)), true, axis);
    take_result(f, &l, step->kind);
}
