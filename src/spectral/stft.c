/*
 * stft.c: short-time Fourier transforms of whole signals, and their inverses.
 */
#include "spectral/spectral.h"
#include "array/view.h"
#include "fft/fft.h"
#include "resample/resample.h"
#include "runtime/runtime.h"

/* ---- plans ------------------------------------------------------------------------------------ */

void gndi_stft_run(gndi_temporaries *s, const gndi_stft_request *r) {
    if (s->failed || r->out->size == 0) return;
    const gndi_stft_settings *set = r->set;
    const int last = r->x->ndim - 1;
    const gnd_array *y = r->y;
    gndi_stft_plan plan = {.dtype = r->x->dtype,
                           .border = (uint8_t)set->border,
                           .trend = (uint8_t)set->trend,
                           .half = set->half,
                           .result = (uint8_t)r->result,
                           .mean = r->mean,
                           .centered = set->centered,
                           .nperseg = set->nperseg,
                           .nfft = set->nfft,
                           .hop = set->hop,
                           .extend = set->extend,
                           .roll = set->roll,
                           .inner = set->inner != 0 ? set->inner : 1,
                           .scale = r->scale != 0 ? r->scale : 1,
                           .window = r->window.data,
                           .x = gndi_data(r->x),
                           .y = y ? gndi_data(y) : NULL,
                           .y_total = y ? y->shape[last] : 0,
                           .length = r->x->shape[last],
                           .x_first = r->x_first,
                           .total = r->total,
                           .out = gndi_data(r->out),
                           .count = r->frames,
                           .frame_first = r->frame_first};
    if (y)
        plan.grid = gndi_lines_grid(r->x, y);
    else
        gndi_grid_of(r->x, last, &plan.grid);
    if (!plan.count) plan.count = r->out->size / plan.grid.lines / gndi_stft_bins(set->nfft, set->half);
    gndi_buffer *reads[3] = {r->x->buffer, r->window.buffer, y ? y->buffer : NULL};
    gnd_stream *stream = gndi_work_begin_buffers(s->fn, y ? 3 : 2, reads, 1, (gndi_buffer *[]){r->out->buffer});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->stft(stream, &plan, s->fn), s->fn);
}

void gndi_istft_run(gndi_temporaries *s, const gndi_istft_request *r) {
    if (s->failed || r->out->size == 0) return;
    const gndi_stft_settings *set = r->set;
    const gnd_array *z = r->z;
    gndi_istft_plan plan = {.wide = z->dtype == GND_COMPLEX128,
                            .half = set->half,
                            .centered = set->centered,
                            .nperseg = set->nperseg,
                            .nfft = set->nfft,
                            .hop = set->hop,
                            .roll = set->roll,
                            .inner = set->inner != 0 ? set->inner : 1,
                            .skip = r->skip,
                            .window = r->window.data,
                            .squares = r->squares.data,
                            .response = r->response.data,
                            .z = gndi_data(z),
                            .frames = z->shape[r->frame_axis],
                            .frame_first = r->frame_first,
                            .bins = z->shape[r->bin_axis],
                            .bin_step = z->strides[r->bin_axis],
                            .frame_step = z->strides[r->frame_axis],
                            .out = gndi_data(r->out),
                            .count = r->out->shape[r->out->ndim - 1],
                            .out_first = r->out_first};
    gndi_grid_of(z, z->ndim - 2, &plan.grid);
    gndi_buffer *const read[] = {z->buffer, r->window.buffer, r->squares.buffer, r->response.buffer};
    gnd_stream *stream = gndi_work_begin_buffers(s->fn, 4, read, 1, (gndi_buffer *[]){r->out->buffer});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->istft(stream, &plan, s->fn), s->fn);
}

/* ---- stft ------------------------------------------------------------------------------------- */

gnd_dtype gndi_stft_dtype(const gnd_array *x) {
    const gnd_dtype dtypes[] = {(gnd_dtype)x->dtype, GND_COMPLEX64};
    return gndi_promote_list(2, dtypes);
}

gnd_array *gndi_stft_frames_last(gndi_temporaries *s, const gnd_array *lines, int axis, int64_t bins) {
    int64_t shape[GND_MAX_DIMS];
    int order[GND_MAX_DIMS];
    if (s->failed) return NULL;
    const int last = lines->ndim - 1;
    memcpy(shape, lines->shape, (size_t)last * sizeof *shape);
    shape[last] = lines->shape[last] / bins, shape[last + 1] = bins;
    gnd_array *frames = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, lines, last + 2, shape, NULL, gndi_data(lines), (gnd_dtype)lines->dtype));
    if (!frames) return NULL;
    for (int k = 0; k < last + 1; k++) order[k] = k < axis ? k : k == axis ? last + 1 : k - 1;
    order[last + 1] = last;
    return gndi_temporaries_keep(s, gndi_sole_view(gndi_permuted(s->fn, frames, order)));
}

void gndi_stft_give_axes(gndi_temporaries *s, const gndi_stft_settings *set, int64_t frames, gnd_array **f,
                         gnd_array **t) {
    gnd_array *made[2] = {NULL, NULL};
    GNDI_PARTS_OF(s->fn);
    if (f && !s->failed)
        made[0] = gndi_temporaries_keep(s, set->half ? gnd_rfftfreq(set->nfft, 1 / set->fs)
                                                     : gnd_fftfreq(set->nfft, 1 / set->fs));
    if (t && !s->failed) {
        const double half = 0.5 * (double)set->nperseg, hop = (double)set->hop;
        gnd_array *times =
            gndi_temporaries_keep(s, gnd_arange(half, half + hop * ((double)frames - 0.5), hop, GND_FLOAT64));
        if (!s->failed) times = gndi_step(s, GNDI_OP_divide, gnd_arg_array(times), gnd_arg_real(set->fs));
        if (!s->failed && set->bounded)
            times = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(times), gnd_arg_real(half / set->fs));
        made[1] = times;
    }
    if (f) gndi_temporaries_give(s, made[0], f);
    if (t) gndi_temporaries_give(s, made[1], t);
}

gnd_array *gnd_stft(const gnd_array *x, const gnd_array *window, int axis, const gnd_stft_options *options,
                    gnd_array **f, gnd_array **t) {
    static const char fn[] = "gnd_stft";
    gndi_stft_settings set;
    if (f) *f = NULL;
    if (t) *t = NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!gndi_stft_read(fn, window, options, gndi_dtype_is_complex(x->dtype), &set)) return NULL;
    if (gndi_check_together(fn, x, "x", window, "window") || !gndi_normalize_axis(fn, axis, x->ndim, &axis))
        return NULL;
    if (x->ndim == GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "x has %d dimensions, and the result would have one more", x->ndim);
    if (set.nfft == 0) set.nfft = set.nperseg;
    if (!gndi_stft_check_nfft(fn, &set)) return NULL;
    const int64_t n = x->shape[axis], frames = gndi_stft_frames(&set, n), bins = gndi_stft_bins(set.nfft, set.half);
    if (frames == 0) return gndi_stft_raise_short(fn, &set, n), NULL;
    if (frames > INT64_MAX / bins)
        return gndi_fail(GND_ERROR_MEMORY, fn, "%lld frames of %lld bins are too many", (long long)frames,
                         (long long)bins);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype spectra = gndi_stft_dtype(x), real = gndi_real_dtype(spectra);
    const gnd_array *lines = gndi_lines_of(&s, x, axis, gndi_dtype_is_complex(x->dtype) ? spectra : real);
    gnd_array *w = s.failed ? NULL : gndi_stft_window(&s, window, &set, false, real, NULL);
    gndi_stft_request r = {.set = &set, .x = lines, .total = n, .out = NULL};
    r.out = s.failed ? NULL : gndi_lines_new(&s, x, axis, frames * bins, spectra);
    if (!s.failed) r.window = gndi_table_of(w, false);
    gndi_stft_run(&s, &r);
    gndi_stft_give_axes(&s, &set, frames, f, t);
    return gndi_temporaries_end(&s, gndi_stft_frames_last(&s, r.out, axis, bins));
}

/* ---- istft ------------------------------------------------------------------------------------ */

/* nfft as SciPy finds it from the number of bins. */
static bool find_nfft(const char *fn, gndi_stft_settings *set, int64_t bins) {
    if (set->nfft == 0)
        set->nfft = gndi_stft_bins(set->nperseg, set->half) == bins ? set->nperseg : set->half ? 2 * (bins - 1) : bins;
    return gndi_stft_check_nfft(fn, set);
}

const gnd_array *gndi_stft_spectra_of(gndi_temporaries *s, const gnd_array *z, int bin_axis, int frame_axis) {
    int order[GND_MAX_DIMS], n = 0;
    gndi_line_grid grid;
    if (s->failed) return NULL;
    for (int k = 0; k < z->ndim; k++)
        if (k != bin_axis && k != frame_axis) order[n++] = k;
    order[n] = bin_axis, order[n + 1] = frame_axis;
    gnd_array *moved = gndi_temporaries_keep(s, gndi_permuted(s->fn, z, order));
    const gnd_dtype dtype = gndi_fft_complex_of(z->dtype);
    if (!moved || ((gnd_dtype)z->dtype == dtype && gndi_grid_of(moved, moved->ndim - 2, &grid))) return moved;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, moved, dtype, 'C'));
}

static bool check_spectra(const char *fn, const gnd_array *z, int *bin_axis, int *frame_axis) {
    if (!gndi_normalize_axis(fn, *frame_axis, z->ndim, frame_axis) ||
        !gndi_normalize_axis(fn, *bin_axis, z->ndim, bin_axis))
        return false;
    if (*bin_axis == *frame_axis)
        gndi_raise(GND_ERROR_AXIS, fn, "time and frequency are both axis %d; they must differ", *bin_axis);
    else if (z->shape[*bin_axis] == 0 || z->shape[*frame_axis] == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "z has shape %s; there must be frames and bins",
                   gndi_text_shape(z->ndim, z->shape));
    else
        return true;
    return false;
}

gnd_array *gnd_istft(const gnd_array *z, const gnd_array *window, int time_axis, int freq_axis,
                     const gnd_stft_options *options) {
    static const char fn[] = "gnd_istft";
    gndi_stft_settings set;
    if (gndi_missing(z)) return gndi_raise_null(fn, "z"), NULL;
    if (!gndi_stft_read(fn, window, options, false, &set) || gndi_check_together(fn, z, "z", window, "window") ||
        !check_spectra(fn, z, &freq_axis, &time_axis) || !find_nfft(fn, &set, z->shape[freq_axis]))
        return NULL;
    const int64_t frames = z->shape[time_axis], cut = set.extend;
    if (frames > (INT64_MAX - set.nperseg) / set.hop)
        return gndi_fail(GND_ERROR_MEMORY, fn, "%lld frames with a hop of %lld are too many", (long long)frames,
                         (long long)set.hop);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype spectra = gndi_fft_complex_of(z->dtype), real = gndi_real_dtype(spectra);
    gndi_istft_request r = {.set = &set, .z = gndi_stft_spectra_of(&s, z, freq_axis, time_axis), .out_first = cut};
    gnd_array *squares = NULL, *w = s.failed ? NULL : gndi_stft_window(&s, window, &set, true, real, &squares);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    r.bin_axis = r.z->ndim - 2, r.frame_axis = r.z->ndim - 1;
    r.window = gndi_table_of(w, false), r.squares = gndi_table_of(squares, false);
    /* The result has z's axes but the bins', and samples for frames. */
    const int axis = time_axis - (freq_axis < time_axis);
    gnd_array *like = gndi_step_at(&s, z, freq_axis, 0);
    const int64_t count = set.nperseg + (frames - 1) * set.hop - 2 * cut;
    r.out = s.failed ? NULL : gndi_lines_new(&s, like, axis, count, set.half ? real : spectra);
    gndi_istft_run(&s, &r);
    return gndi_temporaries_end(&s, s.failed ? NULL : gndi_lines_back(&s, r.out, axis));
}
