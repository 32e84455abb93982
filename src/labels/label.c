/*
 * label.c: connected components (scipy.ndimage.label). Axes of length 1 are dropped; the last of the others is the axis
 * of rows, and those before it are the outer ones.
 */
#include "array/view.h"
#include "elementwise/temporaries.h"
#include "labels/labels_plan.h"
#include "rearrange/rearrange.h"
#include "runtime/mailbox.h"
#include "runtime/runtime.h"
#include <gnd/labels.h>
#include <gnd/transfer.h>

typedef struct gndi_label_plan label_plan;

/* ---- the structure -------------------------------------------------------------------------- */

/* The structure's elements on the host; NULL if there is none, or it failed. */
static bool *read_structure(gndi_temporaries *s, const gnd_array *x, const gnd_array *structure) {
    if (s->failed || !structure) return NULL;
    s->failed = true;
    if (gndi_missing(structure)) return gndi_raise_null(s->fn, "structure"), NULL;
    bool fits = structure->ndim == x->ndim;
    for (int k = 0; k < structure->ndim; k++) fits &= structure->shape[k] == 3;
    if (!fits) {
        gndi_raise(GND_ERROR_SHAPE, s->fn,
                   "a structure for an array of shape %s has as many axes, of length 3, not shape %s",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(structure->ndim, structure->shape));
        return NULL;
    }
    GNDI_PARTS_OF(s->fn);
    s->failed = false;
    const gnd_array *bools = gndi_temporaries_keep(s, gndi_copy_as(s->fn, structure, GND_BOOL, 'C'));
    bool *elements = s->failed ? NULL : gndi_malloc(s->fn, (size_t)bools->size);
    s->failed = !elements || gnd_to_host(bools, elements, (size_t)bools->size) != GND_OK;
    for (int64_t i = 0; !s->failed && i < bools->size / 2; i++) {
        if (elements[i] == elements[bools->size - 1 - i]) continue;
        gndi_raise(GND_ERROR_VALUE, s->fn,
                   "the structure is not symmetric about its centre: its elements %lld and %lld differ", (long long)i,
                   (long long)(bools->size - 1 - i));
        s->failed = true;
    }
    return elements;
}

/* Whether the structure has the element at steps 0, 1 or 2 along each of the kept axes, 1 along the others. */
static bool has_neighbour(const bool *structure, int ndim, int kept, const int *axes, const int *steps) {
    int away = 0;
    int64_t at = 0;
    for (int k = 0, next = 0; k < ndim; k++) {
        const int step = next < kept && axes[next] == k ? steps[next++] : 1;
        at = 3 * at + step;
        away += step != 1;
    }
    return structure ? structure[at] : away <= 1;
}

/* The plan's shape and lines. */
static bool plan_shape(const char *fn, label_plan *p, const gnd_array *x, const bool *structure) {
    int axes[GNDI_LABEL_OUTER + 1], kept = 0;
    for (int k = 0; k < x->ndim; k++) {
        if (x->shape[k] == 1) continue;
        if (kept > GNDI_LABEL_OUTER) {
            gndi_raise(GND_ERROR_SHAPE, fn, "components are found along at most %d axes longer than 1, not in shape %s",
                       GNDI_LABEL_OUTER + 1, gndi_text_shape(x->ndim, x->shape));
            return false;
        }
        axes[kept++] = k;
    }
    p->outer = kept > 3 ? kept - 1 : 2;
    const int padding = kept > 0 ? p->outer - (kept - 1) : p->outer;
    p->width = kept > 0 ? x->shape[axes[kept - 1]] : 1;
    p->words = gndi_ceil_div(p->width, 32), p->rows = 1;
    int lines = 1;
    for (int k = 0; k < p->outer; k++, lines *= 3) {
        p->extent[k] = k < padding ? 1 : x->shape[axes[k - padding]];
        p->rows *= p->extent[k];
    }
    p->own = lines / 2;
    for (int line = 0; line <= p->own; line++) {
        int digits[GNDI_LABEL_OUTER + 1], left = line;
        bool real = true;
        for (int k = p->outer - 1; k >= 0; k--, left /= 3) {
            if (k >= padding) digits[k - padding] = left % 3;
            real &= k >= padding || left % 3 == 1;
        }
        for (int step = 0; real && kept > 0 && step < 3; step++) {
            digits[kept - 1] = step;
            if (has_neighbour(structure, x->ndim, kept, axes, digits)) p->flags[line] |= (uint8_t)(1 << step);
        }
    }
    p->joined = p->flags[p->own] & 1;
    return true;
}

/* ---- memory --------------------------------------------------------------------------------- */

static int log_above(int64_t n) {
    int bits = 0;
    while (((int64_t)1 << bits) < n) bits++;
    return bits;
}

/* Tiles of 256 words: 128 elements by 64 rows of a picture, by 8 by 8 of a volume. */
static void plan_tiles(label_plan *p) {
    const int64_t z = p->extent[p->outer - 2], y = p->extent[p->outer - 1];
    const int w = (int)gndi_min(log_above(p->words), 2);
    p->log_z = (int)gndi_min(log_above(z), (8 - w) / 2);
    p->log_y = (int)gndi_min(log_above(y), 8 - w - p->log_z);
    p->log_z = (int)gndi_min(log_above(z), 8 - w - p->log_y);
    p->log_w = 8 - p->log_z - p->log_y;
    p->tiles_z = (uint32_t)gndi_ceil_div(z, (int64_t)1 << p->log_z);
    p->tiles_y = (uint32_t)gndi_ceil_div(y, (int64_t)1 << p->log_y);
    p->tiles_w = (uint32_t)gndi_ceil_div(p->words, (int64_t)1 << p->log_w);
}

/* Whether it is a picture of more than half a tile each way, with the usual structure. */
static bool is_crossed(const label_plan *p) {
    return p->outer == 2 && p->extent[0] == 1 && p->joined && p->flags[p->own - 1] == 2 && p->rows >= 16 &&
           p->width >= GNDI_LABEL_STRIPS * 32;
}
/* Its tiles; the words that they have. */
static int64_t plan_strips(label_plan *p) {
    const int64_t across = gndi_ceil_div(p->width, GNDI_LABEL_STRIPS * 64), down = gndi_ceil_div(p->rows, 32);
    p->tiles_w = (uint32_t)across, p->tiles_y = (uint32_t)down, p->tiles = (uint32_t)(across * down);
    return across * down * GNDI_LABEL_STRIPS * 64;
}

/* Gives a part of the work memory, aligned; with base NULL only counts. */
static void *part(char *base, int64_t *used, int64_t count, size_t size) {
    char *at = base ? base + *used : NULL;
    *used += gndi_ceil_div(count * (int64_t)size, 256) * 256;
    return at;
}

/* Divides the work memory for so many words; the bytes of all of it. */
static int64_t divide_memory(label_plan *p, int64_t held, bool gpu, char *base) {
    const int64_t words = p->rows * p->words, most = p->joined ? 16 : 32;
    const size_t node = p->far ? sizeof(int64_t) : sizeof(int32_t);
    int64_t used = 0;
    p->count = part(base, &used, 1, sizeof *p->count);
    p->masks = part(base, &used, held, sizeof *p->masks);
    p->parent = part(base, &used, held * most, p->cross ? 2 * node : node);
    if (!gpu) return used;
    if (p->cross) {
        p->south = part(base, &used, (int64_t)p->tiles * GNDI_LABEL_STRIPS * 32, node);
        p->west = part(base, &used, (int64_t)p->tiles * 32, node);
        p->east = part(base, &used, (int64_t)p->tiles * 32, node);
    } else {
        p->first = part(base, &used, held * most, node);
        p->ids = part(base, &used, held * most, sizeof *p->ids);
        p->roots = part(base, &used, p->tiles, sizeof *p->roots);
    }
    p->firsts = part(base, &used, words, sizeof *p->firsts);
    p->prefix = part(base, &used, words, sizeof *p->prefix);
    p->before = part(base, &used, gndi_ceil_div(words, GNDI_LABEL_CHUNK), sizeof *p->before);
    p->done = part(base, &used, 1, sizeof *p->done);
    return used;
}

/* Whether positions of words, so many of which are held, need 64 bits. */
static bool is_far(const label_plan *p, int64_t held) {
    return held * 32 >= INT32_MAX || p->rows * p->words * 32 >= INT32_MAX;
}

/* The work memory as an array; NULL and raised. */
static gnd_array *plan_memory(const char *fn, label_plan *p, gnd_stream *stream) {
    const bool gpu = stream->device->id.kind != GND_CPU;
    int64_t held = p->rows * p->words;
    if (gpu && is_crossed(p)) {
        held = plan_strips(p);
        p->cross = !is_far(p, held);
    }
    if (gpu && !p->cross) {
        plan_tiles(p);
        const int64_t rest = p->rows / (p->extent[p->outer - 1] * p->extent[p->outer - 2]);
        const double tiles = (double)rest * p->tiles_z * p->tiles_y * p->tiles_w;
        if (tiles >= 0x1p31) return gndi_fail(GND_ERROR_MEMORY, fn, "%g tiles are too many", tiles);
        p->tiles = (uint32_t)tiles;
        held = (int64_t)p->tiles * GNDI_LABEL_TILE;
    }
    p->far = is_far(p, held);
    const int64_t bytes = divide_memory(p, held, gpu, NULL);
    gnd_array *work = gndi_array_new_on(fn, stream, 1, &bytes, GND_UINT8, GNDI_ORDER_C);
    if (work) divide_memory(p, held, gpu, gndi_data(work));
    return work;
}

/* ---- the function --------------------------------------------------------------------------- */

/* The bits of which none is set in 0, and in floating dtypes -0. */
static uint64_t significant_bits(int dtype) {
    const int bits = 8 * gndi_dtype_sizes[dtype];
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return gndi_dtype_is_float(dtype) ? all >> 1 : all;
}

static gnd_status submit(gnd_stream *stream, label_plan *p, const gnd_array *x, const gnd_array *labels,
                         const gnd_array *work, const char *fn) {
    p->x = gndi_data(x), p->labels = gndi_data(labels);
    gnd_status status = gndi_order_read(stream, x->buffer, fn);
    if (!status) status = gndi_order_write(stream, labels->buffer, fn);
    if (!status) status = gndi_order_write(stream, work->buffer, fn);
    if (!status) status = stream->device->backend->label(stream, p, fn);
    if (status) return status;
    gndi_submitted(stream);
    return gndi_finish(stream, fn);
}

/* The count is posted as soon as it is known, while labels are written. */
static void run(gndi_temporaries *s, label_plan *p, const gnd_array *x, const gnd_array *labels, int64_t *count) {
    gnd_stream *stream = s->failed ? NULL : gndi_ew_stream(labels, s->fn);
    const gnd_array *work = stream ? gndi_temporaries_keep(s, plan_memory(s->fn, p, stream)) : NULL;
    gndi_mail mail;
    s->failed |= !work || (count && gndi_mail_open(&mail, stream, s->fn));
    if (s->failed) return;
    if (count) p->count = gndi_mail_word(&mail);
    s->failed = submit(stream, p, x, labels, work, s->fn) != GND_OK;
    if (!count) return;
    if (s->failed)
        gndi_mail_drop(&mail);
    else
        s->failed = gndi_mail_wait(&mail, count, s->fn) != GND_OK;
}

gnd_array *gnd_label(const gnd_array *input, const gnd_array *structure, int64_t *count) {
    gndi_temporaries s = {.fn = "gnd_label"};
    if (gndi_missing(input)) return gndi_raise_null(s.fn, "input"), NULL;
    if (gndi_dtype_is_complex(input->dtype))
        return gndi_fail(GND_ERROR_DTYPE, s.fn, "the input must be real, and has dtype %s",
                         gnd_dtype_name((gnd_dtype)input->dtype));
    label_plan p = {.size = gndi_dtype_sizes[input->dtype], .significant = significant_bits(input->dtype)};
    bool *elements = read_structure(&s, input, structure);
    if (!s.failed) s.failed = !plan_shape(s.fn, &p, input, elements);
    gndi_free(elements);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    p.wide = input->size >= INT32_MAX - 1;
    const gnd_array *x = input;
    if (!gndi_is_c_contiguous(x)) x = gndi_temporaries_keep(&s, gndi_copy_as(s.fn, x, (gnd_dtype)x->dtype, 'C'));
    gnd_array *labels = NULL;
    int64_t found = 0;
    if (!s.failed)
        labels = gndi_temporaries_keep(
            &s, gndi_new_on_device_of(s.fn, x, x->ndim, x->shape, p.wide ? GND_INT64 : GND_INT32));
    if (!s.failed && x->size > 0) run(&s, &p, x, labels, count ? &found : NULL);
    if (!s.failed && count) *count = found;
    return gndi_temporaries_end(&s, labels);
}
