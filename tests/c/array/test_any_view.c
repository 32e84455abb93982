/* Views and changes of shape of any numbers: random shapes, strides, indices and widths, small ones and the
   largest there are. Each call gives an array that lies in the memory it is a view of, or is new, or an error with
   a sentence; the sanitizers see to the rest. TAP_SEED is another seed. */
#include "tap.h"

static uint64_t state = 20260101;

static uint64_t next_bits(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull >> 11;
}
static int below(int n) {
    return (int)(next_bits() % (uint64_t)n);
}

/* Small most often; else near the ends of int64, or a power of two. Nothing between: a copy of so many elements
   must not fit in the address space. */
static int64_t any_number(void) {
    const int64_t ends[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, (int64_t)1 << 62, -((int64_t)1 << 62)};
    switch (below(12)) {
    case 0: return ends[below(6)];
    case 1: return (int64_t)1 << (48 + below(15));
    case 2: return -((int64_t)1 << (48 + below(15)));
    case 3: return INT64_MAX / (1 + below(40));
    default: return below(16) - 6;
    }
}
static int64_t any_size(void) {
    return below(16) ? below(5) : any_number();
}
static gnd_shape any_shape(int least) {
    gnd_shape s = {.ndim = least + below(4)};
    if (!below(64)) s.ndim = 60 + below(8);
    for (int i = 0; i < s.ndim && i < GND_MAX_DIMS; i++) s.dim[i] = s.ndim > 8 ? 1 : any_size();
    return s;
}
static gnd_axes any_axes(const gnd_array *a) {
    gnd_axes axes = {.count = below(3)};
    for (int i = 0; i < axes.count; i++)
        axes.axis[i] = below(20) ? below(gnd_ndim(a) + 1) - below(2) : INT32_MIN + below(3);
    return axes;
}

/* A few bytes, seen as some dtype. */
static gnd_array *any_base(void) {
    const gnd_dtype dtypes[] = {GND_INT8, GND_INT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128};
    gnd_shape s = {.ndim = below(4)};
    for (int i = 0; i < s.ndim; i++) s.dim[i] = below(5);
    return gnd_ones(s, dtypes[below(5)]);
}

/* ---- what comes out ------------------------------------------------------------------------- */

typedef struct memory {
    const char *low, *high;
} memory;

static memory memory_of(const gnd_array *a) {
    const char *low = gnd_data(a);
    return (memory){low, low + gnd_size(a) * (int64_t)gnd_itemsize(a)};
}

/* Whether no element of `a` is outside the memory; computed in 128 bits. */
static bool lies_in(const gnd_array *a, memory m) {
    if (gnd_size(a) == 0) return true;
    __int128 low = (__int128)(uintptr_t)gnd_data(a), high = low + gnd_itemsize(a);
    for (int i = 0; i < gnd_ndim(a); i++) {
        const __int128 reach = (__int128)(gnd_dim(a, i) - 1) * gnd_stride(a, i);
        *(reach < 0 ? &low : &high) += reach;
    }
    return low >= (__int128)(uintptr_t)m.low && high <= (__int128)(uintptr_t)m.high;
}

/* Every element, read by a kernel, if there are not too many. */
static bool can_be_read(const gnd_array *a) {
    if (gnd_size(a) > 4096) return true;
    gnd_array *copy = gnd_copy(a);
    const bool read = copy && gnd_size(copy) == gnd_size(a);
    gnd_release(copy);
    return read;
}

/* ---- the calls ------------------------------------------------------------------------------ */

static gnd_array *any_slice(const gnd_array *a) {
    gnd_index items[4];
    const int count = below(4);
    for (int i = 0; i < count; i++) switch (below(6)) {
        case 0: items[i] = gnd_index_at(any_number()); break;
        case 1: items[i] = gnd_index_new_axis(); break;
        case 2: items[i] = gnd_index_ellipsis(); break;
        default:
            items[i] = gnd_index_range(below(3) ? any_number() : GND_OPEN, below(3) ? any_number() : GND_OPEN,
                                       below(3) ? any_number() : GND_OPEN);
        }
    return gnd_slice_ix(a, count, items);
}

static gnd_array *any_strided(const gnd_array *a) {
    const gnd_shape s = any_shape(0);
    int64_t strides[GND_MAX_DIMS + 8];
    for (int i = 0; i < GND_MAX_DIMS + 8; i++)
        strides[i] = (int64_t)((uint64_t)any_number() * (below(4) ? (uint64_t)gnd_itemsize(a) : 1));
    return gnd_as_strided(a, s, strides);
}

/* One of the functions whose result is a view. */
static gnd_array *any_view(const gnd_array *a) {
    const gnd_dtype dtypes[] = {GND_INT8, GND_INT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128};
    const int axis = (int)any_number();
    switch (below(12)) {
    case 0: return any_strided(a);
    case 1:
    case 2: return any_slice(a);
    case 3: return gnd_broadcast_to(a, any_shape(gnd_ndim(a)));
    case 4: return gnd_flip(a, any_axes(a));
    case 5: return gnd_transpose(a);
    case 6: return gnd_diagonal(a, any_number(), below(3), below(3));
    case 7: return gnd_sliding_window_view(a, any_shape(1), any_axes(a), false);
    case 8: return gnd_view(a, dtypes[below(5)]);
    case 9: return gnd_expand_dims(a, any_axes(a));
    case 10: return gnd_swapaxes(a, below(3), axis);
    default: return gnd_rollaxis(a, below(3), axis);
    }
}

static gnd_array *any_pad(const gnd_array *a) {
    gnd_pad_widths widths = {.count = below(3) ? 1 : gnd_ndim(a)};
    gnd_pad_options options = {.mode = (gnd_pad_mode)below(8), .odd = below(2)};
    for (int i = 0; i < widths.count; i++) widths.width[i][0] = any_number(), widths.width[i][1] = any_number();
    return gnd_pad(a, widths, &options);
}

static gnd_array *any_indices(void) {
    int64_t values[8];
    const int n = below(8);
    for (int i = 0; i < n; i++) values[i] = any_number();
    return gnd_from_host(values, GND_SHAPE(n), GND_INT64);
}

/* One of those that copy. */
static gnd_array *any_copy(const gnd_array *a) {
    const gnd_index_mode modes[] = {GND_RAISE, GND_WRAP, GND_CLIP};
    const int64_t number = any_number();
    gnd_array *indices = any_indices(), *result = NULL;
    gnd_array *mask = gnd_greater(indices, 0);
    switch (below(9)) {
    case 0: result = gnd_take(a, indices, any_axes(a), modes[1 + below(2)]); break;
    case 1: result = gnd_compress(mask, a, any_axes(a)); break;
    case 2: result = any_pad(a); break;
    case 3: result = gnd_roll(a, number, any_axes(a)); break;
    case 4: result = gnd_repeat(a, number, below(4) - 1); break;
    case 5: result = gnd_tile(a, any_shape(0)); break;
    case 6: result = gnd_tril(a, number); break;
    case 7: result = gnd_delete(a, gnd_index_range(number, any_number(), any_number()), below(2)); break;
    default: result = gnd_reshape_order(a, any_shape(0), "CFA"[below(3)]);
    }
    gnd_release(indices), gnd_release(mask);
    return result;
}

/* Whether there is an array, or else an error that says something; the error is cleared. */
static bool array_or_sentence(const gnd_array *a) {
    gnd_error_record e;
    if (!gnd_error_take(&e)) return a != NULL;
    return a == NULL && e.code != GND_OK && strlen(e.message) > 20 && e.function[0];
}

/* What random numbers found. */
TEST(found) {
    const gnd_array *empty = gnd_ones(GND_SHAPE(3, 0), GND_INT8);
    CHECK(gnd_size(gnd_slice(empty, "1")) == 0 && gnd_size(gnd_slice(empty, "::-1")) == 0);
    CHECK(gnd_size(gnd_slice(gnd_broadcast_to(empty, GND_SHAPE(5, 3, 0)), "4, 2")) == 0);
    const gnd_array *cube = gnd_ones(GND_SHAPE(3, 3, 0), GND_COMPLEX128);
    CHECK(gnd_dim(gnd_diagonal(cube, -1, 0, 1), 1) == 2 && gnd_size(gnd_imag(cube)) == 0);
    /* The pool rounds up: a view reaches no further than its array. */
    const gnd_array *five = gnd_ones(GND_SHAPE(5), GND_FLOAT32), *view = gnd_slice(five, "1:3");
    CHECK(gnd_dim(gnd_as_strided(view, GND_SHAPE(4), (const int64_t[]){4}), 0) == 4);
    CHECK_ERROR(gnd_as_strided(view, GND_SHAPE(5), (const int64_t[]){4}), GND_ERROR_SHAPE, "");
    CHECK_ERROR(gnd_as_strided(view, GND_SHAPE(3), (const int64_t[]){-4}), GND_ERROR_SHAPE, "");
}

TEST(any_numbers) {
    const char *seed = getenv("TAP_SEED");
    if (seed) state = strtoull(seed, NULL, 10) * 2654435761u + 1;
    for (int round = 0; round < 6000; round++) {
        const uint64_t before = state;
        bool fine = true;
        GND_SCOPE {
            const gnd_array *a = any_base();
            const memory m = memory_of(a);
            for (int step = 0; a && fine && step < 6; step++) {
                const gnd_array *view = any_view(a);
                fine &= array_or_sentence(view) && (!view || (lies_in(view, m) && can_be_read(view)));
                gnd_array *copy = any_copy(view ? view : a);
                fine &= array_or_sentence(copy) && (!copy || can_be_read(copy));
                if (view) a = view;
            }
        }
        if (fine) continue;
        printf("# round %d, state %llu\n", round, (unsigned long long)before);
        CHECK(fine);
        if (tap_failures > 5) return;
    }
}

TEST_MAIN
