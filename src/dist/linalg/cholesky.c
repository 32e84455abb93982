/*
 * cholesky.c: the Cholesky factor of a split matrix by gnd's own functions. Blocks of rows are dealt out in turn. Step
 * by step every rank gathers a panel, a block of columns from the diagonal down, factors it whole, as all others do,
 * and subtracts its products from the rows that it has. The next panel is brought up to date first, and gathered and
 * factored on a stream of its own while the rest is computed.
 */
#include "dist/linalg/solve.h"

typedef struct factoring {
    const char *fn;
    gnd_mesh *mesh; /* the ranks in a row */
    gnd_dtype dtype;
    int64_t n, block, blocks, rounds;
    int ranks, rank;
    gnd_array *store;   /* (rounds, block, n): of each round this rank's block of rows. NULL: it has failed */
    gnd_stream *beside; /* for the next panel; NULL: the current one */
    bool good;
} factoring;

/* Columns of a panel: its block of the diagonal, and what is below. */
typedef struct panel {
    gnd_array *corner, *below;
} panel;

static int64_t at_most(int64_t a, int64_t most) {
    return a < most ? a : most;
}
/* Where block i begins; the last one may be short. */
static int64_t start_of(const factoring *f, int64_t i) {
    return at_most(i * f->block, f->n);
}

/* ---- dealing out rows -------------------------------------------------------------------------------------------- */

/* The matrix with rows in whole rounds, and those rounds: split by rounds, and dealt out. */
typedef struct dealing {
    gnd_dist *rows, *rounds, *dealt;
} dealing;

static bool describe(const factoring *f, dealing *d) {
    int64_t *cuts = f->mesh->link->numbers;
    for (int r = 0; r <= f->ranks; r++)
        cuts[r] = at_most(gndi_even_cut(f->rounds, f->ranks, r) * f->ranks * f->block, f->n);
    const gnd_shape matrix = GND_SHAPE(f->n, f->n), rounds = GND_SHAPE(f->rounds, f->ranks, f->block, f->n);
    d->rows = gndi_dist_new(f->mesh, f->fn, matrix, f->dtype, (gndi_layout){{0, -1}, {cuts, NULL}});
    d->rounds = gndi_dist_new(f->mesh, f->fn, rounds, f->dtype, (gndi_layout){{0, -1}, {NULL, NULL}});
    d->dealt = gndi_dist_new(f->mesh, f->fn, rounds, f->dtype, (gndi_layout){{1, -1}, {NULL, NULL}});
    return d->rows && d->rounds && d->dealt;
}
static void forget(dealing *d) {
    gnd_dist_release(d->rows), gnd_dist_release(d->rounds), gnd_dist_release(d->dealt);
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
static gnd_array *as_dealt(const factoring *f) {
    return gnd_reshape(f->store, GND_SHAPE(f->rounds, 1, f->block, f->n));
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
            if (gndi_dist_move_block(d.rounds, a, d.dealt, as_dealt(f), f->fn) != GND_OK || !a) f->good = false;
        }
    }
    forget(&d);
}

static gnd_array *gather_in(factoring *f, const gnd_dist *y) {
    dealing d;
    gnd_array *local = gnd_empty(gndi_dist_local_shape(y), f->dtype);
    if (describe(f, &d)) {
        GND_SCOPE {
            const bool there = is_in_rounds(f, &d, y);
            gnd_array *rows = NULL;
            gnd_array *a = there ? gnd_reshape(local, gndi_dist_local_shape(d.rounds)) : rounds_with_room(f, &d, &rows);
            const gnd_array *from = f->good ? as_dealt(f) : NULL;
            if (gndi_dist_move_block(d.dealt, from, d.rounds, a, f->fn) != GND_OK || !from || !a) f->good = false;
            if (!there && gndi_dist_move_block(d.rows, f->good ? rows : NULL, y, local, f->fn) != GND_OK)
                f->good = false;
        }
    }
    forget(&d);
    return f->good ? local : NULL;
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
/* This rank's first block from number i on. */
static int64_t own_from(const factoring *f, int64_t i) {
    return i + (f->rank - i % f->ranks + f->ranks) % f->ranks;
}

/* This rank's blocks of panel k, from the round on that has the diagonal. */
static gnd_array *pack(const factoring *f, int64_t k) {
    const int64_t from = start_of(f, k), till = start_of(f, k + 1);
    const gnd_array *part = columns_of(own_rows(f, k / f->ranks * f->ranks), from, till);
    return gnd_reshape(gnd_copy(part), GND_SHAPE(-1, f->block, till - from));
}

/* Gathers panel k, and factors it. */
static panel factor(factoring *f, int64_t k, const gnd_array *part) {
    panel p = {NULL, NULL};
    GND_SCOPE {
        const int64_t round = k / f->ranks, rounds = f->rounds - round, first = round * f->ranks * f->block;
        const int64_t from = start_of(f, k), till = start_of(f, k + 1);
        const gnd_array *all = gndi_mesh_all_gather(f->mesh, f->fn, f->good ? part : NULL,
                                                    GND_SHAPE(rounds, f->block, till - from), f->dtype);
        all = gnd_ascontiguous(gnd_permute(all, GND_AXES(1, 0, 2, 3)));
        all = gnd_reshape(all, GND_SHAPE(rounds * f->ranks * f->block, till - from));
        p.corner = gnd_keep(gnd_cholesky(rows_of(all, from - first, till - first), false));
        if (till < f->n) { /* below corner^H = what was there */
            const bool is_complex = gnd_dtype_kind(f->dtype) == 'c';
            const gnd_array *triangle = is_complex ? gnd_conjugate(p.corner) : p.corner;
            const gnd_array *right = gnd_transpose(rows_of(all, till - first, gnd_dim(all, 0)));
            p.below =
                gnd_keep(gnd_transpose(gnd_solve_triangular(triangle, right, (gnd_triangular_options){.lower = true})));
        }
        f->good = f->good && p.corner && (p.below || till == f->n);
    }
    return p;
}

/* This rank's blocks of what is below the diagonal in panel k. */
static gnd_array *own_below(const factoring *f, int64_t k, const panel *p) {
    const int64_t width = gnd_dim(p->below, 1), blocks = f->rounds * f->ranks - (k + 1);
    const gnd_array *all = gnd_reshape(p->below, GND_SHAPE(blocks, f->block, width));
    all = gnd_slice(all, "%lld::%d", (long long)(own_from(f, k + 1) - (k + 1)), f->ranks);
    return gnd_reshape(gnd_ascontiguous(all), GND_SHAPE(-1, width));
}

static bool write_corner(const factoring *f, int64_t k, const panel *p) {
    const int64_t from = start_of(f, k), till = start_of(f, k + 1);
    if (own_from(f, k) != k) return true;
    return gnd_copyto(rows_of(columns_of(own_rows(f, k), from, till), 0, till - from), p->corner) == GND_OK;
}

/* Subtracts panel k's products from the next panel. `own` are this rank's rows of it, `right` is all of it below the
   diagonal, transposed and conjugated. */
static bool subtract_next(const factoring *f, int64_t k, const gnd_array *own, const gnd_array *right) {
    const int64_t from = start_of(f, k + 1), till = start_of(f, k + 2), i = own_from(f, k + 1);
    if (i >= f->rounds * f->ranks) return true;
    gnd_array *columns = columns_of(own_rows(f, i), from, till);
    return gnd_matmul_into(columns, own, columns_of(right, 0, till - from), -1, 1) == GND_OK;
}

/* And from everything behind that, a block of rows up to the diagonal at a time. */
static bool subtract_rest(const factoring *f, int64_t k, const gnd_array *own, const gnd_array *right) {
    const int64_t top = start_of(f, k + 1), from = start_of(f, k + 2), first = own_from(f, k + 1);
    bool good = true;
    for (int64_t i = own_from(f, k + 2); i < f->blocks && good; i += f->ranks) {
        GND_SCOPE {
            const int64_t till = start_of(f, i + 1), row = (i - first) / f->ranks * f->block;
            gnd_array *rows = rows_of(columns_of(own_rows(f, i), from, till), 0, f->block);
            good = gnd_matmul_into(rows, rows_of(own, row, row + f->block), columns_of(right, from - top, till - top),
                                   -1, 1) == GND_OK;
        }
    }
    return good;
}

/* One step; the panel becomes the next one. */
static void step(factoring *f, int64_t k, panel *p) {
    panel following = {NULL, NULL};
    GND_SCOPE {
        const gnd_array *part = NULL, *below = p->below, *own = f->good ? own_below(f, k, p) : NULL;
        const gnd_array *right = gnd_transpose(gnd_dtype_kind(f->dtype) == 'c' ? gnd_conjugate(below) : below);
        const int64_t i = own_from(f, k + 1);
        if (f->good && i < f->rounds * f->ranks)
            f->good = gnd_copyto(columns_of(own_rows(f, i), start_of(f, k), start_of(f, k + 1)), own) == GND_OK;
        f->good = f->good && write_corner(f, k, p) && subtract_next(f, k, own, right);
        GND_STREAM(f->beside) {
            part = pack(f, k + 1);
        }
        f->good = f->good && subtract_rest(f, k, own, right);
        GND_STREAM(f->beside) {
            following = factor(f, k + 1, part);
        }
        gnd_keep(following.corner), gnd_keep(following.below);
    }
    gnd_release(p->corner), gnd_release(p->below);
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
    /* Without work beside it, a factor may as well be waited for. */
    const bool strict = gnd_linalg_strict(!f.beside);
    panel p = factor(&f, 0, pack(&f, 0));
    for (int64_t k = 0; k + 1 < f.blocks; k++) step(&f, k, &p);
    f.good = f.good && write_corner(&f, f.blocks - 1, &p);
    gnd_linalg_strict(strict);
    gnd_release(p.corner), gnd_release(p.below);
    gnd_array *local = gather_in(&f, y);
    gnd_release(f.store);
    return local;
}
