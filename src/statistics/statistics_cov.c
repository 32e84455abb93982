/*
 * statistics_cov.c: covariances and correlations: the variables are gathered as rows, centred, and
 * every pair of rows is multiplied and summed by one reduction over broadcast views. Weights and what
 * is divided by stay on the device; the check of the weights reports at the next wait.
 */
#include "elementwise/create.h"
#include "statistics/statistics.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_cov
#undef gnd_corrcoef

/* What gnd_cov works on; all but `observations` are owned. */
typedef struct sample {
    gnd_array *rows;                 /* the variables, centred in the end */
    gnd_array *weights, *importance; /* (observations,) float64: both together, and aweights */
    gnd_array *weight_sum;           /* 0-d float64 */
    int64_t observations;
} sample;

static void release(sample *s) {
    gnd_release(s->rows);
    gnd_release(s->weights);
    gnd_release(s->importance);
    gnd_release(s->weight_sum);
}

/* ---- options -------------------------------------------------------------------------------- */

static bool check_dtype(const char *fn, gnd_dtype dtype) {
    if (!dtype || (gndi_dtype_valid((int)dtype) && dtype >= GND_FLOAT16)) return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "dtype %s; it must be floating-point or complex",
               gndi_dtype_valid((int)dtype) ? gnd_dtype_name(dtype) : "is none of the dtypes");
    return false;
}

/* The number that is subtracted from the number of observations. */
static bool find_ddof(const char *fn, const gnd_cov_options *options, double *ddof) {
    const gnd_arg given = options->ddof;
    *ddof = options->bias ? 0 : 1;
    if (given.kind == GND_ARG_NONE) return true;
    if (given.kind != GND_ARG_ARRAY && given.kind != GND_ARG_COMPLEX) {
        *ddof = gndi_arg_parts(given).re;
        if (*ddof == __builtin_rint(*ddof)) return true;
    }
    gndi_raise(GND_ERROR_VALUE, fn, "ddof must be a whole number");
    return false;
}

/* ---- the variables -------------------------------------------------------------------------- */

/* `a` with a variable a row: a view of two dimensions. */
static gnd_array *as_rows(const char *fn, const char *name, const gnd_array *a, bool columns) {
    if (a->ndim > 2)
        return gndi_fail(GND_ERROR_SHAPE, fn, "%s has shape %s, which is more than 2 dimensions", name,
                         gndi_text_shape(a->ndim, a->shape));
    int64_t shape[2] = {1, 1}, strides[2] = {0, 0};
    for (int i = 0; i < a->ndim; i++) {
        const int to = 2 - a->ndim + i;
        shape[to] = a->shape[i], strides[to] = a->strides[i];
    }
    if (columns && a->ndim == 2) {
        const int64_t transposed_shape[2] = {shape[1], shape[0]};
        const int64_t transposed_strides[2] = {strides[1], strides[0]};
        return gndi_array_view(fn, a, 2, transposed_shape, transposed_strides, gndi_data(a), (gnd_dtype)a->dtype);
    }
    return gndi_array_view(fn, a, 2, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
}

/* Copies the rows of `from`, cast, into those of `to` from number `first` on. */
static bool copy_rows(const char *fn, gnd_array *to, int64_t first, const gnd_array *from) {
    gnd_array *part = gndi_array_view(fn, to, 2, from->shape, to->strides, gndi_data(to) + first * to->strides[0],
                                      (gnd_dtype)to->dtype);
    const bool done = part && gndi_copy_into(fn, part, from) == GND_OK;
    gnd_release(part);
    return done;
}

static gnd_array *new_beside(const char *fn, const gnd_array *a, int ndim, const int64_t *shape, gnd_dtype dtype) {
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    return s ? gndi_array_new_on(fn, s, ndim, shape, dtype, GNDI_ORDER_C) : NULL;
}

/* The variables of m and y (which may be NULL) below each other, in a new array. */
static gnd_array *stack(const char *fn, const gnd_array *m, const gnd_array *y, gnd_dtype dtype) {
    if (y && y->shape[1] != m->shape[1])
        return gndi_fail(GND_ERROR_SHAPE, fn, "m has %lld observations a variable, y has %lld: both need as many",
                         (long long)m->shape[1], (long long)y->shape[1]);
    const int64_t shape[2] = {m->shape[0] + (y ? y->shape[0] : 0), m->shape[1]};
    gnd_array *rows = new_beside(fn, m, 2, shape, dtype);
    if (rows && copy_rows(fn, rows, 0, m) && (!y || copy_rows(fn, rows, m->shape[0], y))) return rows;
    gnd_release(rows);
    return NULL;
}

static bool gather(const char *fn, const gnd_array *m, gnd_arg y_arg, const gnd_cov_options *options, sample *s) {
    gnd_array *y = NULL, *m_rows = NULL, *y_rows = NULL;
    const bool has_y = y_arg.kind != GND_ARG_NONE;
    if (has_y && !(y = gndi_array_of(fn, "y", y_arg, m))) return false;
    m_rows = as_rows(fn, "m", m, options->columns);
    /* A single row of y is taken for one variable either way, as in NumPy. */
    if (m_rows && y) y_rows = as_rows(fn, "y", y, options->columns && !(y->ndim == 2 && y->shape[0] == 1));
    if (m_rows && (y_rows || !has_y)) {
        const gnd_dtype list[3] = {GND_FLOAT64, (gnd_dtype)m->dtype, (gnd_dtype)(y ? y->dtype : m->dtype)};
        const gnd_dtype dtype = options->dtype ? options->dtype : gndi_promote_list(3, list);
        const bool nothing = m_rows->shape[0] == 0; /* NumPy does not look at y then */
        s->observations = m_rows->shape[1];
        s->rows = stack(fn, m_rows, nothing ? NULL : y_rows, dtype);
    }
    gnd_release(y_rows);
    gnd_release(m_rows);
    gnd_release(y);
    return s->rows;
}

/* ---- weights -------------------------------------------------------------------------------- */

/* One kind of weights as float64, checked on the device. */
static gnd_array *checked_weights(const char *fn, const char *name, gnd_arg given, bool whole, const sample *s) {
    gnd_array *w = gndi_array_of(fn, name, given, s->rows), *result = NULL;
    if (!w) return NULL;
    if (w->ndim != 1 || w->shape[0] != s->observations)
        gndi_raise(GND_ERROR_SHAPE, fn, "%s has shape %s; there are %lld observations", name,
                   gndi_text_shape(w->ndim, w->shape), (long long)s->observations);
    else if (gndi_dtype_is_complex(w->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "%s has dtype %s; it must be real", name, gnd_dtype_name((gnd_dtype)w->dtype));
    else
        result = gndi_new_like(fn, w, GND_FLOAT64);
    if (result && !gndi_apply(fn, GNDI_OP_check_weight, gnd_arg_real(whole), gnd_arg_array(w), &result)) {
        gnd_release(result);
        result = NULL;
    }
    gnd_release(w);
    return result;
}

static bool weigh(const char *fn, const gnd_cov_options *options, sample *s) {
    const bool frequent = options->fweights.kind != GND_ARG_NONE;
    const bool important = options->aweights.kind != GND_ARG_NONE;
    const gnd_axes all = GND_ALL;
    if (frequent && !(s->weights = checked_weights(fn, "fweights", options->fweights, true, s))) return false;
    if (important && !(s->importance = checked_weights(fn, "aweights", options->aweights, false, s))) return false;
    if (important && frequent) {
        if (!gndi_apply(fn, GNDI_OP_multiply, gnd_arg_array(s->weights), gnd_arg_array(s->importance), &s->weights))
            return false;
    } else if (important && !(s->weights = gndi_array_alias(fn, s->importance))) {
        return false;
    }
    if (!s->weights) return true;
    return (s->weight_sum = gndi_sum_of(fn, s->weights, NULL, false, &all, GND_FLOAT64));
}

/* The weights under the shape of the rows. */
static gnd_array *weights_of_rows(const char *fn, const sample *s) {
    const int64_t strides[2] = {0, s->weights->strides[0]};
    return gndi_array_view(fn, s->weights, 2, s->rows->shape, strides, gndi_data(s->weights), GND_FLOAT64);
}

/* ---- the matrix ----------------------------------------------------------------------------- */

/* The mean of each row, a column. */
static gnd_array *means(const char *fn, const sample *s) {
    const gnd_axes axes = GND_AXES_KEEP(1);
    if (!s->weights) {
        gndi_reduce_request r;
        gndi_reduce_begin(&r, fn, s->rows, &axes, GNDI_REDUCE_MEAN, GNDI_OP_add, GNDI_RULE_MEAN, 0);
        return gndi_reduce(&r);
    }
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)s->rows->dtype, GND_FLOAT64);
    gnd_array *w = weights_of_rows(fn, s), *sum = NULL, *mean = NULL;
    if (w) sum = gndi_sum_of(fn, s->rows, w, false, &axes, dtype);
    const bool done = sum && gndi_apply(fn, GNDI_OP_weighted, gnd_arg_array(sum), gnd_arg_array(s->weight_sum), &mean);
    gnd_release(sum);
    gnd_release(w);
    return done ? mean : NULL;
}

static bool centre(const char *fn, sample *s) {
    gnd_array *mean = means(fn, s);
    const bool done = mean && gndi_apply(fn, GNDI_OP_subtract, gnd_arg_array(s->rows), gnd_arg_array(mean), &s->rows);
    gnd_release(mean);
    return done;
}

/* The sums of a[i] conj(b[j]) over all pairs of rows. */
static gnd_array *products_of_rows(const char *fn, const gnd_array *a, const gnd_array *b) {
    const int64_t n = a->shape[0], shape[3] = {n, n, a->shape[1]};
    const int64_t along_i[3] = {a->strides[0], 0, a->strides[1]};
    const int64_t along_j[3] = {0, b->strides[0], b->strides[1]};
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)a->dtype, (gnd_dtype)b->dtype);
    const gnd_axes last = GND_AXES(-1);
    gnd_array *x = gndi_array_view(fn, a, 3, shape, along_i, gndi_data(a), (gnd_dtype)a->dtype);
    gnd_array *y = x ? gndi_array_view(fn, b, 3, shape, along_j, gndi_data(b), (gnd_dtype)b->dtype) : NULL;
    gnd_array *sums = NULL;
    if (y) sums = gndi_sum_of(fn, y, x, gndi_dtype_is_complex(dtype), &last, dtype);
    gnd_release(y);
    gnd_release(x);
    return sums;
}

static gnd_array *products(const char *fn, const sample *s) {
    if (!s->weights) return products_of_rows(fn, s->rows, s->rows);
    gnd_array *weighted = NULL, *result = NULL;
    if (gndi_apply(fn, GNDI_OP_multiply, gnd_arg_array(s->rows), gnd_arg_array(s->weights), &weighted))
        result = products_of_rows(fn, s->rows, weighted);
    gnd_release(weighted);
    return result;
}

/* weight_sum - ddof sum(w a) / weight_sum, or without aweights weight_sum - ddof. */
static gnd_array *weighted_divisor(const char *fn, const sample *s, double ddof) {
    gnd_array *less = NULL, *divisor = NULL;
    const gnd_axes all = GND_ALL;
    bool done = true;
    if (ddof != 0 && s->importance) {
        less = gndi_sum_of(fn, s->weights, s->importance, false, &all, GND_FLOAT64);
        done = less && gndi_apply(fn, GNDI_OP_multiply, gnd_arg_array(less), gnd_arg_real(ddof), &less) &&
               gndi_apply(fn, GNDI_OP_divide, gnd_arg_array(less), gnd_arg_array(s->weight_sum), &less);
    }
    done = done && gndi_apply(fn, GNDI_OP_subtract, gnd_arg_array(s->weight_sum),
                              less ? gnd_arg_array(less) : gnd_arg_real(ddof), &divisor);
    gnd_release(less);
    return done ? divisor : NULL;
}

/* matrix = sums / max(divisor, 0) */
static bool scale(const char *fn, gnd_array *matrix, const gnd_array *sums, const sample *s, double ddof) {
    if (!s->weights) {
        const double divisor = (double)s->observations - ddof;
        return gndi_apply(fn, GNDI_OP_multiply, gnd_arg_array(sums), gnd_arg_real(1 / (divisor > 0 ? divisor : 0.0)),
                          &matrix);
    }
    gnd_array *divisor = weighted_divisor(fn, s, ddof);
    const gnd_arg d = gnd_arg_array(divisor);
    const bool done = divisor && gndi_apply(fn, GNDI_OP_maximum, d, gnd_arg_real(0), &divisor) &&
                      gndi_apply(fn, GNDI_OP_reciprocal, d, gnd_arg_none(), &divisor) &&
                      gndi_apply(fn, GNDI_OP_multiply, gnd_arg_array(sums), d, &matrix);
    gnd_release(divisor);
    return done;
}

/* The sums of products over their divisor in a new array, in C order, as NumPy's. */
static gnd_array *scaled_sums(const char *fn, const sample *s, double ddof) {
    gnd_array *sums = products(fn, s);
    gnd_array *matrix = sums ? new_beside(fn, sums, 2, sums->shape, (gnd_dtype)sums->dtype) : NULL;
    if (matrix && !scale(fn, matrix, sums, s, ddof)) {
        gnd_release(matrix);
        matrix = NULL;
    }
    gnd_release(sums);
    return matrix;
}

/* Of no variables: numpy.array([]).reshape(0, 0). */
static gnd_array *empty_matrix(const char *fn, const gnd_array *like) {
    static const int64_t shape[2] = {0, 0};
    gnd_array *none = new_beside(fn, like, 1, shape, GND_FLOAT64);
    gnd_array *matrix = none ? gndi_reshaped(fn, none, 2, shape) : NULL;
    gnd_release(none);
    return gndi_sole_view(matrix);
}

/* The covariance matrix of all variables, a row and a column each. */
static gnd_array *covariances(const char *fn, const gnd_array *m, gnd_arg y, const gnd_cov_options *options) {
    sample s = {NULL, NULL, NULL, NULL, 0};
    double ddof;
    gnd_array *matrix = NULL;
    if (gndi_missing(m)) return gndi_raise_null(fn, "m"), NULL;
    if (!check_dtype(fn, options->dtype) || !find_ddof(fn, options, &ddof)) return NULL;
    if (gather(fn, m, y, options, &s)) {
        if (s.rows->shape[0] == 0)
            matrix = empty_matrix(fn, s.rows);
        else if (weigh(fn, options, &s) && centre(fn, &s))
            matrix = scaled_sums(fn, &s, ddof);
    }
    release(&s);
    return matrix;
}

/* The same with the matrix of one variable as its only element; takes over `matrix`. */
static gnd_array *squeezed(const char *fn, gnd_array *matrix) {
    if (!matrix || matrix->size != 1) return matrix;
    gnd_array *only = gndi_array_view(fn, matrix, 0, NULL, NULL, gndi_data(matrix), (gnd_dtype)matrix->dtype);
    gnd_release(matrix);
    return gndi_sole_view(only);
}

gnd_array *gnd_cov(const gnd_array *m, gnd_arg y, const gnd_cov_options *options) {
    gnd_cov_options none;
    memset(&none, 0, sizeof none);
    return squeezed("gnd_cov", covariances("gnd_cov", m, y, options ? options : &none));
}

/* ---- correlations --------------------------------------------------------------------------- */

/* A view of the diagonal of a square matrix as a row or as a column, its real part if complex. */
static gnd_array *diagonal(const char *fn, const gnd_array *matrix) {
    const int64_t stride = matrix->strides[0] + matrix->strides[1];
    return gndi_array_view(fn, matrix, 1, matrix->shape, &stride, gndi_data(matrix),
                           gndi_letter_dtype('R', (gnd_dtype)matrix->dtype));
}
static gnd_array *as_column(const char *fn, const gnd_array *row) {
    const int64_t shape[2] = {row->shape[0], 1}, strides[2] = {row->strides[0], 0};
    return gndi_array_view(fn, row, 2, shape, strides, gndi_data(row), (gnd_dtype)row->dtype);
}

/* Clips the parts of a matrix, seen as real numbers, to [-1, 1]. */
static bool clip_parts(const char *fn, gnd_array *matrix) {
    const gnd_dtype real = gndi_letter_dtype('R', (gnd_dtype)matrix->dtype);
    const int64_t size = gndi_dtype_sizes[real];
    const int64_t shape[3] = {matrix->shape[0], matrix->shape[1], gndi_itemsize(matrix) / size};
    const int64_t strides[3] = {matrix->strides[0], matrix->strides[1], size};
    gnd_array *parts = gndi_array_view(fn, matrix, 3, shape, strides, gndi_data(matrix), real);
    gndi_ew_request clip = {.op = GNDI_OP_clip,
                            .fn = fn,
                            .args = {gnd_arg_array(parts), gnd_arg_real(-1), gnd_arg_real(1)},
                            .out = {parts}};
    const bool done = parts && gndi_elementwise(&clip, NULL) == GND_OK;
    gnd_release(parts);
    return done;
}

/* matrix[i][j] /= deviation[i], then /= deviation[j] */
static bool normalize(const char *fn, gnd_array *matrix) {
    gnd_array *variance = diagonal(fn, matrix), *deviation = NULL, *column = NULL;
    bool done = variance && gndi_apply(fn, GNDI_OP_sqrt, gnd_arg_array(variance), gnd_arg_none(), &deviation);
    if (done) column = as_column(fn, deviation);
    done = column && gndi_apply(fn, GNDI_OP_divide, gnd_arg_array(matrix), gnd_arg_array(column), &matrix) &&
           gndi_apply(fn, GNDI_OP_divide, gnd_arg_array(matrix), gnd_arg_array(deviation), &matrix) &&
           clip_parts(fn, matrix);
    gnd_release(column);
    gnd_release(deviation);
    gnd_release(variance);
    return done;
}

gnd_array *gnd_corrcoef(const gnd_array *x, gnd_arg y, const gnd_cov_options *options) {
    static const char fn[] = "gnd_corrcoef";
    if (!x) return gndi_raise_null(fn, "x"), NULL;
    gnd_cov_options taken;
    memset(&taken, 0, sizeof taken);
    if (options) {
        if (options->bias || options->ddof.kind || options->fweights.kind || options->aweights.kind)
            return gndi_fail(GND_ERROR_INVALID, fn, "takes the options columns and dtype only");
        taken.columns = options->columns, taken.dtype = options->dtype;
    }
    gnd_array *matrix = covariances(fn, x, y, &taken);
    if (!matrix || matrix->size == 0) return matrix;
    /* Of one variable: 1, or NaN if it does not vary. */
    const gnd_arg self = gnd_arg_array(matrix);
    const bool done = matrix->size == 1 ? gndi_apply(fn, GNDI_OP_divide, self, self, &matrix) : normalize(fn, matrix);
    if (done) return squeezed(fn, matrix);
    gnd_release(matrix);
    return NULL;
}
