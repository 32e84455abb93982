/*
 * layouts.h: arrays in every layout, and comparison with plain gnd: tests of split arrays loop over what is here.
 */
#ifndef GND_TESTS_LAYOUTS_H
#define GND_TESTS_LAYOUTS_H

#include "ranks.h"

GND_API void gndi_fail_alloc_at(int64_t n);      /* of libgnd, for tests */
GND_API void gndi_dist_fail_alloc_at(int64_t n); /* of libgnd_dist */
GND_API void gndi_dist_window_from(int64_t bytes);

static inline gnd_dist *split(gnd_mesh *mesh, gnd_array *whole, gnd_layout layout) {
    return gnd_dist_scatter(mesh, gnd_mesh_rank(mesh) == 0 ? whole : NULL, 0, layout);
}

/* All of x, on every rank, if it has this shape and dtype; else NULL. */
static inline gnd_array *gathered(const gnd_dist *x, const gnd_array *expected) {
    gnd_array *all = x && expected ? gnd_dist_gather(x, -1) : NULL;
    bool alike = all && gnd_ndim(all) == gnd_ndim(expected) && gnd_dtype_of(all) == gnd_dtype_of(expected);
    for (int i = 0; alike && i < gnd_ndim(all); i++) alike = gnd_dim(all, i) == gnd_dim(expected, i);
    if (all && !alike && getenv("TAP_VERBOSE"))
        printf("# %s %d axes, expected %s %d axes\n", gnd_dtype_name(gnd_dtype_of(all)), gnd_ndim(all),
               gnd_dtype_name(gnd_dtype_of(expected)), gnd_ndim(expected));
    return alike ? all : NULL;
}

/* Calls `chain`, which gathers and agrees, while allocation n of one rank fails; whether anybody noticed. All ranks
   then have the error, and go on. */
static inline bool starve_once(gnd_mesh *mesh, int rank, int n, void (*chain)(gnd_mesh *mesh),
                               void (*fail_at)(int64_t n)) {
    if (gnd_mesh_rank(mesh) == rank) fail_at(n);
    chain(mesh);
    const bool failed = gnd_error() != NULL;
    if (failed) EXPECT(gnd_error()->code == GND_ERROR_MEMORY && strstr(gnd_error()->message, "rank "));
    gnd_error_clear();
    gnd_mesh_barrier(mesh);
    return failed;
}
/* Which allocations fail: every one, or some, from another one on for each number of ranks. */
static inline int next_fault(void) {
    return has_slow_ranks() ? NEXT_FAULT : 1;
}
static inline int first_fault(const gnd_mesh *mesh) {
    return 1 + gnd_mesh_size(mesh) % next_fault();
}

/* The same with each `next`-th of libgnd's allocations in turn, until none fails. They count those of all threads:
   first all have a mesh. */
static inline void starve_each(gnd_mesh *mesh, int rank, int most, void (*chain)(gnd_mesh *mesh), int next) {
    int n = first_fault(mesh);
    gnd_mesh_barrier(mesh);
    while (n < most && starve_once(mesh, rank, n, chain, gndi_fail_alloc_at)) n += next;
    gndi_fail_alloc_at(0);
    gnd_mesh_barrier(mesh);
    EXPECT(n < most);
}
static inline void starve(gnd_mesh *mesh, int rank, int most, void (*chain)(gnd_mesh *mesh)) {
    starve_each(mesh, rank, most, chain, next_fault());
}
/* The same with the first `count` allocations of libgnd_dist's own, of which descriptions have a reserve. */
static inline void starve_descriptions(gnd_mesh *mesh, int rank, int count, void (*chain)(gnd_mesh *mesh)) {
    for (int n = 1; n < count; n++) starve_once(mesh, rank, n, chain, gndi_dist_fail_alloc_at);
    gndi_dist_fail_alloc_at(0);
    gnd_mesh_barrier(mesh);
}

/* A number for each element's bytes, in order. */
static inline uint64_t *sorted_numbers(const gnd_array *a, int64_t each) {
    const int64_t size = gnd_size(a);
    const gnd_array *bytes = gnd_reshape(gnd_view(gnd_ravel(a), GND_UINT8), GND_SHAPE(size, each));
    gnd_array *number = gnd_zeros(GND_SHAPE(size), GND_UINT64);
    for (int64_t k = 0; k < each; k++)
        number = gnd_add(gnd_multiply(number, 257), gnd_slice(bytes, ":, %lld", (long long)k));
    uint64_t *out = calloc((size_t)size, sizeof *out);
    gnd_to_host(gnd_sort(number, GND_AXES(0), GND_ASCENDING), out, (size_t)size * sizeof *out);
    return out;
}
static inline bool same_in_some_order(const gnd_array *a, const gnd_array *b, int64_t each) {
    uint64_t *x = sorted_numbers(a, each), *y = sorted_numbers(b, each);
    const bool good = memcmp(x, y, (size_t)gnd_size(a) * sizeof *x) == 0;
    free(x), free(y);
    return good;
}

/* What is wrong with a gathered array: which element first, and of an array of one axis which ranks' blocks have other
   elements, or the right ones in another order. Nothing is sent for it. */
static inline void tell_difference(const gnd_dist *x, const gnd_array *all, const gnd_array *expected, const char *a,
                                   const char *b) {
    const int64_t size = gnd_size(all), each = gnd_nbytes(all) / size;
    const gnd_layout layout = gnd_dist_layout_of(x);
    int64_t first = -1, count = 0;
    for (int64_t i = 0; i < size; i++) {
        if (memcmp(a + i * each, b + i * each, (size_t)each) == 0) continue;
        first = count++ ? first : i;
    }
    printf("# rank %d of %d: %s of %d axes: %lld of %lld elements differ, first number %lld:",
           gnd_mesh_rank(gnd_dist_mesh_of(x)), gnd_mesh_size(gnd_dist_mesh_of(x)), gnd_dtype_name(gnd_dtype_of(all)),
           gnd_ndim(all), (long long)count, (long long)size, (long long)first);
    for (int i = 0; i < 2; i++) {
        printf(i ? " not" : "");
        for (int64_t k = 0; k < each; k++) printf("%s%02x", k ? "" : " ", (unsigned char)(i ? b : a)[first * each + k]);
    }
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < layout.count[k]; c++)
            printf("%s%lld", c ? " " : k ? "; second cut at " : "; cut at ", (long long)layout.cuts[k][c]);
    puts(same_in_some_order(all, expected, each) ? "; the same elements in another order" : "; other elements");
    for (int p = 0; gnd_ndim(all) == 1 && p + 1 < layout.count[0]; p++) {
        const long long from = (long long)layout.cuts[0][p], till = (long long)layout.cuts[0][p + 1];
        const gnd_array *got = gnd_slice(all, "%lld:%lld", from, till);
        const gnd_array *want = gnd_slice(expected, "%lld:%lld", from, till);
        if (from == till || memcmp(a + from * each, b + from * each, (size_t)((till - from) * each)) == 0) continue;
        printf("#   block %d: %s\n", p,
               same_in_some_order(got, want, each) ? "its elements in another order" : "others");
    }
}

/* Whether x has these elements, bit for bit, its shape and its dtype; on every rank. */
static inline bool same(const gnd_dist *x, const gnd_array *expected) {
    bool good = false;
    if (!x || !expected) return false;
    GND_SCOPE {
        const gnd_array *all = gathered(x, expected);
        const int64_t bytes = gnd_nbytes(expected);
        good = all && bytes == 0;
        if (all && bytes > 0) {
            char *a = malloc((size_t)bytes), *b = malloc((size_t)bytes);
            good = gnd_to_host(all, a, (size_t)bytes) == GND_OK && gnd_to_host(expected, b, (size_t)bytes) == GND_OK &&
                   memcmp(a, b, (size_t)bytes) == 0;
            if (!good && atomic_load(&wrong) < 20) tell_difference(x, all, expected, a, b);
            if (!good && getenv("TAP_VERBOSE")) gnd_print(all), gnd_print(expected);
            free(a), free(b);
        }
    }
    return good;
}

/* The same within a tolerance, relative and absolute; `half` of elements of 16 bits. */
static inline bool is_close(const gnd_dist *x, const gnd_array *expected, double tolerance, double half) {
    bool good = false;
    GND_SCOPE {
        gnd_array *all = gathered(x, expected);
        if (expected && gnd_itemsize(expected) == 2) tolerance = half;
        if (all) good = gnd_allclose(all, expected, tolerance, tolerance, true);
        if (!good && getenv("TAP_VERBOSE") && all) gnd_print(all), gnd_print(expected);
    }
    return good;
}

/* The result is what one rank finds, as `compare` sees it; or both are refused, with the same status. */
#define ALIKE(compare, result, expected)                                                                               \
    do {                                                                                                               \
        gnd_array *alike_plain = (expected);                                                                           \
        const gnd_status alike_status = alike_plain ? GND_OK : gnd_error()->code;                                      \
        gnd_error_clear();                                                                                             \
        gnd_dist *alike_here = (result);                                                                               \
        if (alike_status)                                                                                              \
            EXPECT(!alike_here && gnd_error() && gnd_error()->code == alike_status);                                   \
        else                                                                                                           \
            EXPECT(compare(alike_here, alike_plain));                                                                  \
        gnd_error_clear();                                                                                             \
    } while (0)

/* Layout number n of an array of `ndim` axes: copies, each axis, and of the first axes uneven cuts, one block with
   everything, and on a grid two axes. False if there are no more. The cuts live as long as `room`. */
typedef struct layout_room {
    int64_t cuts[16];
} layout_room;

static inline bool layout_number(const gnd_mesh *mesh, gnd_shape shape, int n, layout_room *room, gnd_layout *out) {
    const int blocks = gnd_mesh_extent(mesh, 0);
    if (n == 0) return *out = GND_COPIES, true;
    if (n <= shape.ndim) return *out = GND_SPLIT(n - 1), true;
    n -= shape.ndim + 1;
    if (shape.ndim > 0 && n < 3) { /* uneven; all in the last block; all in the first */
        const int64_t length = shape.dim[0];
        for (int k = 0; k <= blocks; k++)
            room->cuts[k] = n == 0 ? length * k * k / (blocks * blocks) : n == 1 ? 0 : length;
        room->cuts[0] = 0, room->cuts[blocks] = length;
        return *out = gnd_layout_cuts(0, blocks + 1, room->cuts), true;
    }
    n -= 3;
    if (shape.ndim >= 2 && n < 2 && gnd_mesh_extent(mesh, 1) > 1)
        return *out = n == 0 ? GND_SPLIT2(0, 1) : GND_SPLIT2(1, GND_WHOLE), true;
    return false;
}

/* Integers that tell elements apart, as an array of this dtype. */
static inline gnd_array *numbered(gnd_shape shape, gnd_dtype dtype) {
    int64_t size = 1;
    for (int i = 0; i < shape.ndim; i++) size *= shape.dim[i];
    gnd_array *x =
        gnd_reshape(gnd_subtract(gnd_remainder(gnd_multiply(gnd_arange(0, size, 1, GND_INT64), 37), 101), 50), shape);
    return gnd_astype(x, dtype);
}

/* f(mesh, shape, layout) for all shapes and layouts, on the mesh and, of four ranks, on a grid of two by two. */
typedef void layout_test(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout);
static inline void every_layout(gnd_mesh *mesh, layout_test *f) {
    const gnd_shape shapes[] = {GND_SHAPE(13),   GND_SHAPE(2),       GND_SHAPE(0), GND_SHAPE(7, 5),
                                GND_SHAPE(3, 0), GND_SHAPE(4, 3, 5), GND_SCALAR};
    gnd_mesh *grid = gnd_mesh_size(mesh) == 4 ? gnd_mesh_grid(mesh, GND_SHAPE(2, 2)) : NULL;
    for (int m = 0; m < (grid ? 2 : 1); m++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            layout_room room;
            gnd_layout layout;
            for (int n = 0; layout_number(m ? grid : mesh, shapes[s], n, &room, &layout); n++) {
                if (!has_few_cases() && is_left_out()) continue;
                GND_SCOPE {
                    f(m ? grid : mesh, shapes[s], layout);
                }
            }
        }
    gnd_mesh_release(grid);
}

#endif
