/*
 * pieces.c: moving blocks piece by piece, so that one piece is on its way while the next is worked on.
 *
 * All work on elements is on the current stream, in this order: transform a piece; pack what other ranks get of it;
 * copy what stays here; unpack what came LAG pieces ago. Only the exchanges are on other streams, which take turns, so
 * that waiting for one is not waiting for the next. libgnd orders streams by whole blocks of memory, and by all work
 * that is queued: hence memory of its own for each piece on its way, and a second array over the memory of the result
 * for what is received where it belongs.
 */
#include "dist/fft/pieces.h"
#include <stdlib.h>

int64_t gndi_fft_beside_bytes = 8 << 20;

/* Pieces on their way at a time; and how many later one is unpacked: by then it has come. */
enum { SLOTS = GNDI_LINK_STREAMS, LAG = 2, LINE = 128 };

typedef struct mover {
    gndi_pieces p;
    const gnd_dist *to;
    gnd_array *into, *landing; /* the result; and an array over the same memory that exchanges receive into */
    gnd_array *memory[SLOTS][2], *held[SLOTS];
    bool beside, good;
} mover;

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* Pieces of 1, 2, 3, 3 ... 3, 2, 1 parts: nothing is sent beside the first one's transform, and nothing worked on beside
   the last one's exchange. */
static int64_t parts_before(int count, int k) {
    const char *even = getenv("XD_FFT_EVEN"); /* for a comparison; to be removed */
    if (even && *even == '1') return k;
    int64_t parts = 0;
    for (int i = 0; i < k; i++) {
        const int end = i + 1 < count - i ? i + 1 : count - i;
        parts += end < 3 ? end : 3;
    }
    return parts;
}

/* Where piece k of a length begins; at whole lines of memory if it is long. */
static int64_t cut(int64_t length, int count, int k) {
    enum { STEP = 16 };
    const int64_t all = parts_before(count, count), at = parts_before(count, k);
    const int64_t exact = length / all * at + length % all * at / all;
    return k < count && length >= (int64_t)16 * STEP * count ? exact / STEP * STEP : exact;
}

/* The part of a rank's block that it sends in this step. */
static void range_of(const void *context, int rank, int64_t *from, int64_t *till) {
    const gndi_pieces *p = context;
    gndi_box box;
    gndi_box_of(p->x, rank, &box);
    *from = box.start[p->axis] + cut(box.count[p->axis], p->count, p->at);
    *till = box.start[p->axis] + cut(box.count[p->axis], p->count, p->at + 1);
}

gnd_array *gndi_pieces_part(const gndi_pieces *p, const gnd_dist *at, const gnd_array *block, int64_t *start) {
    gndi_box box;
    gndi_box_of(at, gnd_mesh_rank(at->mesh), &box);
    for (int i = 0; i < at->shape.ndim; i++) start[i] = box.start[i];
    if (!block || p->count == 1) return (gnd_array *)block;
    const gndi_box whole = box;
    int64_t till;
    range_of(p, gnd_mesh_rank(at->mesh), &box.start[p->axis], &till);
    box.count[p->axis] = till - box.start[p->axis];
    start[p->axis] = box.start[p->axis];
    return gndi_box_view(block, at->shape.ndim, &box, whole.start);
}

/* ---- the lists of an exchange ------------------------------------------------------------------------------------ */

/* What is sent of a piece, and received into `into`. */
static void list(mover *m, int at, const gnd_array *piece, const int64_t *start, gnd_array *into, int *sends,
                 int *receives) {
    gndi_box here;
    gndi_box_of(m->to, gnd_mesh_rank(m->to->mesh), &here);
    m->p.at = at;
    *sends = *receives = 0;
    gndi_step_pieces(&(gndi_step){.x = m->p.x,
                                  .to = m->to,
                                  .from = piece,
                                  .into = into,
                                  .from_start = start ? start : here.start,
                                  .to_start = here.start,
                                  .axis = m->p.count > 1 ? m->p.axis : -1,
                                  .of_sender = true,
                                  .range = range_of,
                                  .context = &m->p},
                     sends, receives);
}

/* Whether a piece is to be packed, and for another rank or from one. */
static bool is_packed(const mover *m, const gndi_piece *piece) {
    return piece->rank != gnd_mesh_rank(m->to->mesh) && piece->array && piece->bytes &&
           !gnd_is_c_contiguous(piece->array);
}

/* Elements that a packed piece takes: whole lines of memory. */
static int64_t room_of(const gndi_piece *piece) {
    const int64_t size = (int64_t)gnd_dtype_size(gnd_dtype_of(piece->array));
    return (piece->bytes + LINE - 1) / LINE * LINE / size;
}

/* A slot's memory for what is packed of a list: what was there is reused if it is large enough. */
static gnd_array *memory_for(mover *m, gnd_array **memory, int count, const gndi_piece *piece) {
    int64_t needed = 0;
    for (int i = 0; i < count; i++)
        if (is_packed(m, &piece[i])) needed += room_of(&piece[i]);
    if (needed == 0 || (*memory && gnd_size(*memory) >= needed)) return *memory;
    gnd_release(*memory);
    return *memory = gnd_retain(gnd_empty(GND_SHAPE(needed), m->to->dtype));
}

/* The next packed piece's place in a slot's memory. */
static gnd_array *place(const gnd_array *memory, int64_t *used, const gndi_piece *piece) {
    const int64_t from = *used, till = from + gnd_size(piece->array);
    *used += room_of(piece);
    return memory ? gnd_reshape(gnd_slice_ix(memory, 1, (gnd_index[]){gnd_index_range(from, till, 1)}),
                                gnd_shape_of(piece->array))
                  : NULL;
}

/* ---- the steps of a piece ---------------------------------------------------------------------------------------- */

static gnd_stream *stream_for(const mover *m, int at) {
    return m->beside ? gndi_link_stream(m->to->mesh->link, at % SLOTS) : NULL;
}

/* Packs a piece, and sends it, and receives those of the others; `piece` is NULL if this rank failed. */
static void exchange(mover *m, const char *fn, int at, gnd_array *piece, const int64_t *start) {
    gnd_mesh *mesh = m->to->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    gnd_array **memory = m->memory[at % SLOTS];
    int sends, receives;
    int64_t used[2] = {0};
    list(m, at, piece, start, m->landing, &sends, &receives);
    const gnd_array *from = memory_for(m, &memory[0], sends, send), *to = memory_for(m, &memory[1], receives, receive);
    for (int i = 0; i < sends; i++) {
        if (send[i].rank == gnd_mesh_rank(mesh)) {
            send[i].bytes = 0; /* see keep() */
        } else if (is_packed(m, &send[i])) {
            gnd_array *packed = place(from, &used[0], &send[i]);
            if (packed && gnd_transfer(packed, send[i].array) != GND_OK) packed = NULL;
            send[i].array = packed;
        } else if (piece && send[i].bytes && !m->held[at % SLOTS]) {
            m->held[at % SLOTS] = gnd_retain(piece); /* sent as it is */
        }
    }
    for (int i = 0; i < receives; i++) {
        if (receive[i].rank == gnd_mesh_rank(mesh))
            receive[i].bytes = 0;
        else if (is_packed(m, &receive[i]))
            receive[i].array = place(to, &used[1], &receive[i]);
    }
    gnd_stream *stream = stream_for(m, at);
    if (stream && gnd_native_wait_stream(gnd_stream_native(stream), NULL) != GND_OK) m->good = false;
    GND_STREAM(stream) {
        m->good = gndi_mesh_exchange(mesh, fn, sends, send, receives, receive) == GND_OK && m->good;
    }
}

/* Copies what stays on this rank. */
static void keep(mover *m, int at, const gnd_array *piece, const int64_t *start) {
    const gnd_mesh *mesh = m->to->mesh;
    const int rank = gnd_mesh_rank(mesh);
    const gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    int sends, receives, i = 0, j = 0;
    list(m, at, piece, start, m->into, &sends, &receives);
    while (i < sends && send[i].rank != rank) i++;
    while (j < receives && receive[j].rank != rank) j++;
    if (i == sends || j == receives || send[i].bytes == 0) return;
    if (!send[i].array || !receive[j].array || gnd_transfer((gnd_array *)receive[j].array, send[i].array) != GND_OK)
        m->good = false;
}

/* Waits, on the device, for what was received of a piece, and puts it where it belongs. */
static void unpack(mover *m, int at) {
    const gndi_piece *receive = m->to->mesh->link->pieces[1];
    const gnd_array *memory = m->memory[at % SLOTS][1];
    int sends, receives;
    int64_t used = 0;
    list(m, at, NULL, NULL, m->into, &sends, &receives);
    for (int i = 0; i < receives; i++) {
        if (!is_packed(m, &receive[i])) continue;
        const gnd_array *packed = place(memory, &used, &receive[i]);
        if (!packed || gnd_transfer((gnd_array *)receive[i].array, packed) != GND_OK) m->good = false;
    }
    gnd_release(m->held[at % SLOTS]);
    m->held[at % SLOTS] = NULL;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* An array over the same memory, in another order of streams than the array's own. */
static gnd_array *again(const gnd_array *a) {
    int64_t strides[GND_MAX_DIMS];
    if (!a) return NULL;
    for (int i = 0; i < gnd_ndim(a); i++) strides[i] = gnd_stride(a, i);
    return gnd_wrap(gnd_data(a), gnd_shape_of(a), strides, gnd_dtype_of(a), gnd_device_of(a), NULL, NULL);
}

/* The current stream goes on behind all exchanges. What they used counts as written there last, so that whatever uses
   the result, or memory that is free again, comes behind that. */
static void join(mover *m) {
    gnd_array *used[1 + SLOTS] = {m->into};
    int count = m->into != NULL;
    for (int k = 0; m->beside && k < SLOTS && k < m->p.count; k++)
        if (gnd_stream_wait_native(NULL, gnd_stream_native(stream_for(m, k))) != GND_OK) m->good = false;
    for (int k = 0; k < SLOTS; k++) {
        if (m->memory[k][0]) used[count++] = m->memory[k][0];
    }
    if (m->beside) {
        if (gnd_foreign_begin(NULL, 0, NULL, count, used) != GND_OK) m->good = false;
        gnd_foreign_end(NULL);
    }
    if (m->landing != m->into) gnd_release(m->landing);
    for (int k = 0; k < SLOTS; k++) gnd_release(m->memory[k][0]), gnd_release(m->memory[k][1]), gnd_release(m->held[k]);
}

bool gndi_pieces_move(gndi_fft *f, gndi_fft_work *work, const void *context, const gndi_pieces *p, const gnd_dist *to,
                      gnd_array *into) {
    const gnd_mesh *mesh = to->mesh;
    const int64_t bytes = gndi_shape_count(to->shape) * (int64_t)gnd_dtype_size(to->dtype) / gnd_mesh_size(mesh);
    mover m = {.p = *p, .to = to, .into = into, .landing = into, .good = into != NULL};
    m.beside = gndi_link_stream(mesh->link, 0) && bytes >= gndi_fft_beside_bytes;
    if (m.beside && into && gnd_size(into) && !(m.landing = again(into))) m.good = false;
    for (int at = 0; at < p->count + LAG; at++) {
        GND_SCOPE {
            int64_t start[GND_MAX_DIMS];
            gnd_array *piece = NULL;
            m.p.at = at;
            if (at < p->count) {
                piece = gndi_pieces_part(&m.p, f->at, f->block, start);
                if (work && piece) piece = work(f, context, piece, start);
                if (!piece) m.good = false;
                exchange(&m, f->fn, at, piece, start);
                keep(&m, at, piece, start);
            }
            if (at >= LAG) unpack(&m, at - LAG);
        }
    }
    join(&m);
    return m.good;
}
