/*
 * matmul_cpu_half.c: products of float16 and bfloat16 on the CPU: blocks of a, b and c as float32, which
 * OpenBLAS multiplies. A block of c is rounded once, when all of its products are in it.
 */
#include "linalg/cpu/matmul_cpu.h"

enum { EDGE = 1024, CAST = 1 << 14 };

/* Lines of a matrix, each dense, to be converted between 16 and 32 bits. */
typedef struct lines {
    gndi_cpu_cast cast;
    const char *from;
    char *to;
    int64_t from_step, to_step, length;
} lines;

static void cast_lines(void *context, int64_t begin, int64_t end) {
    const lines *x = context;
    for (int64_t i = begin; i < end; i++) x->cast(x->from + i * x->from_step, x->to + i * x->to_step, x->length);
}

/* A block of an operand as float32, in its own memory order; `to` describes it. */
static void widen(const gndi_matmul_plan *p, const gndi_matmul_operand *x, const char *from, int64_t rows,
                  int64_t columns, char *memory, gndi_matmul_operand *to) {
    const bool transposed = x->row != 2;
    const int64_t count = transposed ? rows : columns, length = transposed ? columns : rows;
    lines l = {.cast = gndi_cpu_kernels_get()->cast[p->dtype][GND_FLOAT32],
               .from = from,
               .to = memory,
               .from_step = transposed ? x->row : x->column,
               .to_step = length * 4,
               .length = length};
    gndi_parallel_for(count, CAST / length + 1, cast_lines, &l);
    const bool rows_dense = !transposed || columns == 1;
    to->data = memory;
    to->row = rows_dense ? 4 : columns * 4;
    to->column = rows_dense ? rows * 4 : 4;
}

static void narrow(const gndi_matmul_plan *p, const char *memory, char *c, int64_t m, int64_t n) {
    lines l = {.cast = gndi_cpu_kernels_get()->cast[GND_FLOAT32][p->dtype],
               .from = memory,
               .to = c,
               .from_step = m * 4,
               .to_step = p->c.column,
               .length = m};
    gndi_parallel_for(n, CAST / m + 1, cast_lines, &l);
}

/* One block of c. */
static void block(const gndi_openblas *blas, const gndi_matmul_plan *p, const gndi_cpu_matmul_data *x, int64_t i,
                  int64_t j, char *const memory[3]) {
    static const double one[2] = {1, 0};
    gndi_matmul_plan part;
    part.dtype = GND_FLOAT32, part.ndim = 0;
    part.alpha[0] = p->alpha[0], part.alpha[1] = 0;
    part.m = gndi_min(EDGE, p->m - i), part.n = gndi_min(EDGE, p->n - j);
    part.a.conjugate = part.b.conjugate = part.c.conjugate = false;
    char *c = x->c + i * p->c.row + j * p->c.column;
    part.c.row = 4, part.c.column = part.m * 4;
    if (p->beta[0] != 0) widen(p, &p->c, c, part.m, part.n, memory[2], &part.c);
    for (int64_t l = 0; l < p->k; l += EDGE) {
        part.k = gndi_min(EDGE, p->k - l);
        widen(p, &p->a, x->a + i * p->a.row + l * p->a.column, part.m, part.k, memory[0], &part.a);
        widen(p, &p->b, x->b + l * p->b.row + j * p->b.column, part.k, part.n, memory[1], &part.b);
        const gndi_cpu_matmul_data data = {memory[0], memory[1], memory[2]};
        gndi_cpu_gemm(blas, &part, &data, l ? one : p->beta);
    }
    narrow(p, memory[2], c, part.m, part.n);
}

gnd_status gndi_cpu_matmul_half(gnd_stream *s, const gndi_matmul_plan *p, int64_t count, const gndi_openblas *blas,
                                const char *fn) {
    const int64_t m = gndi_min(EDGE, p->m), n = gndi_min(EDGE, p->n), k = gndi_min(EDGE, p->k);
    gndi_buffer *buffer = gndi_buffer_new(fn, s, (size_t)(m * k + k * n + m * n) * 4);
    if (!buffer) return GND_ERROR_MEMORY;
    char *const base = buffer->base;
    char *const memory[3] = {base, base + m * k * 4, base + (m * k + k * n) * 4};
    for (int64_t q = 0; q < count; q++) {
        const gndi_cpu_matmul_data x = gndi_cpu_matmul_at(p, q);
        for (int64_t j = 0; j < p->n; j += EDGE)
            for (int64_t i = 0; i < p->m; i += EDGE) block(blas, p, &x, i, j, memory);
    }
    gndi_buffer_release(buffer);
    return GND_OK;
}
