/*
 * peak_properties.c: prominences and widths of given peaks (scipy.signal.peak_prominences, peak_widths).
 */
#include "array/view.h"
#include "peaks/peaks.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"
#include <gnd.h>
#include <math.h>

/* ---- plans ---------------------------------------------------------------------------------- */

const gnd_array *gndi_peaks_line(gndi_temporaries *s, const gnd_array *x) {
    if (s->failed) return NULL;
    s->failed = true;
    if (gndi_missing(x)) return gndi_raise_null(s->fn, "x"), NULL;
    if (x->ndim != 1)
        return gndi_fail(GND_ERROR_SHAPE, s->fn, "x must have one dimension, and is %s", gndi_text_array(x));
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, s->fn, "x must be real, and is %s", gndi_text_array(x));
    s->failed = false;
    const gnd_dtype dtype = gndi_dtype_is_float(x->dtype) && x->dtype != GND_FLOAT64 ? GND_FLOAT32 : GND_FLOAT64;
    if ((gnd_dtype)x->dtype == dtype && gndi_is_c_contiguous(x)) return x;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, dtype, 'C'));
}

bool gndi_peaks_reach(gndi_temporaries *s, double wlen, int64_t n, int64_t *reach) {
    if (s->failed) return false;
    *reach = n;
    if (wlen == 0) return true;
    if (wlen > 1) {
        if (wlen < 0x1p62) *reach = (int64_t)ceil(wlen) / 2;
        return true;
    }
    gndi_raise(GND_ERROR_VALUE, s->fn, "wlen must be larger than 1, not %g", wlen);
    s->failed = true;
    return false;
}

static bool touch(gndi_temporaries *s, gnd_stream *stream, const gnd_array *a, bool writes, void *address) {
    if (!a) return true;
    if (writes ? gndi_order_write(stream, a->buffer, s->fn) : gndi_order_read(stream, a->buffer, s->fn)) return false;
    char *data = gndi_data(a);
    memcpy(address, &data, sizeof data);
    return true;
}

/* Makes an array of a number for each peak. */
static void make(gndi_temporaries *s, const gnd_array *peaks, gnd_dtype dtype, gnd_array **made) {
    if (s->failed) return;
    *made = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, peaks, 1, peaks->shape, dtype));
}

void gndi_peaks_run(gndi_temporaries *s, struct gndi_peaks_plan *p, const gnd_array *x, const gnd_array *peaks,
                    gndi_peak_arrays *r) {
    if (s->failed) return;
    const bool widths = p->kind == GNDI_PEAKS_WIDTHS;
    const bool bases = p->kind == GNDI_PEAKS_EDGES || p->kind == GNDI_PEAKS_PROMINENCES;
    if (p->kind == GNDI_PEAKS_VALUES || p->kind == GNDI_PEAKS_PROMINENCES) make(s, peaks, GND_FLOAT64, &r->a);
    if (p->kind == GNDI_PEAKS_VALUES || widths) make(s, peaks, GND_FLOAT64, &r->b), make(s, peaks, GND_FLOAT64, &r->c);
    if (widths) make(s, peaks, GND_FLOAT64, &r->d), make(s, peaks, GND_FLOAT64, &r->e);
    if (bases) make(s, peaks, GND_INT64, &r->left), make(s, peaks, GND_INT64, &r->right);
    if (s->failed || peaks->size == 0) return;
    gnd_stream *stream = gndi_ew_stream(x, s->fn);
    s->failed = true;
    if (!stream || !touch(s, stream, x, false, &p->x) || !touch(s, stream, peaks, false, &p->peaks) ||
        !touch(s, stream, r->a, !widths, &p->a) || !touch(s, stream, r->b, true, &p->b) ||
        !touch(s, stream, r->c, true, &p->c) || !touch(s, stream, r->d, true, &p->d) ||
        !touch(s, stream, r->e, true, &p->e) || !touch(s, stream, r->left, !widths, &p->left) ||
        !touch(s, stream, r->right, !widths, &p->right))
        return;
    p->n = x->size, p->count = peaks->size, p->dtype = x->dtype;
    if (stream->device->backend->peaks(stream, p, s->fn)) return;
    gndi_submitted(stream);
    s->failed = gndi_finish(stream, s->fn) != GND_OK;
}

/* ---- given peaks ---------------------------------------------------------------------------- */

/* Dense int64 or float64 of one dimension. */
static gnd_array *dense(gndi_temporaries *s, const gnd_array *x, const gnd_array *a, const char *name,
                        gnd_dtype dtype) {
    if (s->failed) return NULL;
    s->failed = true;
    if (gndi_missing(a)) return gndi_raise_null(s->fn, name), NULL;
    if (gndi_check_together(s->fn, x, "x", a, name)) return NULL;
    if (a->ndim != 1)
        return gndi_fail(GND_ERROR_SHAPE, s->fn, "%s must have one dimension, and is %s", name, gndi_text_array(a));
    const bool whole = gndi_dtype_is_int(a->dtype) && a->dtype != GND_UINT64;
    if (a->size > 0 && (dtype == GND_INT64 ? !whole && a->dtype != GND_BOOL : gndi_dtype_is_complex(a->dtype)))
        return gndi_fail(GND_ERROR_DTYPE, s->fn, "%s cannot safely be cast to %s, and is %s", name,
                         gnd_dtype_name(dtype), gndi_text_array(a));
    s->failed = false;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

/* Whether all peaks are indices of x. Waits. */
static void check_peaks(gndi_temporaries *s, const gnd_array *x, const gnd_array *peaks) {
    int64_t least = 0, most = 0;
    if (s->failed || peaks->size == 0) return;
    GNDI_PARTS_OF(s->fn);
    GND_SCOPE {
        s->failed = gnd_to_host(gnd_min(peaks, GND_ALL), &least, sizeof least) ||
                    gnd_to_host(gnd_max(peaks, GND_ALL), &most, sizeof most);
    }
    if (s->failed || (least >= 0 && most < x->size)) return;
    gndi_raise(GND_ERROR_VALUE, s->fn, "peak %lld is not an index of x, which has %lld elements",
               (long long)(least < 0 ? least : most), (long long)x->size);
    s->failed = true;
}

/* Whether all bases are indices of x on their sides of the peaks. Waits. */
static void check_bases(gndi_temporaries *s, const gnd_array *x, const gnd_array *peaks, const gndi_peak_arrays *r) {
    bool good = true;
    if (s->failed) return;
    s->failed = true;
    if (r->a->size != peaks->size || r->left->size != peaks->size || r->right->size != peaks->size) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "there are %lld peaks, and %lld prominences, %lld and %lld bases",
                   (long long)peaks->size, (long long)r->a->size, (long long)r->left->size, (long long)r->right->size);
        return;
    }
    GNDI_PARTS_OF(s->fn);
    GND_SCOPE {
        const gnd_array *left = gnd_logical_and(gnd_greater_equal(r->left, 0), gnd_less_equal(r->left, peaks));
        const gnd_array *right = gnd_logical_and(gnd_less(r->right, x->size), gnd_less_equal(peaks, r->right));
        s->failed = gnd_to_host(gnd_all(gnd_logical_and(left, right), GND_ALL), &good, sizeof good);
    }
    if (s->failed || good) return;
    gndi_raise(GND_ERROR_VALUE, s->fn, "the bases are not indices of x on both sides of their peaks");
    s->failed = true;
}

/* x as a line, and the peaks in it. */
static const gnd_array *read_peaks(gndi_temporaries *s, const gnd_array *x, const gnd_array *given, gnd_array **peaks) {
    const gnd_array *line = gndi_peaks_line(s, x);
    *peaks = dense(s, x, given, "peaks", GND_INT64);
    check_peaks(s, x, *peaks);
    return line;
}

static void clear(gnd_array ***results, int count) {
    for (int k = 0; k < count; k++)
        if (results[k]) *results[k] = NULL;
}

gnd_status gnd_peak_prominences(const gnd_array *x, const gnd_array *peaks, double wlen, gnd_array **prominences,
                                gnd_array **left_bases, gnd_array **right_bases) {
    gndi_temporaries s = {.fn = "gnd_peak_prominences"};
    struct gndi_peaks_plan p = {.kind = GNDI_PEAKS_PROMINENCES};
    gndi_peak_arrays r = {0};
    gnd_array *at = NULL;
    clear((gnd_array **[]){prominences, left_bases, right_bases}, 3);
    const gnd_array *line = read_peaks(&s, x, peaks, &at);
    if (!s.failed && gndi_peaks_reach(&s, wlen, line->size, &p.reach)) gndi_peaks_run(&s, &p, line, at, &r);
    gndi_temporaries_give(&s, r.a, prominences);
    gndi_temporaries_give(&s, r.left, left_bases);
    gndi_temporaries_give(&s, r.right, right_bases);
    return gndi_temporaries_status(&s);
}

gnd_status gnd_peak_widths(const gnd_array *x, const gnd_array *peaks, double rel_height, double wlen,
                           const gnd_prominence_data *data, gnd_array **widths, gnd_array **width_heights,
                           gnd_array **left_ips, gnd_array **right_ips) {
    gndi_temporaries s = {.fn = "gnd_peak_widths"};
    struct gndi_peaks_plan p = {.kind = GNDI_PEAKS_PROMINENCES};
    gndi_peak_arrays r = {0};
    gnd_array *at = NULL;
    clear((gnd_array **[]){widths, width_heights, left_ips, right_ips}, 4);
    const gnd_array *line = read_peaks(&s, x, peaks, &at);
    if (data) {
        r.a = dense(&s, x, data->prominences, "data->prominences", GND_FLOAT64);
        r.left = dense(&s, x, data->left_bases, "data->left_bases", GND_INT64);
        r.right = dense(&s, x, data->right_bases, "data->right_bases", GND_INT64);
        check_bases(&s, x, at, &r);
    } else if (!s.failed && gndi_peaks_reach(&s, wlen, line->size, &p.reach)) {
        gndi_peaks_run(&s, &p, line, at, &r);
    }
    if (!s.failed && !(rel_height >= 0)) {
        gndi_raise(GND_ERROR_VALUE, s.fn, "rel_height must not be negative, unlike %g", rel_height);
        s.failed = true;
    }
    p.kind = GNDI_PEAKS_WIDTHS, p.rel_height = rel_height;
    gndi_peaks_run(&s, &p, line, at, &r);
    gndi_temporaries_give(&s, r.b, widths);
    gndi_temporaries_give(&s, r.c, width_heights);
    gndi_temporaries_give(&s, r.d, left_ips);
    gndi_temporaries_give(&s, r.e, right_ips);
    return gndi_temporaries_status(&s);
}
