/*
 * pack.c: samples from bytes and bytes from samples, on the device (cuSignal's unpack_bin and pack_bin).
 */
#include "array/view.h"
#include "rearrange/rearrange.h"
#include "samples/samples.h"
#include <gnd.h>

gnd_status gndi_samples_run(const char *fn, const gndi_sample_type *type, const gnd_array *bytes, int64_t first_byte,
                            const gnd_array *numbers, int64_t first_number, int64_t count, bool packs) {
    gnd_stream *s = gndi_ew_stream(numbers, fn);
    if (!s) return gndi_ew_pending();
    const bool wide = numbers->dtype == GND_FLOAT64 || numbers->dtype == GND_COMPLEX128;
    const gndi_samples_plan p = {
        .bytes = gndi_data(bytes) + first_byte,
        .numbers = gndi_data(numbers) + first_number * (int64_t)(wide ? sizeof(double) : sizeof(float)),
        .count = count,
        .scale = packs ? 1 / type->scale : type->scale,
        .kind = type->kind,
        .swapped = type->swapped,
        .flipped = type->flipped,
        .wide = wide,
        .packs = packs,
    };
    gnd_status status = gndi_order_read(s, (packs ? numbers : bytes)->buffer, fn);
    if (!status) status = gndi_order_write(s, (packs ? bytes : numbers)->buffer, fn);
    if (!status) status = s->device->backend->samples(s, &p, fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

gnd_array *gndi_samples_new(const char *fn, const gndi_sample_type *type, gnd_stream *stream, int64_t samples) {
    const int64_t shape[2] = {samples, type->channels};
    const gnd_dtype dtype = gndi_sample_unpacked_dtype(type);
    return gndi_array_new_on(fn, stream, type->channels ? 2 : 1, shape, dtype, GNDI_ORDER_C);
}

gnd_array *gndi_samples_cast(const char *fn, const gndi_sample_type *type, gnd_array *samples) {
    if (!samples || (gnd_dtype)samples->dtype == type->dtype) return samples;
    gnd_array *cast = gndi_copy_as(fn, samples, type->dtype, 'C');
    gnd_release(samples);
    return cast;
}

gnd_array *gnd_unpack_bin(const gnd_array *binary, const char *datatype, const gnd_samples_options *options) {
    gndi_temporaries s = {.fn = "gnd_unpack_bin"};
    gndi_sample_type type;
    if (gndi_missing(binary)) return gndi_raise_null(s.fn, "binary"), NULL;
    if (!gndi_sample_type_read(s.fn, datatype, options, &type)) return NULL;
    const int64_t bytes = binary->size * gndi_itemsize(binary), bits = gndi_sample_bits(&type);
    if (bytes > INT64_MAX / 8 || 8 * bytes % bits)
        return gndi_fail(GND_ERROR_VALUE, s.fn, "%lld bytes are no whole number of samples of %lld bits",
                         (long long)bytes, (long long)bits);
    const gnd_array *dense = binary;
    if (!gndi_is_c_contiguous(binary))
        dense = gndi_temporaries_keep(&s, gndi_copy_as(s.fn, binary, (gnd_dtype)binary->dtype, 'C'));
    gnd_stream *stream = s.failed ? NULL : gndi_ew_stream(dense, s.fn);
    gnd_array *samples = stream ? gndi_samples_new(s.fn, &type, stream, 8 * bytes / bits) : NULL;
    s.failed |= !samples;
    if (!s.failed && samples->size > 0)
        s.failed = gndi_samples_run(s.fn, &type, dense, 0, samples, 0, samples->size * (1 + type.complex), false) != 0;
    if (!s.failed) {
        samples = gndi_samples_cast(s.fn, &type, samples);
        s.failed = !samples;
    } else if (samples) {
        gnd_release(samples);
    }
    gndi_temporaries_end(&s, NULL);
    return s.failed ? NULL : samples;
}

/* Samples as float32 or float64, or their complex dtypes: in which all that can be stored is exact. */
static const gnd_array *to_numbers(gndi_temporaries *s, const gndi_sample_type *type, const gnd_array *x) {
    const bool wide = !(x->dtype == GND_FLOAT32 || x->dtype == GND_COMPLEX64 || gndi_dtype_is_half(x->dtype) ||
                        gndi_dtype_is_bool(x->dtype) || (gndi_dtype_is_int(x->dtype) && gndi_itemsize(x) < 4));
    const gnd_dtype dtype =
        type->complex ? (wide ? GND_COMPLEX128 : GND_COMPLEX64) : (wide ? GND_FLOAT64 : GND_FLOAT32);
    if ((gnd_dtype)x->dtype == dtype && gndi_is_c_contiguous(x)) return x;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, dtype, 'C'));
}

gnd_array *gnd_pack_bin(const gnd_array *x, const char *datatype, const gnd_samples_options *options) {
    gndi_temporaries s = {.fn = "gnd_pack_bin"};
    gndi_sample_type type;
    gnd_samples_options plain = {.normalized = options && options->normalized};
    if (gndi_missing(x)) return gndi_raise_null(s.fn, "x"), NULL;
    if (!gndi_sample_type_read(s.fn, datatype, &plain, &type)) return NULL;
    if (!type.complex && gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, s.fn, "%s cannot be stored as real samples, %s",
                         gnd_dtype_name((gnd_dtype)x->dtype), datatype);
    const int64_t bytes = gndi_sample_bytes(s.fn, &type, x->size);
    if (bytes < 0) return NULL;
    const gnd_array *numbers = to_numbers(&s, &type, x);
    gnd_array *packed =
        s.failed ? NULL : gndi_temporaries_keep(&s, gndi_new_on_device_of(s.fn, x, 1, &bytes, GND_UINT8));
    if (!s.failed && bytes > 0)
        s.failed = gndi_samples_run(s.fn, &type, packed, 0, numbers, 0, x->size * (1 + type.complex), true) != GND_OK;
    return gndi_temporaries_end(&s, packed);
}
