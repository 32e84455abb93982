/*
 * hermitian.c: the transform of a real array is hermitian: its element at -k is the conjugate of the one
 * at k. Libraries compute the first half along the last axis; the other half is copied from it here.
 */
#include "fft/fft.h"

/* The elements to fill in, and those that they are the conjugates of: two views, made axis by axis. */
typedef struct mirror {
    char *to, *from;
    int64_t shape[GND_MAX_DIMS], to_stride[GND_MAX_DIMS], from_stride[GND_MAX_DIMS];
} mirror;

/* Selects elements first .. first + count - 1 of an axis, and as their source those from `source` backwards. */
static void reflect(mirror *m, int axis, int64_t first, int64_t count, int64_t source) {
    m->to += first * m->to_stride[axis];
    m->from += source * m->from_stride[axis];
    m->from_stride[axis] = -m->from_stride[axis];
    m->shape[axis] = count;
}

static void copy_mirrored(gndi_temporaries *s, gnd_array *full, const mirror *m) {
    gndi_temporaries part = {.fn = s->fn};
    const gnd_dtype dtype = (gnd_dtype)full->dtype;
    gnd_array *to =
        gndi_temporaries_keep(&part, gndi_array_view(s->fn, full, full->ndim, m->shape, m->to_stride, m->to, dtype));
    gnd_array *from = gndi_temporaries_keep(
        &part, gndi_array_view(s->fn, full, full->ndim, m->shape, m->from_stride, m->from, dtype));
    gndi_step_into(&part, GNDI_OP_conjugate, to, gnd_arg_array(from), gnd_arg_none(), NULL);
    gndi_temporaries_end_part(s, &part);
}

/* Lists the axes before the last that have more than one index; returns their number. */
static int mirrored_axes(const gndi_fft_axes *axes, int list[GND_MAX_DIMS]) {
    int count = 0;
    for (int i = 0; i < axes->count - 1; i++)
        if (axes->n[i] > 1) list[count++] = i;
    return count;
}

/* Selects a part: along axis list[i] index 0, or, if bit i of `elsewhere` is set, all other indices, mirrored. */
static void choose_part(mirror *m, const gndi_fft_axes *axes, const int *list, int count, uint64_t elsewhere) {
    for (int i = 0; i < count; i++) {
        const int axis = axes->axis[list[i]];
        const int64_t others = axes->n[list[i]] - 1;
        if (elsewhere >> i & 1)
            reflect(m, axis, 1, others, others);
        else
            m->shape[axis] = 1;
    }
}

void gndi_fft_complete(gndi_temporaries *s, gnd_array *full, const gndi_fft_axes *axes, bool inverse) {
    const int last = axes->axis[axes->count - 1];
    const int64_t n = axes->n[axes->count - 1], rest = (n - 1) / 2;
    if (s->failed || full->size == 0) return;
    if (inverse) {
        gnd_array *half = gndi_step_part(s, full, last, 0, n / 2 + 1, 1);
        gndi_step_into(s, GNDI_OP_conjugate, half, gnd_arg_array(half), gnd_arg_none(), NULL);
    }
    int list[GND_MAX_DIMS];
    const int count = mirrored_axes(axes, list);
    for (uint64_t elsewhere = 0; rest && !s->failed && elsewhere >> count == 0; elsewhere++) {
        mirror m = {.to = gndi_data(full), .from = gndi_data(full)};
        for (int i = 0; i < full->ndim; i++) {
            m.shape[i] = full->shape[i];
            m.to_stride[i] = m.from_stride[i] = full->strides[i];
        }
        reflect(&m, last, n / 2 + 1, rest, rest);
        choose_part(&m, axes, list, count, elsewhere);
        copy_mirrored(s, full, &m);
    }
}
