/*
 * passes.c: separable filters: passes along axes, of which two along the last axes go in one launch, and filters of
 * complex arrays by their parts.
 */
#include "ndimage/ndimage.h"
#include "array/view.h"
#include "filter/filter.h"
#include "rearrange/rearrange.h"
#include <math.h>

gnd_dtype gndi_passes_dtype(const gnd_array *x, enum gndi_lines_kind kind, gnd_dtype output) {
    const bool exact = kind == GNDI_LINES_MAXIMUM || kind == GNDI_LINES_MINIMUM;
    const bool narrow = gndi_image_is_narrow(output) && (exact || gndi_dtype_is_float(output));
    return gndi_image_is_narrow(x->dtype) && narrow ? GND_FLOAT32 : GND_FLOAT64;
}

/* ---- one launch ----------------------------------------------------------------------------- */

/* An axis of the plan from a pass. */
static void set_axis(gndi_temporaries *s, const gnd_array *x, gndi_lines_axis *to, const gndi_pass *pass,
                     const gnd_array **weights) {
    to->size = pass->size, to->first = pass->first, to->border = (uint8_t)pass->border;
    *weights = pass->weights;
    if (!pass->taps) return;
    if (pass->size <= GNDI_LINES_FEW)
        memcpy(to->few, pass->taps, (size_t)pass->size * sizeof *pass->taps);
    else
        *weights = gndi_filter_numbers(s, x, 1, &pass->size, pass->taps, GND_FLOAT64);
}

/* Submits a plan; read: x, and weights of the axes that are in memory. */
static void submit(gndi_temporaries *s, gndi_lines_plan *p, const gnd_array *const *read, gnd_array *out) {
    gnd_stream *stream = s->failed ? NULL : gndi_work_begin(s->fn, 3, read, 1, (const gnd_array *[]){out});
    s->failed |= !stream;
    if (s->failed) return;
    p->x = gndi_data(read[0]), p->out = gndi_data(out), p->dtype = read[0]->dtype;
    for (int k = 0; k < 2; k++)
        p->axis[k].taps = read[1 + k] ? (const double *)(const void *)gndi_data(read[1 + k]) : NULL;
    s->failed = gndi_work_end(stream, stream->device->backend->lines(stream, p, s->fn), s->fn) != GND_OK;
}

/* One pass, or two along the last two axes. x is dense; `out` is written, or added to. */
static void launch(gndi_temporaries *s, const gnd_array *x, gndi_lines_plan *p, const gndi_pass *first,
                   const gndi_pass *second, gnd_array *out) {
    const gnd_array *read[3] = {x, NULL, NULL};
    const bool along = first->axis == x->ndim - 1;
    p->outer = p->rows = p->columns = 1;
    for (int a = 0; a < x->ndim; a++) {
        const bool is_row = second || along ? a == x->ndim - 2 : a == first->axis;
        const bool is_column = second || along ? a == x->ndim - 1 : a > first->axis;
        *(is_row ? &p->rows : is_column ? &p->columns : &p->outer) *= x->shape[a];
    }
    if (along && !second) set_axis(s, x, &p->axis[1], first, &read[2]);
    if (!along && !second) set_axis(s, x, &p->axis[0], first, &read[1]);
    if (second) {
        set_axis(s, x, &p->axis[along], first, &read[1 + along]);
        set_axis(s, x, &p->axis[!along], second, &read[1 + !along]);
    }
    submit(s, p, read, out);
}

/* Whether two passes go together: along the last two axes, in a tile, and in an order that does not show. Constants
   beyond the first axis are not filtered along the second one, which shows unless they are 0. */
static bool go_together(const gnd_array *x, const gndi_pass *first, const gndi_pass *second, double fill) {
    const int last = x->ndim - 1, item = gndi_dtype_sizes[x->dtype];
    const bool in_order = first->axis == last - 1 && second->axis == last;
    const bool swapped = second->axis == last - 1 && first->axis == last;
    const bool constant = first->border == GNDI_BORDER_CONSTANT || second->border == GNDI_BORDER_CONSTANT;
    if (!in_order && !(swapped && (!constant || fill == 0))) return false;
    const gndi_pass *down = in_order ? first : second, *along = in_order ? second : first;
    const gndi_lines_axis axes[2] = {{.size = down->size, .first = down->first},
                                     {.size = along->size, .first = along->first}};
    return gndi_lines_widest(&axes[0], &axes[1], item).width > 0;
}

/* ---- all passes ----------------------------------------------------------------------------- */

/* Means of small integers: float32 has the sums, and quotients have the same whole part as exact ones, since those are
   1 / size or more below the next integer. */
static bool narrow_means(const gnd_array *x, enum gndi_lines_kind kind, int count, const gndi_pass *pass, double fill,
                         gnd_dtype output) {
    const bool small = gndi_dtype_is_int(x->dtype) && gndi_dtype_sizes[x->dtype] <= 2 && output == (gnd_dtype)x->dtype;
    const double most = gndi_dtype_sizes[x->dtype] == 1 ? 256 : 65536;
    bool narrow = kind == GNDI_LINES_SUM && small && fill == floor(fill) && fabs(fill) <= most;
    for (int k = 0; k < count; k++) narrow = narrow && (most + 1) * (double)pass[k].size < 0x1p23;
    return narrow;
}

gnd_array *gndi_passes(gndi_temporaries *s, const gnd_array *x, enum gndi_lines_kind kind, int count,
                       const gndi_pass *pass, double fill, gnd_dtype output, gnd_array *add_to) {
    if (s->failed) return NULL;
    const bool narrow = narrow_means(x, kind, count, pass, fill, output);
    const gnd_dtype dtype = narrow ? GND_FLOAT32 : gndi_passes_dtype(x, kind, output);
    const bool linear = kind == GNDI_LINES_CORRELATE || kind == GNDI_LINES_SUM;
    const bool rounds = linear && !gndi_dtype_is_float(output); /* what is between two passes, too */
    x = gndi_image_dense(s, x, dtype);
    for (int k = 0; k < count && !s->failed;) {
        const bool two = k + 1 < count && !rounds && go_together(x, &pass[k], &pass[k + 1], fill);
        gndi_lines_plan p = {.kind = (uint8_t)kind, .fill = fill};
        p.adds = add_to && k + 1 + two == count;
        gnd_array *out = p.adds ? add_to : gndi_new_on_device_of(s->fn, x, x->ndim, x->shape, dtype);
        if (!p.adds) out = gndi_temporaries_keep(s, out);
        if (out && out->size > 0) launch(s, x, &p, &pass[k], two ? &pass[k + 1] : NULL, out);
        x = out;
        k += 1 + two;
        if (rounds && k < count) x = gndi_image_dense(s, gndi_image_stored(s, x, output), dtype);
    }
    if (s->failed) return NULL;
    if (add_to && count == 0) return gndi_step_in_place(s, GNDI_OP_add, add_to, gnd_arg_array(x));
    if (add_to) return add_to;
    if (count == 0) x = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, dtype, 'C')); /* not the input itself */
    return gndi_image_stored(s, x, output);
}

/* A filter's passes as axes of a matrix, if they are along the last two axes and in one launch. */
static bool as_axes(const gnd_array *x, int count, const gndi_pass *pass, double fill, gndi_lines_axis *axis) {
    const int last = x->ndim - 1;
    if (last < 1 || count < 1 || count > 2 || (count == 2 && !go_together(x, &pass[0], &pass[1], fill))) return false;
    for (int k = 0; k < count; k++) {
        if (pass[k].axis < last - 1 || !pass[k].taps || pass[k].size > GNDI_LINES_FEW) return false;
        gndi_lines_axis *to = &axis[pass[k].axis == last];
        to->size = pass[k].size, to->first = pass[k].first, to->border = (uint8_t)pass[k].border;
        memcpy(to->few, pass[k].taps, (size_t)pass[k].size * sizeof *pass[k].taps);
    }
    return true;
}

gnd_array *gndi_passes_added(gndi_temporaries *s, const gnd_array *x, const int *count, const gndi_pass *const *pass,
                             double fill) {
    gndi_lines_axis others[2] = {{.size = 0}};
    gndi_lines_plan p = {.kind = GNDI_LINES_CORRELATE, .fill = fill, .others = others};
    if (s->failed || x->size == 0 || !as_axes(x, count[0], pass[0], fill, p.axis) ||
        !as_axes(x, count[1], pass[1], fill, others))
        return NULL;
    p.rows = x->shape[x->ndim - 2], p.columns = x->shape[x->ndim - 1], p.outer = x->size / p.rows / p.columns;
    gnd_array *out = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, x->ndim, x->shape, (gnd_dtype)x->dtype));
    if (!s->failed) submit(s, &p, (const gnd_array *[]){x, NULL, NULL}, out);
    return out;
}

/* ---- complex arrays ------------------------------------------------------------------------- */

gnd_array *gndi_image_by_parts(gndi_temporaries *s, const gndi_image *image, gndi_real_filter filter,
                               const void *context) {
    const gnd_array *x = image->input;
    if (s->failed) return NULL;
    if (!gndi_dtype_is_complex(x->dtype)) return filter(s, image, x, image->options->cval, image->output, context);
    gnd_array *out = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, x->ndim, x->shape, image->output));
    for (int k = 0; k < 2 && !s->failed; k++) {
        gnd_array *from = gndi_temporaries_keep(s, gndi_complex_part(s->fn, x, k == 1));
        gnd_array *to = s->failed ? NULL : gndi_temporaries_keep(s, gndi_complex_part(s->fn, out, k == 1));
        if (s->failed) break;
        gnd_array *part = filter(s, image, from, k == 0 ? image->options->cval : 0, (gnd_dtype)to->dtype, context);
        if (!s->failed) s->failed = gndi_copy_into(s->fn, to, part) != GND_OK;
    }
    return out;
}
