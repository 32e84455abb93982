/*
 * print.c: arrays as text: print options, fetching what is shown from the device, and the public
 * functions. The layout is in print_layout.c, the elements in print_number.c, digits in decimal.c.
 */
#include "io/print_layout.h"
#include "io/print_number.h"

/* ---- options -------------------------------------------------------------------------------- */

static const gnd_print_options default_options = {
    .precision = 8,
    .edgeitems = 3,
    .threshold = 1000,
    .linewidth = 75,
    .sign = '-',
    .floatmode = GND_FLOATMODE_MAXPREC,
    .nanstr = "nan",
    .infstr = "inf",
};
static _Thread_local gnd_print_options thread_options;
static _Thread_local bool thread_has_options;

static const gnd_print_options *current_options(void) {
    return thread_has_options ? &thread_options : &default_options;
}

gnd_print_options gnd_get_printoptions(void) {
    return *current_options();
}

static gnd_status check_options(const char *fn, const gnd_print_options *o) {
    if (o->precision < 0 || o->precision > GNDI_MAX_PRECISION)
        return gndi_raise(GND_ERROR_INVALID, fn, "precision is %d; 0 to %d would be right", o->precision,
                          GNDI_MAX_PRECISION);
    if (o->edgeitems < 0 || o->threshold < 0 || o->linewidth < 0)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s is negative",
                          o->edgeitems < 0   ? "edgeitems"
                          : o->threshold < 0 ? "threshold"
                                             : "linewidth");
    if (o->sign != '-' && o->sign != '+' && o->sign != ' ')
        return gndi_raise(GND_ERROR_INVALID, fn, "sign is '%c' (%d); '-', '+' or ' ' would be right", o->sign, o->sign);
    if ((int)o->floatmode < 0 || o->floatmode > GND_FLOATMODE_MAXPREC_EQUAL)
        return gndi_raise(GND_ERROR_INVALID, fn, "floatmode is %d, none of GND_FLOATMODE_...", (int)o->floatmode);
    if (!memchr(o->nanstr, 0, sizeof o->nanstr) || !memchr(o->infstr, 0, sizeof o->infstr))
        return gndi_raise(GND_ERROR_INVALID, fn, "nanstr or infstr has no end: at most %d characters",
                          (int)sizeof o->nanstr - 1);
    return GND_OK;
}

gnd_status gnd_set_printoptions(const gnd_print_options *options) {
    if (options) {
        gnd_status status = check_options("gnd_set_printoptions", options);
        if (status != GND_OK) return status;
        thread_options = *options;
    }
    thread_has_options = options != NULL;
    return GND_OK;
}

/* ---- fetching what is shown ----------------------------------------------------------------- */

/*
 * The corners of an array as one view, so that they come in one transfer: an axis that is cut
 * becomes two, which of the ends and which item there, with the distance between the ends as a
 * stride.
 */
static gnd_array *corners(const char *fn, const gnd_array *a, int64_t edge) {
    int64_t shape[2 * GND_MAX_DIMS], strides[2 * GND_MAX_DIMS];
    int ndim = 0;
    for (int k = 0; k < a->ndim; k++) {
        bool cut = a->shape[k] > 2 * edge;
        if (cut) {
            shape[ndim] = 2;
            strides[ndim++] = (a->shape[k] - edge) * a->strides[k];
        }
        if (cut && edge == 1) continue;
        shape[ndim] = cut ? edge : a->shape[k];
        strides[ndim++] = a->strides[k];
    }
    if (ndim > GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "the corners of an array of shape %s are too many to print",
                         gndi_text_shape(a->ndim, a->shape));
    return gndi_array_view(fn, a, ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
}

/* Brings the shown elements into new host memory, to be freed with gndi_free. NULL and an error if
   that fails. */
static char *fetch(const char *fn, const gnd_array *a, const gnd_print_options *options, gndi_shown *shown) {
    shown->dtype = (gnd_dtype)a->dtype;
    shown->ndim = a->ndim;
    shown->edge = options->edgeitems;
    shown->summarised = a->size > options->threshold;
    memcpy(shown->shape, a->shape, (size_t)a->ndim * sizeof *a->shape);
    /* Without edges one item an axis is shown, but aligned as if all were: NumPy measures all. */
    bool cuts = shown->summarised && shown->edge > 0;
    gnd_array *view = cuts ? corners(fn, a, shown->edge) : gndi_array_alias(fn, a);
    if (!view) return NULL;
    shown->count = view->size;
    int64_t step = gndi_itemsize(a);
    for (int k = a->ndim - 1; k >= 0; k--) {
        bool cut = cuts && a->shape[k] > 2 * shown->edge;
        shown->step[k] = step;
        step *= cut ? 2 * shown->edge : a->shape[k];
    }
    char *host = gndi_malloc(fn, (size_t)(step > 0 ? step : 1));
    if (host && gnd_to_host(view, host, (size_t)step) != GND_OK) {
        gndi_free(host);
        host = NULL;
    }
    gnd_release(view);
    shown->elements = host;
    return host;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* Appends numpy.array2string(a), for lines of `width`. */
static void append_array(gndi_text *t, const gnd_array *a, const gnd_print_options *options, int width,
                         const char *separator, size_t indent) {
    gndi_shown shown;
    if (a->size == 0) {
        gndi_text_append(t, "[]", 2);
        return;
    }
    char *host = fetch(t->fn, a, options, &shown);
    if (!host) {
        t->failed = true;
        return;
    }
    gndi_text_layout(t, &shown, options, width, separator, (int)indent);
    gndi_free(host);
}

static void append_scalar(gndi_text *t, const gnd_array *a) {
    char text[GNDI_ELEMENT_BYTES];
    gndi_scalar element;
    if (gnd_to_host(a, &element, (size_t)gndi_itemsize(a)) != GND_OK) {
        t->failed = true;
        return;
    }
    int length = gndi_scalar_write((gnd_dtype)a->dtype, &element, text);
    gndi_text_append(t, text, (size_t)length);
}

/* Appends what follows the elements in a repr: the shape if the text does not show it, the dtype if
   its text does not imply it. On a line of its own where it would not fit. */
static void append_extras(gndi_text *t, const gnd_array *a, const gnd_print_options *options) {
    static const char indent[] = "\n      "; /* under what "array(" begins */
    char extras[GNDI_TEXT_BYTES + 64];
    size_t length = 0;
    bool implied =
        a->dtype == GND_INT64 || a->dtype == GND_FLOAT64 || a->dtype == GND_COMPLEX128 || a->dtype == GND_BOOL;
    extras[0] = 0;
    if ((a->size == 0 && !(a->ndim == 1 && a->shape[0] == 0)) || a->size > options->threshold)
        length = (size_t)snprintf(extras, sizeof extras, "shape=%s", gndi_text_shape(a->ndim, a->shape));
    if (!implied || a->size == 0)
        length += (size_t)snprintf(extras + length, sizeof extras - length, "%sdtype=%s", length ? ", " : "",
                                   gnd_dtype_name((gnd_dtype)a->dtype));
    if (length > 0) {
        gndi_text_append(t, ",", 1);
        if (t->failed) return;
        const char *last = strrchr(t->data, '\n');
        size_t column = last ? t->length - (size_t)(last + 1 - t->data) : t->length;
        bool fits = column + length + 1 + 1 <= (size_t)options->linewidth; /* a space, a bracket */
        gndi_text_append(t, fits ? " " : indent, fits ? 1 : sizeof indent - 1);
        gndi_text_append(t, extras, length);
    }
    gndi_text_append(t, ")", 1);
}

static char *string_of(gndi_text *t) {
    if (t->failed) gndi_free(t->data);
    return t->failed ? NULL : gndi_owned("a string", t->data, t->fn);
}

char *gnd_to_string(const gnd_array *a) {
    GNDI_PARTS_OF("gnd_to_string");
    gndi_text t = {.fn = "gnd_to_string"};
    if (gndi_missing(a)) return gndi_raise_null(t.fn, "a"), NULL;
    const gnd_print_options *options = current_options();
    if (a->ndim == 0)
        append_scalar(&t, a);
    else
        append_array(&t, a, options, options->linewidth, " ", 0);
    return string_of(&t);
}

char *gnd_to_repr(const gnd_array *a) {
    GNDI_PARTS_OF("gnd_to_repr");
    gndi_text t = {.fn = "gnd_to_repr"};
    if (gndi_missing(a)) return gndi_raise_null(t.fn, "a"), NULL;
    const gnd_print_options *options = current_options();
    gndi_text_append(&t, "array(", 6);
    append_array(&t, a, options, options->linewidth - 1, ", ", 6);
    if (!t.failed) append_extras(&t, a, options);
    return string_of(&t);
}

char *gnd_array2string(const gnd_array *a, const gnd_print_options *options, const char *separator,
                       const char *prefix) {
    GNDI_PARTS_OF("gnd_array2string");
    gndi_text t = {.fn = "gnd_array2string"};
    if (gndi_missing(a)) return gndi_raise_null(t.fn, "a"), NULL;
    if (!options) options = current_options();
    if (check_options(t.fn, options) != GND_OK) return NULL;
    append_array(&t, a, options, options->linewidth, separator ? separator : " ", prefix ? strlen(prefix) : 0);
    return string_of(&t);
}

void gnd_string_free(char *string) {
    gndi_disowned(string);
    gndi_free(string);
}

/* ---- printing ------------------------------------------------------------------------------- */

static gnd_status print_to(const char *fn, FILE *stream, const gnd_array *a) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    gndi_text t = {.fn = fn};
    const gnd_print_options *options = current_options();
    if (a->ndim == 0)
        append_scalar(&t, a);
    else
        append_array(&t, a, options, options->linewidth, " ", 0);
    gndi_text_append(&t, "\n", 1);
    gnd_status status = GND_OK;
    if (t.failed)
        status = gnd_error() ? gnd_error()->code : GND_ERROR_MEMORY;
    else if (fwrite(t.data, 1, t.length, stream) != t.length)
        status = gndi_raise(GND_ERROR_IO, fn, "the text could not be written");
    gndi_free(t.data);
    return status;
}

gnd_status gnd_print(const gnd_array *a) {
    GNDI_PARTS_OF("gnd_print");
    return print_to("gnd_print", stdout, a);
}

gnd_status gnd_fprint(FILE *stream, const gnd_array *a) {
    GNDI_PARTS_OF("gnd_fprint");
    if (!stream) return gndi_raise_null("gnd_fprint", "stream");
    return print_to("gnd_fprint", stream, a);
}
