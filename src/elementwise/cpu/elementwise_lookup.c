/*
 * elementwise_lookup.c: slow functions of numbers of one or two bytes: all results there can be are computed once, and
 * the elements look theirs up.
 */
#include "elementwise/cpu/elementwise.h"

enum { WORTH = 8, /* elements for each entry of the table */ PART = 256 };

/* What stands at each index in the table, which the parameters are. */
#define LOOK_UP(name, Index, Value)                                                                                    \
    static int name(char *const *operand, int64_t n, const double *table) {                                            \
        const Index *x = (const Index *)(const void *)operand[1];                                                      \
        const Value *value = (const Value *)(const void *)table;                                                       \
        Value *out = (Value *)(void *)operand[0];                                                                      \
        for (int64_t i = 0; i < n; i++) out[i] = value[x[i]];                                                          \
        return 0;                                                                                                      \
    }
typedef struct sixteen {
    uint64_t a, b;
} sixteen;
LOOK_UP(bytes_1, uint8_t, uint8_t)
LOOK_UP(bytes_2, uint8_t, uint16_t)
LOOK_UP(bytes_4, uint8_t, uint32_t)
LOOK_UP(bytes_8, uint8_t, uint64_t)
LOOK_UP(bytes_16, uint8_t, sixteen)
LOOK_UP(words_1, uint16_t, uint8_t)
LOOK_UP(words_2, uint16_t, uint16_t)
LOOK_UP(words_4, uint16_t, uint32_t)
LOOK_UP(words_8, uint16_t, uint64_t)
LOOK_UP(words_16, uint16_t, sixteen)

/* Operators that have no loop of 8 or 16 bits are scipy.special's functions: series, tens of instructions a number. A
   table of 16 bits is in the second cache, which erf's vectors are as fast as. */
bool ew_lookup_suits(const gndi_ew_plan *plan) {
    const gndi_op_info *info = &gndi_ops[plan->op];
    const uint32_t narrow = GNDI_BIT(GND_BOOL) | GNDI_BIT(GND_INT8) | GNDI_BIT(GND_INT16) | GNDI_BIT(GND_UINT8) |
                            GNDI_BIT(GND_UINT16) | GNDI_BIT(GND_FLOAT16) | GNDI_BIT(GND_BFLOAT16);
    if (info->nin != 1 || info->nout != 1 || (info->loops & narrow) || (info->flags & CHECKED)) return false;
    const int itemsize = gndi_dtype_sizes[plan->operand[1].dtype];
    if (itemsize == 2 && plan->op == GNDI_OP_erf) return false;
    return itemsize <= 2 && !plan->operand[1].immediate && plan->size >= (int64_t)WORTH << (8 * itemsize);
}

/* PART entries from `first` on. */
static void fill_part(const ew_job *job, gnd_dtype loop, int first, char *table) {
    const int from = job->operand[1].dtype, to = job->operand[0].dtype, size = job->operand[1].itemsize;
    _Alignas(64) char index[PART * 2], operand[PART * 16], result[PART * 16];
    const gndi_cpu_cast cast = job->kernels->cast[from][loop];
    for (int i = 0; i < PART; i++) {
        const uint16_t bits = (uint16_t)(first + i);
        memcpy(index + i * size, &bits, (size_t)size); /* the low byte comes first */
    }
    cast(index, operand, PART);
    char *const dense[] = {to == (int)loop ? table : result, operand};
    job->kernel(dense, PART, job->plan->params);
    if (to != (int)loop) job->kernels->cast[loop][to](result, table, PART);
}

void *ew_lookup_begin(ew_job *job, gnd_dtype loop, const char *fn) {
    static const gndi_cpu_kernel look_up[2][GNDI_CPU_SIZES] = {{bytes_1, bytes_2, bytes_4, bytes_8, bytes_16},
                                                               {words_1, words_2, words_4, words_8, words_16}};
    const ew_operand *out = &job->operand[0];
    const int entries = 1 << (8 * job->operand[1].itemsize);
    char *table = gndi_malloc(fn, (size_t)entries * out->itemsize);
    if (!table) return NULL;
    for (int first = 0; first < entries; first += PART) fill_part(job, loop, first, table + first * out->itemsize);
    job->kernel = look_up[job->operand[1].itemsize - 1][out->size_log2];
    return table;
}
