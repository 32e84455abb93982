/*
 * stage.c: work on blocks, and moving them: in how many pieces, and into what.
 */
#include "dist/fft/pieces.h"

/* A block of this many bytes is one piece, one of n n times as many is n pieces: each costs some 50 us of two H200s'
   transfer, and the first one's transform is what nothing is sent beside. */
int64_t gndi_fft_piece_bytes = 64 << 20;
enum { MOST_PIECES = 16 };

/* The nearest root, from 1 to MOST_PIECES. */
static int pieces_for(int64_t bytes) {
    int n = 1;
    while (n < MOST_PIECES && (int64_t)(2 * n + 1) * (2 * n + 1) <= 4 * bytes / gndi_fft_piece_bytes) n++;
    return n;
}

/* The longest axis of an array that may be cut, or -1. */
static int longest(const gnd_dist *x, uint64_t whole, int but) {
    int axis = -1;
    for (int i = 0; i < x->shape.ndim; i++)
        if (!(whole >> i & 1) && i != but && (axis < 0 || x->shape.dim[i] > x->shape.dim[axis])) axis = i;
    return axis;
}

/* How blocks of `x` are cut, the same on all ranks. */
static gndi_pieces pieces_of(const gnd_dist *x, uint64_t whole, bool works, const gnd_dist *to, gndi_fft_then then) {
    gndi_pieces p = {.x = x, .to = to, .axis = -1, .count = 1, .strip_axis = -1, .strips = 1, .then = then};
    if (works) p.axis = longest(x, whole, -1);
    const int64_t bytes = gndi_shape_count(x->shape) * (int64_t)gnd_dtype_size(x->dtype) / gnd_mesh_size(x->mesh);
    if (p.axis < 0) return p;
    p.count = pieces_for(bytes);
    if (then.work && p.count > 1) p.strip_axis = longest(to, then.whole, p.axis);
    if (p.strip_axis >= 0) p.strips = GNDI_MOST_STRIPS;
    return p;
}

static gnd_array *replace(gndi_fft *f, gnd_array *block) {
    if (f->block != block) gnd_release(f->block);
    return f->block = block;
}

/* A new block, in C order but for an axis that is the last one in memory (-1: none). */
static gnd_array *new_block(const gnd_dist *to, int dense) {
    gnd_shape shape = gndi_dist_local_shape(to);
    if (dense < 0) return gnd_empty(shape, to->dtype);
    const int64_t length = shape.dim[dense];
    for (int i = dense; i + 1 < shape.ndim; i++) shape.dim[i] = shape.dim[i + 1];
    shape.dim[shape.ndim - 1] = length;
    gnd_array *a = gnd_empty(shape, to->dtype);
    return a ? gnd_moveaxis(a, GND_AXES(-1), GND_AXES(dense)) : NULL;
}

static gnd_array *move(gndi_fft *f, gndi_fft_work *work, const void *context, const gndi_pieces *p, int dense) {
    gnd_array *into = new_block(p->to, dense);
    return gndi_pieces_move(f, work, context, p, into) ? into : NULL;
}

void gndi_fft_stage(gndi_fft *f, gndi_fft_work *work, const void *context, uint64_t whole, gnd_dist *made, gnd_dist *to,
                    int dense) {
    gndi_fft_stage_then(f, work, context, whole, made, to, dense, (gndi_fft_then){0});
}

void gndi_fft_stage_then(gndi_fft *f, gndi_fft_work *work, const void *context, uint64_t whole, gnd_dist *made,
                         gnd_dist *to, int dense, gndi_fft_then then) {
    if (!made || !f->at) {
        gnd_dist_release(made), gnd_dist_release(to);
        gnd_dist_release(f->at);
        f->at = NULL;
        return;
    }
    if (to) {
        const gndi_pieces p = pieces_of(made, whole, work != NULL, to, then);
        replace(f, move(f, work, context, &p, dense));
        gnd_dist_release(made);
    } else if (work && f->block) {
        gndi_box box;
        gndi_box_of(f->at, gnd_mesh_rank(f->at->mesh), &box);
        replace(f, work(f, context, f->block, box.start));
    }
    gnd_dist_release(f->at);
    f->at = to ? to : made;
}
