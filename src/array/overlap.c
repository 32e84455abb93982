/*
 * overlap.c: whether two arrays have a byte in common, exactly.
 *
 * Let every stride be positive (a negative one starts from the other end) and count a's indices up
 * from its lowest address and b's down from its highest. The arrays meet if and only if
 *
 *     sum of |stride_i| x_i = high(b) - low(a),   0 <= x_i < size_i
 *
 * has a solution, where i runs over the axes of both, and the bytes within an element are one more
 * axis of each. That is a linear Diophantine equation with bounds, which is NP-complete in general,
 * but small or full of structure here. As in NumPy: terms of equal coefficient are merged, and a
 * search takes the terms from the smallest coefficient up. What the remaining ones, of which there
 * are j, can add up to is a multiple of their greatest common divisor and no more than their bounds
 * allow; which values of the next term leave such a rest is an arithmetic progression, by Euclid's
 * algorithm (Ramachandran, "Use of Extended Euclidean Algorithm in Solving a System of Linear
 * Diophantine Equations with Bounded Variables", 2006).
 */
#include "core/core.h"
#include <stdlib.h>

/* Products of two addresses or strides fit. */
__extension__ typedef __int128 wide;

/* coefficient * x, 0 <= x <= bound */
typedef struct term {
    wide coefficient, bound;
} term;

enum { TERMS = 2 * (GND_MAX_DIMS + 1) };

/* group[j] stands for the terms 0 .. j + 1 together: their greatest common divisor, and how many times
   that they reach; it is from * (terms 0 .. j) + to * (term j + 1). */
typedef struct equation {
    int count;
    term terms[TERMS], group[TERMS];
    wide from[TERMS], to[TERMS];
    int64_t work, max_work; /* steps done and allowed; negative: any number */
} equation;

typedef enum answer { NO, YES, TOO_MUCH } answer;

static wide floor_quotient(wide a, wide b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static wide ceil_quotient(wide a, wide b) {
    return -floor_quotient(-a, b);
}

/* Euclid's algorithm: the greatest common divisor, which is from * a + to * b. */
static wide common_divisor(wide a, wide b, wide *from, wide *to) {
    wide s = 1, next_s = 0, t = 0, next_t = 1;
    while (b > 0) {
        const wide quotient = a / b, rest = a % b, s_rest = s - quotient * next_s, t_rest = t - quotient * next_t;
        a = b, b = rest;
        s = next_s, next_s = s_rest;
        t = next_t, next_t = t_rest;
    }
    *from = s, *to = t;
    return a;
}

/* ---- the equation --------------------------------------------------------------------------- */

static void add_term(equation *e, wide coefficient, wide bound) {
    if (coefficient == 0 || bound == 0) return;
    int at = e->count;
    for (int i = 0; i < e->count; i++) {
        if (e->terms[i].coefficient != coefficient) continue;
        e->terms[i].bound += bound;
        return;
    }
    /* The largest coefficient first. */
    for (; at > 0 && e->terms[at - 1].coefficient < coefficient; at--) e->terms[at] = e->terms[at - 1];
    e->terms[at] = (term){coefficient, bound};
    e->count++;
}

static void add_array(equation *e, const gnd_array *a) {
    for (int i = 0; i < a->ndim; i++) add_term(e, llabs(a->strides[i]), a->shape[i] - 1);
    add_term(e, 1, gndi_itemsize(a) - 1);
}

/* No term exceeds the sum; one that must be 0 goes. */
static void trim(equation *e, wide sum) {
    int kept = 0;
    for (int i = 0; i < e->count; i++) {
        term t = e->terms[i];
        if (t.bound > sum / t.coefficient) t.bound = sum / t.coefficient;
        if (t.bound > 0) e->terms[kept++] = t;
    }
    e->count = kept;
}

static void join_terms(equation *e) {
    for (int j = 0; j + 1 < e->count; j++) {
        const term first = j == 0 ? e->terms[0] : e->group[j - 1], next = e->terms[j + 1];
        const wide divisor = common_divisor(first.coefficient, next.coefficient, &e->from[j], &e->to[j]);
        e->group[j].coefficient = divisor;
        e->group[j].bound = first.coefficient / divisor * first.bound + next.coefficient / divisor * next.bound;
    }
}

/* Whether the terms 0 .. last can add up to `sum`; last >= 1. */
static answer search(equation *e, int last, wide sum) {
    if (e->max_work >= 0 && e->work >= e->max_work) return TOO_MUCH;
    e->work++;
    const term *next = &e->terms[last], *first = last == 1 ? &e->terms[0] : &e->group[last - 2];
    const wide divisor = e->group[last - 1].coefficient;
    if (sum % divisor != 0) return NO;
    /* x = x0 + step * t for the first ones together, y = y0 - stride * t for the next one */
    const wide x0 = e->from[last - 1] * (sum / divisor), y0 = e->to[last - 1] * (sum / divisor);
    const wide step = next->coefficient / divisor, stride = first->coefficient / divisor;
    wide low = ceil_quotient(-x0, step), high = floor_quotient(first->bound - x0, step);
    const wide low_y = ceil_quotient(y0 - next->bound, stride), high_y = floor_quotient(y0, stride);
    if (low < low_y) low = low_y;
    if (high > high_y) high = high_y;
    if (low > high) return NO;
    if (last == 1) return YES;
    for (wide t = low; t <= high; t++) {
        const answer found = search(e, last - 1, sum - next->coefficient * (y0 - stride * t));
        if (found != NO) return found;
    }
    return NO;
}

static answer solve(equation *e, wide sum) {
    trim(e, sum);
    if (e->count == 0) return sum == 0 ? YES : NO;
    if (e->count == 1) {
        const term only = e->terms[0];
        return sum % only.coefficient == 0 && sum / only.coefficient <= only.bound ? YES : NO;
    }
    join_terms(e);
    return search(e, e->count - 1, sum);
}

/* ---- two arrays ----------------------------------------------------------------------------- */

static answer meet(const gnd_array *a, const gnd_array *b, int64_t max_work) {
    char *a_low, *a_high, *b_low, *b_high;
    gndi_array_extent(a, &a_low, &a_high);
    gndi_array_extent(b, &b_low, &b_high);
    /* Either array may be the one that counts up: take the smaller sum. */
    wide sum = (wide)(b_high - 1 - a_low), other = (wide)(a_high - 1 - b_low);
    equation e = {.max_work = max_work};
    add_array(&e, a);
    add_array(&e, b);
    return solve(&e, other < sum ? other : sum);
}

bool gndi_overlaps(const gnd_array *a, const gnd_array *b) {
    return gndi_may_overlap(a, b) && meet(a, b, 1000) != NO;
}

bool gnd_shares_memory(const gnd_array *a, const gnd_array *b, int64_t max_work) {
    static const char fn[] = "gnd_shares_memory";
    if (gndi_missing(a) || gndi_missing(b)) {
        gndi_raise_null(fn, gndi_missing(a) ? "a" : "b");
        return false;
    }
    if (!gndi_may_overlap(a, b)) return false;
    if (max_work == 0) return true;
    const answer found = meet(a, b, max_work);
    if (found == TOO_MUCH)
        gndi_raise(GND_ERROR_VALUE, fn,
                   "%lld steps do not decide whether arrays of shape %s and %s meet; allow more by "
                   "max_work, or any number by -1",
                   (long long)max_work, gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
    return found == YES;
}
