/*
 * convolve_run.c: a planned convolution: the signal's blocks are a view with overlapping elements, which is
 * transformed without a copy; their spectra are multiplied by the kernel's, which includes the factor of the
 * inverse transform; and the results in each transformed block are copied to the output.
 */
#include "fft/convolve.h"
#include "runtime/runtime.h"

/* ---- operands --------------------------------------------------------------------------------- */

/* The part of each axis that is needed: all of a transformed one, or of a broadcast one; else the wanted elements. */
static gnd_array *wanted_part(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *a) {
    gnd_array *part = gndi_temporaries_keep(s, gndi_array_alias(s->fn, a));
    for (int i = 0; i < a->ndim && !s->failed; i++) {
        const gndi_convolve_axis *x = &c->axis[i];
        if (x->transformed || a->shape[i] == 1) continue;
        if (x->count < a->shape[i]) part = gndi_step_part(s, part, i, x->first, x->count, 1);
    }
    return part;
}

static gnd_array *new_array(gndi_temporaries *s, const gnd_array *like, int ndim, const int64_t *shape,
                            gnd_dtype dtype) {
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, like, ndim, shape, dtype));
}

/* Zeros at the elements first .. last - 1 of an axis. */
static void clear(gndi_temporaries *s, const gnd_array *a, int axis, int64_t first, int64_t last) {
    if (s->failed || last <= first) return;
    gnd_array *slab = gndi_step_part(s, a, axis, first, last - first, 1);
    gndi_step_into(s, GNDI_OP_copy, slab, gnd_arg_bool(false), gnd_arg_none(), NULL);
}

/* The signal in the dtype of the result, as long as all blocks together: padded with zeros on both sides, and without
   elements that no wanted result needs. */
static gnd_array *padded_signal(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *signal) {
    int64_t shape[GND_MAX_DIMS];
    for (int i = 0; i < signal->ndim; i++) {
        const gndi_convolve_axis *x = &c->axis[i];
        shape[i] = x->transformed ? (x->blocks - 1) * x->step + x->f : signal->shape[i];
    }
    gnd_array *whole = new_array(s, signal, signal->ndim, shape, c->dtype), *part = whole;
    const gnd_array *from = signal;
    for (int i = 0; i < signal->ndim && !s->failed; i++) {
        const gndi_convolve_axis *x = &c->axis[i];
        if (!x->transformed) continue;
        const int64_t skip = x->shift > 0 ? x->shift : 0, lead = x->shift < 0 ? -x->shift : 0;
        const int64_t rest = x->n - skip, space = shape[i] - lead;
        const int64_t count = rest < space ? rest : space;
        clear(s, part, i, 0, lead);
        clear(s, part, i, lead + count, shape[i]);
        part = s->failed ? NULL : gndi_step_part(s, part, i, lead, count, 1);
        from = s->failed ? NULL : gndi_step_part(s, from, i, skip, count, 1);
    }
    if (!s->failed) s->failed = gndi_copy_into(s->fn, part, from) != GND_OK;
    return whole;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* Lists the axes that are cut, each of which gets an axis of blocks in front; returns their number. */
static int cut_axes(const gndi_convolution *c, int cut[GND_MAX_DIMS]) {
    int count = 0;
    for (int i = 0; i < c->signal->ndim; i++)
        if (c->axis[i].transformed && c->axis[i].blocks > 1) cut[count++] = i;
    return count;
}

/* The padded signal as blocks, which share elements. */
static gnd_array *blocks_of(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *padded) {
    int cut[GND_MAX_DIMS];
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    const int cuts = s->failed ? 0 : cut_axes(c, cut);
    if (s->failed) return NULL;
    for (int k = 0; k < cuts; k++) {
        shape[k] = c->axis[cut[k]].blocks;
        strides[k] = c->axis[cut[k]].step * padded->strides[cut[k]];
    }
    for (int i = 0; i < padded->ndim; i++) {
        shape[cuts + i] = c->axis[i].transformed ? c->axis[i].f : padded->shape[i];
        strides[cuts + i] = padded->strides[i];
    }
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, padded, cuts + padded->ndim, shape, strides, gndi_data(padded), c->dtype));
}

/* The transformed axes of an array with `lead` axes in front. */
static gndi_fft_axes transformed_axes(const gndi_convolution *c, int lead) {
    gndi_fft_axes axes = {0};
    for (int i = 0; i < c->signal->ndim; i++) {
        if (!c->axis[i].transformed) continue;
        axes.axis[axes.count] = lead + i;
        axes.n[axes.count++] = c->axis[i].f;
    }
    return axes;
}

/* The transform of an array, or the inverse transform of one that may be overwritten, into a new one in C order. */
static gnd_array *transform(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *a, bool back,
                            double factor) {
    const bool real = c->dtype == c->real;
    if (s->failed) return NULL;
    gndi_fft_request r = {.fn = s->fn,
                          .kind = real ? (back ? GNDI_IRFFT : GNDI_RFFT) : (back ? GNDI_IFFT : GNDI_FFT),
                          .a = a,
                          .axes = transformed_axes(c, a->ndim - c->signal->ndim),
                          .norm = back ? GND_FFT_FORWARD : GND_FFT_BACKWARD,
                          .factor = factor,
                          .spare = back};
    gnd_array *out = NULL;
    if (!real && back) { /* in place */
        r.out = out = (gnd_array *)(uintptr_t)a;
        s->failed = gndi_fft_run(&r, NULL) != GND_OK;
        return out;
    }
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    for (int i = 0; i < r.axes.count; i++) shape[r.axes.axis[i]] = r.axes.n[i];
    if (real && !back) {
        const int last = r.axes.count - 1;
        shape[r.axes.axis[last]] = r.axes.n[last] / 2 + 1;
    }
    const gnd_dtype complex_dtype = gndi_fft_complex_of(c->real);
    out = new_array(s, a, a->ndim, shape, back ? c->dtype : complex_dtype);
    r.out = out;
    if (!s->failed) s->failed = gndi_fft_run(&r, NULL) != GND_OK;
    return s->failed ? NULL : out;
}

/* The kernel's spectrum, divided by the number of elements of a block. */
static gnd_array *kernel_spectrum(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *kernel) {
    double factor = 1;
    for (int i = 0; i < c->signal->ndim; i++)
        if (c->axis[i].transformed) factor /= (double)c->axis[i].f;
    if (s->failed) return NULL;
    if ((gnd_dtype)kernel->dtype != c->dtype) {
        gnd_array *cast = gndi_temporaries_keep(s, gndi_copy_as(s->fn, kernel, c->dtype, 'K'));
        if (!cast) return NULL;
        kernel = cast;
    }
    return transform(s, c, kernel, false, factor);
}

/* ---- results ---------------------------------------------------------------------------------- */

/* Copies a part of the results: along each axis that is cut, those of the full blocks, or those of the last
   block (bit k of `last`). False on an error. */
static bool copy_results(gndi_temporaries *s, const gndi_convolution *c, gnd_array *result, const gnd_array *blocks,
                         uint64_t last) {
    int cut[GND_MAX_DIMS];
    const int cuts = cut_axes(c, cut), ndim = result->ndim;
    int64_t shape[GND_MAX_DIMS], to[GND_MAX_DIMS];
    char *target = gndi_data(result), *source = gndi_data(blocks);
    for (int i = 0; i < ndim; i++) {
        shape[cuts + i] = result->shape[i], to[cuts + i] = result->strides[i];
        if (c->axis[i].transformed) source += c->axis[i].at * blocks->strides[cuts + i];
    }
    for (int k = 0; k < cuts; k++) {
        const gndi_convolve_axis *x = &c->axis[cut[k]];
        const int64_t whole = x->count / x->step, rest = x->count % x->step;
        const bool tail = last >> k & 1;
        if (tail ? rest == 0 : whole == 0) return true;
        to[k] = x->step * result->strides[cut[k]];
        shape[k] = tail ? 1 : whole, shape[cuts + cut[k]] = tail ? rest : x->step;
        if (!tail) continue;
        target += whole * to[k];
        source += whole * blocks->strides[k];
    }
    gndi_temporaries part = {.fn = s->fn};
    gnd_array *out =
        gndi_temporaries_keep(&part, gndi_array_view(s->fn, result, cuts + ndim, shape, to, target, c->dtype));
    gnd_array *in = gndi_temporaries_keep(
        &part, gndi_array_view(s->fn, blocks, cuts + ndim, shape, blocks->strides, source, c->dtype));
    if (!part.failed) part.failed = gndi_copy_into(s->fn, out, in) != GND_OK;
    gndi_temporaries_end_part(s, &part);
    return !s->failed;
}

static gnd_array *gather(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *blocks) {
    int cut[GND_MAX_DIMS];
    int64_t shape[GND_MAX_DIMS];
    const int cuts = cut_axes(c, cut);
    for (int i = 0; i < c->signal->ndim; i++) shape[i] = c->axis[i].count;
    gnd_array *result = s->failed ? NULL : new_array(s, blocks, c->signal->ndim, shape, c->dtype);
    for (uint64_t last = 0; !s->failed && last >> cuts == 0; last++)
        if (!copy_results(s, c, result, blocks, last)) break;
    return result;
}

/* Without axes to transform: a product, in the result's dtype. */
static gnd_array *product(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *signal,
                          const gnd_array *kernel) {
    gnd_array *result = NULL;
    const gndi_ew_request request = {.op = GNDI_OP_multiply,
                                     .fn = s->fn,
                                     .args = {gnd_arg_array(signal), gnd_arg_array(kernel)},
                                     .dtype = c->dtype,
                                     .casting = GND_UNSAFE,
                                     .order = 'C'};
    if (!s->failed && gndi_elementwise(&request, &result)) result = NULL;
    return s->failed ? NULL : gndi_temporaries_keep(s, result);
}

gnd_array *gndi_convolve_run(const gndi_convolution *c) {
    gndi_temporaries s = {.fn = c->fn};
    const gnd_array *signal = wanted_part(&s, c, c->signal);
    const gnd_array *kernel = s.failed ? NULL : wanted_part(&s, c, c->kernel);
    if (!s.failed && transformed_axes(c, 0).count == 0) return gndi_temporaries_end(&s, product(&s, c, signal, kernel));
    gnd_array *result = NULL;
    if (!s.failed && gndi_convolve_tiles(&s, c, signal, kernel, &result)) return gndi_temporaries_end(&s, result);
    const gnd_array *padded = s.failed ? NULL : padded_signal(&s, c, signal);
    gnd_array *spectrum = transform(&s, c, blocks_of(&s, c, padded), false, 1);
    gnd_array *other = kernel_spectrum(&s, c, kernel);
    if (!s.failed) spectrum = gndi_step_in_place(&s, GNDI_OP_multiply, spectrum, gnd_arg_array(other));
    gnd_array *blocks = transform(&s, c, spectrum, true, 0);
    if (!s.failed) result = gather(&s, c, blocks);
    return gndi_temporaries_end(&s, result);
}
