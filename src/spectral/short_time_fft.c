/*
 * short_time_fft.c: the object of short-time transforms: making and changing it, and its properties.
 */
#include "spectral/short_time_fft.h"
#include "array/view.h"
#include <math.h>

static const gnd_sft_options no_options = {0};

bool gndi_sft_onesided(const gnd_sft *f) {
    return f->mode == GND_SFT_ONESIDED || f->mode == GND_SFT_ONESIDED2X;
}
int64_t gndi_sft_bins(const gnd_sft *f) {
    return gndi_stft_bins(f->mfft, gndi_sft_onesided(f));
}
static int64_t middle(const gnd_sft *f) {
    return f->win.n / 2;
}

/* ---- checks ----------------------------------------------------------------------------------- */

static bool check_numbers(const char *fn, const gnd_sft *f) {
    if ((unsigned)f->mode > GND_SFT_CENTERED)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)f->mode);
    else if (!(f->fs > 0) || isinf(f->fs))
        gndi_raise(GND_ERROR_VALUE, fn, "fs is %g; it must be positive and finite", f->fs);
    else if (f->hop < 1 || f->hop > INT32_MAX)
        gndi_raise(GND_ERROR_VALUE, fn, "the hop is %lld; it must be between 1 and 2^31 - 1", (long long)f->hop);
    else if (f->mfft < f->win.n || f->mfft > INT32_MAX)
        gndi_raise(GND_ERROR_VALUE, fn, "mfft is %lld; it must be at least the window's length, %lld, and below 2^31",
                   (long long)f->mfft, (long long)f->win.n);
    else if (!f->no_phase_shift && (f->phase_shift <= -f->mfft || f->phase_shift >= f->mfft))
        gndi_raise(GND_ERROR_VALUE, fn, "the phase shift is %lld; it must be between -%lld and %lld",
                   (long long)f->phase_shift, (long long)f->mfft, (long long)f->mfft);
    else if (gndi_sft_onesided(f) && f->win.is_complex)
        gndi_raise(GND_ERROR_VALUE, fn, "the window is complex; its spectra are two-sided");
    else if (f->mode == GND_SFT_ONESIDED2X && f->scaling == GND_SFT_UNSCALED)
        gndi_raise(GND_ERROR_VALUE, fn, "what is doubled depends on the scaling, and there is none");
    else
        return true;
    return false;
}

/* ---- tables on the device --------------------------------------------------------------------- */

static void drop_tables(gnd_sft *f) {
    for (int k = 0; k < 4; k++) {
        gndi_table_release(&f->win_table[k / 2][k % 2]);
        gndi_table_release(&f->dual_table[k / 2][k % 2]);
    }
}

static bool fill_tables(const char *fn, const gndi_host_window *w, double over, gndi_table table[2][2]) {
    double *parts = gndi_malloc(fn, (size_t)w->n * sizeof *parts);
    gndi_temporaries s = {.fn = fn, .failed = !parts};
    GNDI_PARTS_OF(fn);
    for (int part = 0; part < 2 && !s.failed; part++) {
        if (part == 1 && !w->is_complex) break;
        for (int64_t i = 0; i < w->n; i++) parts[i] = (part ? cimag(w->values[i]) : creal(w->values[i])) / over;
        const gnd_array *wide = gndi_temporaries_keep(&s, gnd_from_host(parts, GND_SHAPE(w->n), GND_FLOAT64));
        const gnd_array *single = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_copy_as(fn, wide, GND_FLOAT32, 'C'));
        if (s.failed) break;
        table[0][part] = gndi_table_of(single, true), table[1][part] = gndi_table_of(wide, true);
    }
    gndi_free(parts);
    return !gndi_temporaries_status(&s);
}

/* The windows on the device, by those on the host. */
static bool renew_tables(const char *fn, gnd_sft *f) {
    gnd_sft old = *f;
    gndi_host_window dual = {0};
    memset(f->win_table, 0, sizeof f->win_table), memset(f->dual_table, 0, sizeof f->dual_table);
    bool done = fill_tables(fn, &f->win, 1, f->win_table);
    if (done && f->dual.n)
        done = fill_tables(fn, &f->dual, (double)f->mfft, f->dual_table);
    else if (done && gndi_dual_window(NULL, &f->win, f->hop, &dual))
        done = fill_tables(fn, &dual, (double)f->mfft, f->dual_table);
    gndi_host_window_free(&dual);
    if (done) {
        drop_tables(&old);
    } else {
        drop_tables(f);
        memcpy(f->win_table, old.win_table, sizeof f->win_table);
        memcpy(f->dual_table, old.dual_table, sizeof f->dual_table);
    }
    return done;
}

/* ---- making ----------------------------------------------------------------------------------- */

static void drop(gnd_sft *f) {
    drop_tables(f);
    gndi_host_window_free(&f->win), gndi_host_window_free(&f->dual);
    gndi_free(f);
}

/* The factor of the window that a scaling means. */
static double factor_of(const gnd_sft *f, gnd_sft_scaling scaling) {
    gndi_value sum = 0;
    double squares = 0;
    if (f->scaling == scaling) return 1;
    for (int64_t i = 0; i < f->win.n; i++) {
        const gndi_value v = f->win.values[i];
        sum += v, squares += creal(v) * creal(v) + cimag(v) * cimag(v);
    }
    return scaling == GND_SFT_PSD ? 1 / sqrt(squares * f->fs) : 1 / cabs(sum);
}

static void scale(gnd_sft *f, gnd_sft_scaling scaling) {
    const double factor = factor_of(f, scaling);
    for (int64_t i = 0; i < f->win.n; i++) f->win.values[i] *= factor;
    for (int64_t i = 0; i < f->dual.n; i++) f->dual.values[i] /= factor;
    f->scaling = scaling;
}

static bool check_scaling(const char *fn, gnd_sft_scaling scaling, bool unitary) {
    if (scaling == GND_SFT_MAGNITUDE || scaling == GND_SFT_PSD ||
        (unitary && scaling != GND_SFT_UNSCALED && scaling == GND_SFT_UNITARY))
        return true;
    gndi_raise(GND_ERROR_INVALID, fn, "windows are scaled to magnitudes or densities, not by number %d", (int)scaling);
    return false;
}

/* An object of windows that it takes over, also where it fails. */
static gnd_sft *make(const char *fn, gndi_host_window *win, gndi_host_window *dual, int64_t hop,
                     const gnd_sft_options *o, gnd_sft_scaling done) {
    gnd_stream *stream = gndi_stream_current(fn);
    gnd_sft *f = stream ? gndi_calloc(fn, sizeof *f) : NULL;
    if (!f) {
        gndi_host_window_free(win), gndi_host_window_free(dual);
        return NULL;
    }
    *f = (gnd_sft){.device = stream->device,
                   .win = *win,
                   .dual = *dual,
                   .hop = hop,
                   .mfft = o->mfft ? o->mfft : win->n,
                   .phase_shift = o->phase_shift,
                   .fs = o->fs != 0 ? o->fs : 1,
                   .mode = o->fft_mode,
                   .scaling = done,
                   .no_phase_shift = o->no_phase_shift};
    const bool scales = done == GND_SFT_UNSCALED && o->scale_to != GND_SFT_UNSCALED;
    bool ready = !scales || check_scaling(fn, o->scale_to, false);
    if (ready && dual->n && dual->n != win->n) {
        gndi_raise(GND_ERROR_SHAPE, fn, "the window has %lld elements, the dual window %lld", (long long)win->n,
                   (long long)dual->n);
        ready = false;
    }
    if (ready && scales) scale(f, o->scale_to);
    if (ready && check_numbers(fn, f) && renew_tables(fn, f)) return gndi_owned("a short-time transform", f, fn);
    drop(f);
    return NULL;
}

gnd_sft *gnd_sft_new(const gnd_array *win, int64_t hop, const gnd_sft_options *options) {
    static const char fn[] = "gnd_sft_new";
    const gnd_sft_options *o = options ? options : &no_options;
    gndi_host_window w, dual = {0};
    if (!gndi_host_window_read(fn, win, "win", &w)) return NULL;
    if (!o->dual_win || gndi_host_window_read(fn, o->dual_win, "dual_win", &dual))
        return make(fn, &w, &dual, hop, o, GND_SFT_UNSCALED);
    gndi_host_window_free(&w);
    return NULL;
}

gnd_sft *gnd_sft_from_dual(const gnd_array *dual_win, int64_t hop, const gnd_sft_options *options) {
    static const char fn[] = "gnd_sft_from_dual";
    gndi_host_window w, dual;
    if (!gndi_host_window_read(fn, dual_win, "dual_win", &dual)) return NULL;
    if (hop < 1)
        gndi_raise(GND_ERROR_VALUE, fn, "the hop is %lld; it must be positive", (long long)hop);
    else if (gndi_dual_window(fn, &dual, hop, &w))
        return make(fn, &w, &dual, hop, options ? options : &no_options, GND_SFT_UNSCALED);
    gndi_host_window_free(&dual);
    return NULL;
}

gnd_sft *gnd_sft_from_window(const gnd_window *window, int64_t nperseg, int64_t noverlap, bool symmetric,
                             const gnd_sft_options *options) {
    static const char fn[] = "gnd_sft_from_window";
    gndi_host_window w, dual = {0};
    gndi_temporaries s = {.fn = fn};
    GNDI_PARTS_OF(fn);
    const gnd_array *win = gndi_temporaries_keep(&s, gnd_get_window(window, nperseg, !symmetric, GND_FLOAT64));
    const bool done = win && gndi_host_window_read(fn, win, "window", &w);
    gndi_temporaries_end(&s, NULL);
    return done ? make(fn, &w, &dual, nperseg - noverlap, options ? options : &no_options, GND_SFT_UNSCALED) : NULL;
}

/* Divides each value by the root of the sum of squares of all that are a multiple of `hop` away. */
static bool make_own_dual(const char *fn, gndi_host_window *w, int64_t hop) {
    double most = creal(w->values[0]); /* NumPy orders complex numbers by their real parts */
    for (int64_t i = 1; i < w->n; i++) most = fmax(most, creal(w->values[i]));
    for (int64_t i = 0; i < hop; i++) {
        double squares = 0;
        for (int64_t k = i; k < w->n; k += hop) squares += creal(w->values[k] * conj(w->values[k]));
        if (!(sqrt(squares) > (w->single ? 1e-6 : 1e-15) * most)) {
            gndi_raise(GND_ERROR_VALUE, fn, "the window has no dual window for a hop of %lld", (long long)hop);
            return false;
        }
        for (int64_t k = i; k < w->n; k += hop) w->values[k] /= sqrt(squares);
    }
    return true;
}

gnd_sft *gnd_sft_from_win_equals_dual(const gnd_array *desired_win, int64_t hop, const gnd_sft_options *options) {
    static const char fn[] = "gnd_sft_from_win_equals_dual";
    const gnd_sft_options *o = options ? options : &no_options;
    const bool unitary = o->scale_to == GND_SFT_UNITARY;
    gndi_host_window w, dual = {0};
    if (!gndi_host_window_read(fn, desired_win, "desired_win", &w)) return NULL;
    if (w.integer)
        gndi_raise(GND_ERROR_DTYPE, fn, "windows of integers have no dual window");
    else if (hop < 1 || hop > w.n)
        gndi_raise(GND_ERROR_VALUE, fn, "the hop is %lld; it must be between 1 and the window's length, %lld",
                   (long long)hop, (long long)w.n);
    else if ((o->scale_to == GND_SFT_UNSCALED || check_scaling(fn, o->scale_to, true)) && make_own_dual(fn, &w, hop) &&
             gndi_host_window_new(fn, &w, &dual)) {
        const double factor = unitary ? sqrt((double)(o->mfft ? o->mfft : w.n)) : 1;
        for (int64_t i = 0; i < w.n; i++) dual.values[i] = w.values[i] * factor, w.values[i] /= factor;
        return make(fn, &w, &dual, hop, o, unitary ? GND_SFT_UNITARY : GND_SFT_UNSCALED);
    }
    gndi_host_window_free(&w);
    return NULL;
}

void gnd_sft_release(gnd_sft *f) {
    if (!f) return;
    gndi_disowned(f);
    drop(f);
}

/* ---- changing --------------------------------------------------------------------------------- */

gnd_status gnd_sft_scale_to(gnd_sft *f, gnd_sft_scaling scaling) {
    static const char fn[] = "gnd_sft_scale_to";
    if (!f) return gndi_raise_null(fn, "f");
    if (!check_scaling(fn, scaling, false)) return GND_ERROR_INVALID;
    if (f->scaling == scaling) return GND_OK;
    const double factor = factor_of(f, scaling);
    const gnd_sft_scaling before = f->scaling;
    scale(f, scaling);
    if (renew_tables(fn, f)) return GND_OK;
    for (int64_t i = 0; i < f->win.n; i++) f->win.values[i] /= factor;
    for (int64_t i = 0; i < f->dual.n; i++) f->dual.values[i] *= factor;
    f->scaling = before;
    return gndi_ew_pending();
}

gnd_status gnd_sft_set(gnd_sft *f, const gnd_sft_options *options) {
    static const char fn[] = "gnd_sft_set";
    if (!f || !options) return gndi_raise_null(fn, f ? "options" : "f");
    gnd_sft next = *f;
    next.fs = options->fs != 0 ? options->fs : 1;
    next.mode = options->fft_mode;
    next.mfft = options->mfft ? options->mfft : f->win.n;
    next.phase_shift = options->phase_shift, next.no_phase_shift = options->no_phase_shift;
    if (!check_numbers(fn, &next) || (next.mfft != f->mfft && !renew_tables(fn, &next))) return gndi_ew_pending();
    *f = next;
    return GND_OK;
}

/* ---- properties ------------------------------------------------------------------------------- */

/* Whether the window is zero from one element to another. */
static bool is_zero(const gnd_sft *f, int64_t first, int64_t end) {
    for (int64_t i = gndi_max(0, first); i < gndi_min(f->win.n, end); i++)
        if (creal(f->win.values[i]) != 0 || cimag(f->win.values[i]) != 0) return false;
    return true;
}

void gndi_sft_first(const gnd_sft *f, int64_t *k_min, int64_t *p_min) {
    int64_t k = -middle(f), p = 0;
    /* SciPy looks at as many elements at the window's end as come before the signal. */
    while (k - f->hop + f->win.n > 0 && !is_zero(f, f->win.n + k - f->hop, f->win.n)) k -= f->hop, p--;
    *k_min = k, *p_min = p;
}

void gndi_sft_last(const gnd_sft *f, int64_t n, int64_t *k_max, int64_t *p_max) {
    int64_t p = n / f->hop, k = p * f->hop - middle(f);
    while (k + f->hop < n && !is_zero(f, 0, n - k - f->hop)) k += f->hop, p++;
    *k_max = k + f->win.n, *p_max = p + 1;
}

static void lower_border(const gnd_sft *f, int64_t end[2]) {
    int64_t first = 0, k_min, p_min;
    while (first < f->win.n - 1 && is_zero(f, first, first + 1)) first++;
    int64_t p = 0;
    for (int64_t k = first - middle(f); k < f->hop + 1; k += f->hop, p++) {
        if (k + f->hop < 0) continue;
        end[0] = k + f->win.n, end[1] = p + 1;
        return;
    }
    gndi_sft_first(f, &k_min, &p_min);
    end[0] = 0, end[1] = gndi_max(p_min, 0);
}

static void upper_border(const gnd_sft *f, int64_t n, int64_t begin[2]) {
    const int64_t least = gndi_max(gndi_floor_div(n - f->win.n, f->hop) - 1, -1);
    int64_t p = n / f->hop + 1;
    for (; p > least; p--) {
        const int64_t k = p * f->hop + f->win.n - middle(f);
        if (k <= n || is_zero(f, f->win.n + n - k, f->win.n)) break;
    }
    begin[0] = (p + 1) * f->hop - middle(f), begin[1] = p + 1;
}

static bool check_length(const char *fn, const gnd_sft *f, int64_t n) {
    const int64_t least = f->win.n - middle(f);
    if (n >= least) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "the signal has %lld samples; half a window is %lld", (long long)n,
               (long long)least);
    return false;
}

bool gndi_sft_p_range(const char *fn, const gnd_sft *f, int64_t n, const gnd_sft_slices *slices, int64_t *p0,
                      int64_t *p1) {
    int64_t k, p_min, p_max;
    if (!check_length(fn, f, n)) return false;
    gndi_sft_first(f, &k, &p_min), gndi_sft_last(f, n, &k, &p_max);
    *p0 = slices && slices->some ? slices->p0 : p_min, *p1 = slices && slices->some ? slices->p1 : p_max;
    if (p_min <= *p0 && *p0 < *p1 && *p1 <= p_max) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "slices %lld to %lld; of %lld samples there are those from %lld on, before %lld",
               (long long)*p0, (long long)*p1, (long long)n, (long long)p_min, (long long)p_max);
    return false;
}

gnd_status gnd_sft_get_info(const gnd_sft *f, gnd_sft_info *info) {
    static const char fn[] = "gnd_sft_get_info";
    gndi_host_window dual;
    if (!f || !info) return gndi_raise_null(fn, f ? "info" : "f");
    *info = (gnd_sft_info){.hop = f->hop,
                           .mfft = f->mfft,
                           .m_num = f->win.n,
                           .m_num_mid = middle(f),
                           .f_pts = gndi_sft_bins(f),
                           .phase_shift = f->phase_shift,
                           .fs = f->fs,
                           .T = 1 / f->fs,
                           .delta_t = (double)f->hop / f->fs,
                           .delta_f = f->fs / (double)f->mfft,
                           .fac_magnitude = factor_of(f, GND_SFT_MAGNITUDE),
                           .fac_psd = factor_of(f, GND_SFT_PSD),
                           .fft_mode = f->mode,
                           .scaling = f->scaling,
                           .no_phase_shift = f->no_phase_shift,
                           .onesided_fft = gndi_sft_onesided(f),
                           .invertible = f->dual.n > 0};
    gndi_sft_first(f, &info->k_min, &info->p_min);
    lower_border(f, info->lower_border_end);
    if (!info->invertible && gndi_dual_window(NULL, &f->win, f->hop, &dual)) {
        info->invertible = true;
        gndi_host_window_free(&dual);
    }
    return GND_OK;
}

gnd_status gnd_sft_get_range(const gnd_sft *f, int64_t n, gnd_sft_range *range) {
    static const char fn[] = "gnd_sft_get_range";
    int64_t k_min, p_min;
    if (!f || !range) return gndi_raise_null(fn, f ? "range" : "f");
    if (!check_length(fn, f, n)) return GND_ERROR_VALUE;
    gndi_sft_first(f, &k_min, &p_min);
    gndi_sft_last(f, n, &range->k_max, &range->p_max);
    range->p_num = range->p_max - p_min;
    upper_border(f, n, range->upper_border_begin);
    return GND_OK;
}

gnd_status gnd_sft_extent(const gnd_sft *f, int64_t n, bool f_first, bool center_bins, double extent[4]) {
    static const char fn[] = "gnd_sft_extent";
    int64_t k, p0, p1;
    if (!f || !extent) return gndi_raise_null(fn, f ? "extent" : "f");
    if (f->mode == GND_SFT_TWOSIDED)
        return gndi_raise(GND_ERROR_VALUE, fn, "two-sided spectra do not lie in one rectangle; centered ones do");
    if (!check_length(fn, f, n)) return GND_ERROR_VALUE;
    const int64_t q0 = gndi_sft_onesided(f) ? 0 : -(f->mfft / 2), q1 = q0 + gndi_sft_bins(f);
    const double shift = center_bins ? 0.5 : 0, dt = 1 / f->fs * (double)f->hop;
    const double df = 1 / ((double)f->mfft * (1 / f->fs));
    double *const t = extent + (f_first ? 2 : 0), *const q = extent + (f_first ? 0 : 2);
    gndi_sft_first(f, &k, &p0), gndi_sft_last(f, n, &k, &p1);
    t[0] = dt * ((double)p0 - shift), t[1] = dt * ((double)p1 - shift);
    q[0] = df * ((double)q0 - shift), q[1] = df * ((double)q1 - shift);
    return GND_OK;
}

int64_t gnd_sft_nearest_k_p(const gnd_sft *f, int64_t k, bool left) {
    if (!f) return gndi_raise_null("gnd_sft_nearest_k_p", "f"), 0;
    const int64_t p = gndi_floor_div(k, f->hop);
    return p * f->hop == k || left ? p * f->hop : (p + 1) * f->hop;
}

gnd_array *gnd_sft_win(const gnd_sft *f) {
    static const char fn[] = "gnd_sft_win";
    return f ? gndi_host_window_array(fn, &f->win) : (gndi_raise_null(fn, "f"), NULL);
}

gnd_array *gnd_sft_dual_win(const gnd_sft *f) {
    static const char fn[] = "gnd_sft_dual_win";
    gndi_host_window dual;
    if (!f) return gndi_raise_null(fn, "f"), NULL;
    if (f->dual.n) return gndi_host_window_array(fn, &f->dual);
    if (!gndi_dual_window(fn, &f->win, f->hop, &dual)) return NULL;
    gnd_array *made = gndi_host_window_array(fn, &dual);
    gndi_host_window_free(&dual);
    return made;
}

gnd_array *gnd_sft_f(const gnd_sft *f) {
    static const char fn[] = "gnd_sft_f";
    if (!f) return gndi_raise_null(fn, "f"), NULL;
    gndi_temporaries s = {.fn = fn};
    GNDI_PARTS_OF(fn);
    gnd_array *made = gndi_temporaries_keep(&s, gndi_sft_onesided(f) ? gnd_rfftfreq(f->mfft, 1 / f->fs)
                                                                     : gnd_fftfreq(f->mfft, 1 / f->fs));
    if (f->mode == GND_SFT_CENTERED && !s.failed) made = gndi_temporaries_keep(&s, gnd_fftshift(made, GND_ALL));
    return gndi_temporaries_end(&s, made);
}

gnd_array *gnd_sft_t(const gnd_sft *f, int64_t n, const gnd_sft_slices *slices) {
    static const char fn[] = "gnd_sft_t";
    int64_t p0, p1;
    if (!f) return gndi_raise_null(fn, "f"), NULL;
    if (!gndi_sft_p_range(fn, f, n, slices, &p0, &p1)) return NULL;
    gndi_temporaries s = {.fn = fn};
    GNDI_PARTS_OF(fn);
    gnd_array *t = gndi_temporaries_keep(&s, gnd_arange((double)p0, (double)p1, 1.0, GND_FLOAT64));
    if (!s.failed) t = gndi_step_in_place(&s, GNDI_OP_multiply, t, gnd_arg_real(1 / f->fs * (double)f->hop));
    if (!s.failed && slices && slices->k_offset)
        t = gndi_step_in_place(&s, GNDI_OP_add, t, gnd_arg_real((double)slices->k_offset * (1 / f->fs)));
    return gndi_temporaries_end(&s, t);
}
