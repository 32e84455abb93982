/*
 * quantile_select.c: order statistics of all elements of a long array. Each rank sorts its block. Regular samples of
 * the sorted blocks tell between which two of them the wanted ranks lie; the blocks' elements there are gathered.
 */
#include "dist/quantile.h"
#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 1024 }; /* of a block */

typedef struct selection {
    const gndi_order_statistic *s;
    gnd_mesh *mesh;
    gnd_array *sorted; /* this rank's elements, without NaN */
    int64_t *length;   /* of each rank's */
    int64_t total;
    bool nan;           /* there is one, and it counts */
    gnd_array *samples; /* of all ranks, in order */
    int count;
    int64_t *lower, *upper; /* of each sample: at least and at most so many elements are below it */
} selection;

/* ---- the blocks ------------------------------------------------------------------------------------------------- */

static bool writes_block(const gnd_dist *x) {
    for (int k = 0; k < 2; k++)
        if (x->axis[k] < 0 && x->mesh->place[k] != 0) return false;
    return true;
}

/* What ranks tell each other first. */
typedef struct told {
    int64_t length;
    int32_t code, nan;
} told;

/* Sorts this rank's block: of several copies, one. */
static bool sort_block(selection *c, told *own) {
    const gnd_dist *x = c->s->x;
    *own = (told){0, 0, 0};
    if (!x->local) return false;
    const bool floating = gnd_dtype_kind(x->dtype) == 'f';
    gnd_array *flat = gnd_ravel(x->local);
    if (flat && !writes_block(x)) flat = gnd_slice(flat, ":0");
    gnd_array *sorted = flat ? gnd_sort(flat, GND_AXES(0), GND_ASCENDING) : NULL; /* NaN come last */
    if (!sorted) return false;
    own->length = gnd_size(sorted);
    if (floating && own->length > 0) {
        const gnd_array *count = gnd_count_nonzero(gnd_isnan(sorted), GND_ALL);
        const int64_t nans = count ? gnd_item_int(count) : 0;
        own->nan = nans > 0, own->length -= nans;
        sorted = gnd_slice(sorted, ":%lld", (long long)own->length);
    }
    c->sorted = sorted;
    return sorted != NULL && !gnd_error();
}

static bool learn_lengths(selection *c, told *own) {
    const gnd_error_record *failure = own->code ? (c->s->x->local ? gnd_error() : &c->s->x->failure) : NULL;
    if (gndi_mesh_agree_on(c->mesh, c->s->fn, failure) != GND_OK) return false;
    const told *all = gndi_mesh_gather(c->mesh, c->s->fn, own, sizeof *own);
    if (!all) return false;
    c->total = 0;
    for (int r = 0; r < gnd_mesh_size(c->mesh); r++) {
        c->length[r] = all[r].length;
        c->total += all[r].length;
        c->nan = c->nan || (all[r].nan && !c->s->skip_nan);
    }
    return true;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Sample j of n elements is element j n / SAMPLES. */
static int64_t sample_at(int64_t n, int64_t j) {
    return n / SAMPLES * j + n % SAMPLES * j / SAMPLES;
}

static gnd_array *own_samples(const selection *c) {
    int64_t index[SAMPLES];
    const int64_t n = gnd_size(c->sorted);
    if (n == 0) return gnd_zeros(GND_SHAPE(SAMPLES), c->s->x->dtype);
    for (int j = 0; j < SAMPLES; j++) index[j] = sample_at(n, j);
    return gnd_take(c->sorted, gnd_from_host(index, GND_SHAPE(SAMPLES), GND_INT64), GND_AXES(0), GND_RAISE);
}

/* The samples in order, and how many elements are below each: if m of a rank's samples are before one, at most
   sample_at(m) of its elements are, and at least sample_at(m - 1) + 1, if the m are really smaller. */
static bool rank_samples(selection *c, const gnd_array *all) {
    const int size = gnd_mesh_size(c->mesh);
    gnd_array **rows = c->mesh->link->listed[0];                         /* free between exchanges */
    int64_t *rank_of = c->length + size, *before = c->length + 2 * size; /* samples of each rank so far */
    int used = 0;
    for (int r = 0; r < size; r++)
        if (c->length[r] > 0) rank_of[used] = r, before[used] = 0, rows[used++] = gnd_slice(all, "%d", r);
    gnd_array *flat = used ? gnd_concatenate(used, rows, 0) : NULL;
    const gnd_array *order = flat ? gnd_argsort(flat, GND_AXES(0), GND_ASCENDING) : NULL;
    c->samples = order ? gnd_take(flat, order, GND_AXES(0), GND_RAISE) : NULL;
    if (!c->samples) return false;
    const int n = c->count = used * SAMPLES;
    const gnd_array *rising = gnd_not_equal(gnd_slice(c->samples, "1:"), gnd_slice(c->samples, ":-1"));
    int64_t *from = c->upper; /* overwritten from the first on, after it is read */
    char *rises = (char *)(c->upper + n);
    if (!rising || gnd_to_host(order, from, (size_t)n * sizeof *from) != GND_OK ||
        gnd_to_host(rising, rises + 1, (size_t)n - 1) != GND_OK)
        return false;
    int64_t least = 0, most = 0, group = 0; /* sums of the ranks' bounds; of the first of equal samples */
    rises[0] = 1;
    for (int i = 0; i < n; i++) {
        const int r = (int)(from[i] / SAMPLES);
        const int64_t length = c->length[rank_of[r]], m = before[r]++;
        if (rises[i]) group = least;
        c->lower[i] = group, c->upper[i] = most;
        least += sample_at(length, m) + 1 - (m ? sample_at(length, m - 1) + 1 : 0);
        most += sample_at(length, m + 1) - sample_at(length, m);
    }
    return true;
}

/* ---- one quantile ------------------------------------------------------------------------------------------------ */

/* Between which elements of n it lies, and how far. */
typedef struct position {
    int64_t previous, next;
    double weight;
} position;

static int64_t clamp(double rank, int64_t n) {
    if (!(rank > 0)) return 0;
    return rank >= (double)(n - 1) ? n - 1 : (int64_t)rank;
}

static double rounded(gnd_dtype t, double x) {
    return t == GND_FLOAT64 ? x : (double)(float)x;
}

/* NumPy's virtual index, n q + (alpha + q (1 - alpha - beta)) - 1, rounded after each step. */
static double virtual_index(gnd_dtype t, double n, double q, double alpha, double beta) {
    const double slope = rounded(t, q * rounded(t, 1 - alpha - beta)), inner = rounded(t, rounded(t, alpha) + slope);
    return rounded(t, rounded(t, rounded(t, n * q) + inner) - 1);
}

static bool is_discrete(gnd_quantile_method method) {
    return method == GND_QUANTILE_INVERTED_CDF || method == GND_QUANTILE_CLOSEST_OBSERVATION ||
           method == GND_QUANTILE_LOWER || method == GND_QUANTILE_HIGHER || method == GND_QUANTILE_NEAREST;
}

/* As src/quantile/select_ops.h has it, which a test compares: `t` is the dtype of positions. */
static position position_of(gnd_quantile_method method, gnd_dtype t, int64_t count, double q) {
    const double n = rounded(t, (double)count), last = rounded(t, rounded(t, (double)(count - 1)) * q);
    const double from_one = rounded(t, rounded(t, n * q) - 1);
    double at = last;
    switch (method) {
    case GND_QUANTILE_LOWER: at = floor(last); break;
    case GND_QUANTILE_HIGHER: at = ceil(last); break;
    case GND_QUANTILE_NEAREST: at = rint(last); break;
    case GND_QUANTILE_INVERTED_CDF: at = ceil(from_one); break;
    case GND_QUANTILE_CLOSEST_OBSERVATION: {
        const double index = rounded(t, from_one - 0.5), low = floor(index);
        at = index == low && low != 2 * floor(low / 2) ? low : low + 1;
        break;
    }
    case GND_QUANTILE_AVERAGED_INVERTED_CDF: at = from_one; break;
    case GND_QUANTILE_INTERPOLATED_INVERTED_CDF: at = virtual_index(t, n, q, 0, 1); break;
    case GND_QUANTILE_HAZEN: at = virtual_index(t, n, q, 0.5, 0.5); break;
    case GND_QUANTILE_WEIBULL: at = virtual_index(t, n, q, 0, 0); break;
    case GND_QUANTILE_MEDIAN_UNBIASED: at = virtual_index(t, n, q, 1 / 3.0, 1 / 3.0); break;
    case GND_QUANTILE_NORMAL_UNBIASED: at = virtual_index(t, n, q, 3 / 8.0, 3 / 8.0); break;
    case GND_QUANTILE_MIDPOINT: at = rounded(t, 0.5 * rounded(t, floor(last) + ceil(last))); break;
    case GND_QUANTILE_LINEAR: break;
    }
    const int64_t low = clamp(floor(at), count);
    if (is_discrete(method) || at >= rounded(t, (double)(count - 1)) || at < 0) return (position){low, low, 0};
    double weight = at - floor(at);
    if (method == GND_QUANTILE_AVERAGED_INVERTED_CDF) weight = weight == 0 ? 0.5 : 1;
    if (method == GND_QUANTILE_MIDPOINT) weight = weight == 0 ? 0 : 0.5;
    return (position){low, clamp(floor(at) + 1, count), rounded(t, weight)};
}

/* What ranks tell each other of a sample at each end. */
typedef struct counts {
    int64_t below, upto, till; /* elements below and up to the lower one, and below the upper one */
    int32_t code;
} counts;

static int64_t counted(const selection *c, int sample, gnd_side side) {
    const gnd_array *value = gnd_slice(c->samples, "%d", sample);
    const gnd_array *place = value ? (gnd_searchsorted)(c->sorted, gnd_arg_array(value), side, gnd_arg_none()) : NULL;
    return place ? gnd_item_int(place) : -1;
}

/* Counts this rank's elements around two samples, and gathers that; *own is this rank's. */
static const counts *count_around(const selection *c, int low, int high, counts *own) {
    own->below = counted(c, low, GND_LEFT), own->upto = counted(c, low, GND_RIGHT);
    own->till = high < 0 ? gnd_size(c->sorted) : counted(c, high, GND_LEFT);
    const bool good = own->below >= 0 && own->upto >= 0 && own->till >= 0 && !gnd_error();
    if (!good) gndi_dist_status(c->s->fn);
    if (gndi_mesh_agree_on(c->mesh, c->s->fn, good ? NULL : gnd_error()) != GND_OK) return NULL;
    if (own->till < own->upto) own->till = own->upto; /* both samples are equal */
    return gndi_mesh_gather(c->mesh, c->s->fn, own, sizeof *own);
}

/* Everyone's elements between the two samples, in order. NULL on an error of this rank, which has taken part. */
static gnd_array *elements_between(const selection *c, const counts *all, const counts *own, int64_t n) {
    const int size = gnd_mesh_size(c->mesh);
    gndi_piece *send = c->mesh->link->pieces[0], *receive = c->mesh->link->pieces[1];
    const int64_t item = (int64_t)gnd_dtype_size(c->s->x->dtype);
    gnd_array *found = gnd_empty(GND_SHAPE(n), c->s->x->dtype);
    const gnd_array *mine = gnd_slice(c->sorted, "%lld:%lld", (long long)own->upto, (long long)own->till);
    int64_t at = 0;
    for (int r = 0; r < size; r++) {
        const int64_t length = all[r].till - all[r].upto;
        const gnd_array *part = found ? gnd_slice(found, "%lld:%lld", (long long)at, (long long)(at + length)) : NULL;
        send[r] = gndi_piece_at(r, mine, (own->till - own->upto) * item);
        receive[r] = gndi_piece_at(r, part, length * item);
        at += length;
    }
    if (gndi_mesh_exchange(c->mesh, c->s->fn, size, send, size, receive) != GND_OK) return NULL;
    return found ? gnd_sort(found, GND_AXES(0), GND_ASCENDING) : NULL;
}

/* The two elements of these ranks among all, as an array of two; false on an error of all. */
static bool two_elements(const selection *c, position p, gnd_array **pair) {
    int low = 0, high = -1;
    for (int i = 0; i < c->count && c->upper[i] <= p.previous; i++) low = i;
    for (int i = c->count - 1; i >= 0 && c->lower[i] > p.next; i--) high = i;
    counts own = {0}, sum = {0};
    const counts *all = count_around(c, low, high, &own);
    if (!all) return false;
    for (int r = 0; r < gnd_mesh_size(c->mesh); r++)
        sum.below += all[r].below, sum.upto += all[r].upto, sum.till += all[r].till;
    gnd_array *between = elements_between(c, all, &own, sum.till - sum.upto);
    const int64_t rank[2] = {p.previous, p.next};
    gnd_array *one[2];
    for (int i = 0; i < 2; i++)
        one[i] = rank[i] < sum.upto ? gnd_slice(c->samples, "%d", low)
                 : between          ? gnd_slice(between, "%lld", (long long)(rank[i] - sum.upto))
                                    : NULL;
    *pair = between && one[0] && one[1] ? gnd_stack(2, one, 0) : NULL;
    return true;
}

/* The value that gnd computes between two elements. `q`: the quantile as it was given. */
static gnd_array *value_between(const selection *c, const gnd_array *pair, position p, gnd_arg q) {
    const gndi_order_statistic *s = c->s;
    gnd_axes all = GND_ALL;
    gndi_order_statistic plain = *s;
    if (!pair) return NULL;
    if (s->median) {
        plain.name = "median";
        return gndi_order_statistic_of(&plain, pair, q, all, s->method);
    }
    plain.name = "quantile";
    const bool number = q.kind != GND_ARG_ARRAY;
    const gnd_dtype dtype = number ? GND_FLOAT64 : gnd_dtype_of(q.array);
    const char kind = number ? (q.kind == GND_ARG_REAL ? 'f' : 'i') : gnd_dtype_kind(dtype);
    /* Whole numbers are an end, where all methods agree; percentages of them are fractions in float64. */
    if (kind != 'f' && !s->percent) return gndi_order_statistic_of(&plain, pair, q, all, s->method);
    const gnd_quantile_method method = is_discrete(s->method) ? GND_QUANTILE_LOWER : GND_QUANTILE_LINEAR;
    gnd_arg weight = gnd_arg_real(p.weight);
    if (!number) weight = gnd_arg_array((gnd_full)(GND_SCALAR, weight, kind == 'f' ? dtype : GND_FLOAT64));
    return gndi_order_statistic_of(&plain, pair, weight, all, method);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* A quantile in [0, 1] from the number that was given; gnd has refused others, or will at the next wait. */
static double fraction(const gndi_order_statistic *s, gnd_dtype t, double q) {
    if (s->percent) q = rounded(t, q / 100);
    return q >= 0 && q <= 1 ? q : 0;
}

static gnd_dtype position_dtype(gnd_arg q) {
    if (q.kind != GND_ARG_ARRAY) return GND_FLOAT64;
    const gnd_dtype t = gnd_dtype_of(q.array);
    return t == GND_FLOAT16 || t == GND_BFLOAT16 || t == GND_FLOAT32 ? GND_FLOAT32 : GND_FLOAT64;
}

/* One value: NULL on an error of this rank; *agreed on one of all. */
static gnd_array *one_value(const selection *c, gnd_arg q, double number, bool *agreed) {
    position p = {(c->total - 1) / 2, c->total / 2, 0.5};
    if (!c->s->median) {
        const gnd_dtype t = position_dtype(q);
        p = position_of(c->s->method, t, c->total, fraction(c->s, t, number));
    }
    gnd_array *pair = NULL;
    *agreed = !two_elements(c, p, &pair);
    return *agreed ? NULL : value_between(c, pair, p, q);
}

static double number_of(gnd_arg q) {
    return q.kind == GND_ARG_REAL ? q.re : q.kind == GND_ARG_UINT ? (double)q.u : (double)q.i;
}

static gnd_array *values(const selection *c) {
    const gndi_order_statistic *s = c->s;
    bool agreed = false;
    if (s->median || s->q.kind != GND_ARG_ARRAY) return one_value(c, s->q, number_of(s->q), &agreed);
    gnd_array *flat = gnd_ravel(s->q.array), *numbers = flat ? gnd_astype(flat, GND_FLOAT64) : NULL;
    const int64_t n = gnd_size(s->q.array);
    gnd_array *result = gnd_empty(GND_SHAPE(n), s->dtype);
    const bool ready = numbers && result && gnd_sync() == GND_OK;
    if (gndi_mesh_agree_on(c->mesh, s->fn, ready ? NULL : gnd_error()) != GND_OK) return NULL;
    bool good = true;
    for (int64_t i = 0; i < n && !agreed; i++) {
        GND_SCOPE {
            const gnd_arg q = gnd_arg_array(gnd_slice(flat, "%lld", (long long)i));
            const gnd_array *value = one_value(c, q, gnd_at_double(numbers, i), &agreed);
            gnd_array *to = value ? gnd_slice(result, "%lld", (long long)i) : NULL;
            good = to && gnd_copyto(to, value) == GND_OK && good;
        }
    }
    return good && !agreed ? result : NULL;
}

/* The memory that bounds take, set aside before anything moves. */
static bool set_aside(selection *c) {
    const size_t n = (size_t)gnd_mesh_size(c->mesh) * SAMPLES;
    c->lower = gndi_dist_calloc(c->s->fn, n * sizeof *c->lower);
    c->upper = gndi_dist_calloc(c->s->fn, n * (sizeof *c->upper + 1));
    return c->lower && c->upper;
}

static gnd_array *selected(selection *c) {
    const gndi_order_statistic *s = c->s;
    told own = {0};
    const bool sorted = set_aside(c) && sort_block(c, &own);
    if (!sorted) own.code = 1;
    if (!learn_lengths(c, &own)) return NULL;
    if (c->nan || c->total == 0) { /* NaN, in q's shape */
        const gnd_shape shape = s->q.kind == GND_ARG_ARRAY ? gnd_shape_of(s->q.array) : GND_SCALAR;
        return gnd_full(shape, NAN, s->dtype);
    }
    const gnd_array *mine = own_samples(c);
    const gnd_array *all = gndi_mesh_all_gather(c->mesh, s->fn, mine, GND_SHAPE(SAMPLES), s->x->dtype);
    const bool ranked = all && rank_samples(c, all);
    if (!ranked) gndi_dist_status(s->fn);
    if (gndi_mesh_agree_on(c->mesh, s->fn, ranked ? NULL : gnd_error()) != GND_OK) return NULL;
    return values(c);
}

gnd_array *gndi_select_of_all(const gndi_order_statistic *s) {
    selection c = {.s = s, .mesh = s->x->mesh, .length = s->x->mesh->link->numbers};
    gnd_array *result = selected(&c);
    free(c.lower), free(c.upper);
    return result;
}
