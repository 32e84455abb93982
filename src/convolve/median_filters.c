/*
 * median_filters.c: sliding medians.
 */
#include "convolve/order.h"

static gnd_array *medians(const char *fn, const gnd_array *x, gnd_shape sizes) {
    int64_t window[GND_MAX_DIMS];
    const int ndim = x->ndim == 0 ? 1 : x->ndim;
    if (!gndi_order_window(fn, sizes, ndim, true, window)) return NULL;
    gndi_temporaries s = {.fn = fn};
    if (x->ndim == 0) {
        GNDI_PARTS_OF(fn);
        x = gndi_temporaries_keep(&s, gnd_atleast_1d(x));
        if (s.failed) return gndi_temporaries_end(&s, NULL);
    }
    int64_t elements = 1;
    for (int a = 0; a < ndim; a++) elements *= window[a];
    return gndi_temporaries_end(&s, gndi_order_filter(&s, x, window, NULL, elements / 2));
}

gnd_array *gnd_medfilt(const gnd_array *volume, gnd_shape kernel_size) {
    static const char fn[] = "gnd_medfilt";
    return gndi_order_takes(fn, volume, "volume") ? medians(fn, volume, kernel_size) : NULL;
}

gnd_array *gnd_medfilt2d(const gnd_array *input, gnd_shape kernel_size) {
    static const char fn[] = "gnd_medfilt2d";
    if (!gndi_order_takes(fn, input, "input")) return NULL;
    if (input->ndim == 2) return medians(fn, input, kernel_size);
    return gndi_fail(GND_ERROR_SHAPE, fn, "input must have two dimensions; its shape is %s",
                     gndi_text_shape(input->ndim, input->shape));
}
