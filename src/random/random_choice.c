/*
 * random_choice.c: a choice of elements. With replacement: by random indices, or, with probabilities, by searching
 * uniform numbers in their cumulative sum. Without: by the smallest random keys.
 */
#include "elementwise/temporaries.h"
#include "elementwise/create.h"
#include "scan/scan.h"
#include "random/random.h"
#include "sort/sort.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_random_choice

/* A choice that was checked. */
typedef struct choice {
    const char *fn;
    gnd_random *g;
    gnd_stream *stream;
    int64_t among; /* how many elements there are */
    int64_t count; /* how many are chosen */
    const gnd_shape *shape;
    const gnd_array *p; /* probabilities; NULL: all equal */
} choice;

/* ---- probabilities --------------------------------------------------------------------------- */

/* The binary digits to which the sum of probabilities is checked. */
static int digits_of(const gnd_array *p) {
    switch (p->dtype) {
    case GND_FLOAT32: return 23;
    case GND_FLOAT16: return 10;
    case GND_BFLOAT16: return 7;
    default: return 52;
    }
}

/* p in float64, checked on the device; or, for a choice without replacement, the keys. */
static gnd_array *probabilities(gndi_temporaries *s, const choice *c, bool keys) {
    gnd_axes all = {.dtype = GND_FLOAT64};
    gnd_array *total = gndi_temporaries_keep(s, gnd_sum(c->p, all));
    gnd_arg left = gnd_arg_int(0);
    if (keys && !s->failed) {
        gnd_array *positive = gndi_temporaries_keep(s, gnd_count_nonzero(c->p, (gnd_axes){0}));
        left = gnd_arg_array(gndi_step(s, GNDI_OP_subtract, gnd_arg_array(positive), gnd_arg_int(c->count)));
    }
    if (s->failed) return NULL;
    const gnd_shape shape = {.ndim = 1, .dim = {c->among}};
    const gnd_arg parameters[] = {gnd_arg_array(c->p), gnd_arg_array(total), left,
                                  gnd_arg_int(keys | digits_of(c->p) << GNDI_CHOICE_DIGITS)};
    return gndi_temporaries_keep(s, gndi_random_draw(c->fn, GNDI_RANDOM_choice, c->g, parameters, &shape, GND_FLOAT64));
}

/* The indices of uniform numbers in the cumulative sum, whose last element is set to 1. */
static gnd_array *chosen_by_sum(const choice *c) {
    gndi_temporaries s = {.fn = c->fn};
    gnd_array *indices = NULL;
    gnd_array *p = probabilities(&s, c, false);
    gnd_array *sum = s.failed ? NULL : gndi_temporaries_keep(&s, gnd_cumsum(p, (gnd_axes){0}));
    if (!s.failed) {
        gnd_array *last = gndi_step_element(&s, sum, c->among - 1);
        gnd_array *whole = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_copy_as(c->fn, last, GND_FLOAT64, 'K'));
        sum = gndi_step_in_place(&s, GNDI_OP_divide, sum, gnd_arg_array(whole));
    }
    gnd_array *u =
        s.failed
            ? NULL
            : gndi_temporaries_keep(&s, gndi_random_draw(c->fn, GNDI_RANDOM_random, c->g, NULL, c->shape, GND_FLOAT64));
    if (!s.failed)
        indices = gndi_temporaries_keep(&s, (gnd_searchsorted)(sum, gnd_arg_array(u), GND_RIGHT, gnd_arg_none()));
    return gndi_temporaries_end(&s, indices);
}

/* ---- indices --------------------------------------------------------------------------------- */

static gnd_array *with_replacement(const choice *c) {
    if (c->p && c->among) return chosen_by_sum(c);
    return (gnd_random_integers)(c->g, gnd_arg_int(0), gnd_arg_int(c->among ? c->among : 1), *c->shape, GND_INT64,
                                 false);
}

/* The indices of the smallest keys, in ascending order of the keys. */
static gnd_array *smallest(const choice *c, const gnd_array *keys) {
    gnd_array *indices = gndi_array_new_on(c->fn, c->stream, 1, &c->count, GND_INT64, GNDI_ORDER_C);
    const gndi_sort_request sort = {.fn = c->fn, .x = keys, .direction = GND_ASCENDING, .indices = indices};
    if (indices && !gndi_sort_run(&sort)) return indices;
    gnd_release(indices);
    return NULL;
}

static gnd_array *without_replacement(const choice *c) {
    gndi_temporaries s = {.fn = c->fn};
    gnd_array *indices = NULL;
    if (c->p && c->among) {
        gnd_array *keys = probabilities(&s, c, true);
        if (!s.failed) indices = gndi_temporaries_keep(&s, smallest(c, keys));
    } else if (c->count == c->among) {
        indices = gndi_temporaries_keep(&s, gndi_random_order(c->fn, c->g, 1, c->among));
    } else {
        const gnd_shape all = {.ndim = 1, .dim = {c->count ? c->among : 0}};
        gnd_array *keys = gndi_temporaries_keep(
            &s, gndi_random_draw_words(c->fn, GNDI_RANDOM_words, c->g, NULL, &all, GND_UINT64, 2));
        if (!s.failed) indices = gndi_temporaries_keep(&s, smallest(c, keys));
    }
    if (!s.failed)
        indices =
            gndi_temporaries_keep(&s, gndi_sole_view(gndi_array_view(c->fn, indices, c->shape->ndim, c->shape->dim,
                                                                     NULL, gndi_data(indices), GND_INT64)));
    return gndi_temporaries_end(&s, indices);
}

/* ---- the public function -------------------------------------------------------------------- */

static gnd_status check_probabilities(const choice *c) {
    const gnd_array *p = c->p;
    if (gndi_missing(p)) return gndi_raise_null(c->fn, "p");
    if (p->buffer->device != c->stream->device)
        return gndi_raise(GND_ERROR_DEVICE, c->fn, "p is %s, and the generator draws on %s", gndi_text_array(p),
                          gndi_text_device(c->stream->device->id));
    if (p->ndim != 1 || p->size != c->among)
        return gndi_raise(GND_ERROR_SHAPE, c->fn,
                          "p has shape %s; it must have one chance for each of the %lld elements",
                          gndi_text_shape(p->ndim, p->shape), (long long)c->among);
    if (gndi_dtype_is_complex(p->dtype))
        return gndi_raise(GND_ERROR_DTYPE, c->fn, "p must be real, not %s", gndi_text_array(p));
    return GND_OK;
}

/* Finds the elements to choose from, and their number. */
static gnd_status find_elements(choice *c, gnd_arg a, int *axis) {
    if (a.kind == GND_ARG_ARRAY) {
        if (gndi_missing(a.array)) return gndi_raise_null(c->fn, "a");
        if (a.array->buffer->device != c->stream->device)
            return gndi_raise(GND_ERROR_DEVICE, c->fn, "a is %s, and the generator draws on %s",
                              gndi_text_array(a.array), gndi_text_device(c->stream->device->id));
        if (a.array->ndim == 0)
            return gndi_raise(GND_ERROR_SHAPE, c->fn,
                              "a has no dimension: it must be a number, or an array with an axis");
        if (!gndi_normalize_axis(c->fn, *axis, a.array->ndim, axis)) return GND_ERROR_AXIS;
        c->among = a.array->shape[*axis];
        return GND_OK;
    }
    if (a.kind != GND_ARG_INT && a.kind != GND_ARG_UINT)
        return gndi_raise(GND_ERROR_INVALID, c->fn, "a must be an array, or how many numbers there are to choose from");
    c->among = a.i;
    return a.i >= 0 ? GND_OK : gndi_raise(GND_ERROR_VALUE, c->fn, "a is no number of elements there could be");
}

static gnd_status check_count(choice *c, bool replaces) {
    if (c->shape->ndim < 0 || c->shape->ndim > GND_MAX_DIMS ||
        !gndi_shape_size(c->shape->ndim, c->shape->dim, &c->count))
        return gndi_raise(GND_ERROR_SHAPE, c->fn, "the shape %s is none that there could be",
                          gndi_text_shape(c->shape->ndim < 0 ? 0 : c->shape->ndim, c->shape->dim));
    if (c->count > 0 && c->among == 0) return gndi_raise(GND_ERROR_VALUE, c->fn, "there is nothing to choose from");
    if (!replaces && c->count > c->among)
        return gndi_raise(GND_ERROR_VALUE, c->fn, "cannot choose %lld of %lld elements without replacement",
                          (long long)c->count, (long long)c->among);
    return GND_OK;
}

gnd_array *gnd_random_choice(gnd_random *g, gnd_arg a, gnd_shape shape, const gnd_choice_options *options) {
    GNDI_PARTS_OF("gnd_random_choice");
    const gnd_choice_options none = {0};
    if (!options) options = &none;
    choice c = {.fn = "gnd_random_choice", .g = g, .shape = &shape, .p = options->p};
    int axis = options->axis;
    if (!g) return gndi_raise_null(c.fn, "g"), (gnd_array *)NULL;
    c.stream = gndi_random_stream(g, c.fn);
    if (!c.stream || find_elements(&c, a, &axis) || check_count(&c, !options->without_replacement) ||
        (c.p && check_probabilities(&c)))
        return NULL;
    gnd_array *indices = options->without_replacement ? without_replacement(&c) : with_replacement(&c);
    if (!indices || a.kind != GND_ARG_ARRAY) return indices;
    const gnd_axes along = {.count = 1, .axis = {axis}};
    gnd_array *result = gnd_take(a.array, indices, along, GND_RAISE);
    gnd_release(indices);
    return result;
}
