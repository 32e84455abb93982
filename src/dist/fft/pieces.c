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

int64_t gndi_fft_beside_bytes = 8 << 20;

/* Pieces on their way at a time; and how many later one is unpacked: by then it has come. */
enum { SLOTS = GNDI_LINK_STREAMS, LAG = 2, LINE = 128 };
_Static_assert(GNDI_MOST_STRIPS <= LAG + 1 && LAG < SLOTS, "no strip waits for the work on another");

typedef struct mover {
    gndi_pieces p;
    gnd_array *into, *landing; /* the result; and an array over the same memory that exchanges receive into */
    gnd_array *piece;          /* in work, and where it begins; NULL if this rank failed */
    int64_t start[GND_MAX_DIMS];
    gnd_array *memory[SLOTS][2], *held[SLOTS];
    gnd_array *own[SLOTS][2]; /* the transport's memory, */
    int64_t each;             /* and how many bytes of it each other rank has; 0: it is not used */
    bool beside, good;
} mover;

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* Pieces of 1, 2, 3, 3 ... 3, 2, 1 parts: nothing is sent beside the first one's transform, and no work is left beside
   the last one's exchange. In strips there is: then it has 3 parts. */
static int64_t parts_before(const gndi_pieces *p, int k) {
    int64_t parts = 0;
    for (int i = 0; i < k; i++) {
        const int left = p->strips > 1 ? 3 : p->count - i, least = i + 1 < left ? i + 1 : left;
        parts += least < 3 ? least : 3;
    }
    return parts;
}

/* The part `at` of `all` parts of a length; if it is long, whole lines of memory. */
static int64_t cut(int64_t length, int64_t at, int64_t all) {
    enum { STEP = 16 };
    const int64_t exact = length / all * at + length % all * at / all;
    return at < all && length >= 16 * STEP * all ? exact / STEP * STEP : exact;
}

/* The part of a rank's block that it sends in this step. */
static void range_of(const void *context, int rank, int64_t *from, int64_t *till) {
    const gndi_pieces *p = context;
    gndi_box box;
    gndi_box_of(p->x, rank, &box);
    const int64_t length = box.count[p->axis], all = parts_before(p, p->count);
    *from = box.start[p->axis] + cut(length, parts_before(p, p->at), all);
    *till = box.start[p->axis] + cut(length, parts_before(p, p->at + 1), all);
}

/* The strip of a rank's new block. */
static void strip_of(const void *context, int rank, int64_t *from, int64_t *till) {
    const gndi_pieces *p = context;
    gndi_box box;
    gndi_box_of(p->to, rank, &box);
    *from = box.start[p->strip_axis] + cut(box.count[p->strip_axis], p->strip, p->strips);
    *till = box.start[p->strip_axis] + cut(box.count[p->strip_axis], p->strip + 1, p->strips);
}

/* This rank's block of x, or from an axis on (-1: all of it) what lies in its range; *start: where it begins. */
static gnd_array *part_of(const gndi_pieces *p, const gnd_dist *x, const gnd_array *block, int axis,
                          void (*range)(const void *context, int rank, int64_t *from, int64_t *till), int64_t *start) {
    gndi_box box;
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &box);
    const gndi_box whole = box;
    if (axis >= 0) {
        int64_t till;
        range(p, gnd_mesh_rank(x->mesh), &box.start[axis], &till);
        box.count[axis] = till - box.start[axis];
    }
    for (int i = 0; i < x->shape.ndim; i++) start[i] = box.start[i];
    return axis < 0 || !block ? (gnd_array *)block : gndi_box_view(block, x->shape.ndim, &box, whole.start);
}

/* ---- moves: a piece each, and the last one's strips -------------------------------------------------------------- */

static int moves_of(const gndi_pieces *p) {
    return p->count - 1 + p->strips;
}

/* What move `at` is. */
static void turn_to(mover *m, int at) {
    m->p.at = at < m->p.count ? at : m->p.count - 1;
    m->p.strip = at - m->p.at;
}

static bool in_strips(const gndi_pieces *p) {
    return p->strips > 1 && p->at == p->count - 1;
}

/* What is sent in a move, and received into `into`. */
static void list(mover *m, int at, const gnd_array *piece, gnd_array *into, int *sends, int *receives) {
    gndi_box here;
    gndi_box_of(m->p.to, gnd_mesh_rank(m->p.to->mesh), &here);
    turn_to(m, at);
    *sends = *receives = 0;
    gndi_step_pieces(&(gndi_step){.x = m->p.x,
                                  .to = m->p.to,
                                  .from = piece,
                                  .into = into,
                                  .from_start = m->start,
                                  .to_start = here.start,
                                  .axis = m->p.count > 1 ? m->p.axis : -1,
                                  .of_sender = true,
                                  .range = range_of,
                                  .range_to = in_strips(&m->p) ? strip_of : NULL,
                                  .axis_to = m->p.strip_axis,
                                  .context = &m->p},
                     sends, receives);
}

/* ---- memory of what is on its way -------------------------------------------------------------------------------- */

/* Where part i of a list is in the transport's memory, in bytes; -1: it is not. Both sides of a part find the same. */
static int64_t offset_of(const mover *m, const gndi_piece *list, int i) {
    const int rank = gnd_mesh_rank(m->p.to->mesh), other = list[i].rank;
    if (other == rank || list[i].bytes == 0 || list[i].bytes > m->each) return -1;
    for (int k = 0; k < i; k++)
        if (list[k].rank == other && list[k].bytes) return -1;
    return (other - (other > rank)) * m->each;
}

/* Whether a part is to be packed in other memory, for another rank or from one. */
static bool is_packed(const mover *m, const gndi_piece *list, int i) {
    return list[i].rank != gnd_mesh_rank(m->p.to->mesh) && list[i].array && list[i].bytes &&
           !gnd_is_c_contiguous(list[i].array) && offset_of(m, list, i) < 0;
}

/* Elements that a packed piece takes: whole lines of memory. */
static int64_t room_of(const gndi_piece *piece) {
    const int64_t size = (int64_t)gnd_dtype_size(gnd_dtype_of(piece->array));
    return (piece->bytes + LINE - 1) / LINE * LINE / size;
}

/* A slot's memory for what is packed of a list: what was there is reused if it is large enough. */
static gnd_array *memory_for(mover *m, gnd_array **memory, int count, const gndi_piece *list) {
    int64_t needed = 0;
    for (int i = 0; i < count; i++)
        if (is_packed(m, list, i)) needed += room_of(&list[i]);
    if (needed == 0 || (*memory && gnd_size(*memory) >= needed)) return *memory;
    gnd_release(*memory);
    return *memory = gnd_retain(gnd_empty(GND_SHAPE(needed), m->p.to->dtype));
}

/* A packed piece's place in memory of its dtype, from an element on; NULL stays NULL. */
static gnd_array *place(const gnd_array *memory, int64_t from, const gndi_piece *piece) {
    if (!memory || !piece->array) return NULL;
    const gnd_index range = gnd_index_range(from, from + gnd_size(piece->array), 1);
    return gnd_reshape(gnd_slice_ix(memory, 1, &range), gnd_shape_of(piece->array));
}

/* Part i's place in the memory of a move's side, the transport's or other, and in *used how much of the latter is
   taken; *packed: whether it has one, which is NULL if this rank failed. */
static gnd_array *place_of(const mover *m, int at, int side, const gndi_piece *list, int i, int64_t *used,
                           bool *packed) {
    const int64_t offset = offset_of(m, list, i), size = (int64_t)gnd_dtype_size(m->p.to->dtype);
    *packed = offset >= 0 || is_packed(m, list, i);
    if (offset >= 0) return place(m->own[at % SLOTS][side], offset / size, &list[i]);
    if (!*packed) return NULL;
    const int64_t from = *used;
    *used += room_of(&list[i]);
    return place(m->memory[at % SLOTS][side], from, &list[i]);
}

/* What takes the place of part i if this rank fails. */
static void *spare_of(const mover *m, int at, int side, const gndi_piece *list, int i) {
    const int64_t offset = offset_of(m, list, i);
    return offset < 0 ? NULL : (char *)gnd_data(m->p.to->mesh->link->packed[side][at % SLOTS]) + offset;
}

/* ---- the steps of a move ----------------------------------------------------------------------------------------- */

static gnd_stream *stream_for(const mover *m, int at) {
    return m->beside ? gndi_link_stream(m->p.to->mesh->link, at % SLOTS) : NULL;
}

/* The piece that is sent next. */
static void begin(mover *m, const gndi_fft *f, gndi_fft_work *work, const void *context, int at) {
    turn_to(m, at);
    if (m->p.strip > 0) return;
    gnd_array *piece = part_of(&m->p, f->at, f->block, m->p.count > 1 ? m->p.axis : -1, range_of, m->start);
    if (work && piece) piece = work(f, context, piece, m->start);
    if (!piece) m->good = false;
    gnd_release(m->piece);
    m->piece = gnd_retain(piece);
}

/* Packs a move's part of the piece, and sends it, and receives those of the others. */
static void exchange(mover *m, const char *fn, int at) {
    gnd_mesh *mesh = m->p.to->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    gnd_array **memory = m->memory[at % SLOTS];
    int sends, receives;
    int64_t used[2] = {0};
    bool packs;
    list(m, at, m->piece, m->landing, &sends, &receives);
    memory_for(m, &memory[0], sends, send), memory_for(m, &memory[1], receives, receive);
    for (int i = 0; i < sends; i++) {
        gnd_array *packed = place_of(m, at, 0, send, i, &used[0], &packs);
        send[i].spare = spare_of(m, at, 0, send, i);
        if (packs) {
            if (packed && gnd_transfer(packed, send[i].array) != GND_OK) packed = NULL;
            send[i].array = packed;
        } else if (send[i].rank != gnd_mesh_rank(mesh) && send[i].array && send[i].bytes && !m->held[at % SLOTS]) {
            m->held[at % SLOTS] = gnd_retain(m->piece); /* sent as it is */
        }
    }
    for (int i = 0; i < receives; i++) {
        gnd_array *packed = place_of(m, at, 1, receive, i, &used[1], &packs);
        receive[i].spare = spare_of(m, at, 1, receive, i);
        if (packs) receive[i].array = packed;
    }
    for (int i = 0; i < sends; i++)
        if (send[i].rank == gnd_mesh_rank(mesh)) send[i].bytes = 0; /* see keep() */
    for (int i = 0; i < receives; i++)
        if (receive[i].rank == gnd_mesh_rank(mesh)) receive[i].bytes = 0;
    gnd_stream *stream = stream_for(m, at);
    if (stream && gnd_native_wait_stream(gnd_stream_native(stream), NULL) != GND_OK) m->good = false;
    GND_STREAM(stream) {
        m->good = gndi_mesh_exchange(mesh, fn, sends, send, receives, receive) == GND_OK && m->good;
    }
}

/* Copies what stays on this rank. */
static void keep(mover *m, int at) {
    const gnd_mesh *mesh = m->p.to->mesh;
    const int rank = gnd_mesh_rank(mesh);
    const gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    int sends, receives, i = 0, j = 0;
    list(m, at, m->piece, m->into, &sends, &receives);
    while (i < sends && send[i].rank != rank) i++;
    while (j < receives && receive[j].rank != rank) j++;
    if (i == sends || j == receives || send[i].bytes == 0) return;
    if (!send[i].array || !receive[j].array || gnd_transfer((gnd_array *)receive[j].array, send[i].array) != GND_OK)
        m->good = false;
}

/* Waits, on the device, for what was received in a move, and puts it where it belongs. */
static void unpack(mover *m, int at) {
    const gndi_piece *receive = m->p.to->mesh->link->pieces[1];
    int sends, receives;
    int64_t used = 0;
    bool packs;
    list(m, at, NULL, m->into, &sends, &receives);
    for (int i = 0; i < receives; i++) {
        const gnd_array *packed = place_of(m, at, 1, receive, i, &used, &packs);
        if (!packs || !receive[i].array) continue;
        if (!packed || gnd_transfer((gnd_array *)receive[i].array, packed) != GND_OK) m->good = false;
    }
    gnd_release(m->held[at % SLOTS]);
    m->held[at % SLOTS] = NULL;
}

/* What follows on a strip of the new block, when its last part has come. */
static void follow(mover *m, const gndi_fft *f, int at) {
    int64_t start[GND_MAX_DIMS];
    turn_to(m, at);
    if (!m->p.then.work || m->p.at < m->p.count - 1) return;
    const gnd_array *strip = part_of(&m->p, m->p.to, m->into, m->p.strips > 1 ? m->p.strip_axis : -1, strip_of, start);
    if (m->good && !(strip && m->p.then.work(f, m->p.then.context, strip, start))) m->good = false;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* An array over the same memory, in another order of streams than the array's own. */
static gnd_array *again(const gnd_array *a) {
    int64_t strides[GND_MAX_DIMS];
    if (!a) return NULL;
    for (int i = 0; i < gnd_ndim(a); i++) strides[i] = gnd_stride(a, i);
    return gnd_wrap(gnd_data(a), gnd_shape_of(a), strides, gnd_dtype_of(a), gnd_device_of(a), NULL, NULL);
}

/* The current stream waits for a move's exchange, also for what was received where it belongs. */
static void wait_for(mover *m, int at) {
    gnd_stream *stream = stream_for(m, at);
    if (stream && gnd_stream_wait_native(NULL, gnd_stream_native(stream)) != GND_OK) m->good = false;
}

/* The current stream goes on behind all exchanges. What they used counts as written there last, so that whatever uses
   the result, or memory that is free again, comes behind that. */
static void join(mover *m) {
    const gndi_link *link = m->p.to->mesh->link;
    gnd_array *used[1 + 4 * SLOTS] = {m->into};
    int count = m->into != NULL;
    for (int k = 0; k < SLOTS && k < moves_of(&m->p); k++) wait_for(m, k);
    for (int k = 0; k < 2 * SLOTS; k++) {
        if (m->memory[k / 2][k % 2]) used[count++] = m->memory[k / 2][k % 2];
        if (m->each) used[count++] = link->packed[k % 2][k / 2]; /* which a rank that failed has no views of */
    }
    if (m->beside) {
        if (gnd_foreign_begin(NULL, 0, NULL, count, used) != GND_OK) m->good = false;
        gnd_foreign_end(NULL);
    }
    if (m->landing != m->into) gnd_release(m->landing);
    gnd_release(m->piece);
    for (int k = 0; k < SLOTS; k++) {
        gnd_release(m->memory[k][0]), gnd_release(m->memory[k][1]);
        gnd_release(m->own[k][0]), gnd_release(m->own[k][1]);
        gnd_release(m->held[k]);
    }
}

/* Bytes of the largest part that the first rank sends in a move, and an eighth more for cuts at whole lines. */
static int64_t largest_part(const gndi_pieces *p) {
    const int64_t parts = parts_before(p, p->count), size = (int64_t)gnd_dtype_size(p->to->dtype);
    int64_t most = 0, longest = 0;
    gndi_box from, to, both;
    gndi_box_of(p->x, 0, &from);
    for (int r = 1; r < gnd_mesh_size(p->to->mesh); r++) {
        int64_t count = 1;
        gndi_box_of(p->to, r, &to);
        if (!gndi_box_meet(p->to->shape.ndim, &from, &to, &both)) continue;
        for (int i = 0; i < p->to->shape.ndim; i++) count *= both.count[i];
        most = count > most ? count : most;
    }
    for (int k = 0; k < p->count; k++) {
        const int64_t length = parts_before(p, k + 1) - parts_before(p, k);
        longest = length > longest ? length : longest;
    }
    return (int64_t)(1.125 * (double)most * (double)longest / (double)parts) * size;
}

/* Takes the transport's memory, which is worth its making for large arrays. No view of it outlives the move: a later
   one may give the memory back, for more. */
static void take_memory(mover *m, const char *fn) {
    const gndi_link *link = m->p.to->mesh->link;
    const bool pending = gnd_error() != NULL;
    m->each = gndi_packed_for(m->p.to->mesh, fn, largest_part(&m->p));
    GND_SCOPE {
        for (int k = 0; k < SLOTS && m->each; k++)
            for (int side = 0; side < 2; side++)
                m->own[k][side] = gnd_retain(gnd_view(link->packed[side][k], m->p.to->dtype));
    }
    if (!pending && gnd_error()) m->good = false;
}

bool gndi_pieces_move(gndi_fft *f, gndi_fft_work *work, const void *context, const gndi_pieces *p, gnd_array *into) {
    const gnd_dist *to = p->to;
    const int64_t bytes = gndi_shape_count(to->shape) * (int64_t)gnd_dtype_size(to->dtype) / gnd_mesh_size(to->mesh);
    mover m = {.p = *p, .into = into, .landing = into, .good = into != NULL};
    m.beside = gndi_link_stream(to->mesh->link, 0) && bytes >= gndi_fft_beside_bytes;
    if (m.beside && into && gnd_size(into) && !(m.landing = again(into))) m.good = false;
    if (bytes >= gndi_fft_beside_bytes) take_memory(&m, f->fn);
    const int moves = moves_of(p);
    for (int at = 0; at < moves + LAG; at++) {
        GND_SCOPE {
            if (at < moves) {
                begin(&m, f, work, context, at);
                exchange(&m, f->fn, at);
                keep(&m, at);
            }
            if (at >= LAG) {
                if (p->then.work) wait_for(&m, at - LAG);
                unpack(&m, at - LAG);
                follow(&m, f, at - LAG);
            }
        }
    }
    join(&m);
    return m.good;
}
