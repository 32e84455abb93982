/*
 * pad_periodic.c: borders that mirror an axis or go on with its other side. Where a border is wider than
 * the axis, what has been padded is taken as the axis, by whole periods, until all is filled.
 */
#include "pad/pad.h"

/* How far both borders still are from being filled: positions before and behind. */
typedef struct open_ends {
    int64_t before, behind;
} open_ends;

/* `count` positions from `to` on become those from `from` on, backwards; odd: twice the edge less
   these. */
static void mirror(gndi_temporaries *s, const gnd_array *seen, int axis, int64_t to, int64_t from, int64_t count,
                   int64_t edge, bool odd) {
    gndi_temporaries one = {.fn = s->fn};
    gnd_array *chunk = gndi_step_part(&one, seen, axis, from, count, -1);
    if (odd) {
        const gnd_array *at = gndi_step_part(&one, seen, axis, edge, 1, 1);
        gnd_array *twice = gndi_step(&one, GNDI_OP_multiply, gnd_arg_array(at), gnd_arg_int(2));
        chunk = gndi_step(&one, GNDI_OP_subtract, gnd_arg_array(twice), gnd_arg_array(chunk));
    }
    gndi_pad_set(&one, seen, axis, to, count, 1, gnd_arg_array(chunk));
    gndi_temporaries_end_part(s, &one);
}

void gndi_pad_reflect(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis) {
    const bool repeats_edge = p->options->mode == GND_PAD_SYMMETRIC, odd = p->options->odd;
    const int64_t size = p->a->shape[axis], length = seen->shape[axis];
    open_ends open = {p->width[axis][0], p->width[axis][1]};
    while ((open.before || open.behind) && !s->failed) {
        /* Whole periods of what is there; a mirror without the edge has one element less. */
        const int64_t have = length - open.before - open.behind;
        const int64_t chunk = repeats_edge ? have / size * size : (have - 1) / (size - 1) * (size - 1);
        const int64_t before = gndi_min(chunk, open.before), behind = gndi_min(chunk, open.behind);
        const int64_t first = open.before, last = length - open.behind - 1;
        if (before) mirror(s, seen, axis, first - before, first + before - repeats_edge, before, first, odd);
        if (behind) mirror(s, seen, axis, last + 1, last - 1 + repeats_edge, behind, last, odd);
        open.before -= before, open.behind -= behind;
    }
}

void gndi_pad_wrap(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis) {
    const int64_t size = p->a->shape[axis], length = seen->shape[axis];
    open_ends open = {p->width[axis][0], p->width[axis][1]};
    while ((open.before || open.behind) && !s->failed) {
        const int64_t period = (length - open.before - open.behind) / size * size;
        const int64_t before = gndi_min(period, open.before), behind = gndi_min(period, open.behind);
        gndi_temporaries one = {.fn = s->fn};
        const int64_t first = open.before, end = length - open.behind;
        if (before) {
            const gnd_array *from = gndi_step_part(&one, seen, axis, first + period - before, before, 1);
            gndi_pad_set(&one, seen, axis, first - before, before, 1, gnd_arg_array(from));
        }
        if (behind) {
            const gnd_array *from = gndi_step_part(&one, seen, axis, end - period, behind, 1);
            gndi_pad_set(&one, seen, axis, end, behind, 1, gnd_arg_array(from));
        }
        gndi_temporaries_end_part(s, &one);
        open.before -= before, open.behind -= behind;
    }
}
