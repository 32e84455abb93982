/*
 * random_fill.c: draws by the name of their distribution, into given arrays.
 */
#include "index/index.h"
#include "elementwise/elementwise.h"
#include "random/random.h"

/* The row of this name, if it is a distribution of one number an element; GNDI_RANDOM_COUNT if there is none. */
static int find(const char *name) {
    for (int d = 0; d < GNDI_RANDOM_COUNT; d++) {
        const char result = gndi_distributions[d].result;
        const bool own = result == 'F' || result == 'I' || d == GNDI_RANDOM_integers;
        if (own && d != GNDI_RANDOM_choice && strcmp(gndi_distributions[d].name, name) == 0) return d;
    }
    return GNDI_RANDOM_COUNT;
}

/* The dtype of the numbers that go into an array. */
static gnd_dtype dtype_for(int distribution, const gnd_array *out) {
    const gnd_dtype dtype = (gnd_dtype)out->dtype;
    if (distribution == GNDI_RANDOM_integers) return dtype;
    if (gndi_distributions[distribution].result == 'I') return GND_INT64;
    const bool narrow = dtype == GND_FLOAT32 || dtype == GND_FLOAT16 || dtype == GND_BFLOAT16 || dtype == GND_COMPLEX64;
    return narrow ? GND_FLOAT32 : GND_FLOAT64;
}

static gnd_status check(const char *fn, gnd_random *g, const gnd_array *out, const char *name, int distribution,
                        int count, const gnd_arg *parameters) {
    if (!g || gndi_missing(out)) return gndi_raise_null(fn, g ? "out" : "g");
    gnd_status status = gndi_check_target(fn, out);
    if (status) return status;
    if (!name || distribution == GNDI_RANDOM_COUNT)
        return gndi_raise(GND_ERROR_INVALID, fn, "there is no distribution of one number named \"%s\"",
                          name ? name : "(NULL)");
    const int wanted =
        distribution == GNDI_RANDOM_integers ? 2 : (int)strlen(gndi_distributions[distribution].parameters);
    if (count != wanted || (count && !parameters))
        return gndi_raise(GND_ERROR_INVALID, fn, "%s takes %d parameters; %d were given", name, wanted,
                          parameters ? count : 0);
    gnd_stream *s = gndi_random_stream(g, fn);
    if (!s) return gndi_ew_pending();
    if (s->device != out->buffer->device)
        return gndi_raise(GND_ERROR_DEVICE, fn, "out is %s, and the generator draws on %s", gndi_text_array(out),
                          gndi_text_device(s->device->id));
    const gnd_dtype dtype = dtype_for(distribution, out);
    if (!gnd_can_cast(dtype, (gnd_dtype)out->dtype, GND_SAME_KIND))
        return gndi_raise(GND_ERROR_DTYPE, fn, "numbers of %s are %s, which does not go into %s", name,
                          gnd_dtype_name(dtype), gnd_dtype_name((gnd_dtype)out->dtype));
    return GND_OK;
}

/* Whether the numbers can be written to `out` directly. */
static bool takes_directly(const gnd_array *out, gnd_dtype dtype, int count, const gnd_arg *parameters) {
    if (!gndi_is_c_contiguous(out) || (gnd_dtype)out->dtype != dtype ||
        (uintptr_t)gndi_data(out) % 16 != 0) /* kernels write vectors */
        return false;
    for (int k = 0; k < count; k++)
        if (parameters[k].kind == GND_ARG_ARRAY && parameters[k].array && gndi_may_overlap(out, parameters[k].array))
            return false;
    return true;
}

/* Draws the numbers into `to`, which takes them directly. */
static gnd_status fill(const gndi_random_filling *f, gnd_random *g, gnd_array *to) {
    const gndi_distribution_info *info = &gndi_distributions[f->distribution];
    const gnd_arg *parameters = f->parameters;
    if (f->distribution == GNDI_RANDOM_integers)
        return gndi_random_integers_into(f->fn, g, parameters[0], parameters[1], to);
    return gndi_random_draw_into(f->fn, (gndi_distribution)f->distribution, g, parameters, to,
                                 to->dtype == GND_FLOAT32 ? info->words32 : info->words64);
}

gnd_status gndi_random_filling_of(gndi_random_filling *f, const char *fn, gnd_random *g, const gnd_array *out,
                                  const char *name, int count, const gnd_arg *parameters) {
    const int distribution = name ? find(name) : GNDI_RANDOM_COUNT;
    gnd_status status = check(fn, g, out, name, distribution, count, parameters);
    if (!status) *f = (gndi_random_filling){fn, distribution, dtype_for(distribution, out), count, parameters};
    return status;
}

gnd_status gndi_random_fill_into(const gndi_random_filling *f, gnd_random *g, gnd_array *out) {
    if (takes_directly(out, f->dtype, f->count, f->parameters)) return fill(f, g, out);
    gnd_stream *s = gndi_random_stream(g, f->fn);
    gnd_array *drawn = s ? gndi_array_new_on(f->fn, s, out->ndim, out->shape, f->dtype, GNDI_ORDER_C) : NULL;
    if (!drawn) return gndi_ew_pending();
    gnd_status status = fill(f, g, drawn);
    if (!status) status = gndi_copy_into(f->fn, out, drawn);
    gnd_release(drawn);
    return status;
}

gnd_status gnd_random_fill(gnd_random *g, gnd_array *out, const char *name, int count, const gnd_arg *parameters) {
    gndi_random_filling f;
    gnd_status status = gndi_random_filling_of(&f, "gnd_random_fill", g, out, name, count, parameters);
    return status ? status : gndi_random_fill_into(&f, g, out);
}
