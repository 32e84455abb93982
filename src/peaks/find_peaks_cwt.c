/*
 * find_peaks_cwt.c: peaks as ridges of a wavelet transform (scipy.signal.find_peaks_cwt; P. Du, W. A. Kibbe and S. M.
 * Lin, Bioinformatics 22, 2006). The transform and its maxima along each row are computed on the device; the host
 * follows the maxima from the widest wavelet to the narrowest.
 */
#include "array/view.h"
#include "peaks/peaks.h"
#include "polynomial/numbers.h"
#include "waveforms/waveforms.h"
#include <gnd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A ridge: where it was last seen, how many maxima it has, and for how many rows it had none. */
typedef struct ridge {
    int64_t row, column, length, gap;
} ridge;

/* The column of a ridge, for a search by columns. */
typedef struct mark {
    int64_t column, index;
} mark;

typedef struct search {
    gndi_scratch *s;
    int64_t n, rows, maxima;     /* of the transform */
    const int64_t *row, *column; /* of the maxima, row by row */
    const double *max_distances;
    double gap_thresh;
    ridge *open, *closed;
    int64_t opened, done;
    mark *marks; /* of the open ridges as they were before a row, in order of columns */
} search;

/* ---- the transform -------------------------------------------------------------------------- */

/* Small ones directly, so that it is exactly 0 where data are, as SciPy has it. */
static gnd_array *transform(const char *fn, const gnd_array *x, int64_t count, const double *widths) {
    double longest = 0;
    if (!x) return NULL;
    for (int64_t k = 0; k < count; k++) longest = fmax(longest, fmin(10 * widths[k], (double)x->size));
    if (longest * (double)x->size > 4e6) return gnd_cwt(x, GND_WAVELET_RICKER, count, widths, 0);
    const gnd_array *wavelets = gndi_wavelet_rows(fn, x, GND_WAVELET_RICKER, count, widths, 0, GND_FLOAT64);
    gnd_array *out = gnd_empty((gnd_shape){.ndim = 2, .dim = {count, x->size}}, GND_FLOAT64);
    for (int64_t k = 0; out && k < count; k++) {
        const gnd_array *wavelet = gnd_slice(wavelets, "%lld", (long long)k);
        const gnd_array *row = gnd_convolve_nd(x, wavelet, GND_SAME, GND_CONVOLVE_DIRECT);
        if (!row || gnd_copyto(gnd_slice(out, "%lld", (long long)k), row)) return NULL;
    }
    return out;
}

/* ---- ridges --------------------------------------------------------------------------------- */

static int by_column(const void *a, const void *b) {
    const mark *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The mark nearest to a column; of two as near that of the ridge that began first. NULL: there is none. */
static const mark *nearest(const search *f, int64_t count, int64_t column) {
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (f->marks[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    const mark *right = low < count ? f->marks + low : NULL, *left = low > 0 ? f->marks + low - 1 : NULL;
    while (left && left > f->marks && left[-1].column == left->column) left--;
    if (!left || !right) return left ? left : right;
    const int64_t before = column - left->column, after = right->column - column;
    if (before == after) return left->index < right->index ? left : right;
    return before < after ? left : right;
}

/* The maxima from .. to - 1, of a row, continue the ridges that were near them, or begin ridges. */
static void follow(search *f, int64_t row, int64_t from, int64_t to) {
    const int64_t before = f->opened;
    for (int64_t k = 0; k < before; k++) {
        f->open[k].gap++;
        f->marks[k] = (mark){f->open[k].column, k};
    }
    if (to > from) qsort(f->marks, (size_t)before, sizeof(mark), by_column);
    for (int64_t i = from; i < to; i++) {
        const int64_t column = f->column[i];
        const mark *m = nearest(f, before, column);
        if (m && (double)llabs(column - m->column) <= f->max_distances[row])
            f->open[m->index] = (ridge){row, column, f->open[m->index].length + 1, 0};
        else
            f->open[f->opened++] = (ridge){row, column, 1, 0};
    }
    int64_t left = 0;
    for (int64_t k = 0; k < f->opened; k++) {
        if ((double)f->open[k].gap > f->gap_thresh)
            f->closed[f->done++] = f->open[k];
        else
            f->open[left++] = f->open[k];
    }
    f->opened = left;
}

/* From the widest wavelet that has maxima to the narrowest. */
static bool find_ridges(search *f) {
    f->open = gndi_scratch_get(f->s, f->maxima, sizeof(ridge));
    f->closed = gndi_scratch_get(f->s, f->maxima, sizeof(ridge));
    f->marks = gndi_scratch_get(f->s, f->maxima, sizeof(mark));
    if (f->s->failed || f->maxima == 0) return false;
    int64_t to = f->maxima;
    const int64_t last = f->row[to - 1];
    for (int64_t row = last; row >= 0; row--) {
        int64_t from = to;
        while (from > 0 && f->row[from - 1] == row) from--;
        if (row == last) /* each begins a ridge */
            for (int64_t i = from; i < to; i++) f->open[f->opened++] = (ridge){row, f->column[i], 1, 0};
        else
            follow(f, row, from, to);
        to = from;
    }
    memcpy(f->closed + f->done, f->open, (size_t)f->opened * sizeof(ridge));
    f->done += f->opened;
    return true;
}

/* ---- the choice of ridges ------------------------------------------------------------------- */

static bool is_less(double a, double b) { /* NaN at the end */
    return a < b || (isnan(b) && !isnan(a));
}

/* Brings the k-th smallest of n numbers to its place, smaller ones before it. */
static void select_nth(double *v, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = v[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (is_less(v[i], pivot)) i++;
            while (is_less(pivot, v[j])) j--;
            if (i > j) break;
            const double x = v[i];
            v[i++] = v[j], v[j--] = x;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

/* scipy.stats.scoreatpercentile, which reorders v. */
static double percentile(double *v, int64_t n, double percent) {
    if (n == 0) return NAN;
    const double at = percent / 100 * (double)(n - 1), down = floor(at);
    const int64_t i = (int64_t)down;
    select_nth(v, n, i);
    if (at == down) return v[i];
    const double low = v[i];
    select_nth(v + i + 1, n - i - 1, 0);
    return (low * (down + 1 - at) + v[i + 1] * (at - down)) / ((down + 1 - at) + (at - down));
}

/* The columns of ridges that are long, and high above the noise of row 0 about them; sorted. -1: failed. */
static int64_t choose(search *f, const gnd_array *cwt, const gnd_find_peaks_cwt_options *o, int64_t *columns) {
    gndi_scratch *s = f->s;
    const double least = o->min_length != 0 ? o->min_length : ceil((double)f->rows / 4);
    const double snr = o->min_snr != 0 ? o->min_snr : 1, percent = o->noise_perc != 0 ? o->noise_perc : 10;
    const int64_t window = o->window_size ? o->window_size : (f->n + 19) / 20, half = window / 2;
    int64_t *at = gndi_scratch_get(s, f->done, sizeof(*at)), n = 0, count = 0, size = 0;
    double *work = gndi_scratch_doubles(s, gndi_min(f->n, window + 1)), *row = NULL, *values = NULL;
    for (int64_t k = 0; !s->failed && k < f->done; k++) {
        if ((double)f->closed[k].length < least) continue;
        at[n] = f->closed[k].row * f->n + f->closed[k].column;
        columns[n++] = f->closed[k].column;
    }
    const gnd_array *flat = gnd_take(cwt, gndi_array_of_int64(s, n, at), GND_ALL, GND_RAISE);
    if (!flat || !gndi_doubles_read(s, gnd_slice(cwt, "0"), "cwt", &size, &row) ||
        !gndi_doubles_read(s, flat, "cwt", &size, &values))
        return -1;
    for (int64_t k = 0; k < n; k++) {
        const int64_t first = gndi_max(columns[k] - half, 0), end = gndi_min(columns[k] + half + window % 2, f->n);
        memcpy(work, row + first, (size_t)gndi_max(end - first, 0) * sizeof(double));
        const double ratio = fabs(values[k] / percentile(work, gndi_max(end - first, 0), fmax(percent, 0)));
        if (!(ratio < snr)) columns[count++] = columns[k];
    }
    return count;
}

static int by_number(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- the function --------------------------------------------------------------------------- */

static bool check(gndi_scratch *s, const gnd_array *x, int64_t count, const double *widths,
                  const gnd_find_peaks_cwt_options *o) {
    s->failed = true;
    if (gndi_missing(x)) return gndi_raise_null(s->fn, "vector"), false;
    const gnd_array *t = o->cwt;
    if (t && gndi_missing(t)) return gndi_raise_null(s->fn, "options->cwt"), false;
    if (!widths) return gndi_raise_null(s->fn, "widths"), false;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_scratch_fail(s, GND_ERROR_DTYPE, "the vector must be real, and is %s", gndi_text_array(x));
    if (x->ndim != 1 || x->size == 0)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "the vector must have one dimension and an element, and is %s",
                                 gndi_text_array(x));
    if (count < 1) return gndi_scratch_fail(s, GND_ERROR_VALUE, "there are %lld widths", (long long)count);
    for (int64_t k = 0; k < count; k++)
        if (!(widths[k] > 0 && isfinite(widths[k])))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "widths must be above 0 and finite, unlike %g", widths[k]);
    if (!(o->noise_perc <= 100))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "noise_perc must be up to 100, not %g", o->noise_perc);
    if (o->window_size < 0)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the window must not have %lld points", (long long)o->window_size);
    if (t && (t->ndim != 2 || t->shape[0] != count || t->shape[1] != x->size))
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "cwt must be %lld x %lld, and is %s", (long long)count,
                                 (long long)x->size, gndi_text_array(t));
    if (t && gndi_dtype_is_complex(t->dtype))
        return gndi_scratch_fail(s, GND_ERROR_DTYPE, "cwt must be real, and is %s", gndi_text_array(t));
    return s->failed = false, true;
}

/* Reads the maxima along the rows to the host. */
static bool read_maxima(search *f, const gnd_array *cwt) {
    gnd_array *at[2] = {0};
    int64_t *where[2];
    if (gnd_argrelmax(cwt, 1, 1, false, at)) return f->s->failed = true, false;
    f->maxima = at[0]->size;
    for (int k = 0; k < 2; k++) {
        where[k] = gndi_scratch_get(f->s, f->maxima, sizeof(int64_t));
        if (where[k] && f->maxima && gnd_to_host(at[k], where[k], (size_t)f->maxima * sizeof(int64_t)))
            f->s->failed = true;
    }
    f->row = where[0], f->column = where[1];
    return !f->s->failed;
}

gnd_array *gnd_find_peaks_cwt(const gnd_array *vector, int64_t count, const double *widths,
                              const gnd_find_peaks_cwt_options *options) {
    static const gnd_find_peaks_cwt_options standard;
    const gnd_find_peaks_cwt_options *o = options ? options : &standard;
    gndi_scratch s = {.fn = "gnd_find_peaks_cwt"};
    gnd_array *result = NULL;
    if (!check(&s, vector, count, widths, o)) return NULL;
    search f = {.s = &s, .n = vector->size, .rows = count, .max_distances = o->max_distances};
    f.gap_thresh = o->gap_thresh != 0 ? o->gap_thresh : ceil(widths[0]);
    double *quarters = f.max_distances ? NULL : gndi_scratch_doubles(&s, count);
    for (int64_t k = 0; quarters && k < count; k++) quarters[k] = widths[k] / 4;
    if (quarters) f.max_distances = quarters;
    GNDI_PARTS_OF(s.fn);
    GND_USE(vector->buffer->device->id) {
        GND_SCOPE {
            const gnd_array *cwt = o->cwt ? gnd_astype(o->cwt, GND_FLOAT64)
                                          : transform(s.fn, gnd_astype(vector, GND_FLOAT64), count, widths);
            s.failed |= !cwt;
            if (!s.failed && read_maxima(&f, cwt)) find_ridges(&f);
            int64_t *columns = gndi_scratch_get(&s, f.done, sizeof(int64_t));
            const int64_t found = !s.failed && f.done ? choose(&f, cwt, o, columns) : 0;
            s.failed |= found < 0;
            if (!s.failed) qsort(columns, (size_t)found, sizeof(*columns), by_number);
            if (!s.failed) result = gnd_keep(gndi_array_of_int64(&s, found, columns));
        }
    }
    return gndi_scratch_end(&s) ? NULL : result;
}
