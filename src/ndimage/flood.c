/*
 * flood.c: what a dilation without an end reaches, and holes, which it does not reach from outside: by connected
 * components instead of step by step.
 */
#include "array/view.h"
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"
#include <gnd/index.h>
#include <gnd/labels.h>
#include <gnd/mask.h>
#include <gnd/transfer.h>

enum { MOST_AXES = 8, MOST_STRUCTURE = 6561 }; /* 3 to the power of 8 */

/* x with a layer of `fill` around it. */
static const gnd_array *surrounded(gndi_temporaries *s, const gnd_array *x, double fill) {
    int64_t first[GND_MAX_DIMS], shape[GND_MAX_DIMS];
    gndi_border border[GND_MAX_DIMS];
    if (s->failed) return NULL;
    for (int a = 0; a < x->ndim; a++) first[a] = -1, shape[a] = x->shape[a] + 2, border[a] = GNDI_BORDER_CONSTANT;
    return gndi_image_extended(s, x, first, shape, border, fill);
}

static gnd_array *without_layer(gndi_temporaries *s, gnd_array *x, const gnd_array *like) {
    for (int a = 0; a < like->ndim && !s->failed; a++) x = gndi_step_part(s, x, a, 1, like->shape[a], 1);
    return s->failed ? NULL : x;
}

/* Neighbours of an element, and itself, in both directions. */
static bool is_symmetric(gndi_temporaries *s, const gnd_array *structure) {
    uint8_t elements[MOST_STRUCTURE];
    const int64_t n = structure->size;
    const gnd_array *dense = gndi_image_dense(s, structure, GND_BOOL);
    s->failed = s->failed || gnd_to_host(dense, elements, (size_t)n) != GND_OK;
    bool symmetric = !s->failed && elements[n / 2];
    for (int64_t i = 0; symmetric && i < n / 2; i++) symmetric = !elements[i] == !elements[n - 1 - i];
    return symmetric;
}

bool gndi_flood_takes(gndi_temporaries *s, const gndi_image *image, const gnd_array *structure) {
    const gnd_array *x = image->input;
    if (s->failed || x->ndim < 1 || x->ndim > MOST_AXES || x->size == 0 || image->count != x->ndim) return false;
    bool fits = structure->ndim == x->ndim;
    for (int k = 0; fits && k < x->ndim; k++) fits = structure->shape[k] == 3 && image->origin[k] == 0;
    GNDI_PARTS_OF(s->fn);
    return fits && is_symmetric(s, structure);
}

/* Components of what may be true, of which those are kept that have an element of x. */
gnd_array *gndi_flood(gndi_temporaries *s, const gnd_array *x, const gnd_array *structure, const gnd_array *mask,
                      bool border) {
    GNDI_PARTS_OF(s->fn);
    const gnd_array *seeds = gndi_image_dense(s, x, GND_BOOL);
    const gnd_array *may =
        mask && !s->failed ? gndi_step(s, GNDI_OP_logical_or, gnd_arg_array(mask), gnd_arg_array(seeds)) : NULL;
    if (!mask && !s->failed) may = gndi_step(s, GNDI_OP_equal, gnd_arg_array(seeds), gnd_arg_array(seeds));
    if (border) seeds = surrounded(s, seeds, 1), may = surrounded(s, may, 1);
    int64_t count = 0;
    gnd_array *labels = s->failed ? NULL : gndi_temporaries_keep(s, gnd_label(may, structure, &count));
    gnd_array *reached = labels ? gndi_new_on_device_of(s->fn, x, 1, (const int64_t[]){count + 1}, GND_BOOL) : NULL;
    if (!s->failed) reached = gndi_temporaries_keep(s, gndi_zero(s->fn, reached));
    gnd_array *which = s->failed ? NULL : gndi_temporaries_keep(s, gnd_extract(seeds, labels));
    if (!s->failed) s->failed = gnd_put(reached, which, gnd_arg_bool(true), GND_RAISE) != GND_OK;
    gnd_array *out = s->failed ? NULL : gndi_temporaries_keep(s, gnd_take(reached, labels, GND_ALL, GND_RAISE));
    if (s->failed || !border) return s->failed ? NULL : out;
    out = without_layer(s, out, x);
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(s->fn, out, GND_BOOL, 'C'));
}

/* What is false outside has the first label, since the array is surrounded by what is false. */
gnd_array *gndi_without_holes(gndi_temporaries *s, const gnd_array *input) {
    const gnd_array *empty = gndi_step(s, GNDI_OP_logical_not, gnd_arg_array(input), GND_NONE);
    const gnd_array *larger = s->failed ? NULL : surrounded(s, empty, 1);
    GNDI_PARTS_OF(s->fn);
    gnd_array *labels = s->failed ? NULL : gndi_temporaries_keep(s, gnd_label(larger, NULL, NULL));
    labels = s->failed ? NULL : without_layer(s, labels, input);
    if (s->failed) return NULL;
    gnd_array *out = gndi_new_on_device_of(s->fn, input, input->ndim, input->shape, GND_BOOL);
    out = gndi_temporaries_keep(s, out);
    if (out) gndi_step_into(s, GNDI_OP_not_equal, out, gnd_arg_array(labels), gnd_arg_int(1), NULL);
    return out;
}
