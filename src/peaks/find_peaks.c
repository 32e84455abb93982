/*
 * find_peaks.c: peaks of a line under conditions (scipy.signal.find_peaks). The peaks are marked by one launch and
 * their indices taken; each condition computes its properties of those that are left, one launch, and drops peaks.
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "peaks/peaks.h"
#include "polynomial/numbers.h"
#include <gnd.h>
#include <math.h>

/* The results as a list, in the order of gnd_peaks. */
enum {
    PEAKS,
    PLATEAU_SIZES,
    LEFT_EDGES,
    RIGHT_EDGES,
    PEAK_HEIGHTS,
    LEFT_THRESHOLDS,
    RIGHT_THRESHOLDS,
    PROMINENCES,
    LEFT_BASES,
    RIGHT_BASES,
    WIDTHS,
    WIDTH_HEIGHTS,
    LEFT_IPS,
    RIGHT_IPS,
    RESULTS
};

typedef struct search {
    const char *fn;
    const gnd_array *x; /* dense, floating */
    gnd_array *found[RESULTS];
    bool failed;
} search;

static bool wanted(const gnd_peak_condition *c) {
    return c->wanted || c->least.kind != GND_ARG_NONE || c->most.kind != GND_ARG_NONE;
}

/* Takes over an array. */
static void set(search *f, int which, gnd_array *array) {
    gnd_release(f->found[which]);
    f->found[which] = array;
    f->failed |= !array;
}

static void keep(search *f, const gnd_array *mask) {
    f->failed |= !mask;
    for (int k = 0; k < RESULTS && !f->failed; k++)
        if (f->found[k]) set(f, k, gnd_keep(gnd_extract(mask, f->found[k])));
}

/* A bound: a number, or the elements of an array as long as x at the peaks. */
static gnd_arg bound_of(search *f, gnd_arg bound) {
    if (bound.kind != GND_ARG_ARRAY || f->failed) return bound;
    f->failed = true;
    if (gndi_missing(bound.array))
        gndi_raise_null(f->fn, "a bound");
    else if (bound.array->ndim != 1 || bound.array->size != f->x->size)
        gndi_raise(GND_ERROR_SHAPE, f->fn, "a bound that is an array must be as long as x, %lld, and is %s",
                   (long long)f->x->size, gndi_text_array(bound.array));
    else
        f->failed = false;
    return f->failed ? bound : gnd_arg_array(gnd_take(bound.array, f->found[PEAKS], GND_ALL, GND_RAISE));
}

/* Keeps the peaks where low >= least and high <= most. */
static void select(search *f, const gnd_peak_condition *c, const gnd_array *low, const gnd_array *high) {
    const gnd_array *mask = NULL;
    const bool least = c->least.kind != GND_ARG_NONE, most = c->most.kind != GND_ARG_NONE;
    const gnd_arg bounds[2] = {bound_of(f, c->least), bound_of(f, c->most)};
    if (f->failed || (!least && !most)) return;
    if (least) mask = (gnd_greater_equal)(gnd_arg_array(low), bounds[0]);
    if (most) {
        const gnd_array *below = (gnd_less_equal)(gnd_arg_array(high), bounds[1]);
        mask = least ? gnd_logical_and(mask, below) : below;
    }
    keep(f, mask);
}

/* Computes properties of the peaks; each array of the list goes where its number says. */
static void properties(search *f, struct gndi_peaks_plan *p, gndi_peak_arrays *r) {
    gndi_temporaries s = {.fn = f->fn, .failed = f->failed};
    gndi_peaks_run(&s, p, f->x, f->found[PEAKS], r);
    const struct {
        gnd_array *made;
        int which;
    } results[] = {
        {r->a, p->kind == GNDI_PEAKS_VALUES ? PEAK_HEIGHTS : PROMINENCES},
        {r->b, p->kind == GNDI_PEAKS_VALUES ? LEFT_THRESHOLDS : WIDTHS},
        {r->c, p->kind == GNDI_PEAKS_VALUES ? RIGHT_THRESHOLDS : WIDTH_HEIGHTS},
        {r->d, LEFT_IPS},
        {r->e, RIGHT_IPS},
        {r->left, p->kind == GNDI_PEAKS_EDGES ? LEFT_EDGES : LEFT_BASES},
        {r->right, p->kind == GNDI_PEAKS_EDGES ? RIGHT_EDGES : RIGHT_BASES},
    };
    f->failed |= s.failed;
    for (size_t k = 0; k < sizeof results / sizeof *results && !f->failed; k++) {
        gnd_array *made = results[k].made;
        if (!made || made == f->found[results[k].which]) continue;
        gndi_temporaries_give(&s, made, &made);
        set(f, results[k].which, gnd_keep(made));
    }
    gndi_temporaries_end(&s, NULL);
}

/* ---- conditions, in SciPy's order ----------------------------------------------------------- */

static void by_plateau(search *f, const gnd_peak_condition *c) {
    if (f->failed || !wanted(c)) return;
    properties(f, &(struct gndi_peaks_plan){.kind = GNDI_PEAKS_EDGES}, &(gndi_peak_arrays){0});
    if (!f->failed)
        set(f, PLATEAU_SIZES, gnd_keep(gnd_add(gnd_subtract(f->found[RIGHT_EDGES], f->found[LEFT_EDGES]), 1)));
    if (!f->failed) select(f, c, f->found[PLATEAU_SIZES], f->found[PLATEAU_SIZES]);
}

/* Heights and thresholds come together; what nobody asked for is dropped. */
static void by_values(search *f, const gnd_peak_condition *height, const gnd_peak_condition *threshold) {
    if (f->failed || (!wanted(height) && !wanted(threshold))) return;
    properties(f, &(struct gndi_peaks_plan){.kind = GNDI_PEAKS_VALUES}, &(gndi_peak_arrays){0});
    if (!f->failed && wanted(height)) select(f, height, f->found[PEAK_HEIGHTS], f->found[PEAK_HEIGHTS]);
    if (!f->failed && wanted(threshold)) {
        const gnd_array *left = f->found[LEFT_THRESHOLDS], *right = f->found[RIGHT_THRESHOLDS];
        select(f, threshold, gnd_minimum(left, right), gnd_maximum(left, right));
    }
    for (int k = PEAK_HEIGHTS; k <= RIGHT_THRESHOLDS; k++) {
        if (wanted(k == PEAK_HEIGHTS ? height : threshold)) continue;
        gnd_release(f->found[k]);
        f->found[k] = NULL;
    }
}

/* From the highest peak on, those nearer to it than the distance go. Which one stays depends on those before, so this
   is done on the host. */
static bool thin_out(gndi_scratch *s, const gnd_array *peaks, const gnd_array *order, double distance, bool *stays) {
    const int64_t count = peaks->size, bytes = count * (int64_t)sizeof(int64_t);
    int64_t *at = gndi_scratch_get(s, count, sizeof *at), *rank = gndi_scratch_get(s, count, sizeof *rank);
    if (s->failed || gnd_to_host(peaks, at, (size_t)bytes) || gnd_to_host(order, rank, (size_t)bytes)) return false;
    const int64_t apart = distance < 0x1p62 ? (int64_t)ceil(distance) : INT64_MAX;
    for (int64_t i = 0; i < count; i++) stays[i] = true;
    for (int64_t i = count - 1; i >= 0; i--) {
        const int64_t j = rank[i];
        if (!stays[j]) continue;
        for (int64_t k = j - 1; k >= 0 && at[j] - at[k] < apart; k--) stays[k] = false;
        for (int64_t k = j + 1; k < count && at[k] - at[j] < apart; k++) stays[k] = false;
    }
    return true;
}

static void by_distance(search *f, double distance) {
    if (f->failed || distance == 0 || f->found[PEAKS]->size == 0) return;
    gndi_scratch s = {.fn = f->fn};
    const int64_t count = f->found[PEAKS]->size;
    const gnd_array *heights = gnd_take(f->x, f->found[PEAKS], GND_ALL, GND_RAISE);
    bool *stays = gndi_scratch_get(&s, count, sizeof *stays);
    if (stays && thin_out(&s, f->found[PEAKS], gnd_argsort(heights, GND_ALL, GND_ASCENDING), distance, stays))
        keep(f, gnd_from_host(stays, (gnd_shape){.ndim = 1, .dim = {count}}, GND_BOOL));
    else
        f->failed = true;
    gndi_scratch_end(&s);
}

static void by_prominence(search *f, const gnd_find_peaks_options *o) {
    if (f->failed || (!wanted(&o->prominence) && !wanted(&o->width))) return;
    struct gndi_peaks_plan p = {.kind = GNDI_PEAKS_PROMINENCES};
    gndi_temporaries s = {.fn = f->fn};
    if (!gndi_peaks_reach(&s, o->wlen, f->x->size, &p.reach)) f->failed = true;
    properties(f, &p, &(gndi_peak_arrays){0});
    if (!f->failed && wanted(&o->prominence)) select(f, &o->prominence, f->found[PROMINENCES], f->found[PROMINENCES]);
}

static void by_width(search *f, const gnd_find_peaks_options *o) {
    if (f->failed || !wanted(&o->width)) return;
    struct gndi_peaks_plan p = {.kind = GNDI_PEAKS_WIDTHS, .rel_height = o->rel_height == 0 ? 0.5 : o->rel_height};
    gndi_peak_arrays r = {.a = f->found[PROMINENCES], .left = f->found[LEFT_BASES], .right = f->found[RIGHT_BASES]};
    properties(f, &p, &r);
    if (!f->failed) select(f, &o->width, f->found[WIDTHS], f->found[WIDTHS]);
}

/* ---- the function --------------------------------------------------------------------------- */

static bool check_options(const char *fn, const gnd_find_peaks_options *o) {
    if (o->distance != 0 && !(o->distance >= 1))
        return gndi_raise(GND_ERROR_VALUE, fn, "distance must be at least 1, unlike %g", o->distance), false;
    if (!(o->rel_height >= 0))
        return gndi_raise(GND_ERROR_VALUE, fn, "rel_height must not be negative, unlike %g", o->rel_height), false;
    return true;
}

/* The indices of all peaks. */
static gnd_array *all_peaks(gndi_temporaries *s, const gnd_array *x) {
    struct gndi_extrema_plan p = {.n = x->size, .inner = 1, .comparison = GNDI_IS_PEAK};
    const gnd_array *mask = gnd_zeros((gnd_shape){.ndim = 1, .dim = {x->size}}, GND_BOOL);
    if (!mask) return NULL;
    gndi_extrema_run(s, &p, x, mask);
    return s->failed ? NULL : gnd_flatnonzero(mask);
}

gnd_status gnd_find_peaks(gnd_peaks *peaks, const gnd_array *x, const gnd_find_peaks_options *options) {
    static const gnd_find_peaks_options any;
    const gnd_find_peaks_options *o = options ? options : &any;
    gndi_temporaries s = {.fn = "gnd_find_peaks"};
    if (!peaks) return gndi_raise_null(s.fn, "peaks");
    *peaks = (gnd_peaks){0};
    search f = {.fn = s.fn, .x = gndi_peaks_line(&s, x)};
    f.failed = s.failed || !check_options(s.fn, o);
    GNDI_PARTS_OF(s.fn);
    if (!f.failed) {
        GND_USE(x->buffer->device->id) {
            GND_SCOPE {
                set(&f, PEAKS, gnd_keep(all_peaks(&s, f.x)));
                by_plateau(&f, &o->plateau_size);
                by_values(&f, &o->height, &o->threshold);
                by_distance(&f, o->distance);
                by_prominence(&f, o);
                by_width(&f, o);
            }
        }
    }
    s.failed |= f.failed;
    if (s.failed)
        for (int k = 0; k < RESULTS; k++) gnd_release(f.found[k]);
    else
        *peaks = (gnd_peaks){
            f.found[PEAKS],        f.found[PLATEAU_SIZES],   f.found[LEFT_EDGES],       f.found[RIGHT_EDGES],
            f.found[PEAK_HEIGHTS], f.found[LEFT_THRESHOLDS], f.found[RIGHT_THRESHOLDS], f.found[PROMINENCES],
            f.found[LEFT_BASES],   f.found[RIGHT_BASES],     f.found[WIDTHS],           f.found[WIDTH_HEIGHTS],
            f.found[LEFT_IPS],     f.found[RIGHT_IPS]};
    return gndi_temporaries_status(&s);
}

void gnd_peaks_release(gnd_peaks *p) {
    if (!p) return;
    gnd_array *const all[] = {p->peaks,           p->plateau_sizes,    p->left_edges,  p->right_edges, p->peak_heights,
                              p->left_thresholds, p->right_thresholds, p->prominences, p->left_bases,  p->right_bases,
                              p->widths,          p->width_heights,    p->left_ips,    p->right_ips};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) gnd_release(all[k]);
    *p = (gnd_peaks){0};
}
