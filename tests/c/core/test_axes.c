/*
 * test_axes.c: axes.h, whose functions every plan uses: whatever they do to a walk, it meets the same elements of
 * all operands together, and merging alone keeps their order too. Each is compared with a walk over all points.
 */
#include "core/axes.h"
#include "tap.h"

enum { AXES = 5, OPERANDS = 3, POINTS = 4 * 4 * 4 * 4 * 4 };

/* A walk with the arrays that belong to it. */
typedef struct walk {
    gndi_walk w;
    int64_t shape[AXES], strides[OPERANDS][AXES], *stride[OPERANDS], offset[OPERANDS];
} walk;

static void begin(walk *k, int operands) {
    memset(k, 0, sizeof *k);
    for (int i = 0; i < OPERANDS; i++) k->stride[i] = k->strides[i];
    k->w = (gndi_walk){
        .operands = operands, .leaders = operands, .shape = k->shape, .stride = k->stride, .offset = k->offset};
}

static uint64_t state;

/* 0 .. n - 1 */
static int random_below(int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

/* Up to five axes of 0 to 4 elements: dense ones in any order or any strides; some backwards, some of stride 0. */
static void make(walk *k) {
    begin(k, 1 + random_below(OPERANDS));
    const int ndim = random_below(AXES + 1);
    const bool dense = random_below(2);
    int64_t step[OPERANDS] = {1, 4, 8};
    for (int i = 0; i < ndim; i++) {
        int64_t strides[OPERANDS] = {0};
        const int64_t size = random_below(12) ? 1 + random_below(4) : 0;
        for (int o = 0; o < OPERANDS; o++) {
            strides[o] = dense ? step[o] : random_below(50);
            step[o] *= size ? size : 1;
            if (!random_below(5)) strides[o] = -strides[o];
            if (!random_below(8)) strides[o] = 0;
        }
        gndi_walk_add(&k->w, size, strides);
        /* Moved outwards by some axes, so that they are in no order. */
        for (int a = k->w.ndim - 1; a > 0 && random_below(2); a--) {
            const int64_t other = k->shape[a - 1];
            k->shape[a - 1] = k->shape[a], k->shape[a] = other;
            for (int o = 0; o < OPERANDS; o++) {
                const int64_t stride = k->strides[o][a - 1];
                k->strides[o][a - 1] = k->strides[o][a], k->strides[o][a] = stride;
            }
        }
    }
}

typedef struct point {
    int64_t at[OPERANDS];
} point;

/* Where the operands are at each point, in C order. How many points there are. */
static int walk_through(const walk *k, point *points) {
    const gndi_walk *w = &k->w;
    const int64_t size = gndi_walk_size(w);
    for (int64_t n = 0; n < size; n++) {
        int64_t rest = n;
        memcpy(points[n].at, k->offset, sizeof points[n].at);
        for (int a = w->ndim - 1; a >= 0; a--) {
            for (int o = 0; o < w->operands; o++) points[n].at[o] += rest % k->shape[a] * k->strides[o][a];
            rest /= k->shape[a];
        }
    }
    return (int)size;
}

static int compare(const void *a, const void *b) {
    return memcmp(a, b, sizeof(point)); /* any order that both have */
}

static point before[POINTS], after[POINTS];

static bool same(int n, int m) {
    return n == m && memcmp(before, after, (size_t)n * sizeof *before) == 0;
}
static bool same_in_any_order(int n, int m) {
    qsort(before, (size_t)n, sizeof *before, compare);
    qsort(after, (size_t)m, sizeof *after, compare);
    return same(n, m);
}

/* Does it to random walks, and compares the points. */
#define TRY(happens, equal, ...)                                                                                       \
    do {                                                                                                               \
        state = 1;                                                                                                     \
        for (int round = 0; round < 20000; round++) {                                                                  \
            walk k;                                                                                                    \
            make(&k);                                                                                                  \
            gndi_walk *w = &k.w;                                                                                       \
            const int n = walk_through(&k, before);                                                                    \
            happens;                                                                                                   \
            if (equal(n, walk_through(&k, after)) && (__VA_ARGS__)) continue;                                          \
            printf("# round %d\n", round);                                                                             \
            tap_failures++;                                                                                            \
            break;                                                                                                     \
        }                                                                                                              \
    } while (0)

/* Whether the first operand that moves along an axis moves forwards. */
static bool is_forward(const gndi_walk *w) {
    for (int a = 0; a < w->ndim; a++) {
        int64_t first = 0;
        for (int o = 0; o < w->operands && !first; o++) first = w->stride[o][a];
        if (first < 0) return false;
    }
    return true;
}

/* Whether neighbours among axes begin .. end - 1 could be one. */
static bool is_merged(const gndi_walk *w, int begin, int end) {
    for (int a = begin; a + 1 < end; a++) {
        bool one = true;
        for (int o = 0; o < w->operands; o++) one &= w->stride[o][a] == w->stride[o][a + 1] * w->shape[a + 1];
        if (one) return false;
    }
    return true;
}

/* Of one operand, whose strides decide alone: those that are not 0 fall, and 0 stands anywhere. */
static bool is_sorted(const gndi_walk *w) {
    if (w->operands > 1) return true;
    for (int a = 0; a + 1 < w->ndim; a++) {
        const int64_t outer = gndi_magnitude(w->stride[0][a]), inner = gndi_magnitude(w->stride[0][a + 1]);
        if (outer && inner && outer < inner) return false;
    }
    return true;
}

TEST(reversed_axes_meet_the_same_elements) {
    bool any = false;
    TRY(any |= gndi_walk_flip(w), same_in_any_order, is_forward(w));
    CHECK(any);
    TRY(for (int a = 0; a < w->ndim; a++) gndi_walk_reverse(w, a), same_in_any_order, true);
}

TEST(sorted_axes_meet_the_same_elements) {
    TRY(gndi_walk_sort(w, 0, w->ndim), same_in_any_order, is_sorted(w));
}

TEST(merged_axes_keep_the_order) {
    int left = 0;
    TRY(left = gndi_walk_merge(w, 0, w->ndim), same, left == w->ndim && is_merged(w, 0, left));
    TRY(left = gndi_walk_collapse(w, 0, w->ndim), same_in_any_order, left == w->ndim && is_merged(w, 0, left));
}

/* A part of a walk's axes, and what stays beside it. */
typedef struct part {
    int begin, end, ndim, left;
    int64_t first, last;
} part;

static part part_of(const gndi_walk *w) {
    part p = {.begin = random_below(w->ndim + 1), .ndim = w->ndim};
    p.end = p.begin + random_below(w->ndim - p.begin + 1);
    if (w->ndim) p.first = w->shape[0], p.last = w->shape[w->ndim - 1];
    return p;
}
static part merge_part(gndi_walk *w) {
    part p = part_of(w);
    p.left = gndi_walk_merge(w, p.begin, p.end);
    return p;
}
static part collapse_part(gndi_walk *w) {
    part p = part_of(w);
    p.left = gndi_walk_collapse(w, p.begin, p.end);
    return p;
}
static bool is_kept(const gndi_walk *w, const part *p) {
    return w->ndim == p->ndim - (p->end - p->begin) + p->left && is_merged(w, p->begin, p->begin + p->left) &&
           (p->begin == 0 || w->shape[0] == p->first) && (p->end == p->ndim || w->shape[w->ndim - 1] == p->last);
}

/* Axes outside the part stay as they are, also behind those that became one. */
TEST(a_part_of_the_axes) {
    part p = {0};
    TRY(p = merge_part(w), same, is_kept(w, &p));
    TRY(p = collapse_part(w), same_in_any_order, is_kept(w, &p));
}

TEST(axes_of_one_element_go) {
    walk k;
    begin(&k, 2);
    const int64_t shape[] = {1, 3, 1, 2, 1};
    memcpy(k.shape, shape, sizeof shape);
    for (int a = 0; a < AXES; a++) k.strides[0][a] = 10 * a, k.strides[1][a] = -a;
    k.w.ndim = AXES;
    gndi_walk_drop_single(&k.w);
    CHECK(k.w.ndim == 2 && k.shape[0] == 3 && k.shape[1] == 2);
    CHECK(k.strides[0][0] == 10 && k.strides[0][1] == 30 && k.strides[1][0] == -1 && k.strides[1][1] == -3);
    gndi_walk_add(&k.w, 1, (const int64_t[]){7, 7});
    CHECK(k.w.ndim == 2);
}

/* The order of a caller's own. */
static bool longer_inside(const gndi_walk *w, int a, int b) {
    return w->shape[a] > w->shape[b];
}

TEST(who_decides) {
    walk k;
    begin(&k, 2);
    gndi_walk_add(&k.w, 2, (const int64_t[]){8, 4});
    gndi_walk_add(&k.w, 3, (const int64_t[]){16, 0});
    gndi_walk_add(&k.w, 4, (const int64_t[]){0, 32});
    gndi_walk_sort(&k.w, 0, 3); /* the first operand: 8 belongs inside 16; then the second: 4 inside 32 */
    CHECK(k.shape[0] == 3 && k.shape[1] == 4 && k.shape[2] == 2);
    k.w.is_faster = longer_inside;
    gndi_walk_sort(&k.w, 0, 3);
    CHECK(k.shape[0] == 2 && k.shape[1] == 3 && k.shape[2] == 4);
    CHECK(k.strides[0][0] == 8 && k.strides[0][1] == 16 && k.strides[1][2] == 32);
    CHECK(gndi_walk_merge(&k.w, 0, 0) == 0 && gndi_walk_merge(&k.w, 1, 2) == 1 && k.w.ndim == 3);
}

TEST(axes_of_arrays) {
    const gnd_array *a = gnd_zeros(GND_SHAPE(2, 1, 3, 4), GND_FLOAT32), *b = gnd_slice(a, "::-1, :, :, ::2");
    walk k;
    begin(&k, 2);
    gndi_walk_arrays(&k.w, (const gnd_array *[]){b, NULL}, 2);
    CHECK(k.w.ndim == 2 && k.shape[0] == 2 && k.shape[1] == 2);
    CHECK(k.strides[0][0] == -48 && k.strides[0][1] == 8 && k.strides[1][0] == 0 && k.strides[1][1] == 0);
    CHECK(gndi_walk_flip(&k.w) && k.offset[0] == -48 && k.offset[1] == 0 && !gndi_walk_flip(&k.w));
}

TEST(steps_of_axes) {
    const gnd_array *a = gnd_zeros(GND_SHAPE(2, 1, 3, 4), GND_FLOAT32);
    const gnd_array *back = gnd_slice(a, ":, :, ::-1, ::-1"), *gap = gnd_slice(a, ":, :, :, :3");
    int64_t step = 0, offset = 0;
    CHECK(gndi_axes_step(a, NULL, 4, &step, NULL) && step == 4);
    CHECK(gndi_axes_step(a, NULL, 2, &step, NULL) && step == 48);
    CHECK(gndi_axes_step(a, (const int[]){0, 2}, 2, &step, NULL) && step == 16);
    CHECK(!gndi_axes_step(a, (const int[]){2, 0}, 2, &step, NULL));
    CHECK(gndi_axes_step(gap, NULL, 3, &step, NULL) && step == 16);
    CHECK(!gndi_axes_step(gap, NULL, 4, &step, NULL));
    step = 5;
    CHECK(gndi_axes_step(a, (const int[]){1}, 1, &step, NULL) && step == 5); /* one element: the step stays */
    CHECK(gndi_axes_step(back, (const int[]){2, 3}, 2, &step, NULL) && step == -4);
    CHECK(!gndi_axes_step(back, NULL, 4, &step, NULL));
    CHECK(gndi_axes_step(back, NULL, 4, &step, &offset) && step == 4 && offset == -44);
}

TEST_MAIN
