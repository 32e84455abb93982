/*
 * sort.c: sorting split arrays. Along an axis that is not split, blocks are sorted where they are. Lines that are cut
 * are shared out among the ranks, sorted and sent back; where there are fewer lines than ranks, each rank sorts its
 * part of a line, and the sorted runs are cut so that each rank gets its part of the sorted line (split.c).
 */
#include "dist/sort/sort.h"
#include <string.h>

typedef struct sorting {
    const char *fn;
    const gnd_dist *x;
    int axis;
    gnd_direction direction;
    bool wanted[2]; /* values, indices */
    gndi_group group;
    gndi_layout layout; /* of the result */
} sorting;

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* The number of lines in a block. */
static int64_t lines_of(const gnd_dist *x, int axis, const gndi_box *box) {
    int64_t n = 1;
    for (int i = 0; i < x->shape.ndim; i++) n *= i == axis ? 1 : box->count[i];
    return n;
}

/* The most lines in any rank's block. */
static int64_t most_lines(const gnd_dist *x, int axis) {
    int64_t most = 0;
    for (int r = 0; r < gnd_mesh_size(x->mesh); r++) {
        gndi_box box;
        gndi_box_of(x, r, &box);
        const int64_t n = lines_of(x, axis, &box);
        most = n > most ? n : most;
    }
    return most;
}

/* A block as (lines, elements). */
static gnd_array *as_lines(const gnd_array *a, int axis, int64_t lines, int64_t length) {
    return a ? gnd_reshape(gnd_moveaxis(a, GND_AXES(axis), GND_AXES(-1)), GND_SHAPE(lines, length)) : NULL;
}

/* Back to a block of this shape. */
static gnd_array *from_lines(const gnd_array *a, int axis, gnd_shape shape) {
    const int64_t length = shape.dim[axis];
    for (int i = axis; i + 1 < shape.ndim; i++) shape.dim[i] = shape.dim[i + 1];
    shape.dim[shape.ndim - 1] = length;
    return a ? gnd_moveaxis(gnd_reshape(a, shape), GND_AXES(-1), GND_AXES(axis)) : NULL;
}

/* gnd's sorts: what is wanted of both. */
static bool sort_local(const sorting *s, const gnd_array *a, int axis, gnd_array **out) {
    out[0] = out[1] = NULL;
    if (!a) return false;
    if (s->wanted[0] && s->wanted[1])
        return gnd_sort_with_indices(&out[0], &out[1], a, GND_AXES(axis), s->direction) == GND_OK;
    const int i = s->wanted[1];
    out[i] = i ? gnd_argsort(a, GND_AXES(axis), s->direction) : gnd_sort(a, GND_AXES(axis), s->direction);
    return out[i] != NULL;
}

/* ---- lines are shared out ----------------------------------------------------------------------------------- */

/* Rows of `own` to the ranks that get them, against columns of `shared`; or the other way round. */
static bool share(const sorting *s, gnd_array *own, gnd_array *shared, const int64_t *rows, const int64_t *columns,
                  gnd_dtype dtype, bool back) {
    const gndi_group *g = &s->group;
    gndi_piece *piece[2] = {g->mesh->link->pieces[back], g->mesh->link->pieces[!back]};
    const int64_t size = (int64_t)gnd_dtype_size(dtype), mine = columns[g->here + 1] - columns[g->here];
    const int64_t got = rows[g->here + 1] - rows[g->here];
    for (int p = 0; p < g->size; p++) {
        const int rank = gndi_beside(g->mesh, g->k, p);
        piece[0][p] =
            gndi_piece_at(rank, own ? gnd_slice(own, "%lld:%lld", (long long)rows[p], (long long)rows[p + 1]) : NULL,
                          (rows[p + 1] - rows[p]) * mine * size);
        piece[1][p] = gndi_piece_at(
            rank, shared ? gnd_slice(shared, ":, %lld:%lld", (long long)columns[p], (long long)columns[p + 1]) : NULL,
            got * (columns[p + 1] - columns[p]) * size);
    }
    return gndi_mesh_exchange(g->mesh, s->fn, g->size, g->mesh->link->pieces[0], g->size, g->mesh->link->pieces[1]) ==
           GND_OK;
}

/* Nothing waits; an error of one rank is its own. */
static bool sort_shared(const sorting *s, const gnd_dist *y, gnd_array **out) {
    const gndi_group *g = &s->group;
    const gnd_dist *x = s->x;
    int64_t *rows = x->mesh->link->numbers;
    gndi_box box, to;
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &box);
    gndi_box_of(y, gnd_mesh_rank(x->mesh), &to);
    const int64_t lines = lines_of(x, s->axis, &box), length = x->shape.dim[s->axis];
    for (int p = 0; p <= g->size; p++) rows[p] = gndi_even_cut(lines, g->size, p);
    gnd_array *own = as_lines(x->local, s->axis, lines, box.count[s->axis]), *sorted[2];
    gnd_array *shared = gnd_empty(GND_SHAPE(rows[g->here + 1] - rows[g->here], length), x->dtype);
    bool good = share(s, own, shared, rows, x->cuts[g->k], x->dtype, false);
    good = sort_local(s, good ? shared : NULL, 1, sorted) && good;
    for (int i = 0; i < 2; i++) {
        const gnd_dtype dtype = i ? GND_INT64 : x->dtype;
        if (!s->wanted[i]) continue;
        gnd_array *block = gnd_empty(GND_SHAPE(lines, to.count[s->axis]), dtype);
        good = share(s, block, good ? sorted[i] : NULL, rows, y->cuts[g->k], dtype, true) && good && block;
        out[i] = good ? from_lines(block, s->axis, gndi_dist_local_shape(y)) : NULL;
        good = good && out[i];
    }
    return good;
}

/* ---- one line after the other ------------------------------------------------------------------------------- */

/* The sorted runs of ranks first .. last - 1, which are in `got` from `start` on, as one. Equal elements are merged in
   the order of ranks. Indices go along, if they are wanted. *count: how many there are. */
static bool merge(const sorting *s, const gndi_cutting *c, gnd_array *const *got, int first, int last, int64_t start,
                  int64_t *count, gnd_array **part) {
    const char range[] = "%lld:%lld";
    if (last - first == 1) {
        *count = gndi_cutting_count(c, first, s->group.here);
        for (int i = 0; i < (s->wanted[1] ? 2 : 1); i++)
            if (!(part[i] = gnd_slice(got[i], range, (long long)start, (long long)(start + *count)))) return false;
        return true;
    }
    const int middle = first + (last - first) / 2;
    int64_t counts[2];
    gnd_array *half[2][2] = {{NULL, NULL}, {NULL, NULL}}, *order = NULL;
    if (!merge(s, c, got, first, middle, start, &counts[0], half[0]) ||
        !merge(s, c, got, middle, last, start + counts[0], &counts[1], half[1]))
        return false;
    *count = counts[0] + counts[1];
    for (int k = 0; k < 2; k++)
        if (counts[k] == 0) return part[0] = half[1 - k][0], part[1] = half[1 - k][1], true;
    if (!s->wanted[1]) return (part[0] = gnd_merge(half[0][0], half[1][0], s->direction)) != NULL;
    if (gnd_merge_with_indices(&part[0], &order, half[0][0], half[1][0], s->direction) != GND_OK) return false;
    const gnd_array *indices = last - first == 2
                                   ? gnd_slice(got[1], range, (long long)start, (long long)(start + *count))
                                   : gnd_concatenate(GND_ARRAYS(half[0][1], half[1][1]), 0);
    return (part[1] = gnd_take(indices, order, GND_AXES(0), GND_RAISE)) != NULL;
}

/* This rank's part of a line in order; false if all ranks have failed. *good: of this rank. */
static bool sort_line(const sorting *s, gndi_cutting *c, const gnd_array *line, gnd_array **part, bool *good) {
    const gnd_dtype dtype[2] = {s->x->dtype, GND_INT64};
    gnd_array *run[2] = {NULL, NULL}, *got[2] = {NULL, NULL};
    int64_t count;
    const sorting both = {.wanted = {true, s->wanted[1]}, .direction = s->direction};
    bool well = *good && sort_local(&both, line, 0, run);
    if (well && s->wanted[1]) well = (run[1] = gnd_add(run[1], c->start[s->group.here])) != NULL;
    if (!gndi_cutting_find(c, s->fn, well, run[0], dtype[0])) return false;
    *good = gndi_cutting_exchange(c, s->fn, s->wanted[1] ? 2 : 1, run, dtype, got) &&
            merge(s, c, got, 0, s->group.size, 0, &count, part);
    return true;
}

/* False, and an error, on all ranks if one fails before elements move. out[i]: (lines, elements) */
static bool sort_in_turn(const sorting *s, const gnd_dist *y, int64_t lines, gnd_array **out, bool *good) {
    const gndi_group *g = &s->group;
    const gnd_dist *x = s->x;
    int64_t *none = x->mesh->link->numbers;
    gndi_box box, to;
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &box);
    gndi_box_of(y, gnd_mesh_rank(x->mesh), &to);
    const int64_t here = lines_of(x, s->axis, &box), length = to.count[s->axis];
    gndi_cutting c = {.group = *g, .direction = s->direction};
    gnd_array *own = as_lines(x->local, s->axis, here, box.count[s->axis]);
    *good = gndi_dist_here(x, s->fn) && gndi_cutting_prepare(&c, s->fn) && own;
    for (int i = 0; i < 2; i++)
        if (s->wanted[i] && here != 1)
            *good = (out[i] = gnd_empty(GND_SHAPE(here, length), i ? GND_INT64 : x->dtype)) && *good;
    memset(none, 0, (size_t)(g->size + 1) * sizeof *none);
    bool all = true;
    for (int64_t l = 0; all && l < lines; l++) { /* ranks with fewer lines take part with empty ones */
        c.start = l < here ? x->cuts[g->k] : none, c.target = l < here ? y->cuts[g->k] : none;
        GND_SCOPE {
            gnd_array *part[2] = {NULL, NULL};
            all = sort_line(s, &c, l < here ? gnd_slice(own, "%lld", (long long)l) : gnd_empty(GND_SHAPE(0), x->dtype),
                            part, good);
            for (int i = 0; all && *good && l < here && i < 2; i++) {
                if (!s->wanted[i]) continue;
                if (here == 1)
                    *good = (out[i] = gnd_keep(gnd_reshape(part[i], GND_SHAPE(1, length)))) != NULL;
                else
                    *good = gnd_copyto(gnd_slice(out[i], "%lld", (long long)l), part[i]) == GND_OK;
            }
        }
    }
    gndi_cutting_release(&c);
    for (int i = 0; all && *good && i < 2; i++)
        if (s->wanted[i]) *good = (out[i] = from_lines(out[i], s->axis, gndi_dist_local_shape(y))) != NULL;
    return all;
}

/* ---- public ------------------------------------------------------------------------------------------------- */

static gnd_status sort(sorting *s, gnd_dist **made) {
    const gnd_dist *x = s->x;
    const char *fn = s->fn;
    gnd_array *out[2] = {NULL, NULL};
    gnd_dist *y[2] = {NULL, NULL};
    char text[160];
    const int axis = s->axis < 0 ? s->axis + x->shape.ndim : s->axis;
    if (axis < 0 || axis >= x->shape.ndim)
        return gndi_dist_raise(GND_ERROR_AXIS, fn, "there is no axis %d of %d", s->axis, x->shape.ndim);
    if (s->direction != GND_ASCENDING && s->direction != GND_DESCENDING)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no direction %d", (int)s->direction);
    s->axis = axis;
    if (!gndi_mesh_enter(x->mesh, fn, "%s %d %d", gndi_text_dist(x, text, sizeof text), axis, (int)s->direction))
        return gndi_dist_status(fn);
    const int k = gndi_split_of(x, axis);
    const int64_t lines = most_lines(x, axis);
    gndi_layout layout = gndi_layout_of(x);
    if (k >= 0) layout.cuts[k] = NULL;
    for (int i = 0; i < 2; i++)
        if (s->wanted[i] && !(y[i] = gndi_dist_new(x->mesh, fn, x->shape, i ? GND_INT64 : x->dtype, layout)))
            return gndi_dist_status(fn);
    const gnd_dist *either = y[0] ? y[0] : y[1];
    bool all = true, good = false;
    if (k >= 0) s->group = gndi_group_of(x->mesh, k);
    if (k < 0)
        good = sort_local(s, x->local, axis, out);
    else if (lines == 0 || lines >= s->group.size)
        good = sort_shared(s, either, out);
    else
        all = sort_in_turn(s, either, lines, out, &good);
    for (int i = 0; i < 2; i++) {
        if (!y[i]) continue;
        if (!all)
            gnd_dist_release(y[i]);
        else
            made[i] = x->local ? gndi_dist_done(y[i], fn, good ? out[i] : NULL) : gndi_dist_failed_like(y[i], x);
    }
    return all ? GND_OK : gndi_dist_status(fn);
}

gnd_dist *gnd_dist_sort(const gnd_dist *x, int axis, gnd_direction direction) {
    static const char fn[] = "gnd_dist_sort";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    gnd_dist *made[2] = {NULL, NULL};
    sorting s = {.fn = fn, .x = x, .axis = axis, .direction = direction, .wanted = {true, false}};
    sort(&s, made);
    return made[0];
}

gnd_dist *gnd_dist_argsort(const gnd_dist *x, int axis, gnd_direction direction) {
    static const char fn[] = "gnd_dist_argsort";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    gnd_dist *made[2] = {NULL, NULL};
    sorting s = {.fn = fn, .x = x, .axis = axis, .direction = direction, .wanted = {false, true}};
    sort(&s, made);
    return made[1];
}

gnd_status gnd_dist_sort_with_indices(gnd_dist **values, gnd_dist **indices, const gnd_dist *x, int axis,
                                      gnd_direction direction) {
    static const char fn[] = "gnd_dist_sort_with_indices";
    if (values) *values = NULL;
    if (indices) *indices = NULL;
    if (gndi_dist_missing(x, fn) || !values || !indices) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    gnd_dist *made[2] = {NULL, NULL};
    sorting s = {.fn = fn, .x = x, .axis = axis, .direction = direction, .wanted = {true, true}};
    const gnd_status status = sort(&s, made);
    *values = made[0], *indices = made[1];
    return status;
}
