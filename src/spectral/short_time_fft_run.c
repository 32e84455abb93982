/*
 * short_time_fft_run.c: the transforms of gnd/short_time_fft.h, by the plans of gnd_stft and gnd_istft. A complex window
 * is two real ones, whose results are put together.
 */
#include "spectral/short_time_fft.h"
#include "array/view.h"
#include "resample/resample.h"
#include <math.h>

static const gnd_sft_slices all_slices = {0};

/* What both plans are told, of samples `offset` later than the slices' middles say. */
static gndi_stft_settings settings_of(const gnd_sft *f, int64_t offset) {
    const int64_t mid = f->win.n / 2, shift = (f->phase_shift + mid) % f->win.n;
    const bool twice = f->mode == GND_SFT_ONESIDED2X;
    return (gndi_stft_settings){.nperseg = f->win.n,
                                .nfft = f->mfft,
                                .hop = f->hop,
                                .extend = mid - offset,
                                .border = GNDI_BORDER_CONSTANT,
                                .half = gndi_sft_onesided(f),
                                .centered = f->mode == GND_SFT_CENTERED,
                                .roll = f->no_phase_shift ? 0
                                        : shift < 0       ? shift + f->win.n
                                                          : shift,
                                .inner = !twice                      ? 1
                                         : f->scaling == GND_SFT_PSD ? sqrt(2)
                                                                     : 2,
                                .fs = f->fs};
}

/* re + factor im, of results of the two parts of a window. */
static gnd_array *together(gndi_temporaries *s, gnd_array *re, gnd_array *im, double factor) {
    if (s->failed || !im) return re;
    gnd_array *turned = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(im), gnd_arg_complex(CMPLX(0, factor)));
    return s->failed ? NULL : gndi_step(s, GNDI_OP_add, gnd_arg_array(re), gnd_arg_array(turned));
}

/* ---- forward ---------------------------------------------------------------------------------- */

/* The samples that slices from p0 on, `frames` of them, see, with their border, and the first of them. */
static gnd_array *padded(gndi_temporaries *s, const gnd_sft *f, const gnd_array *lines, const gnd_sft_slices *o,
                         int64_t p0, int64_t frames, gndi_stft_settings *set) {
    static const gnd_pad_mode modes[] = {GND_PAD_CONSTANT, GND_PAD_EDGE, GND_PAD_REFLECT, GND_PAD_REFLECT};
    const int last = lines->ndim - 1;
    const int64_t n = lines->shape[last], begin = p0 * f->hop - set->extend;
    const int64_t end = begin + frames * f->hop + f->win.n;
    const int64_t first = gndi_max(begin, 0), count = gndi_max(gndi_min(end, n) - first, 0);
    gnd_pad_widths widths = {.count = lines->ndim};
    widths.width[last][0] = first - begin, widths.width[last][1] = gndi_max(end - n, 0);
    GNDI_PARTS_OF(s->fn);
    gnd_array *part = gndi_step_part(s, lines, last, first, count, 1);
    if (s->failed) return NULL;
    set->extend = 0;
    return gndi_temporaries_keep(
        s, gnd_pad(part, widths, &(gnd_pad_options){.mode = modes[o->padding], .odd = o->padding == GND_SFT_ODD}));
}

/* Slices, or their powers, of x: lines of frames of bins. */
static gnd_array *transform(gndi_temporaries *s, const gnd_sft *f, const gnd_array *x, int axis,
                            const gnd_sft_slices *o, bool powers) {
    const gnd_dtype spectra = gndi_stft_dtype(x), real = gndi_real_dtype(spectra);
    const int wide = spectra == GND_COMPLEX128, parts = f->win.is_complex ? 2 : 1;
    int64_t p0, p1;
    s->failed = s->failed || !gndi_sft_p_range(s->fn, f, x->shape[axis], o, &p0, &p1);
    const gnd_array *lines =
        s->failed ? NULL : gndi_lines_of(s, x, axis, gndi_dtype_is_complex(x->dtype) ? spectra : real);
    if (s->failed) return NULL;
    gndi_stft_settings set = settings_of(f, o->k_offset);
    const int64_t frames = p1 - p0;
    int64_t first = p0;
    if (o->padding != GND_SFT_ZEROS) lines = padded(s, f, lines, o, p0, frames, &set), first = 0;
    set.trend = (gndi_stft_trend)o->detrend;
    if (powers) set.inner *= set.inner;
    gnd_array *made[2] = {NULL, NULL};
    for (int part = 0; part < parts && !s->failed; part++) {
        const gndi_stft_request r = {
            .set = &set,
            .window = f->win_table[wide][part],
            .x = lines,
            .total = lines->shape[lines->ndim - 1],
            .frame_first = first,
            .frames = frames,
            .result = powers ? GNDI_STFT_POWERS : GNDI_STFT_SPECTRA,
            .out = gndi_lines_new(s, lines, lines->ndim - 1, frames * gndi_sft_bins(f), powers ? real : spectra)};
        gndi_stft_run(s, &r);
        made[part] = r.out;
    }
    return together(s, made[0], made[1], -1);
}

static bool check(const char *fn, const gnd_sft *f, const gnd_array *x, const char *name, int *axis,
                  const gnd_sft_slices *o) {
    if (!f) return gndi_raise_null(fn, "f"), false;
    if (gndi_missing(x)) return gndi_raise_null(fn, name), false;
    if (!gndi_normalize_axis(fn, *axis, x->ndim, axis)) return false;
    if (x->buffer->device != f->device)
        gndi_raise(GND_ERROR_DEVICE, fn, "the transform is on %s, and %s is %s", gndi_text_device(f->device->id), name,
                   gndi_text_array(x));
    else if (gndi_sft_onesided(f) && gndi_dtype_is_complex(x->dtype))
        gndi_raise(GND_ERROR_VALUE, fn, "%s is complex, and the transform one-sided", name);
    else if (x->ndim == GND_MAX_DIMS)
        gndi_raise(GND_ERROR_SHAPE, fn, "%s has %d dimensions, and the result would have one more", name, x->ndim);
    else if ((unsigned)o->padding > GND_SFT_ODD)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no padding number %d", (int)o->padding);
    else if ((unsigned)o->detrend > GND_STFT_DETREND_LINEAR)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no detrending number %d", (int)o->detrend);
    else
        return true;
    return false;
}

gnd_array *gnd_sft_stft(const gnd_sft *f, const gnd_array *x, int axis, const gnd_sft_slices *slices) {
    gndi_temporaries s = {.fn = "gnd_sft_stft"};
    const gnd_sft_slices *o = slices ? slices : &all_slices;
    if (!check(s.fn, f, x, "x", &axis, o)) return NULL;
    gnd_array *out = transform(&s, f, x, axis, o, false);
    return gndi_temporaries_end(&s, s.failed ? NULL : gndi_stft_frames_last(&s, out, axis, gndi_sft_bins(f)));
}

gnd_array *gnd_sft_spectrogram(const gnd_sft *f, const gnd_array *x, const gnd_array *y, int axis,
                               const gnd_sft_slices *slices) {
    gndi_temporaries s = {.fn = "gnd_sft_spectrogram"};
    const gnd_sft_slices *o = slices ? slices : &all_slices;
    int x_axis = axis, y_axis = axis;
    if (!check(s.fn, f, x, "x", &x_axis, o)) return NULL;
    const bool two = y && y != x, one_pass = !two && !f->win.is_complex;
    if (two && (!check(s.fn, f, y, "y", &y_axis, o))) return NULL;
    gnd_array *out = transform(&s, f, x, x_axis, o, one_pass);
    if (!s.failed) out = gndi_stft_frames_last(&s, out, x_axis, gndi_sft_bins(f));
    if (s.failed || one_pass) return gndi_temporaries_end(&s, out);
    gnd_array *other = two ? transform(&s, f, y, y_axis, o, false) : out;
    if (!s.failed && two) other = gndi_stft_frames_last(&s, other, y_axis, gndi_sft_bins(f));
    if (!s.failed) other = gndi_step(&s, GNDI_OP_conjugate, gnd_arg_array(other), gnd_arg_none());
    if (!s.failed) out = gndi_step(&s, GNDI_OP_multiply, gnd_arg_array(out), gnd_arg_array(other));
    if (!s.failed && !two) {
        out = gndi_temporaries_keep(&s, gndi_complex_part(s.fn, out, false));
        if (!s.failed) out = gndi_temporaries_keep(&s, gndi_copy_as(s.fn, out, (gnd_dtype)out->dtype, 'K'));
    }
    return gndi_temporaries_end(&s, out);
}

/* ---- inverse ---------------------------------------------------------------------------------- */

/* The slices q0 to q1 - 1 that samples k0 to k1 - 1 are made of; false after an error. */
static bool read_samples(const char *fn, const gnd_sft *f, int64_t slices, int64_t k0, int64_t *k1, int64_t *q0,
                         int64_t *q1) {
    const int64_t least = f->win.n - f->win.n / 2;
    int64_t k_min, p_min, k, p_max;
    gndi_sft_first(f, &k_min, &p_min), gndi_sft_last(f, least, &k, &p_max);
    const int64_t end = slices + p_min, k_max = (end - 1) * f->hop + least;
    if (slices < p_max - p_min) {
        gndi_raise(GND_ERROR_VALUE, fn, "there are %lld slices; at least %lld are needed", (long long)slices,
                   (long long)(p_max - p_min));
        return false;
    }
    if (*k1 == GND_SFT_END) *k1 = k_max;
    if (!(k_min <= k0 && k0 < *k1 && *k1 <= k_max) || *k1 - k0 < least) {
        gndi_raise(GND_ERROR_VALUE, fn,
                   "samples %lld to %lld; there are those from %lld on, before %lld, at least %lld of them",
                   (long long)k0, (long long)*k1, (long long)k_min, (long long)k_max, (long long)least);
        return false;
    }
    *q0 = gndi_floor_div(k0, f->hop) + (k0 >= 0 ? p_min : 0);
    gndi_sft_last(f, *k1, &k, q1);
    *q0 = gndi_max(*q0, p_min), *q1 = gndi_min(*q1, end);
    return true;
}

static bool check_slices(const char *fn, const gnd_sft *f, const gnd_array *s, int *f_axis, int *t_axis) {
    if (!f) return gndi_raise_null(fn, "f"), false;
    if (gndi_missing(s)) return gndi_raise_null(fn, "s"), false;
    if (!gndi_normalize_axis(fn, *f_axis, s->ndim, f_axis) || !gndi_normalize_axis(fn, *t_axis, s->ndim, t_axis))
        return false;
    if (*f_axis == *t_axis)
        gndi_raise(GND_ERROR_AXIS, fn, "time and frequency are both axis %d; they must differ", *f_axis);
    else if (s->buffer->device != f->device)
        gndi_raise(GND_ERROR_DEVICE, fn, "the transform is on %s, and s is %s", gndi_text_device(f->device->id),
                   gndi_text_array(s));
    else if (s->shape[*f_axis] != gndi_sft_bins(f))
        gndi_raise(GND_ERROR_VALUE, fn, "s has %lld bins; slices have %lld", (long long)s->shape[*f_axis],
                   (long long)gndi_sft_bins(f));
    else if (!f->dual_table[0][0].buffer)
        gndi_raise(GND_ERROR_VALUE, fn, "the window has no dual window for a hop of %lld", (long long)f->hop);
    else
        return true;
    return false;
}

gnd_array *gnd_sft_istft(const gnd_sft *f, const gnd_array *z, int64_t k0, int64_t k1, int f_axis, int t_axis) {
    gndi_temporaries s = {.fn = "gnd_sft_istft"};
    int64_t q0, q1, k_min, p_min;
    if (!check_slices(s.fn, f, z, &f_axis, &t_axis) || !read_samples(s.fn, f, z->shape[t_axis], k0, &k1, &q0, &q1))
        return NULL;
    gndi_sft_first(f, &k_min, &p_min);
    const gndi_stft_settings set = settings_of(f, 0);
    const gnd_array *spectra = gndi_stft_spectra_of(&s, z, f_axis, t_axis);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    const gnd_dtype dtype = (gnd_dtype)spectra->dtype, real = gndi_real_dtype(dtype);
    const int last = spectra->ndim - 1, wide = dtype == GND_COMPLEX128;
    const gnd_array *part = gndi_step_part(&s, spectra, last, q0 - p_min, gndi_max(q1 - q0, 0), 1);
    gnd_array *like = s.failed ? NULL : gndi_step_at(&s, spectra, last - 1, 0), *made[2] = {NULL, NULL};
    for (int k = 0; k < 2 && !s.failed; k++) {
        if (!f->dual_table[wide][k].buffer) continue;
        const gndi_istft_request r = {.set = &set,
                                      .window = f->dual_table[wide][k],
                                      .z = part,
                                      .bin_axis = last - 1,
                                      .frame_axis = last,
                                      .frame_first = q0 - p_min,
                                      .out_first = k0 - p_min * f->hop + f->win.n / 2,
                                      .out = gndi_lines_new(&s, like, last - 1, k1 - k0, set.half ? real : dtype)};
        gndi_istft_run(&s, &r);
        made[k] = r.out;
    }
    gnd_array *out = together(&s, made[0], made[1], 1);
    const int axis = s.failed || f_axis < out->ndim ? f_axis : t_axis;
    return gndi_temporaries_end(&s, s.failed ? NULL : gndi_lines_back(&s, out, axis));
}
