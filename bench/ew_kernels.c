/*
 * ew_kernels.c: times the CUDA elementwise kernels alone, through their launcher, with hand-made
 * plans; ew_kernels.sh builds it in variants to tune. Not part of the library or its build. Prints
 * a line a row: microseconds, GB/s, ratio to the floor of 4.3 TB/s, and whether samples are right.
 */
#include "kernels/cuda/elementwise_launch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void bench_fill(void *data, int dtype, uint32_t n, uint32_t seed);
void bench_null(void *stream);

/* ---- what the launcher needs of the library ------------------------------------------------- */

const uint8_t gndi_dtype_sizes[GND_DTYPE_COUNT] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
const gndi_op_info gndi_ops[GNDI_OP_COUNT] = {
    [GNDI_OP_copy] = {.in = "T", .out = "T"},
    [GNDI_OP_add] = {.in = "TT", .out = "T"},
};
gnd_dtype gndi_letter_dtype(char letter, gnd_dtype loop) {
    return letter == 'B' ? GND_BOOL : loop;
}
gnd_status gndi_cuda_check(int error, const char *fn, const char *what) {
    if (!error) return GND_OK;
    printf("%s: %s: %s\n", fn, what, cudaGetErrorString((cudaError_t)error));
    exit(1);
}
gndi_buffer *gndi_buffer_new(const char *fn, gnd_stream *s, size_t bytes) {
    gndi_buffer *b = calloc(1, sizeof *b);
    gndi_cuda_check(cudaMallocAsync(&b->base, bytes, s->native), fn, "memory");
    return b;
}
void gndi_buffer_release(gndi_buffer *b) {
    cudaFreeAsync(b->base, 0);
    free(b);
}

/* ---- plans ---------------------------------------------------------------------------------- */

static gnd_stream stream;
static gndi_device device;
static void *memory[4]; /* one for the output, three for inputs */

typedef struct row {
    const char *name;
    gndi_op op;
    gnd_dtype loop;
    int nin, ndim;
    int64_t shape[2];
    double bytes; /* least traffic */
    struct {
        int dtype;                 /* 0: the immediate 3 */
        int64_t offset, stride[2]; /* elements */
    } operand[5];
    bool masked;
} row;

#define F16 GND_FLOAT16
#define F32 GND_FLOAT32
#define F64 GND_FLOAT64
#define C64 GND_COMPLEX64
#define U8 GND_UINT8
#define E8 100000000
#define E4 10000
#define DENSE1(dtype)                                                                              \
    {                                                                                              \
        dtype, 0, {                                                                                \
            1                                                                                      \
        }                                                                                          \
    }
#define DENSE2(dtype)                                                                              \
    {                                                                                              \
        dtype, 0, {                                                                                \
            E4, 1                                                                                  \
        }                                                                                          \
    }
// clang-format off
static const row rows[] = {
    {"add_f32", GNDI_OP_add, F32, 2, 1, {E8}, 12e8, {DENSE1(F32), DENSE1(F32), DENSE1(F32)}, 0},
    {"exp_f32", GNDI_OP_exp, F32, 1, 1, {E8}, 8e8, {DENSE1(F32), DENSE1(F32)}, 0},
    {"add_scalar", GNDI_OP_add, F32, 2, 1, {E8}, 8e8, {DENSE1(F32), DENSE1(F32), {0}}, 0},
    {"where_f32", GNDI_OP_where, F32, 3, 1, {E8}, 13e8, {DENSE1(F32), DENSE1(GND_BOOL), DENSE1(F32), DENSE1(F32)}, 0},
    {"less_f32", GNDI_OP_less, F32, 2, 1, {E8}, 9e8, {DENSE1(GND_BOOL), DENSE1(F32), DENSE1(F32)}, 0},
    {"add_f16", GNDI_OP_add, F16, 2, 1, {E8}, 6e8, {DENSE1(F16), DENSE1(F16), DENSE1(F16)}, 0},
    {"add_u8", GNDI_OP_add, U8, 2, 1, {E8}, 3e8, {DENSE1(U8), DENSE1(U8), DENSE1(U8)}, 0},
    {"mul_c64", GNDI_OP_multiply, C64, 2, 1, {E8 / 2}, 12e8, {DENSE1(C64), DENSE1(C64), DENSE1(C64)}, 0},
    {"fill_f32", GNDI_OP_copy, F32, 1, 1, {E8}, 4e8, {DENSE1(F32), {0}}, 0},
    {"cast_f32_f64", GNDI_OP_copy, F64, 1, 1, {E8}, 12e8, {DENSE1(F64), DENSE1(F32)}, 0},
    {"cast_f64_f32", GNDI_OP_copy, F32, 1, 1, {E8}, 12e8, {DENSE1(F32), DENSE1(F64)}, 0},
    {"cast_f32_u8", GNDI_OP_copy, U8, 1, 1, {E8}, 5e8, {DENSE1(U8), DENSE1(F32)}, 0},
    {"bcast_row", GNDI_OP_add, F32, 2, 2, {E4, E4}, 8e8, {DENSE2(F32), DENSE2(F32), {F32, 0, {0, 1}}}, 0},
    {"bcast_col", GNDI_OP_add, F32, 2, 2, {E4, E4}, 8e8, {DENSE2(F32), DENSE2(F32), {F32, 0, {1, 0}}}, 0},
    {"outer_add", GNDI_OP_add, F32, 2, 2, {E4, E4}, 4e8, {DENSE2(F32), {F32, 0, {0, 1}}, {F32, 0, {1, 0}}}, 0},
    {"bcast_row_f16", GNDI_OP_add, F16, 2, 2, {E4, E4}, 4e8, {DENSE2(F16), DENSE2(F16), {F16, 0, {0, 1}}}, 0},
    /* sectors written in part are read first: 4 bytes more an element */
    {"masked_add", GNDI_OP_add, F32, 2, 1, {E8}, 17e8, {DENSE1(F32), DENSE1(F32), DENSE1(F32), DENSE1(GND_BOOL)}, 1},
    {"strided2", GNDI_OP_add, F32, 2, 1, {E8 / 2}, 10e8, {DENSE1(F32), {F32, 0, {2}}, {F32, 0, {2}}}, 0},
    {"misaligned", GNDI_OP_add, F32, 2, 1, {E8 - 8}, 12e8, {DENSE1(F32), {F32, 1, {1}}, DENSE1(F32)}, 0},
    {"mixed_f32_f64", GNDI_OP_add, F64, 2, 1, {E8}, 20e8, {DENSE1(F64), DENSE1(F32), DENSE1(F64)}, 0},
    {"mixed_u8_f32", GNDI_OP_add, F32, 2, 1, {E8}, 9e8, {DENSE1(F32), DENSE1(U8), DENSE1(F32)}, 0},
    {"copy_transposed", GNDI_OP_copy, F32, 1, 2, {E4, E4}, 8e8, {DENSE2(F32), {F32, 0, {1, E4}}}, 0},
    {"copy_transp_f64", GNDI_OP_copy, F64, 1, 2, {E4, E4}, 16e8, {DENSE2(F64), {F64, 0, {1, E4}}}, 0},
    {"copy_transp_u8", GNDI_OP_copy, U8, 1, 2, {E4, E4}, 2e8, {DENSE2(U8), {U8, 0, {1, E4}}}, 0},
    {"add_transposed", GNDI_OP_add, F32, 2, 2, {E4, E4}, 12e8, {DENSE2(F32), DENSE2(F32), {F32, 0, {1, E4}}}, 0},
    {"copy_transp_odd", GNDI_OP_copy, F32, 1, 2, {9999, 9999}, 8e8, {{F32, 0, {9999, 1}}, {F32, 0, {1, 9999}}}, 0},
    {"copy_transp_u8odd", GNDI_OP_copy, U8, 1, 2, {9999, 9999}, 2e8, {{U8, 0, {9999, 1}}, {U8, 0, {1, 9999}}}, 0},
    {"add_both_transp", GNDI_OP_add, F32, 2, 2, {E4, E4}, 12e8, {DENSE2(F32), {F32, 0, {1, E4}}, {F32, 0, {1, E4}}}, 0},
    {"bcast_odd", GNDI_OP_add, F32, 2, 2, {9999, 9999}, 8e8, {{F32, 0, {9999, 1}}, {F32, 0, {9999, 1}}, {F32, 0, {0, 1}}}, 0},
    {"bcast_narrow", GNDI_OP_add, F32, 2, 2, {E8 / 10, 10}, 8e8, {{F32, 0, {10, 1}}, {F32, 0, {10, 1}}, {F32, 0, {0, 1}}}, 0},
    {"outer_odd", GNDI_OP_add, F32, 2, 2, {9999, 9999}, 4e8, {{F32, 0, {9999, 1}}, {F32, 0, {0, 1}}, {F32, 0, {1, 0}}}, 0},
    {"mixed_odd", GNDI_OP_add, F64, 2, 2, {9999, 9999}, 12e8, {{F64, 0, {9999, 1}}, {F32, 0, {9999, 1}}, {F64, 0, {0, 1}}}, 0},
    {"add_1k", GNDI_OP_add, F32, 2, 1, {1000}, 12e3, {DENSE1(F32), DENSE1(F32), DENSE1(F32)}, 0},
};
// clang-format on

static void make_plan(const row *r, gndi_ew_plan *plan) {
    *plan = (gndi_ew_plan){.op = r->op,
                           .loop = r->loop,
                           .nout = 1,
                           .nin = (uint8_t)r->nin,
                           .masked = r->masked,
                           .ndim = r->ndim,
                           .size = 1,
                           .uniform = true};
    plan->contiguous = r->ndim == 1;
    for (int i = 0; i < r->ndim; i++) plan->size *= plan->shape[i] = r->shape[i];
    for (int k = 0; k < 1 + r->nin + r->masked; k++) {
        gndi_ew_operand *operand = &plan->operand[k];
        int dtype = r->operand[k].dtype;
        operand->immediate = dtype == 0;
        operand->dtype = (uint8_t)(dtype ? dtype : (int)r->loop);
        if (operand->immediate) operand->value.f32 = 3;
        int64_t size = gndi_dtype_sizes[operand->dtype];
        operand->data = dtype ? (char *)memory[k] + r->operand[k].offset * size : NULL;
        for (int i = 0; i < r->ndim; i++) plan->stride[k][i] = r->operand[k].stride[i] * size;
        bool special = dtype == GND_BOOL && (r->op == GNDI_OP_where || r->op == GNDI_OP_less);
        if (dtype && dtype != (int)r->loop && !special && k < 1 + r->nin) plan->uniform = false;
        if (dtype && r->operand[k].stride[0] != 1) plan->contiguous = false;
    }
}

/* ---- checking samples ----------------------------------------------------------------------- */

static double pattern(int64_t i, uint32_t seed) {
    return (((uint32_t)i + seed) * 2654435761u) >> 25;
}
/* Input k's value at (y, x); of complex numbers the real part, `other` the imaginary one. */
static double input_at(const row *r, int k, int64_t y, int64_t x, double *other) {
    if (!r->operand[k].dtype) return 3;
    int64_t i = r->operand[k].offset;
    i += r->ndim == 2 ? y * r->operand[k].stride[0] + x * r->operand[k].stride[1]
                      : x * r->operand[k].stride[0];
    double value = pattern(i, (uint32_t)k * 1000);
    *other = (double)((uint32_t)value ^ 1u);
    return r->operand[k].dtype == GND_BOOL ? (double)((int)value & 1) : value;
}
static float half_value(uint16_t h) {
    return h ? ldexpf((float)(1024 + (h & 1023)), (h >> 10 & 31) - 25) : 0;
}

static int wrong_samples(const row *r) {
    int wrong = 0;
    for (int sample = 0; sample < 400; sample++) {
        int64_t last = r->shape[r->ndim - 1], first = r->ndim == 2 ? r->shape[0] : 1;
        int64_t x = sample < 100   ? sample
                    : sample < 200 ? last - 1 - (sample - 100)
                                   : rand() % last;
        int64_t y = sample < 100 ? 0 : sample < 200 ? first - 1 : rand() % first;
        double ai, bi = 0, ci = 0, a = input_at(r, 1, y, x, &ai), b = 0, c = 0;
        if (r->nin > 1) b = input_at(r, 2, y, x, &bi);
        if (r->nin > 2) c = input_at(r, 3, y, x, &ci);
        double want = r->op == GNDI_OP_add        ? a + b
                      : r->op == GNDI_OP_where    ? (a != 0 ? b : c)
                      : r->op == GNDI_OP_less     ? a < b
                      : r->op == GNDI_OP_multiply ? a * b - ai * bi
                      : r->op == GNDI_OP_exp      ? exp(a)
                                                  : a;
        if (r->masked && input_at(r, 3, y, x, &ci) == 0) want = 77;
        int dtype = r->operand[0].dtype;
        int64_t at = r->ndim == 2 ? y * r->operand[0].stride[0] + x : x;
        gndi_scalar got;
        size_t size = gndi_dtype_sizes[dtype];
        cudaMemcpy(&got, (char *)memory[0] + (size_t)at * size, size, cudaMemcpyDeviceToHost);
        double value = dtype == F64                       ? got.f64
                       : dtype == F16                     ? half_value(got.u16)
                       : dtype == U8 || dtype == GND_BOOL ? got.u8
                                                          : (double)got.f32;
        if (r->masked && want == 77)
            wrong += got.u32 != 0xdddddddd;
        else if (value != (double)(float)want && !(fabs(value - want) <= 1e-6 * fabs(want))) {
            if (!wrong++)
                printf("  %s at (%lld, %lld): %g, not %g\n", r->name, (long long)y, (long long)x,
                       value, want);
        }
    }
    return wrong;
}

/* ---- timing --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_row(const row *r) {
    gndi_ew_plan plan;
    make_plan(r, &plan);
    for (int k = 1; k < 1 + r->nin + r->masked; k++)
        if (r->operand[k].dtype) bench_fill(memory[k], r->operand[k].dtype, E8, (uint32_t)k * 1000);
    cudaMemset(memory[0], 0xdd, (size_t)8 * E8);
    gndi_cuda_check(cudaDeviceSynchronize(), r->name, "filling");
    double issue = seconds();
    gndi_cuda_elementwise(&stream, &plan, r->name);
    issue = seconds() - issue;
    gndi_cuda_check(cudaDeviceSynchronize(), r->name, "the first launch");
    int wrong = wrong_samples(r);
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    double times[9];
    int calls = plan.size > 1 << 20 ? 10 : 2000;
    for (int i = 0; i < 9; i++) {
        cudaEventRecord(from, 0);
        for (int j = 0; j < calls; j++) gndi_cuda_elementwise(&stream, &plan, r->name);
        cudaEventRecord(to, 0);
        gndi_cuda_check(cudaEventSynchronize(to), r->name, "waiting");
        float ms;
        cudaEventElapsedTime(&ms, from, to);
        times[i] = ms * 1e3 / calls;
    }
    qsort(times, 9, sizeof times[0], compare);
    printf("%-16s %8.2f us %6.0f GB/s  %.3f of floor  first call %6.0f us  %s\n", r->name, times[4],
           r->bytes / times[4] * 1e-3, times[4] / (r->bytes / 4.3e6), issue * 1e6,
           wrong ? "WRONG" : "ok");
}

/* Host time to issue, back to back, beside a null kernel's. */
static void time_issue(void) {
    for (int round = 0; round < 3; round++) {
        gndi_ew_plan plan;
        make_plan(&rows[sizeof rows / sizeof rows[0] - 1], &plan);
        cudaDeviceSynchronize();
        double start = seconds();
        for (int i = 0; i < 20000; i++) gndi_cuda_elementwise(&stream, &plan, "add");
        cudaDeviceSynchronize();
        double add = seconds() - start;
        start = seconds();
        for (int i = 0; i < 20000; i++) bench_null(NULL);
        cudaDeviceSynchronize();
        double null = seconds() - start;
        printf("back to back: add_1k %.3f us, null kernel %.3f us, ratio %.3f\n", add * 50,
               null * 50, add / null);
    }
}

int main(int argc, char **argv) {
    for (int k = 0; k < 4; k++)
        gndi_cuda_check(cudaMalloc(&memory[k], (size_t)8 * E8), "bench", "memory");
    gndi_cuda_check(cudaMallocHost((void **)&device.fault, sizeof(int)), "bench", "memory");
    stream.device = &device;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (argc < 2 || strstr(argv[1], rows[i].name)) time_row(&rows[i]);
    if (argc < 2) time_issue();
    return 0;
}
