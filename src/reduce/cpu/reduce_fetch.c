/*
 * reduce_fetch.c: brings elements of a reduction into the form that its loops take: dense rows of
 * one dtype, cast, mapped, and with neutral elements where a mask or NaN leaves some out. It works
 * on a few kilobytes at a time, which stay in the first-level cache, with the loops of the
 * elementwise operators.
 */
#include "reduce/cpu/reduce_cpu.h"

enum { WIDE = 32 }; /* columns from which on rows are mapped one by one */

static int log2_of(int size) {
    return __builtin_ctz((unsigned)size);
}

/* Elements of `size` bytes in dense order: where they are if that is how they lie, else copied. */
static const char *dense(const reduce_job *j, const char *from, reduce_steps step, int size, int64_t rows,
                         int64_t columns, char *buffer) {
    if (rows == 1 || step.row == step.column * columns) columns *= rows, rows = 1;
    if (rows == 1 && step.column == size) return from;
    const gndi_cpu_gather gather = j->kernels->gather[log2_of(size)];
    if (rows > columns && columns <= 8) { /* along the longer side */
        char line[REDUCE_BUFFER_BYTES] __attribute__((aligned(64)));
        for (int64_t c = 0; c < columns; c++) {
            gather(from + c * step.column, step.row, line, rows);
            j->kernels->scatter[log2_of(size)](line, buffer + c * size, columns * size, rows);
        }
        return buffer;
    }
    for (int64_t r = 0; r < rows; r++) gather(from + r * step.row, step.column, buffer + r * columns * size, columns);
    return buffer;
}

/* One of two buffers in which p does not lie. */
static char *other(char (*buffer)[REDUCE_BUFFER_BYTES], const char *p) {
    return p == buffer[0] ? buffer[1] : buffer[0];
}

/* An operand in the dtype that it is mapped in. */
static const char *operand(const reduce_job *j, const char *from, reduce_steps step, int dtype, int64_t rows,
                           int64_t columns, char (*buffer)[REDUCE_BUFFER_BYTES]) {
    const int64_t n = rows * columns;
    const char *p = dense(j, from, step, gndi_dtype_sizes[dtype], rows, columns, buffer[0]);
    if (dtype != (int)j->loop) {
        char *to = other(buffer, p);
        j->kernels->cast[dtype][j->loop](p, to, n);
        p = to;
    }
    if (j->loop != j->wide) {
        char *to = other(buffer, p);
        j->kernels->cast[j->loop][j->wide](p, to, n);
        p = to;
    }
    return p;
}

/* ---- maps ----------------------------------------------------------------------------------- */

static void apply(const reduce_job *j, gndi_op op, gnd_dtype dtype, char *to, const char *a, const char *b, int64_t n) {
    static const double no_params[4] = {0};
    char *operands[3] = {to, (char *)(uintptr_t)a, (char *)(uintptr_t)b};
    j->kernels->op[op][dtype](operands, n, no_params);
}

static const char *square(const reduce_job *j, const char *p, int64_t n, reduce_buffers *to) {
    char *result = other(to->x, p);
    if (j->wide == j->work) {
        apply(j, GNDI_OP_square, j->wide, result, p, NULL, n);
        return result;
    }
    /* |x|^2 of complex numbers: the squares of both parts, then their sums. */
    const gndi_cpu_gather gather = j->kernels->gather[log2_of(j->size)];
    apply(j, GNDI_OP_square, j->work, result, p, NULL, 2 * n);
    gather(result, 2 * j->size, to->y[0], n);
    gather(result + j->size, 2 * j->size, to->y[1], n);
    apply(j, GNDI_OP_add, j->work, result, to->y[0], to->y[1], n);
    return result;
}

static const char *power(const reduce_job *j, const char *p, int64_t n, reduce_buffers *to) {
    gndi_scalar exponent;
    char *magnitude = other(to->x, p), *result = other(to->x, magnitude);
    if (j->work == GND_FLOAT32)
        exponent.f32 = (float)j->plan->power;
    else
        exponent.f64 = j->plan->power;
    apply(j, GNDI_OP_absolute, j->wide, magnitude, p, NULL, n);
    j->kernels->repeat[log2_of(j->size)]((const char *)&exponent, to->y[0], n);
    apply(j, GNDI_OP_power, j->work, result, magnitude, to->y[0], n);
    return result;
}

static const char *mapped(const reduce_job *j, const char *x, const char *y, int64_t n, reduce_buffers *to) {
    char *result = other(to->x, x);
    switch (j->plan->map) {
    case GNDI_MAP_ABSOLUTE: apply(j, GNDI_OP_absolute, j->wide, result, x, NULL, n); return result;
    case GNDI_MAP_SQUARE: return square(j, x, n, to);
    case GNDI_MAP_POWER: return power(j, x, n, to);
    case GNDI_MAP_TIMES: apply(j, GNDI_OP_multiply, j->wide, result, x, y, n); return result;
    case GNDI_MAP_CONJUGATE:
        apply(j, GNDI_OP_conjugate, j->wide, result, x, NULL, n);
        apply(j, GNDI_OP_multiply, j->wide, result, result, y, n);
        return result;
    default: return x;
    }
}

/* The operator that a map of elements is which need no cast, where they are dense within a row; GNDI_OP_COUNT: none. */
static gndi_op row_map(const reduce_job *j) {
    const gndi_reduce_plan *plan = j->plan;
    const int64_t size = gndi_dtype_sizes[j->wide];
    if (plan->masked || plan->in.dtype != (int)j->loop || j->loop != j->wide || j->in.column != size)
        return GNDI_OP_COUNT;
    switch (plan->map) {
    case GNDI_MAP_ABSOLUTE: return GNDI_OP_absolute;
    case GNDI_MAP_SQUARE: return j->wide == j->work ? GNDI_OP_square : GNDI_OP_COUNT;
    case GNDI_MAP_TIMES:
        return plan->second.dtype == (int)j->loop && j->second.column == size ? GNDI_OP_multiply : GNDI_OP_COUNT;
    default: return GNDI_OP_COUNT;
    }
}

/* Rows mapped from where they lie, which saves a copy. */
static void map_rows(const reduce_job *j, gndi_op op, const char *x, const char *y, int64_t rows, int64_t columns,
                     char *to) {
    for (int64_t r = 0; r < rows; r++)
        apply(j, op, j->wide, to + r * columns * j->size, x + r * j->in.row, y ? y + r * j->second.row : NULL, columns);
}

/* ---- what takes part ------------------------------------------------------------------------ */

/* A byte an element: 1 where it takes part. NULL if all do. */
static const uint8_t *taken(const reduce_job *j, const char *values, const uint8_t *mask, int64_t n,
                            reduce_buffers *to) {
    if (j->plan->map != GNDI_MAP_SKIP_NAN) return mask;
    const gndi_cpu_kernel isnan = j->kernels->op[GNDI_OP_isnan][j->work];
    if (!isnan && mask) return mask;
    if (!isnan) return memset(to->taken, 1, (size_t)n);
    apply(j, GNDI_OP_isnan, j->work, (char *)to->taken, values, NULL, n);
    if (mask)
        for (int64_t i = 0; i < n; i++) to->taken[i] = (uint8_t)(!to->taken[i] & (mask[i] != 0));
    else
        for (int64_t i = 0; i < n; i++) to->taken[i] = !to->taken[i];
    return to->taken;
}

reduce_block gndi_reduce_fetch(const reduce_job *j, const reduce_piece *piece, int64_t row, int64_t column,
                               int64_t rows, int64_t columns, reduce_buffers *to) {
    const gndi_reduce_plan *plan = j->plan;
    const char *in = piece->in + row * j->in.row + column * j->in.column;
    const int64_t n = rows * columns;
    reduce_block block = {.values = in, .pitch = j->in.row};
    if (gndi_reduce_in_place(j)) return block;
    block.pitch = columns * j->size;
    const gndi_op map = row_map(j);
    if (map != GNDI_OP_COUNT && columns >= WIDE) {
        const char *other = piece->second ? piece->second + row * j->second.row + column * j->second.column : NULL;
        map_rows(j, map, in, other, rows, columns, to->x[0]);
        block.values = to->x[0];
        return block;
    }
    const char *x = operand(j, in, j->in, plan->in.dtype, rows, columns, to->x), *y = NULL;
    if (piece->second)
        y = operand(j, piece->second + row * j->second.row + column * j->second.column, j->second, plan->second.dtype,
                    rows, columns, to->y);
    block.values = mapped(j, x, y, n, to);
    if (piece->mask)
        block.mask = (const uint8_t *)dense(j, piece->mask + row * j->mask.row + column * j->mask.column, j->mask, 1,
                                            rows, columns, (char *)to->mask);
    block.taken = taken(j, block.values, block.mask, n, to);
    if (!block.taken || !j->neutralises) return block;
    char *result = other(to->x, block.values);
    gndi_cpu_reductions_get()->choose[log2_of(j->size)](block.values, block.taken, j->neutral, result, n);
    block.values = result;
    return block;
}
