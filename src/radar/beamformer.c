/*
 * beamformer.c: weights of beamformers of minimum variance.
 */
#include "radar/radar.h"
#include "radar/covariance_plan.h"
#include "radar/weights_plan.h"
#include "resample/resample.h"

static const char fn[] = "gnd_mvdr";

static bool check(const gnd_array *x, const gnd_array *sv, bool is_covariance) {
    const int last = x->ndim - 1;
    if (x->ndim < 2 || sv->ndim < 1)
        gndi_raise(GND_ERROR_SHAPE, fn, "x is %d-d and the steering vector %d-d; they must have at least 2 and 1 axes",
                   x->ndim, sv->ndim);
    else if (is_covariance && x->shape[last - 1] != x->shape[last])
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s; covariances are square", gndi_text_shape(x->ndim, x->shape));
    else if (x->shape[last - 1] > x->shape[last])
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s, more sensors than samples; sensors are the last axis but one",
                   gndi_text_shape(x->ndim, x->shape));
    else if (x->shape[last - 1] != sv->shape[sv->ndim - 1])
        gndi_raise(GND_ERROR_SHAPE, fn, "x has %lld sensors, and the steering vector %lld",
                   (long long)x->shape[last - 1], (long long)sv->shape[sv->ndim - 1]);
    else
        return gndi_check_together(fn, x, "x", sv, "sv") == GND_OK;
    return false;
}

/* By a kernel that reads the samples once. */
static gnd_array *by_kernel(gndi_temporaries *s, const gnd_array *x) {
    const gnd_array *lines = gndi_lines_of(s, x, 1, GND_COMPLEX64);
    const int64_t shape[] = {x->shape[0], x->shape[0]};
    gnd_array *out = s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_on_device_of(fn, x, 2, shape, GND_COMPLEX64));
    if (s->failed) return NULL;
    const gnd_array *written = out;
    const gndi_covariance_plan plan = {.x = gndi_data(lines),
                                       .out = gndi_data(out),
                                       .step = lines->strides[0],
                                       .sensors = x->shape[0],
                                       .samples = x->shape[1]};
    gnd_stream *stream = gndi_work_begin(fn, 1, &lines, 1, &written);
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->covariance(stream, &plan, fn), fn);
    return out;
}

/* The covariances of sensors, as numpy.cov has them, for each array of samples. */
static const gnd_array *covariances(gndi_temporaries *s, const gnd_array *x) {
    const int last = x->ndim - 1;
    if (x->buffer->device->backend->covariance && x->ndim == 2 && (gnd_dtype)x->dtype == GND_COMPLEX64 &&
        x->shape[0] > 0 && x->shape[0] <= GNDI_COVARIANCE_SENSORS)
        return by_kernel(s, x);
    const gnd_array *mean = gndi_temporaries_keep(s, gnd_mean(x, GND_AXES_KEEP(-1)));
    const gnd_array *centred = mean ? gndi_step(s, GNDI_OP_subtract, gnd_arg_array(x), gnd_arg_array(mean)) : NULL;
    const gnd_array *other = centred;
    if (centred && gndi_dtype_is_complex(x->dtype))
        other = gndi_step(s, GNDI_OP_conjugate, gnd_arg_array(centred), gnd_arg_none());
    if (other) other = gndi_temporaries_keep(s, gnd_matrix_transpose(other));
    gnd_array *sums = other ? gndi_temporaries_keep(s, gnd_matmul(centred, other)) : NULL;
    if (!sums) return NULL;
    return gndi_step_in_place(s, GNDI_OP_divide, sums, gnd_arg_real((double)(x->shape[last] - 1)));
}

/* Whether a kernel has the weights of covariances c and vectors v, each of the same many or of one. */
static bool takes_weights(const gnd_array *c, const gnd_array *v) {
    const int64_t sensors = c->shape[c->ndim - 1];
    if (!c->buffer->device->backend->beam_weights || !gndi_dtype_is_complex(c->dtype) || c->size == 0 ||
        sensors > GNDI_COVARIANCE_SENSORS || c->size / sensors / sensors > INT32_MAX)
        return false;
    if (v->ndim == 1) return true;
    if (v->ndim != c->ndim - 1) return false;
    for (int k = 0; k < v->ndim; k++)
        if (v->shape[k] != c->shape[k]) return false;
    return true;
}

static const gnd_array *dense(gndi_temporaries *s, const gnd_array *a) {
    if (s->failed || gndi_is_c_contiguous(a)) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(fn, a, (gnd_dtype)a->dtype, 'C'));
}

static gnd_array *weights_by_kernel(gndi_temporaries *s, const gnd_array *c, const gnd_array *v) {
    const gnd_array *read[] = {dense(s, c), dense(s, v)};
    gnd_array *out =
        s->failed ? NULL
                  : gndi_temporaries_keep(s, gndi_new_on_device_of(fn, c, c->ndim - 1, c->shape, (gnd_dtype)c->dtype));
    if (s->failed) return NULL;
    const int64_t sensors = c->shape[c->ndim - 1];
    const gndi_weights_plan plan = {.wide = c->dtype == GND_COMPLEX128,
                                    .sensors = (int)sensors,
                                    .count = c->size / sensors / sensors,
                                    .c = gndi_data(read[0]),
                                    .v = gndi_data(read[1]),
                                    .v_step = v->ndim > 1 ? sensors : 0,
                                    .out = gndi_data(out)};
    gnd_stream *stream = gndi_work_begin(fn, 2, read, 1, (const gnd_array *[]){out});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->beam_weights(stream, &plan, fn), fn);
    return out;
}

/* c^-1 v / (v^H c^-1 v). */
static gnd_array *weights(gndi_temporaries *s, const gnd_array *c, const gnd_array *v) {
    if (takes_weights(c, v)) return weights_by_kernel(s, c, v);
    const bool many = c->ndim > 2 || v->ndim > 1;
    const gnd_array *columns = many ? gndi_temporaries_keep(s, gnd_expand_dims(v, GND_AXES(-1))) : v;
    gnd_array *solved = columns ? gndi_temporaries_keep(s, gnd_solve(c, columns)) : NULL;
    if (many && solved) solved = gndi_temporaries_keep(s, gnd_squeeze(solved, GND_AXES(-1)));
    const gnd_array *gain = solved ? gndi_temporaries_keep(s, gnd_vecdot(v, solved, -1)) : NULL;
    if (gain && gain->ndim > 0) gain = gndi_temporaries_keep(s, gnd_expand_dims(gain, GND_AXES(-1)));
    return gain ? gndi_step(s, GNDI_OP_divide, gnd_arg_array(solved), gnd_arg_array(gain)) : NULL;
}

gnd_array *gnd_mvdr(const gnd_array *x, const gnd_array *sv, bool is_covariance) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_missing(sv)) return gndi_raise_null(fn, "sv"), NULL;
    if (!check(x, sv, is_covariance)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype all[] = {(gnd_dtype)x->dtype, (gnd_dtype)sv->dtype};
    gnd_dtype dtype = gndi_promote_list(2, all);
    if (!gndi_dtype_is_complex(dtype)) dtype = gndi_fft_real_of(dtype);
    const gnd_array *v = gndi_radar_as(&s, sv, dtype), *c = v ? gndi_radar_as(&s, x, dtype) : NULL;
    if (c && !is_covariance) c = covariances(&s, c);
    return gndi_temporaries_end(&s, s.failed || !c ? NULL : weights(&s, c, v));
}
