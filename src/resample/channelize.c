/*
 * channelize.c: a signal's polyphase channels.
 */
#include "resample/channelize.h"
#include "resample/fourier.h"
#include "runtime/runtime.h"

gnd_dtype gndi_channelize_dtype(const gnd_array *x, const gnd_array *h) {
    const gnd_dtype dtypes[] = {(gnd_dtype)x->dtype, (gnd_dtype)h->dtype, GND_FLOAT32};
    return gndi_promote_list(3, dtypes);
}

bool gndi_check_channels(const char *fn, int64_t channels, int64_t hop) {
    if (channels >= 1 && channels <= INT32_MAX && hop >= 1 && hop <= INT32_MAX) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "%lld channels with a hop of %lld; both must be between 1 and 2^31 - 1",
               (long long)channels, (long long)hop);
    return false;
}

static gnd_status submit(const char *fn, gndi_channelize_plan *plan, const gndi_channelize_request *r) {
    plan->h = gndi_data(r->h), plan->x = gndi_data(r->x), plan->out = gndi_data(r->out);
    plan->joins = r->kept != NULL;
    gnd_stream *s = gndi_work_begin_joined(fn, r->kept, r->chunk, r->x, r->h, r->out, &plan->chunk);
    return s ? gndi_work_end(s, s->device->backend->channelize(s, plan, fn), fn) : gndi_ew_pending();
}

gnd_array *gndi_channelize_lines(gndi_temporaries *s, const gndi_channelize_request *r) {
    if (s->failed) return NULL;
    /* out as frames: its last axis in two. */
    const int last = r->out->ndim - 1;
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, r->out->shape, (size_t)last * sizeof *shape);
    shape[last] = r->out->shape[last] / r->channels, shape[last + 1] = r->channels;
    gnd_array *frames = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, r->out, last + 2, shape, NULL, gndi_data(r->out), (gnd_dtype)r->out->dtype));
    if (s->failed || r->out->size == 0) return frames;
    gndi_channelize_plan plan = {.dtype = r->x->dtype,
                                 .taps_dtype = r->h->dtype,
                                 .transforms = r->channels <= GNDI_CHANNELS_MOST,
                                 .channels = r->channels,
                                 .hop = r->hop,
                                 .taps = r->h->size,
                                 .length = r->x->shape[last],
                                 .x_first = r->x_first,
                                 .count = shape[last],
                                 .frame_first = r->frame_first,
                                 .grid = gndi_lines_grid(r->x, r->out)};
    s->failed = submit(s->fn, &plan, r) != GND_OK;
    if (!plan.transforms) gndi_fourier(s, GNDI_IFFT, frames, last + 1, r->channels, 0, frames);
    return frames;
}

gnd_array *gndi_channels_first(gndi_temporaries *s, const gnd_array *frames, int axis) {
    int order[GND_MAX_DIMS], k = 0;
    const int last = frames ? frames->ndim - 1 : 0;
    if (s->failed) return NULL;
    for (; k < axis; k++) order[k] = k;
    order[axis] = last, order[axis + 1] = last - 1;
    for (; k < last - 1; k++) order[k + 2] = k;
    return gndi_temporaries_keep(s, gndi_sole_view(gndi_permuted(s->fn, frames, order)));
}

gnd_array *gnd_channelize_poly(const gnd_array *x, const gnd_array *h, int64_t n_chans, int64_t hop, int axis) {
    static const char fn[] = "gnd_channelize_poly";
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_missing(h)) return gndi_raise_null(fn, "h"), NULL;
    if (hop == 0) hop = n_chans;
    if (gndi_check_together(fn, x, "x", h, "h") || !gndi_normalize_axis(fn, axis, x->ndim, &axis) ||
        !gndi_check_channels(fn, n_chans, hop))
        return NULL;
    if (x->ndim == GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "x has %d dimensions, and the result would have one more", x->ndim);
    const int64_t frames = x->shape[axis] / hop;
    if (frames > INT64_MAX / n_chans)
        return gndi_fail(GND_ERROR_MEMORY, fn, "%lld frames of %lld channels are too many", (long long)frames,
                         (long long)n_chans);
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = gndi_channelize_dtype(x, h);
    gndi_channelize_request r = {.channels = n_chans, .hop = hop};
    r.h = gndi_upfirdn_taps(&s, h, "h", dtype);
    if (!s.failed && !gndi_is_c_contiguous(r.h))
        r.h = gndi_temporaries_keep(&s, gndi_copy_as(fn, r.h, (gnd_dtype)r.h->dtype, 'C'));
    r.x = gndi_lines_of(&s, x, axis, dtype);
    r.out = gndi_lines_new(&s, x, axis, frames * n_chans, gndi_fft_complex_of(dtype));
    return gndi_temporaries_end(&s, gndi_channels_first(&s, gndi_channelize_lines(&s, &r), axis));
}
