/*
 * einsum.c: the public functions of einsum, the steps on a single operand (axes of size 1 dropped, diagonals, sums
 * over axes that no other operand has), and the contractions in the planner's order.
 */
#include "linalg/einsum.h"
#include "linalg/products.h"
#include "reduce/reduce.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_einsum
#undef gnd_einsum_into
#undef gnd_einsum_with
#undef gnd_einsum_lists

typedef gndi_einsum_operand operand;

/* The state of a call. */
typedef struct run {
    const char *fn;
    const gndi_einsum *e;
    gnd_dtype dtype; /* as asked for, else that of the operands and `out` together */
    gnd_casting casting;
    gnd_dtype wide; /* of intermediate results: float32 for the half dtypes */
    gnd_array *out; /* NULL: a new array, which is: */
    gnd_array *result;
    operand *left; /* remaining operands */
    int count;
} run;

/* ---- one operand ---------------------------------------------------------------------------- */

/* The operand takes over a new array. */
static void settle(operand *x, gnd_array *made, const gndi_term *term) {
    if (x->made) gnd_release(x->made);
    x->array = x->made = made;
    x->term = *term;
}

/* Drops axes of size 1 and replaces the axes of a repeated label by their diagonal: a view, if anything changes. */
static bool simplify(const run *r, const gnd_array *a, const gndi_term *term, operand *x) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    gndi_labels seen = 0;
    x->array = a, x->made = NULL, x->term.ndim = 0;
    for (int i = 0; i < term->ndim; i++) {
        const uint8_t label = term->label[i];
        if (a->shape[i] == 1) continue;
        if (seen & gndi_label_bit(label)) {
            strides[gndi_term_axis(&x->term, label)] += a->strides[i];
            continue;
        }
        seen |= gndi_label_bit(label);
        shape[x->term.ndim] = a->shape[i], strides[x->term.ndim] = a->strides[i];
        x->term.label[x->term.ndim++] = label;
    }
    if (x->term.ndim == term->ndim) return true;
    x->made = gndi_array_view(r->fn, a, x->term.ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
    x->array = x->made;
    return x->made != NULL;
}

/* The sum over the axes of some labels, in `dtype`: a new array, or `out`, which has the remaining axes. */
static gnd_array *sum_over(const char *fn, const operand *x, gndi_labels set, gnd_dtype dtype, gnd_array *out,
                           gndi_term *term) {
    gnd_axes axes = {.dtype = dtype, .out = out};
    term->ndim = 0;
    for (int i = 0; i < x->term.ndim; i++)
        if (set >> x->term.label[i] & 1)
            axes.axis[axes.count++] = i;
        else
            term->label[term->ndim++] = x->term.label[i];
    return gndi_reduce_operator(fn, GNDI_OP_add, x->array, &axes);
}

/* Sums each operand over the labels that neither the result nor another operand has. */
static bool sum_alone(run *r) {
    for (int i = 0; i < r->count; i++) {
        gndi_labels others = gndi_term_set(&r->e->out);
        gndi_term term;
        for (int k = 0; k < r->count; k++)
            if (k != i) others |= gndi_term_set(&r->left[k].term);
        const gndi_labels alone = gndi_term_set(&r->left[i].term) & ~others;
        if (!alone) continue;
        gnd_array *sum = sum_over(r->fn, &r->left[i], alone, r->wide, NULL, &term);
        if (!sum) return false;
        settle(&r->left[i], sum, &term);
    }
    return true;
}

/* The whole call for a single operand that is summed: to a new array, whose axis order `term` gets, or to r->out. */
static gnd_array *sum_one(const run *r, gndi_temporaries *s, gndi_labels alone, gndi_term *term) {
    const operand *x = &r->left[0];
    gnd_array *out = NULL;
    if (r->out) {
        gndi_term kept = {0};
        for (int i = 0; i < x->term.ndim; i++)
            if (!(alone >> x->term.label[i] & 1)) kept.label[kept.ndim++] = x->term.label[i];
        out = gndi_einsum_view(s, r->out, &r->e->out, &kept, NULL);
    }
    return s->failed ? NULL : gndi_temporaries_keep(s, sum_over(r->fn, x, alone, r->dtype, out, term));
}

/* One operand: a view, or a sum. A sum over axes of size 1 alone, which have been dropped, is a copy. */
static bool finish_one(run *r) {
    gndi_temporaries s = {.fn = r->fn};
    const operand *x = &r->left[0];
    const gndi_labels out = gndi_term_set(&r->e->out);
    const gndi_labels summed = gndi_term_set(&r->e->terms[0]) & ~out;
    const gndi_labels alone = gndi_term_set(&x->term) & ~out;
    gndi_term term = x->term;
    gnd_array *view = NULL;
    const gnd_array *all = alone ? sum_one(r, &s, alone, &term) : x->array;
    if (!s.failed && !(alone && r->out)) {
        view = gndi_einsum_view(&s, all, &term, &r->e->out, NULL);
        if (view && r->out)
            s.failed = gndi_copy_into(r->fn, r->out, view) != GND_OK;
        else if (view && alone)
            gndi_sole_view(view);
        else if (view && summed)
            view = gndi_temporaries_keep(&s, gndi_copy_as(r->fn, view, r->dtype, 'K'));
    }
    r->result = gndi_temporaries_end(&s, r->out ? NULL : view);
    return !s.failed;
}

/* ---- two of them ---------------------------------------------------------------------------- */

/* The dtype that a contraction is computed in. The last contraction of half operands does its own rounding, unless
   they have been widened before. */
static gnd_dtype step_dtype(const run *r, const operand *a, const operand *b, bool last) {
    if (!last || r->wide == r->dtype) return r->wide;
    const bool both = (gnd_dtype)a->array->dtype != r->wide && (gnd_dtype)b->array->dtype != r->wide;
    return both ? r->dtype : r->wide;
}

/* The last contraction, to r->result or r->out. */
static bool contract_last(run *r, const operand *a, const operand *b) {
    gndi_temporaries s = {.fn = r->fn};
    gndi_term term;
    const gndi_einsum_target target = {&r->e->out, r->out};
    const gnd_dtype dtype = step_dtype(r, a, b, true);
    gnd_array *result = gndi_einsum_pair(&s, a, b, gndi_term_set(&r->e->out), r->e->size, dtype, &target, &term);
    if (result && dtype != r->dtype) result = gndi_temporaries_keep(&s, gndi_copy_as(r->fn, result, r->dtype, 'K'));
    if (result) result = gndi_sole_view(gndi_einsum_view(&s, result, &term, &r->e->out, NULL));
    r->result = gndi_temporaries_end(&s, result);
    return !s.failed;
}

/* A contraction before the last; its result is appended to the remaining operands. */
static bool contract_between(run *r, const operand *a, const operand *b) {
    static const gndi_einsum_target none = {NULL, NULL};
    gndi_temporaries s = {.fn = r->fn};
    operand made;
    gndi_labels keep = gndi_term_set(&r->e->out);
    for (int i = 0; i < r->count; i++) keep |= gndi_term_set(&r->left[i].term);
    gnd_array *result = gndi_einsum_pair(&s, a, b, keep, r->e->size, step_dtype(r, a, b, false), &none, &made.term);
    made.array = made.made = gndi_temporaries_end(&s, result);
    if (made.made) r->left[r->count++] = made;
    return !s.failed;
}

/* Contracts two operands, which are released. */
static bool contract(run *r, gndi_path_step step) {
    const operand a = r->left[step.first], b = r->left[step.second];
    int n = 0;
    for (int i = 0; i < r->count; i++)
        if (i != step.first && i != step.second) r->left[n++] = r->left[i];
    r->count = n;
    const bool good = n ? contract_between(r, &a, &b) : contract_last(r, &a, &b);
    if (a.made) gnd_release(a.made);
    if (b.made) gnd_release(b.made);
    return good;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int plan(const run *r, bool only_pairs, gndi_labels *sets, gndi_path_step *steps) {
    gndi_path_problem p = {.count = r->count,
                           .sets = sets,
                           .out = gndi_term_set(&r->e->out),
                           .size = r->e->size,
                           .only_pairs = only_pairs};
    p.memory_limit = gndi_labels_size(p.out, p.size);
    for (int i = 0; i < r->count; i++) {
        sets[i] = gndi_term_set(&r->left[i].term);
        const double size = gndi_labels_size(sets[i], p.size);
        if (size > p.memory_limit) p.memory_limit = size;
    }
    return gndi_path_greedy(r->fn, &p, steps);
}

/* Follows the greedy path. If it ends by contracting all remaining operands at once, these are planned again, in
   pairs only. */
static bool contract_all(run *r) {
    const size_t count = (size_t)r->count;
    gndi_path_step *steps = gndi_malloc(r->fn, count * sizeof *steps);
    gndi_labels *sets = steps ? gndi_malloc(r->fn, count * sizeof *sets) : NULL;
    bool good = sets != NULL;
    for (int only_pairs = 0; good && r->count > 0; only_pairs++) {
        const int n = plan(r, only_pairs, sets, steps);
        good = n > 0;
        for (int i = 0; good && i < n && steps[i].first != GNDI_ALL_LEFT; i++) good = contract(r, steps[i]);
    }
    gndi_free(sets);
    gndi_free(steps);
    return good;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool promote_all(run *r, const gnd_array *const arrays[]) {
    const int count = r->e->count + (r->out != NULL);
    gnd_dtype *dtypes = gndi_malloc(r->fn, (size_t)count * sizeof *dtypes);
    if (!dtypes) return false;
    for (int i = 0; i < count; i++) dtypes[i] = (gnd_dtype)(i < r->e->count ? arrays[i] : r->out)->dtype;
    r->dtype = gndi_promote_list(count, dtypes);
    gndi_free(dtypes);
    return true;
}

/* Whether the result is a view of one operand: nothing is summed. */
static bool gives_view(const run *r) {
    const gndi_labels summed = gndi_term_set(&r->e->terms[0]) & ~gndi_term_set(&r->e->out);
    return r->e->count == 1 && !summed && !r->out;
}

static bool choose_dtype(run *r, const gnd_array *const arrays[]) {
    if (gives_view(r)) r->dtype = (gnd_dtype)arrays[0]->dtype; /* as NumPy, whatever is asked for */
    if (!r->dtype && !promote_all(r, arrays)) return false;
    r->wide = gndi_dtype_is_half(r->dtype) ? GND_FLOAT32 : r->dtype;
    return gndi_check_casts(r->fn, r->e->count, arrays, r->dtype, r->out, r->casting);
}

static void shape_of_result(const gndi_einsum *e, int64_t *shape) {
    for (int i = 0; i < e->out.ndim; i++) shape[i] = e->size[e->out.label[i]];
}

/* Whether an axis has size 0: the result, if it has elements, is then sums of nothing. */
static bool is_empty(const gndi_einsum *e) {
    for (int label = 0; label < GNDI_LABELS; label++)
        if (e->size[label] == 0) return true;
    return false;
}

static bool zeros(run *r, const gnd_array *like) {
    int64_t shape[GND_MAX_DIMS];
    if (r->out) return gndi_assign(r->fn, r->out, gnd_arg_int(0)) == GND_OK;
    shape_of_result(r->e, shape);
    gnd_stream *stream = gndi_stream_on(like->buffer->device, r->fn);
    if (!stream) return false;
    r->result = gndi_zero(r->fn, gndi_array_new_on(r->fn, stream, r->e->out.ndim, shape, r->dtype, GNDI_ORDER_C));
    return r->result != NULL;
}

/* An operand with values that the requested dtype cannot hold is cast to it first. */
static bool narrow(const run *r, operand *x) {
    if (gnd_can_cast((gnd_dtype)x->array->dtype, r->dtype, GND_SAFE)) return true;
    gnd_array *cast = gndi_copy_as(r->fn, x->array, r->dtype, 'K');
    if (cast) settle(x, cast, &x->term);
    return cast != NULL;
}

static bool combine(run *r, const gnd_array *const arrays[]) {
    for (; r->count < r->e->count; r->count++) {
        const gndi_term *term = &r->e->terms[r->count];
        if (!simplify(r, arrays[r->count], term, &r->left[r->count])) return false;
        if (!narrow(r, &r->left[r->count])) return r->count++, false;
    }
    if (r->count == 1) return finish_one(r);
    return sum_alone(r) && contract_all(r);
}

static bool carry_out(run *r, const gnd_array *const arrays[]) {
    int64_t shape[GND_MAX_DIMS];
    shape_of_result(r->e, shape);
    if (r->out && !gndi_check_out(r->fn, arrays[0], r->out, r->e->out.ndim, shape)) return false;
    if (!choose_dtype(r, arrays)) return false;
    if (r->e->count > 1 && is_empty(r->e)) return zeros(r, arrays[0]);
    r->left = gndi_malloc(r->fn, (size_t)r->e->count * sizeof *r->left);
    if (!r->left) return false;
    const bool good = combine(r, arrays);
    for (int i = 0; i < r->count; i++)
        if (r->left[i].made) gnd_release(r->left[i].made);
    gndi_free(r->left);
    return good;
}

static bool einsum(run *r, const char *subscripts, int count, const gnd_array *const arrays[]) {
    gndi_einsum *e = gndi_einsum_parse(r->fn, subscripts, count, arrays);
    if (!e) return false;
    r->e = e;
    const bool good = carry_out(r, arrays);
    gndi_free(e);
    return good;
}

gnd_array *gnd_einsum(const char *subscripts, int count, const gnd_array *const arrays[]) {
    run r = {.fn = "gnd_einsum"};
    return einsum(&r, subscripts, count, arrays) ? r.result : NULL;
}

gnd_status gnd_einsum_into(gnd_array *out, const char *subscripts, int count, const gnd_array *const arrays[]) {
    run r = {.fn = "gnd_einsum_into", .out = out};
    if (gndi_missing(out)) return gndi_raise_null(r.fn, "out");
    return einsum(&r, subscripts, count, arrays) ? GND_OK : gndi_ew_pending();
}

static gnd_array *einsum_with(const char *fn, const char *subscripts, int count, const gnd_array *const arrays[],
                              const gnd_product_options *o) {
    run r = {.fn = fn, .dtype = o->dtype, .casting = o->casting, .out = o->out};
    if (o->axes) return gndi_fail(GND_ERROR_INVALID, fn, "takes no axes: subscripts name them");
    if (gndi_optional_missing(fn, o->out, "out") || !gndi_check_product_options(fn, o) ||
        !einsum(&r, subscripts, count, arrays))
        return NULL;
    return o->out ? gndi_array_alias(fn, o->out) : r.result;
}

gnd_array *gnd_einsum_with(const char *subscripts, int count, const gnd_array *const arrays[],
                           gnd_product_options options) {
    return einsum_with("gnd_einsum_with", subscripts, count, arrays, &options);
}

/* ---- lists of numbers ----------------------------------------------------------------------- */

/* Appends the letters of a list to `text`; NULL and an error if it is not a list of labels. */
static char *write_list(const char *fn, const gnd_axes *list, char *text) {
    if (list->count > GND_MAX_DIMS + 1 || list->keepdims || list->dtype || list->where || list->initial || list->out)
        return gndi_raise(GND_ERROR_INVALID, fn, "a list has up to %d numbers, and no options", GND_MAX_DIMS), NULL;
    for (int i = 0; i < list->count; i++) {
        const int number = list->axis[i];
        if (number < GND_EINSUM_ELLIPSIS || number >= GNDI_LETTERS)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "number %d is out of range: 0 to %d are axes, and "
                              "GND_EINSUM_ELLIPSIS (-1) those that have no number",
                              number, GNDI_LETTERS - 1),
                   NULL;
        if (number >= 0)
            *text++ = gndi_label_letter(number);
        else
            memcpy(text, "...", 3), text += 3;
    }
    return text;
}

static bool write_lists(const char *fn, int count, const gnd_axes *lists, const gnd_axes *result, char *text) {
    for (int i = 0; i < count; i++) {
        if (i) *text++ = ',';
        if (!(text = write_list(fn, &lists[i], text))) return false;
    }
    if (result) {
        memcpy(text, "->", 2);
        if (!(text = write_list(fn, result, text + 2))) return false;
    }
    *text = 0;
    return true;
}

gnd_array *gnd_einsum_lists(int count, const gnd_array *const arrays[], const gnd_axes lists[], const gnd_axes *result,
                            gnd_product_options options) {
    static const char fn[] = "gnd_einsum_lists";
    enum { LONGEST = 3 * (GND_MAX_DIMS + 1) + 2 };
    if (count < 1) return gndi_fail(GND_ERROR_INVALID, fn, "%d operands; at least 1", count);
    if (!lists) return gndi_raise_null(fn, "lists"), NULL;
    char *text = gndi_malloc(fn, ((size_t)count + 1) * LONGEST + 1);
    if (!text) return NULL;
    gnd_array *made =
        write_lists(fn, count, lists, result, text) ? einsum_with(fn, text, count, arrays, &options) : NULL;
    gndi_free(text);
    return made;
}
