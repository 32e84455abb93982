/*
 * hermitian.c: the transform of a real array is hermitian: its element at -k is the conjugate of the one
 * at k. Libraries give the first half along the last axis; the other half is copied from it here.
 */
#include "fft/fft.h"

/* The elements that `target` gets and those they are the conjugates of, two views made axis by axis. */
typedef struct mirror {
    char *to, *from;
    int64_t shape[GND_MAX_DIMS], to_stride[GND_MAX_DIMS], from_stride[GND_MAX_DIMS];
} mirror;

/* Elements first .. first + count - 1 of an axis, from those that begin at `source` and go backwards. */
static void reflect(mirror *m, int axis, int64_t first, int64_t count, int64_t source) {
    m->to += first * m->to_stride[axis];
    m->from += source * m->from_stride[axis];
    m->from_stride[axis] = -m->from_stride[axis];
    m->shape[axis] = count;
}

static void copy_mirrored(gndi_steps *s, gnd_array *full, const mirror *m) {
    gndi_steps part = {.fn = s->fn};
    const gnd_dtype dtype = (gnd_dtype)full->dtype;
    gnd_array *to = gndi_steps_keep(
        &part, gndi_array_view(s->fn, full, full->ndim, m->shape, m->to_stride, m->to, dtype));
    gnd_array *from = gndi_steps_keep(
        &part, gndi_array_view(s->fn, full, full->ndim, m->shape, m->from_stride, m->from, dtype));
    gndi_step_into(&part, GNDI_OP_conjugate, to, gnd_arg_array(from), gnd_arg_none(), NULL);
    gndi_steps_end_part(s, &part);
}

/* Of the axes before the last, each is at 0, or anywhere else and mirrored: bit i of `elsewhere`. */
static bool place(mirror *m, const gndi_fft_axes *axes, uint32_t elsewhere) {
    for (int i = 0; i < axes->count - 1; i++) {
        const int64_t n = axes->n[i];
        if (!(elsewhere >> i & 1))
            m->shape[axes->axis[i]] = 1;
        else if (n == 1)
            return false;
        else
            reflect(m, axes->axis[i], 1, n - 1, n - 1);
    }
    return true;
}

void gndi_fft_complete(gndi_steps *s, gnd_array *full, const gndi_fft_axes *axes, bool inverse) {
    const int last = axes->axis[axes->count - 1];
    const int64_t n = axes->n[axes->count - 1], rest = (n - 1) / 2;
    if (s->failed || full->size == 0) return;
    if (inverse) {
        gnd_array *half = gndi_step_part(s, full, last, 0, n / 2 + 1, 1);
        gndi_step_into(s, GNDI_OP_conjugate, half, gnd_arg_array(half), gnd_arg_none(), NULL);
    }
    for (uint32_t elsewhere = 0; rest && !s->failed && elsewhere >> (axes->count - 1) == 0;
         elsewhere++) {
        mirror m = {.to = gndi_data(full), .from = gndi_data(full)};
        for (int i = 0; i < full->ndim; i++) {
            m.shape[i] = full->shape[i];
            m.to_stride[i] = m.from_stride[i] = full->strides[i];
        }
        reflect(&m, last, n / 2 + 1, rest, rest);
        if (place(&m, axes, elsewhere)) copy_mirrored(s, full, &m);
    }
}
