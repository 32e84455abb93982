/*
 * stage.c: work on blocks, and moving them: piece by piece, so that one piece is sent while the next is worked on.
 */
#include "dist/fft/fft.h"

/* What is packed has to fit beside the blocks. Two H200s took 6.86 ms for 16384 x 16384 complex64 in 8 pieces of
   128 MiB, 6.74 in 2, and 6.51 in one. */
int64_t gndi_fft_piece_bytes = (int64_t)4 << 30;
enum { MOST_PIECES = 8 };

typedef struct pieces {
    const gnd_dist *x;
    int axis, count, at;
} pieces;

/* The part of a rank's block that it sends in this step. */
static void range_of(const void *context, int rank, int64_t *from, int64_t *till) {
    const pieces *p = context;
    gndi_box box;
    gndi_box_of(p->x, rank, &box);
    *from = box.start[p->axis] + gndi_even_cut(box.count[p->axis], p->count, p->at);
    *till = box.start[p->axis] + gndi_even_cut(box.count[p->axis], p->count, p->at + 1);
}

/* The longest axis that may be cut, and into how many pieces; the same on all ranks. */
static pieces pieces_of(const gnd_dist *x, uint64_t whole, bool works) {
    pieces p = {.x = x, .axis = -1, .count = 1};
    for (int i = 0; works && i < x->shape.ndim; i++)
        if (!(whole >> i & 1) && (p.axis < 0 || x->shape.dim[i] > x->shape.dim[p.axis])) p.axis = i;
    const int64_t bytes = gndi_shape_count(x->shape) * (int64_t)gnd_dtype_size(x->dtype) / gnd_mesh_size(x->mesh);
    if (p.axis < 0) return p;
    const int64_t count = bytes / gndi_fft_piece_bytes;
    p.count = count < 1 ? 1 : count > MOST_PIECES ? MOST_PIECES : (int)count;
    return p;
}

/* Sends a piece, and receives those of the others, beside other work. */
static gnd_status send_piece(const gndi_fft *f, const pieces *p, const gnd_dist *to, const gnd_array *piece,
                             const int64_t *start, gnd_array *into) {
    gnd_mesh *mesh = p->x->mesh;
    int sends = 0, receives = 0;
    gnd_status status = GND_OK;
    gndi_box here;
    gndi_box_of(to, gnd_mesh_rank(mesh), &here);
    GND_STREAM(p->count > 1 ? mesh->link->beside : NULL) {
        gndi_step_pieces(&(gndi_step){.x = p->x,
                                      .to = to,
                                      .from = piece,
                                      .into = into,
                                      .from_start = start,
                                      .to_start = here.start,
                                      .axis = p->count > 1 ? p->axis : -1,
                                      .of_sender = true,
                                      .range = range_of,
                                      .context = p},
                         &sends, &receives);
        status = gndi_mesh_exchange(mesh, f->fn, sends, mesh->link->pieces[0], receives, mesh->link->pieces[1]);
    }
    return status;
}

/* The part of the block that a piece is made of. */
static gnd_array *part_of_block(const gndi_fft *f, const pieces *p, int64_t *start) {
    gndi_box box;
    gndi_box_of(f->at, gnd_mesh_rank(f->at->mesh), &box);
    for (int i = 0; i < f->at->shape.ndim; i++) start[i] = box.start[i];
    if (!f->block || p->count == 1) return f->block;
    const gndi_box whole = box;
    int64_t till;
    range_of(p, gnd_mesh_rank(f->at->mesh), &box.start[p->axis], &till);
    box.count[p->axis] = till - box.start[p->axis];
    start[p->axis] = box.start[p->axis];
    return gndi_box_view(f->block, f->at->shape.ndim, &box, whole.start);
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

static gnd_array *move_pieces(gndi_fft *f, gndi_fft_work *work, const void *context, pieces p, const gnd_dist *to,
                              int dense) {
    gnd_array *into = new_block(to, dense);
    bool good = into != NULL;
    for (p.at = 0; p.at < p.count; p.at++) {
        GND_SCOPE {
            int64_t start[GND_MAX_DIMS];
            const gnd_array *piece = part_of_block(f, &p, start);
            if (work && piece) piece = work(f, context, piece, start);
            good = send_piece(f, &p, to, piece, start, into) == GND_OK && piece && good;
        }
    }
    return good ? into : NULL;
}

void gndi_fft_stage(gndi_fft *f, gndi_fft_work *work, const void *context, uint64_t whole, gnd_dist *made, gnd_dist *to,
                    int dense) {
    if (!made || !f->at) {
        gnd_dist_release(made), gnd_dist_release(to);
        gnd_dist_release(f->at);
        f->at = NULL;
        return;
    }
    if (to) {
        replace(f, move_pieces(f, work, context, pieces_of(made, whole, work != NULL), to, dense));
        gnd_dist_release(made);
    } else if (work && f->block) {
        gndi_box box;
        gndi_box_of(f->at, gnd_mesh_rank(f->at->mesh), &box);
        replace(f, work(f, context, f->block, box.start));
    }
    gnd_dist_release(f->at);
    f->at = to ? to : made;
}
