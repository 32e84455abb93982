/*
 * cholesky.c: the Cholesky factor of a split matrix by gnd's own functions. Blocks of rows are dealt out in turn. Step
 * by step every rank gets the corner of a panel, a block of the diagonal, and factors it as all others do; solves its
 * own rows below; gathers everyone's; and subtracts their products from the rows that it has. What of the panel is in
 * its block of the result, it writes there: nothing is dealt back. The next panel is brought up to date first, and goes
 * the same way on a stream of its own, while the rest is computed.
 */
#include "dist/linalg/solve.h"

enum { PARTS = 4 }; /* of a panel's columns, in a substitution */

typedef struct factoring {
    const char *fn;
    gnd_mesh *mesh; /* the ranks in a row */
    gnd_dtype dtype;
    int64_t n, block, blocks, rounds;
    int ranks, rank;
    gnd_array *store;   /* (rounds, block, n): of each round this rank's block of rows. NULL: it has failed */
    gnd_array *local;   /* this rank's block of the result */
    gndi_box box;       /* and what it is of it */
    gnd_stream *beside; /* for the next panel; NULL: the current one */
    bool good;
} factoring;

/* Columns of a panel: its block of the diagonal; this rank's rows below; all rows there; and those transposed and
   conjugated. */
typedef struct panel {
    gnd_array *corner, *own, *below, *right;
} panel;

static void keep(const panel *p) {
    gnd_keep(p->corner), gnd_keep(p->own), gnd_keep(p->below), gnd_keep(p->right);
}
static void release(const panel *p) {
    gnd_release(p->corner), gnd_release(p->own), gnd_release(p->below), gnd_release(p->right);
}

static int64_t at_most(int64_t a, int64_t most) {
    return a < most ? a : most;
}
static int64_t at_least(int64_t a, int64_t least) {
    return a > least ? a : least;
}
/* Where block i begins; the last one may be short. */
static int64_t start_of(const factoring *f, int64_t i) {
    return at_most(i * f->block, f->n);
}

/* ---- dealing out rows -------------------------------------------------------------------------------------------- */

/* The matrix with rows in whole rounds, and those rounds, before they are dealt out. */
typedef struct dealing {
    gnd_dist *rows, *rounds;
} dealing;

static bool describe(const factoring *f, dealing *d) {
    int64_t *cuts = f->mesh->link->numbers;
    for (int r = 0; r <= f->ranks; r++)
        cuts[r] = at_most(gndi_even_cut(f->rounds, f->ranks, r) * f->ranks * f->block, f->n);
    const gnd_shape matrix = GND_SHAPE(f->n, f->n), rounds = GND_SHAPE(f->rounds, f->ranks, f->block, f->n);
    d->rows = gndi_dist_new(f->mesh, f->fn, matrix, f->dtype, (gndi_layout){{0, -1}, {cuts, NULL}});
    d->rounds = gndi_dist_new(f->mesh, f->fn, rounds, f->dtype, (gndi_layout){{0, -1}, {NULL, NULL}});
    return d->rows && d->rounds;
}
static void forget(dealing *d) {
    gnd_dist_release(d->rows), gnd_dist_release(d->rounds);
}

/* Whether x's blocks are whole rounds already, on all ranks. */
static bool is_in_rounds(const factoring *f, const dealing *d, const gnd_dist *x) {
    return f->n == f->rounds * f->ranks * f->block && gndi_dist_stays(x, d->rows) && gndi_dist_stays(d->rows, x);
}
/* This rank's rounds, with room behind the matrix; *rows is the matrix in it. */
static gnd_array *rounds_with_room(const factoring *f, const dealing *d, gnd_array **rows) {
    gnd_array *a = gnd_zeros(gndi_dist_local_shape(d->rounds), f->dtype);
    gnd_array *flat = gnd_reshape(a, GND_SHAPE(-1, f->n));
    *rows = gnd_slice(flat, ":%lld", (long long)gndi_dist_local_shape(d->rows).dim[0]);
    return *rows ? a : NULL;
}
/* How many rounds a rank has before they are dealt out. */
static int64_t rounds_of(const factoring *f, int rank) {
    return gndi_even_cut(f->rounds, f->ranks, rank + 1) - gndi_even_cut(f->rounds, f->ranks, rank);
}

/* Moves rounds to where they belong, a few of every rank's at a time: block by block, which have no gaps. */
static gnd_status move_rounds(const factoring *f, const gnd_array *rounds) {
    enum { TOGETHER = 2 };
    gndi_piece *send = f->mesh->link->pieces[0], *receive = f->mesh->link->pieces[1];
    const int64_t bytes = f->block * f->n * (int64_t)gnd_dtype_size(f->dtype);
    gnd_status status = GND_OK;
    for (int64_t begin = 0; begin * f->ranks < f->rounds; begin += TOGETHER) {
        int sends = 0, receives = 0;
        for (int r = 0; r < f->ranks; r++) {
            const int64_t theirs = gndi_even_cut(f->rounds, f->ranks, r), own = rounds_of(f, f->rank);
            for (int64_t i = begin; i < begin + TOGETHER && i < own; i++) {
                const gnd_array *block = rounds ? gnd_slice(rounds, "%lld, %d", (long long)i, r) : NULL;
                send[sends++] = gndi_piece_at(r, block, bytes);
            }
            for (int64_t i = begin; i < begin + TOGETHER && i < rounds_of(f, r); i++)
                receive[receives++] = gndi_piece_at(r, gndi_row(f->store, theirs + i), bytes);
        }
        const gnd_status moved = gndi_mesh_exchange(f->mesh, f->fn, sends, send, receives, receive);
        if (!status) status = moved;
    }
    return status;
}

static void deal_out(factoring *f, const gnd_dist *x) {
    dealing d;
    if (describe(f, &d)) {
        f->store = gnd_empty(GND_SHAPE(f->rounds, f->block, f->n), f->dtype);
        f->good = f->store != NULL;
        GND_SCOPE {
            gnd_array *a, *rows;
            if (is_in_rounds(f, &d, x)) {
                a = gnd_reshape(gndi_dist_block_here(x, x->local, d.rows), gndi_dist_local_shape(d.rounds));
            } else {
                a = rounds_with_room(f, &d, &rows);
                if (gndi_dist_move_block(x, x->local, d.rows, a ? rows : NULL, f->fn) != GND_OK) a = NULL;
            }
            if (move_rounds(f, a) != GND_OK || !a) f->good = false;
        }
    }
    forget(&d);
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

static gnd_array *rows_of(const gnd_array *a, int64_t from, int64_t till) {
    return gnd_slice(a, "%lld:%lld", (long long)from, (long long)till);
}
static gnd_array *columns_of(const gnd_array *a, int64_t from, int64_t till) {
    return gnd_slice(a, ":, %lld:%lld", (long long)from, (long long)till);
}
/* This rank's rows from its block i on, of all its blocks: those behind the matrix are zeros. */
static gnd_array *own_rows(const factoring *f, int64_t i) {
    return rows_of(gnd_reshape(f->store, GND_SHAPE(f->rounds * f->block, f->n)), i / f->ranks * f->block,
                   f->rounds * f->block);
}
/* A rank's first block from number i on, and how many it has from there. */
static int64_t first_from(const factoring *f, int rank, int64_t i) {
    return i + (rank - i % f->ranks + f->ranks) % f->ranks;
}
static int64_t own_from(const factoring *f, int64_t i) {
    return first_from(f, f->rank, i);
}
static int64_t blocks_from(const factoring *f, int rank, int64_t i) {
    return f->rounds - first_from(f, rank, i) / f->ranks;
}

static int64_t width_of(const factoring *f, int64_t k) {
    return start_of(f, k + 1) - start_of(f, k);
}
/* The row of the matrix at which everyone's rows below the corner of panel k begin: a round's first. */
static int64_t first_below(const factoring *f, int64_t k) {
    return (k + 1) / f->ranks * f->ranks * f->block;
}

/* This rank's rows of panel k by themselves, so that others may write to the store: the corner, a block of the
   diagonal, of the rank that has it; and what is below. */
static gnd_array *pack_corner(const factoring *f, int64_t k) {
    const gnd_array *columns = columns_of(own_rows(f, k), start_of(f, k), start_of(f, k + 1));
    return own_from(f, k) == k ? gnd_copy(rows_of(columns, 0, width_of(f, k))) : NULL;
}
static gnd_array *pack_below(const factoring *f, int64_t k) {
    return gnd_copy(columns_of(own_rows(f, own_from(f, k + 1)), start_of(f, k), start_of(f, k + 1)));
}

/* Everyone's factor of panel k's corner, from `own`, of the rank that has it. */
static gnd_array *factor_corner(factoring *f, int64_t k, const gnd_array *own) {
    const int owner = (int)(k % f->ranks);
    const int64_t width = width_of(f, k), bytes = width * width * (int64_t)gnd_dtype_size(f->dtype);
    const bool mine = owner == f->rank;
    gnd_array *factor = NULL;
    GND_SCOPE {
        const gnd_array *corner = mine ? own : gnd_empty(GND_SHAPE(width, width), f->dtype);
        gndi_piece *send = f->mesh->link->pieces[0], receive = gndi_piece_at(owner, corner, bytes);
        int sends = 0;
        for (int r = 0; mine && r < f->ranks; r++)
            if (r != owner) send[sends++] = gndi_piece_at(r, corner, bytes);
        const gnd_status status = gndi_mesh_exchange(f->mesh, f->fn, sends, send, mine ? 0 : 1, &receive);
        f->good = f->good && status == GND_OK && corner;
        if (f->good) factor = gnd_keep(gnd_cholesky(corner, false));
        f->good = f->good && factor;
    }
    return factor;
}

/* Solves x corner^H = left for rows of a panel; `left` is used up. Substitution by parts of the columns: within a part
   by the inverse of its triangle, and once more for what that leaves over. So all the work is in products, and the
   error is that of substitution. */
static bool solve_rows(const factoring *f, const gnd_array *corner, gnd_array *left, gnd_array *x) {
    if (!x || !left || !corner) return false;
    const int64_t width = gnd_dim(x, 1), length = (width + PARTS - 1) / PARTS;
    const gnd_array *triangle = gnd_dtype_kind(f->dtype) == 'c' ? gnd_conjugate(corner) : corner;
    const gnd_array *one = gnd_eye(length, length, 0, f->dtype);
    bool good = true;
    for (int64_t from = 0; from < width && good; from += length) {
        GND_SCOPE {
            const int64_t till = at_most(from + length, width), size = till - from;
            const gnd_array *rows = rows_of(triangle, from, till), *square = columns_of(rows, from, till);
            const gnd_array *right = columns_of(rows_of(one, 0, size), 0, size);
            const gnd_array *inverse =
                gnd_transpose(gnd_solve_triangular(square, right, (gnd_triangular_options){.lower = true}));
            const gnd_array *before = gnd_transpose(columns_of(rows, 0, from)), *itself = gnd_transpose(square);
            gnd_array *to = columns_of(x, from, till), *of = columns_of(left, from, till);
            if (from > 0) good = gnd_matmul_into(of, columns_of(x, 0, from), before, -1, 1) == GND_OK;
            good = good && gnd_matmul_into(to, of, inverse, 1, 0) == GND_OK;
            good = good && gnd_matmul_into(of, to, itself, -1, 1) == GND_OK &&
                   gnd_matmul_into(to, of, inverse, 1, 1) == GND_OK;
        }
    }
    return good;
}

/* Everyone's rows of panel k below its block of the diagonal, in the matrix's order, from the round of block k + 1 on.
   Of blocks in that round that come before, there is nothing. Each column is dense in memory, so that the right factor
   of the products is in C order: they are faster then, by 6 % in float32. */
static void share_below(factoring *f, int64_t k, panel *p) {
    const int64_t width = width_of(f, k), round = (k + 1) / f->ranks;
    const int64_t rounds = f->rounds - round, rows = rounds * f->ranks * f->block;
    gnd_array *columns = gnd_empty(GND_SHAPE(width, rows), f->dtype);
    const gnd_array *all =
        gnd_permute(gnd_reshape(columns, GND_SHAPE(width, rounds, f->ranks, f->block)), GND_AXES(1, 2, 3, 0));
    p->below = gnd_transpose(columns);
    gndi_piece *send = f->mesh->link->pieces[0], *receive = f->mesh->link->pieces[1];
    const int64_t bytes = f->block * width * (int64_t)gnd_dtype_size(f->dtype);
    const int64_t count = blocks_from(f, f->rank, k + 1);
    const gnd_array *own = p->own ? gnd_reshape(p->own, GND_SHAPE(count, f->block, width)) : NULL;
    for (int r = 0; r < f->ranks; r++) {
        const int64_t blocks = blocks_from(f, r, k + 1);
        const gnd_array *to = gnd_slice(all, "%lld:, %d", (long long)(rounds - blocks), r);
        send[r] = gndi_piece_at(r, own, count * bytes);
        receive[r] = gndi_piece_at(r, to, blocks * bytes);
    }
    if (gndi_mesh_exchange(f->mesh, f->fn, f->ranks, send, f->ranks, receive) != GND_OK || !all || !own)
        f->good = false;
}

/* The rest of panel k, whose corner is factored, from this rank's rows of it. */
static void factor_below(factoring *f, int64_t k, gnd_array *left, panel *p) {
    if (k + 1 == f->blocks) return;
    GND_SCOPE {
        const int64_t width = width_of(f, k), rows = blocks_from(f, f->rank, k + 1) * f->block;
        if (f->good) p->own = gnd_empty(GND_SHAPE(rows, width), f->dtype);
        f->good = f->good && p->own && (rows == 0 || solve_rows(f, p->corner, left, p->own));
        if (!f->good) p->own = NULL;
        share_below(f, k, p);
        p->right = gnd_transpose(gnd_dtype_kind(f->dtype) == 'c' ? gnd_conjugate(p->below) : p->below);
        f->good = f->good && p->right;
        gnd_keep(p->own), gnd_keep(p->below), gnd_keep(p->right);
    }
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Copies rows from `top` till `bottom` of `a`, which begins at this row and this column of the matrix, to where
   they are in the block of the result, as far as it has them. */
static bool put(const factoring *f, const gnd_array *a, int64_t row, int64_t column, int64_t top, int64_t bottom) {
    const int64_t *start = f->box.start, *count = f->box.count;
    const int64_t left = at_least(column, start[1]), right = at_most(column + gnd_dim(a, 1), start[1] + count[1]);
    top = at_least(top, start[0]), bottom = at_most(bottom, start[0] + count[0]);
    if (top >= bottom || left >= right) return true;
    gnd_array *to = columns_of(rows_of(f->local, top - start[0], bottom - start[0]), left - start[1], right - start[1]);
    return gnd_copyto(to, columns_of(rows_of(a, top - row, bottom - row), left - column, right - column)) == GND_OK;
}

/* Zeros above row `bottom`, in columns from `left` till `right` of the matrix. */
static bool clear(const factoring *f, int64_t left, int64_t right, int64_t bottom) {
    const int64_t *start = f->box.start, *count = f->box.count;
    left = at_least(left, start[1]), right = at_most(right, start[1] + count[1]);
    bottom = at_most(bottom, start[0] + count[0]);
    if (start[0] >= bottom || left >= right) return true;
    gnd_array *to = columns_of(rows_of(f->local, 0, bottom - start[0]), left - start[1], right - start[1]);
    return gnd_fill(to, 0) == GND_OK;
}

/* Every rank has all of panel k, and takes from it what its block of the result needs. */
static bool write_panel(const factoring *f, int64_t k, const panel *p) {
    const int64_t from = start_of(f, k), till = start_of(f, k + 1), first = first_below(f, k);
    bool good = p->corner != NULL;
    GND_SCOPE {
        good = good && clear(f, from, till, from) && put(f, p->corner, from, from, from, till);
        if (p->below) good = good && put(f, p->below, first, from, till, f->n);
    }
    return good;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Subtracts panel k's products from columns `from` till `till`, in `blocks` of this rank's blocks of rows from its
   block i on. */
static bool subtract(const factoring *f, int64_t k, const panel *p, int64_t i, int64_t blocks, int64_t from,
                     int64_t till) {
    const int64_t row = (i - own_from(f, k + 1)) / f->ranks * f->block, rows = blocks * f->block;
    bool good = true;
    if (blocks == 0) return true;
    GND_SCOPE {
        gnd_array *to = rows_of(columns_of(own_rows(f, i), from, till), 0, rows);
        const gnd_array *right = columns_of(p->right, from - first_below(f, k), till - first_below(f, k));
        good = gnd_matmul_into(to, rows_of(p->own, row, row + rows), right, -1, 1) == GND_OK;
    }
    return good;
}
/* From the next panel: its corner, and what is below. */
static bool subtract_corner(const factoring *f, int64_t k, const panel *p) {
    const bool mine = own_from(f, k + 1) == k + 1;
    return subtract(f, k, p, k + 1, mine ? 1 : 0, start_of(f, k + 1), start_of(f, k + 2));
}
static bool subtract_below(const factoring *f, int64_t k, const panel *p) {
    const int64_t i = own_from(f, k + 2);
    return subtract(f, k, p, i, blocks_from(f, f->rank, k + 2), start_of(f, k + 1), start_of(f, k + 2));
}
/* And from everything behind that, a block of rows up to the diagonal at a time. */
static bool subtract_rest(const factoring *f, int64_t k, const panel *p) {
    bool good = true;
    for (int64_t i = own_from(f, k + 2); i < f->blocks && good; i += f->ranks)
        good = subtract(f, k, p, i, 1, start_of(f, k + 2), start_of(f, i + 1));
    return good;
}

/* One step; the panel becomes the next one. What others wait for, or what takes long by itself, is queued before the
   work that it runs beside: the next corner before what is below it, and all of the next panel before the rest. Rows
   are packed on the current stream, which would wait for the other one otherwise before it writes to the store. */
static void step(factoring *f, int64_t k, panel *p) {
    panel following = {0};
    GND_SCOPE {
        f->good = f->good && subtract_corner(f, k, p);
        const gnd_array *corner = f->good ? pack_corner(f, k + 1) : NULL;
        GND_STREAM(f->beside) {
            following.corner = factor_corner(f, k + 1, corner);
        }
        f->good = f->good && subtract_below(f, k, p);
        gnd_array *left = f->good ? pack_below(f, k + 1) : NULL;
        GND_STREAM(f->beside) {
            factor_below(f, k + 1, left, &following);
        }
        f->good = f->good && subtract_rest(f, k, p) && write_panel(f, k, p);
        keep(&following);
    }
    release(p);
    *p = following;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

/* Blocks that are long enough for products, and short enough for an even load. */
static int64_t block_length(int64_t n, int ranks) {
    const int64_t most = gnd_current_device().kind == GND_GPU ? 1024 : 128;
    const int64_t even = n / (4 * ranks), length = even < most ? even : most;
    return length < 1 ? 1 : length < 64 ? length : length / 16 * 16;
}

gnd_array *gndi_cholesky_blocks(const gnd_dist *x, const gnd_dist *y, const char *fn) {
    gnd_mesh *mesh = x->mesh->row ? x->mesh->row : x->mesh;
    factoring f = {.fn = fn,
                   .mesh = mesh,
                   .dtype = x->dtype,
                   .n = x->shape.dim[0],
                   .ranks = gnd_mesh_size(mesh),
                   .rank = gnd_mesh_rank(mesh),
                   .beside = mesh->link->beside};
    f.block = block_length(f.n, f.ranks);
    f.blocks = (f.n + f.block - 1) / f.block;
    f.rounds = (f.blocks + f.ranks - 1) / f.ranks;
    deal_out(&f, x);
    gndi_box_of(y, gnd_mesh_rank(y->mesh), &f.box);
    f.local = gnd_empty(gndi_dist_local_shape(y), f.dtype);
    f.good = f.good && f.local;
    /* Without work beside it, a factor may as well be waited for. */
    const bool strict = gnd_linalg_strict(!f.beside);
    panel p = {0};
    GND_SCOPE {
        p.corner = factor_corner(&f, 0, f.good ? pack_corner(&f, 0) : NULL);
        factor_below(&f, 0, f.good ? pack_below(&f, 0) : NULL, &p);
        keep(&p);
    }
    for (int64_t k = 0; k + 1 < f.blocks; k++) step(&f, k, &p);
    f.good = f.good && write_panel(&f, f.blocks - 1, &p);
    gnd_linalg_strict(strict);
    release(&p), gnd_release(f.store);
    return f.good ? f.local : NULL;
}
