/*
 * test_dist_index.c: take, put, at and masks of split arrays, in every layout of array, indices and values, against
 * plain gnd, bit for bit.
 */
#include "layouts.h"
#include "dist/index/index.h"

/* Indices into an axis: many equal, some negative, in no order. */
static gnd_array *indices_into(int64_t length, gnd_shape shape, gnd_dtype dtype) {
    gnd_array *n = numbered(shape, GND_INT64);
    n = gnd_remainder(gnd_multiply(n, 7), length ? length : 1);
    if (gnd_dtype_kind(dtype) == 'i') n = gnd_where(gnd_equal(gnd_remainder(n, 3), 1), gnd_subtract(n, length), n);
    return gnd_astype(n, dtype);
}

static bool really_split(const gnd_mesh *mesh, gnd_layout l, int k) {
    return l.axis[k] != GND_WHOLE && gnd_mesh_extent(mesh, k) > 1;
}

/* Whether indices in this layout go with x along `axis`. */
static bool together(const gnd_mesh *mesh, gnd_layout x, gnd_layout indices, int axis, bool written) {
    for (int k = 0; k < 2; k++) {
        if (!really_split(mesh, indices, k)) continue;
        if (really_split(mesh, x, k) ? x.axis[k] != axis : written) return false;
    }
    return true;
}

static bool refused_so(void) {
    const bool good = gnd_error() && gnd_error()->code == GND_ERROR_INVALID &&
                      strstr(gnd_error()->message, "the indices are split along axis");
    gnd_error_clear();
    return good;
}

/* ---- take --------------------------------------------------------------------------------------------------- */

static void take_with(const gnd_dist *x, const gnd_array *whole, int axis, gnd_array *at) {
    gnd_mesh *mesh = gnd_dist_mesh_of(x);
    gnd_array *expected = gnd_take(whole, at, GND_AXES(axis), GND_RAISE);
    EXPECT(same(gnd_dist_take(x, at, axis, GND_RAISE), expected));
    layout_room room;
    gnd_layout layout;
    for (int n = 0; layout_number(mesh, gnd_shape_of(at), n, &room, &layout); n++) {
        if (is_left_out()) continue;
        gnd_dist *y = gnd_dist_take(x, split(mesh, at, layout), axis - gnd_ndim(whole), GND_RAISE);
        if (together(mesh, gnd_dist_layout_of(x), layout, axis, false))
            EXPECT(same(y, expected));
        else
            EXPECT(!y && refused_so());
    }
}

static void taken(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_array *whole = numbered(shape, GND_FLOAT32);
    gnd_dist *x = split(mesh, whole, layout);
    for (int axis = 0; axis < shape.ndim; axis++) {
        const int64_t n = shape.dim[axis];
        take_with(x, whole, axis, indices_into(n, GND_SHAPE(n ? 11 : 0), GND_INT64));
        take_with(x, whole, axis, indices_into(n, GND_SHAPE(n ? 3 : 0, 4), GND_INT8));
        take_with(x, whole, axis, indices_into(n, GND_SHAPE(0), GND_UINT16));
        if (n == 0) continue;
        EXPECT(same(gnd_dist_take(x, -1, axis, GND_RAISE),
                    gnd_take(whole, gnd_full(GND_SCALAR, -1, GND_INT64), GND_AXES(axis), GND_RAISE)));
        gnd_array *far = gnd_subtract(gnd_multiply(gnd_arange(0, 9, 1, GND_INT64), 5), 20);
        gnd_array *huge = gnd_full(GND_SHAPE(3), UINT64_MAX, GND_UINT64);
        EXPECT(same(gnd_dist_take(x, far, axis, GND_WRAP), gnd_take(whole, far, GND_AXES(axis), GND_WRAP)));
        EXPECT(same(gnd_dist_take(x, far, axis, GND_CLIP), gnd_take(whole, far, GND_AXES(axis), GND_CLIP)));
        EXPECT(same(gnd_dist_take(x, huge, axis, GND_CLIP), gnd_take(whole, huge, GND_AXES(axis), GND_CLIP)));
    }
}
static void all_taken(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, taken);
    const gnd_dtype dtypes[] = {GND_BOOL,     GND_INT8,    GND_INT16,   GND_INT32,     GND_INT64,
                                GND_UINT8,    GND_UINT16,  GND_UINT32,  GND_UINT64,    GND_FLOAT16,
                                GND_BFLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};
    for (int d = 0; d < 15; d++) {
        GND_SCOPE {
            gnd_array *whole = numbered(GND_SHAPE(1001), dtypes[d]);
            gnd_array *at = indices_into(1001, GND_SHAPE(5000), d % 2 ? GND_INT16 : GND_UINT32);
            EXPECT(same(gnd_dist_take(split(mesh, whole, GND_SPLIT(0)), split(mesh, at, GND_SPLIT(0)), 0, GND_RAISE),
                        gnd_take(whole, at, GND_AXES(0), GND_RAISE)));
        }
    }
}
TEST(take_in_every_layout) {
    run(all_taken);
}
TEST(take_of_sorted_indices) {
    gndi_route_marks = 1;
    run(all_taken);
    gndi_route_marks = GNDI_ROUTE_MARKS;
}

/* ---- put and at --------------------------------------------------------------------------------------------- */

/* By name, or put if there is none; into a copy of x, with these values and, if it takes them so, split ones. */
static void write_with(const char *name, gnd_mesh *mesh, gnd_array *whole, gnd_layout layout, int axis, gnd_array *at,
                       gnd_array *values, bool number) {
    layout_room room;
    gnd_layout to;
    gnd_array *expected = gnd_copy(whole), *rows = gnd_moveaxis(expected, GND_AXES(axis), GND_AXES(0));
    const int more = gnd_ndim(at), ndim = gnd_ndim(whole) - 1 + more;
    gnd_axes first = {.count = ndim}; /* the indices' axes first */
    for (int i = 0; i < ndim; i++) first.axis[i] = i < more ? axis + i : i - more < axis ? i - more : i;
    gnd_array *named = number ? NULL : ndim ? gnd_permute(values, first) : values;
    if (name && number)
        gnd_at(name, rows, GND_ARGS(at), 3);
    else if (name)
        gnd_at(name, rows, GND_ARGS(at), named);
    else if (number)
        gnd_set(rows, GND_INDICES(at), 3);
    else
        gnd_set(rows, GND_INDICES(at), named);
    for (int n = -1; n < 0 || layout_number(mesh, gnd_shape_of(at), n, &room, &to); n++) {
        if (is_left_out()) continue;
        gnd_dist_arg where = n < 0 ? GND_DIST_ARG(at) : GND_DIST_ARG(split(mesh, at, to));
        const bool goes = n < 0 || together(mesh, layout, to, axis, true);
        for (int v = 0; v < (number ? 1 : 2); v++) {
            gnd_dist *x = split(mesh, gnd_copy(whole), layout);
            gnd_dist_arg what = number ? GND_DIST_ARG(3) : GND_DIST_ARG(values);
            if (v == 1 && goes) { /* as the result of take lies, but in copies where that is split */
                gnd_dist *t = gnd_dist_take(x, where, axis, GND_WRAP);
                what = GND_DIST_ARG(gnd_dist_redistribute(split(mesh, values, GND_COPIES), gnd_dist_layout_of(t)));
            }
            const gnd_status status =
                name ? gnd_dist_at(name, x, where, axis, what) : gnd_dist_put(x, where, axis, what, GND_RAISE);
            if (goes)
                EXPECT(status == GND_OK && same(x, expected));
            else
                EXPECT(status != GND_OK && refused_so() && same(x, whole));
        }
    }
}

static void written(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_array *whole = gnd_divide(numbered(shape, GND_FLOAT32), 7);
    for (int axis = 0; axis < shape.ndim; axis++) {
        const int64_t n = shape.dim[axis];
        const gnd_shape places[] = {GND_SHAPE(n ? 17 : 0), GND_SHAPE(n ? 3 : 0, 5), GND_SHAPE(0)};
        for (int p = 0; p < 3; p++) {
            GND_SCOPE {
                gnd_array *at = indices_into(n, places[p], p ? GND_INT16 : GND_INT64);
                gnd_shape named = {0};
                for (int i = 0; i < axis; i++) named.dim[named.ndim++] = shape.dim[i];
                for (int i = 0; i < places[p].ndim; i++) named.dim[named.ndim++] = places[p].dim[i];
                for (int i = axis + 1; i < shape.ndim; i++) named.dim[named.ndim++] = shape.dim[i];
                gnd_array *values = gnd_divide(numbered(named, GND_FLOAT32), 3);
                write_with(NULL, mesh, whole, layout, axis, at, values, false);
                write_with("add", mesh, whole, layout, axis, at, values, false);
                if (p > 1) continue;
                write_with("subtract", mesh, whole, layout, axis, at, values, true);
                write_with(NULL, mesh, whole, layout, axis, at, values, true);
            }
        }
    }
}
static void all_written(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, written);
    GND_SCOPE { /* one value for all, a unary operator, indices that wrap */
        gnd_array *whole = numbered(GND_SHAPE(50), GND_INT32), *at = indices_into(50, GND_SHAPE(40), GND_INT64);
        gnd_dist *x = split(mesh, gnd_copy(whole), GND_SPLIT(0));
        EXPECT(gnd_dist_at("negative", x, split(mesh, at, GND_SPLIT(0)), 0, GND_NONE) == GND_OK);
        gnd_at("negative", whole, GND_ARGS(at), GND_NONE);
        EXPECT(gnd_dist_at("add", x, at, 0, gnd_full(GND_SHAPE(1), 2, GND_INT64)) == GND_OK);
        gnd_at("add", whole, GND_ARGS(at), 2);
        EXPECT(gnd_dist_put(x, gnd_add(at, 500), 0, 9, GND_WRAP) == GND_OK);
        EXPECT(gnd_dist_put(x, 60, 0, -9, GND_CLIP) == GND_OK);
        gnd_put(whole, gnd_add(at, 500), 9, GND_WRAP),
            gnd_put(whole, gnd_full(GND_SHAPE(1), 49, GND_INT64), -9, GND_RAISE);
        EXPECT(same(x, whole));
    }
}
TEST(put_and_at_in_every_layout) {
    run(all_written);
}
TEST(put_and_at_of_sorted_indices) {
    gndi_route_marks = 1;
    run(all_written);
    gndi_route_marks = GNDI_ROUTE_MARKS;
}

/* ---- many indices -------------------------------------------------------------------------------------------- */

enum { MANY = 150001, FROM = 70003 };

/* In no order, some of them negative where the dtype has such. */
static gnd_array *many_indices(gnd_dtype dtype) {
    gnd_array *n = gnd_remainder(gnd_multiply(gnd_arange(0, MANY, 1, GND_INT64), 48271), FROM);
    if (gnd_dtype_kind(dtype) == 'i') n = gnd_where(gnd_less(gnd_remainder(n, 7), 2), gnd_subtract(n, FROM), n);
    return gnd_astype(n, dtype);
}

static void out_of_range(const gnd_dist *x, gnd_array *at, int64_t bad, const char *sentence) {
    gnd_dist *places = split(gnd_dist_mesh_of(x), at, GND_SPLIT(0));
    gnd_array *own = gnd_dist_local(places);
    if (gnd_mesh_rank(gnd_dist_mesh_of(x)) == gnd_mesh_size(gnd_dist_mesh_of(x)) - 1)
        gnd_fill(gnd_slice(own, "%lld", (long long)gnd_size(own) / 3), bad);
    REFUSED(gnd_dist_take(x, places, 0, GND_RAISE), GND_ERROR_INDEX, sentence);
}

static void many(gnd_mesh *mesh, void *unused) {
    const gnd_dtype dtypes[] = {GND_INT64, GND_INT32, GND_UINT32, GND_UINT64};
    const int64_t shares[] = {0, 0, FROM / 9, FROM / 9, FROM};
    int64_t cuts[5];
    const int size = gnd_mesh_size(mesh);
    (void)unused;
    for (int i = 0; i <= size; i++) cuts[i] = i == size ? FROM : shares[i];
    for (int d = 0; d < 4; d++) {
        if (SANITIZED && (d / 2 + size) % 2) continue; /* each dtype with every other number of ranks */
        GND_SCOPE_HERE;
        const gnd_layout layout = d % 2 ? gnd_layout_cuts(0, size + 1, cuts) : GND_SPLIT(0);
        gnd_array *line = gnd_divide(gnd_arange(0, FROM, 1, GND_FLOAT32), 7), *at = many_indices(dtypes[d]);
        gnd_array *rows = gnd_reshape(gnd_arange(0, 3 * FROM, 1, GND_INT16), GND_SHAPE(FROM, 3));
        gnd_array *values = gnd_divide(gnd_arange(0, MANY, 1, GND_FLOAT32), 3), *sums = gnd_copy(line);
        gnd_dist *x = split(mesh, line, layout), *y = split(mesh, rows, layout);
        gnd_dist *places = split(mesh, at, GND_SPLIT(0)), *to = split(mesh, values, GND_SPLIT(0));
        gnd_dist *all = split(mesh, at, GND_COPIES);
        gnd_array *expected = gnd_take(line, at, GND_AXES(0), GND_RAISE);
        EXPECT(same(gnd_dist_take(x, places, 0, GND_RAISE), expected));
        EXPECT(same(gnd_dist_take(x, all, 0, GND_RAISE), expected));
        EXPECT(same(gnd_dist_take(y, places, 0, GND_RAISE), gnd_take(rows, at, GND_AXES(0), GND_RAISE)));
        gnd_array *far = gnd_multiply(gnd_astype(at, GND_INT64), 3);
        EXPECT(same(gnd_dist_take(x, split(mesh, far, GND_SPLIT(0)), 0, GND_WRAP),
                    gnd_take(line, far, GND_AXES(0), GND_WRAP)));
        EXPECT(same(gnd_dist_take(x, split(mesh, far, GND_SPLIT(0)), 0, GND_CLIP),
                    gnd_take(line, far, GND_AXES(0), GND_CLIP)));
        EXPECT(gnd_dist_at("add", x, places, 0, to) == GND_OK && gnd_dist_at("add", x, places, 0, 1) == GND_OK);
        gnd_at("add", sums, GND_ARGS(at), values), gnd_at("add", sums, GND_ARGS(at), 1);
        EXPECT(same(x, sums));
        EXPECT(gnd_dist_put(x, places, 0, to, GND_RAISE) == GND_OK);
        gnd_set(sums, GND_INDICES(at), values);
        EXPECT(same(x, sums));
        if (size == 1) continue;
        out_of_range(x, at, FROM, "index 70003 is out of bounds for axis 0 of size 70003");
        if (gnd_dtype_kind(dtypes[d]) == 'i')
            out_of_range(x, at, -FROM - 2, "index -70005 is out of bounds for axis 0 of size 70003");
    }
}
TEST(many_indices_at_once) {
    run(many);
}
/* So many on one rank that it takes its own rows in pieces; another rank has hardly any. */
static void more(gnd_mesh *mesh, void *unused) {
    enum { MORE = 600007 };
    const int size = gnd_mesh_size(mesh);
    (void)unused;
    GND_SCOPE {
        const int64_t cuts[] = {0, 1, 1, 2, 3};
        int64_t cut[5];
        for (int i = 0; i <= size; i++) cut[i] = i == size ? MORE : cuts[i];
        gnd_array *line = gnd_arange(0, FROM, 1, GND_INT32), *at = indices_into(FROM, GND_SHAPE(MORE), GND_INT32);
        gnd_dist *places = split(mesh, at, gnd_layout_cuts(0, size + 1, cut));
        EXPECT(same(gnd_dist_take(split(mesh, line, GND_SPLIT(0)), places, 0, GND_RAISE),
                    gnd_take(line, at, GND_AXES(0), GND_RAISE)));
    }
}
TEST(own_rows_in_pieces) {
    run(more);
}
/* Nearly all indices are into the first block, or into the last one: more than a rank sends before the numbers are
   known; a few are elsewhere. On a line of ranks, and along either axis of a grid. */
static void take_most_from(gnd_mesh *mesh, gnd_layout x, gnd_layout indices, int64_t from) {
    enum { ROWS = 3001, TAKEN = 20011 };
    GND_SCOPE {
        gnd_array *whole = gnd_reshape(gnd_arange(0, 6 * ROWS, 1, GND_FLOAT32), GND_SHAPE(ROWS, 6));
        gnd_array *n = gnd_arange(0, TAKEN, 1, GND_INT64), *far = gnd_equal(gnd_remainder(n, 97), 5);
        gnd_array *at = gnd_where(far, gnd_remainder(n, ROWS), gnd_add(gnd_remainder(gnd_multiply(n, 7), 500), from));
        gnd_dist *y = gnd_dist_take(split(mesh, whole, x), split(mesh, at, indices), 0, GND_RAISE);
        EXPECT(same(y, gnd_take(whole, at, GND_AXES(0), GND_RAISE)));
    }
}
static void one_sided(gnd_mesh *mesh, void *unused) {
    gnd_mesh *grid = gnd_mesh_size(mesh) == 4 ? gnd_mesh_grid(mesh, GND_SHAPE(2, 2)) : NULL;
    (void)unused;
    for (int64_t from = 0; from <= 2500; from += 2500) {
        take_most_from(mesh, GND_SPLIT(0), GND_SPLIT(0), from);
        if (!grid) continue;
        take_most_from(grid, GND_SPLIT2(0, 1), GND_SPLIT2(0, GND_WHOLE), from);
        take_most_from(grid, GND_SPLIT2(1, 0), GND_SPLIT2(GND_WHOLE, 0), from);
        take_most_from(grid, GND_SPLIT2(GND_WHOLE, 0), GND_SPLIT2(GND_WHOLE, 0), from);
    }
    gnd_mesh_release(grid);
}
TEST(most_indices_into_one_block) {
    run(one_sided);
}
TEST(many_indices_that_are_sorted) {
    gndi_route_marks = 1;
    run(many);
    gndi_route_marks = GNDI_ROUTE_MARKS;
}

/* ---- masks -------------------------------------------------------------------------------------------------- */

static void masked(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    gnd_array *whole = numbered(shape, GND_INT32);
    gnd_dist *x = split(mesh, whole, layout);
    layout_room room;
    gnd_layout to;
    for (int axis = 0; axis < shape.ndim; axis++) {
        gnd_array *keep = gnd_remainder(gnd_arange(0, shape.dim[axis], 1, GND_INT8), 3);
        gnd_array *expected = gnd_compress(keep, whole, GND_AXES(axis));
        EXPECT(same(gnd_dist_compress(keep, x, axis), expected));
        for (int n = 0; layout_number(mesh, GND_SHAPE(shape.dim[axis]), n, &room, &to); n++) {
            if (is_left_out()) continue;
            gnd_dist *y = gnd_dist_compress(split(mesh, keep, to), x, axis - shape.ndim);
            if (!really_split(mesh, to, 0) || (really_split(mesh, layout, 0) && layout.axis[0] == axis))
                EXPECT(same(y, expected));
            else
                REFUSED(y, GND_ERROR_INVALID, "the condition is split along axis 0 of the mesh");
        }
    }
    gnd_array *mask = gnd_greater(whole, 0), *expected = gnd_extract(mask, whole);
    gnd_dist *y = gnd_dist_extract(mask, x), *z = gnd_dist_extract(gnd_dist_greater(x, 0), x);
    int cuts = 0, axis = 0;
    for (int k = 0; k < 2; k++)
        if (really_split(mesh, layout, k)) cuts++, axis = layout.axis[k];
    if (cuts < 2 && axis == 0) {
        EXPECT(same(y, expected) && same(z, expected));
        EXPECT(same(gnd_dist_extract(split(mesh, mask, GND_COPIES), x), expected));
    } else {
        EXPECT(!y && !z && gnd_error()->code == GND_ERROR_INVALID && strstr(gnd_error()->message, "C order mixes"));
        gnd_error_clear();
    }
}
static void all_masked(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, masked);
    GND_SCOPE { /* axes of length 1 before the split one; what remains is used on; another layout of the mask */
        gnd_array *whole = numbered(GND_SHAPE(1, 40), GND_FLOAT64), *line = gnd_ravel(whole);
        gnd_dist *x = split(mesh, whole, GND_SPLIT(1)), *l = split(mesh, line, GND_SPLIT(0));
        EXPECT(same(gnd_dist_extract(gnd_dist_less(x, 0), x), gnd_extract(gnd_less(whole, 0), whole)));
        gnd_dist *few = gnd_dist_compress(gnd_dist_greater(l, 20), l, 0);
        gnd_array *expected = gnd_compress(gnd_greater(line, 20), line, GND_AXES(0));
        EXPECT(same(gnd_dist_sort(gnd_dist_add(few, few), 0, GND_ASCENDING),
                    gnd_sort(gnd_add(expected, expected), GND_AXES(0), GND_ASCENDING)));
        const int64_t cuts[] = {0, 1, 1, 2, 3}, n = gnd_mesh_size(mesh);
        int64_t cut[5];
        for (int64_t i = 0; i <= n; i++) cut[i] = i == n ? 40 : cuts[i];
        gnd_dist *mask = split(mesh, gnd_less(line, 5), gnd_layout_cuts(0, (int)n + 1, cut));
        EXPECT(same(gnd_dist_extract(mask, l), gnd_extract(gnd_less(line, 5), line)));
    }
}
TEST(masks_in_every_layout) {
    run(all_masked);
}

/* ---- what is refused, and failure --------------------------------------------------------------------------- */

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const gnd_array *a = gnd_ones(GND_SHAPE(8), GND_INT8);
    GND_SCOPE {
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8), 1, GND_INT8, GND_SPLIT(0));
        gnd_dist *none = gnd_dist_full(mesh, GND_SHAPE(0), 1, GND_INT8, GND_SPLIT(0));
        gnd_array *f = gnd_ones(GND_SHAPE(3), GND_FLOAT32), *two = gnd_ones(GND_SHAPE(2), GND_INT8);
        REFUSED(gnd_dist_take(x, a, 1, GND_RAISE), GND_ERROR_AXIS, "no axis 1");
        REFUSED(gnd_dist_take(x, f, 0, GND_RAISE), GND_ERROR_DTYPE, "float32");
        REFUSED(gnd_dist_take(x, 1.5, 0, GND_RAISE), GND_ERROR_DTYPE, "another number");
        REFUSED(gnd_dist_take(x, a, 0, (gnd_index_mode)9), GND_ERROR_INVALID, "mode 9");
        REFUSED(gnd_dist_take(none, a, 0, GND_CLIP), GND_ERROR_INDEX, "no elements");
        REFUSED(gnd_dist_take(NULL, a, 0, GND_RAISE), GND_ERROR_INVALID, "gnd_dist_take");
        REFUSED(gnd_dist_put(x, a, 0, two, GND_RAISE) == GND_OK, GND_ERROR_SHAPE, "");
        REFUSED(gnd_dist_put(x, a, 0, 300, GND_RAISE) == GND_OK, GND_ERROR_VALUE, "300");
        REFUSED(gnd_dist_put(x, a, 0, GND_NONE, GND_RAISE) == GND_OK, GND_ERROR_INVALID, "no values");
        REFUSED(gnd_dist_at("nothing", x, a, 0, 1) == GND_OK, GND_ERROR_INVALID, "nothing");
        REFUSED(gnd_dist_at("negative", x, a, 0, 1) == GND_OK, GND_ERROR_INVALID, "one argument");
        REFUSED(gnd_dist_at(NULL, x, a, 0, 1) == GND_OK, GND_ERROR_INVALID, "gnd_dist_at");
        REFUSED(gnd_dist_compress(two, x, 0), GND_ERROR_SHAPE, "of 2 elements, not 8");
        REFUSED(gnd_dist_compress(a, x, 2), GND_ERROR_AXIS, "no axis 2");
        REFUSED(gnd_dist_extract(two, x), GND_ERROR_SHAPE, "");
        REFUSED(gnd_dist_extract(1, x), GND_ERROR_INVALID, "no array");
        EXPECT(same(x, a));
        if (gnd_mesh_size(mesh) > 1) { /* a bad index of one rank is all ranks' */
            const int64_t bad[2][2] = {{0, 8}, {-9, 1}};
            for (int i = 0; i < 2; i++) {
                gnd_dist *at = split(mesh, gnd_from_host(bad[i], GND_SHAPE(2), GND_INT64), GND_SPLIT(0));
                REFUSED(gnd_dist_take(x, at, 0, GND_RAISE), GND_ERROR_INDEX, i ? "index -9 is out" : "index 8 is out");
                REFUSED(gnd_dist_put(x, at, 0, 7, GND_RAISE) == GND_OK, GND_ERROR_INDEX, "out of bounds for axis 0");
                EXPECT(same(x, a));
            }
        }
    }
    gnd_release((gnd_array *)a);
}
TEST(wrong_arguments_are_refused_alike) {
    run(refused);
}

static void chain(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 24, 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *i = gnd_dist_arange(mesh, 23, -1, -1, GND_INT64, GND_SPLIT(0));
        gnd_dist *y = gnd_dist_take(x, i, 0, GND_RAISE), *z = gnd_dist_take(x, 3, 0, GND_RAISE);
        gnd_dist_put(x, gnd_dist_reshape(i, GND_SHAPE(24, 1)), 0, 5, GND_RAISE);
        gnd_dist_at("add", x, i, 0, y);
        gnd_dist *c = gnd_dist_compress(gnd_dist_greater(x, 20), x, 0), *e = gnd_dist_extract(gnd_dist_less(x, 8), x);
        gnd_array *a = gnd_dist_gather(y, -1), *b = gnd_dist_gather(z, -1), *s = gnd_dist_gather(c, -1);
        gnd_array *t = gnd_dist_gather(e, -1);
        if (gnd_mesh_agree(mesh) == GND_OK)
            EXPECT(gnd_at_double(a, 3) == 20 && gnd_item_double(b) == 3 && gnd_at_double(s, 0) == 21 &&
                   gnd_dim(s, 0) == 8 && gnd_dim(t, 0) == 3);
    }
}

static void starved(gnd_mesh *mesh, void *unused) {
    const int last = gnd_mesh_size(mesh) - 1;
    (void)unused;
    starve(mesh, last, 2000, chain);
    starve_descriptions(mesh, last, 60, chain);
}
TEST(a_rank_without_memory_lets_nobody_wait) {
    run(starved);
}
/* As many as fuse. */
static void chain_of_many(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, MANY, 1, GND_FLOAT32, GND_SPLIT(0));
        gnd_dist *i = gnd_dist_arange(mesh, MANY - 1, -1, -1, GND_INT64, GND_SPLIT(0));
        gnd_dist *y = gnd_dist_take(x, i, 0, GND_RAISE);
        gnd_dist_at("add", x, i, 0, y);
        gnd_array *a = gnd_dist_gather(y, -1), *b = gnd_dist_gather(x, -1);
        if (gnd_mesh_agree(mesh) == GND_OK)
            EXPECT(gnd_at_double(a, 3) == MANY - 4 && gnd_at_double(b, MANY - 4) == 2 * (MANY - 4));
    }
}
static void starved_of_many(gnd_mesh *mesh, void *unused) {
    (void)unused;
    starve_each(mesh, gnd_mesh_size(mesh) - 1, 2000, chain_of_many, (has_slow_ranks() ? 4 : 1) * next_fault());
}
TEST(a_rank_without_memory_for_many_lets_nobody_wait) {
    run(starved_of_many);
}
TEST(a_rank_without_memory_to_sort_lets_nobody_wait) {
    gndi_route_marks = 1;
    run(starved);
    gndi_route_marks = GNDI_ROUTE_MARKS;
}

RANKS_MAIN
