/*
 * histogram_rules.c: how many bins there should be, by NumPy's rules (numpy/lib/_histograms_impl.py,
 * which names the sources): what they need to know of the data is computed on the device and read back.
 * Elements outside a given range become NaN and are left out by the functions that do so.
 */
#include "elementwise/elementwise.h"
#include "elementwise/item.h"
#include "statistics/statistics.h"
#include "histogram/histogram.h"
#include <math.h>

/* What a rule has to know. Widths of bins are computed in x's dtype where NumPy's are. */
typedef struct sample {
    const char *fn;
    const gnd_array *x;
    gnd_array *trimmed; /* x, floating, NaN where it is outside the range */
    bool ranged;
    double range[2], n, first, last, extent;
    bool failed;
} sample;

/* x rounded to a floating dtype that is narrower than float64. */
static double narrow(gnd_dtype dtype, double x) {
    if (dtype == GND_FLOAT32) return (float)x;
    if (dtype == GND_FLOAT16) return gnd_float16_to_float(gnd_float_to_float16((float)x));
    return x;
}
static gnd_dtype dtype_of(const sample *s) {
    return (gnd_dtype)s->trimmed->dtype;
}

/* The one element of a new array, which is released. */
static double read_back(sample *s, gnd_array *number) {
    gndi_scalar item = {.f64 = 0};
    gnd_array *wide = number ? gndi_copy_as(s->fn, number, GND_FLOAT64, 'C') : NULL;
    if (number) gnd_release(number);
    s->failed |= !wide || gndi_item(s->fn, wide, &item) != GND_OK;
    if (wide) gnd_release(wide);
    return s->failed ? 0 : item.f64;
}

/* ---- the rules: the width of a bin; 0: one bin -------------------------------------------------- */

typedef struct width {
    double value;
    bool wide; /* float64 whatever x is */
} width;

static width by_root(sample *s) {
    return (width){s->extent / sqrt(s->n), true};
}
static width by_sturges(sample *s) {
    return (width){s->extent / (log2(s->n) + 1.0), true};
}
static width by_rice(sample *s) {
    return (width){narrow(dtype_of(s), s->extent / (2.0 * pow(s->n, 1.0 / 3))), false};
}

static double deviation(sample *s) {
    const gnd_axes all = {0};
    return read_back(s, s->ranged ? gnd_nanstd(s->trimmed, all, 0) : gnd_std(s->trimmed, all, 0));
}
static width by_scott(sample *s) {
    const double factor = pow(24.0 * pow(3.14159265358979323846, 0.5) / s->n, 1.0 / 3.0);
    return (width){narrow(dtype_of(s), factor * deviation(s)), false};
}

static double percentile(sample *s, double q) {
    const gnd_axes all = {0};
    const gnd_arg at = gnd_arg_real(q);
    return read_back(s, s->ranged ? (gnd_nanpercentile)(s->trimmed, at, all, GND_QUANTILE_LINEAR)
                                  : (gnd_percentile)(s->trimmed, at, all, GND_QUANTILE_LINEAR));
}
static width by_freedman_diaconis(sample *s) {
    const double range = narrow(dtype_of(s), percentile(s, 75) - percentile(s, 25));
    const double twice = narrow(dtype_of(s), 2.0 * range);
    return (width){narrow(dtype_of(s), twice * pow(s->n, -1.0 / 3.0)), false};
}

static width by_auto(sample *s) {
    const width fd = by_freedman_diaconis(s), sturges = by_sturges(s);
    const double floor = by_root(s).value / 2;
    const width wider = fd.value >= floor ? fd : (width){floor, true};
    return sturges.value < wider.value ? sturges : wider;
}

/* The mean of ((x - mean) / deviation)^3. */
static double skewness(sample *s, double sigma) {
    const gnd_axes all = {0};
    const gnd_arg x = gnd_arg_array(s->trimmed);
    gnd_array *mean = s->ranged ? gnd_nanmean(s->trimmed, all) : gnd_mean(s->trimmed, all);
    gnd_array *z = NULL, *scaled = NULL, *cubes = NULL, *result = NULL;
    if (mean) gndi_apply(s->fn, GNDI_OP_subtract, x, gnd_arg_array(mean), &z);
    if (z) gndi_apply(s->fn, GNDI_OP_divide, gnd_arg_array(z), gnd_arg_real(sigma), &scaled);
    if (scaled) gndi_apply(s->fn, GNDI_OP_power, gnd_arg_array(scaled), gnd_arg_int(3), &cubes);
    if (cubes) result = s->ranged ? gnd_nanmean(cubes, all) : gnd_mean(cubes, all);
    gnd_release(mean);
    gnd_release(z);
    gnd_release(scaled);
    gnd_release(cubes);
    return read_back(s, result);
}
static width by_doane(sample *s) {
    const double n = s->n, sg1 = sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)));
    const double sigma = n > 2 ? deviation(s) : 0;
    if (!(sigma > 0)) return (width){0, true};
    const double g1 = fabs(skewness(s, sigma));
    return (width){s->extent / (1.0 + log2(n) + log2(1.0 + g1 / sg1)), true};
}

/* The estimated error of a histogram of `count` bins, less what they all have in common. */
static double estimated_error(sample *s, int64_t count) {
    const gndi_histogram_request r = {.fn = s->fn, .x = s->x};
    const double range[2] = {s->first, s->last};
    gndi_bins bins = {0};
    gnd_array *counts = NULL, *share = NULL, *squares = NULL;
    const gnd_axes all = {0};
    if (gndi_bins_even(s->fn, s->x, count, range, false, &bins)) counts = gndi_histogram_count(&r, &bins);
    gndi_bins_drop(&bins);
    if (counts) gndi_apply(s->fn, GNDI_OP_divide, gnd_arg_array(counts), gnd_arg_real(s->n), &share);
    if (share) squares = gndi_sum_of(s->fn, share, share, false, &all, GND_DTYPE_NONE);
    gnd_release(counts);
    gnd_release(share);
    const double sum = read_back(s, squares);
    return (2 - (s->n + 1) * sum) / (s->extent / (double)count);
}
static width by_stone(sample *s) {
    if (s->n <= 1 || s->extent == 0) return (width){0, true};
    const int64_t root = (int64_t)sqrt(s->n), most = root > 100 ? root : 100;
    int64_t best = 1;
    double least = INFINITY;
    for (int64_t count = 1; count <= most && !s->failed; count++) {
        const double error = estimated_error(s, count);
        if (error < least) least = error, best = count;
    }
    return (width){narrow(dtype_of(s), s->extent / (double)best), false};
}

static const struct {
    const char *name;
    width (*width)(sample *s);
} rules[] = {
    {"auto", by_auto}, {"fd", by_freedman_diaconis}, {"doane", by_doane}, {"scott", by_scott}, {"stone", by_stone},
    {"rice", by_rice}, {"sturges", by_sturges},      {"sqrt", by_root},
};

/* ---- the data --------------------------------------------------------------------------------- */

/* x as a floating array, NaN outside the range. */
static gnd_array *trim(const sample *s) {
    const gnd_dtype dtype = gndi_dtype_is_float(s->x->dtype) ? (gnd_dtype)s->x->dtype : GND_FLOAT64;
    if (!s->ranged) return s->x->dtype == dtype ? gndi_array_alias(s->fn, s->x) : gndi_copy_as(s->fn, s->x, dtype, 'K');
    const gnd_arg x = gnd_arg_array(s->x);
    gnd_array *above = NULL, *below = NULL, *inside = NULL;
    gnd_array *out =
        gndi_array_new_on(s->fn, gndi_ew_stream(s->x, s->fn), s->x->ndim, s->x->shape, dtype, GNDI_ORDER_C);
    bool done = out && gnd_fill(out, (double)NAN) == GND_OK;
    done = done && gndi_apply(s->fn, GNDI_OP_greater_equal, x, gnd_arg_real(s->range[0]), &above) &&
           gndi_apply(s->fn, GNDI_OP_less_equal, x, gnd_arg_real(s->range[1]), &below) &&
           gndi_apply(s->fn, GNDI_OP_logical_and, gnd_arg_array(above), gnd_arg_array(below), &inside);
    if (done) {
        const gndi_ew_request copy = {
            .op = GNDI_OP_positive, .fn = s->fn, .args = {x}, .out = {out}, .where = inside, .casting = GND_UNSAFE};
        done = gndi_elementwise(&copy, NULL) == GND_OK;
    }
    gnd_release(above);
    gnd_release(below);
    gnd_release(inside);
    if (done) return out;
    gnd_release(out);
    return NULL;
}

/* How many elements there are, from where to where, and the range of the bins. */
static bool measure(sample *s) {
    const gnd_axes all = {0};
    double least = 0, greatest = 0;
    s->n = (double)s->x->size;
    if (s->ranged && s->x->size > 0) {
        gnd_array *number = NULL;
        const gnd_arg x = gnd_arg_array(s->trimmed);
        gndi_apply(s->fn, GNDI_OP_equal, x, x, &number);
        s->n = read_back(s, number ? gnd_count_nonzero(number, all) : NULL);
        if (number) gnd_release(number);
    }
    if (s->n > 0) {
        least = read_back(s, s->ranged ? gnd_nanmin(s->trimmed, all) : gnd_min(s->x, all));
        greatest = read_back(s, s->ranged ? gnd_nanmax(s->trimmed, all) : gnd_max(s->x, all));
    }
    if (s->failed) return false;
    if (!isfinite(least) || !isfinite(greatest)) {
        gndi_raise(GND_ERROR_VALUE, s->fn, "the range of the data, [%g, %g], is not finite", least, greatest);
        return false;
    }
    s->extent = narrow(dtype_of(s), greatest - least);
    s->first = s->ranged ? s->range[0] : least, s->last = s->ranged ? s->range[1] : greatest;
    if (s->first == s->last) s->first -= 0.5, s->last += 0.5;
    return true;
}

static int64_t bins_of(const sample *s, width w) {
    if (!(w.value > 0)) return 1;
    if (gndi_dtype_is_int(s->x->dtype) && w.value < 1) w.value = 1;
    double reach = s->last - s->first;
    if (!s->ranged) reach = narrow(dtype_of(s), reach);
    double count = reach / w.value;
    if (!s->ranged && !w.wide) count = narrow(dtype_of(s), count);
    count = ceil(count);
    return count < 1 ? 1 : count > 0x1p40 ? (int64_t)1 << 40 : (int64_t)count;
}

bool gndi_histogram_rule(const char *fn, const gnd_array *x, const char *rule, const double *range, int64_t *count) {
    const size_t known = sizeof rules / sizeof *rules;
    size_t k = 0;
    while (k < known && strcmp(rules[k].name, rule)) k++;
    if (k == known) {
        gndi_raise(GND_ERROR_VALUE, fn,
                   "there is no rule \"%s\"; there are auto, fd, doane, scott, stone, rice, sturges "
                   "and sqrt",
                   rule);
        return false;
    }
    sample s = {.fn = fn, .x = x, .ranged = range && !(isnan(range[0]) && isnan(range[1]))};
    if (s.ranged) {
        /* A range that is a single number is widened first: what is near it counts, too. */
        const double half = range[0] == range[1] ? 0.5 : 0;
        s.range[0] = range[0] - half, s.range[1] = range[1] + half;
    }
    s.trimmed = trim(&s);
    bool found = s.trimmed && measure(&s);
    *count = 1;
    if (found && s.n > 0) *count = bins_of(&s, rules[k].width(&s));
    gnd_release(s.trimmed);
    return found && !s.failed;
}
