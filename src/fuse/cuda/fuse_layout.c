/*
 * fuse_layout.c: how a compiled kernel divides a plan among threads, and the kernel's parameters
 * (fuse_generate.h).
 */
#include "kernels/cuda/divisor.h"
#include "fuse/cuda/fuse_generate_parts.h"

#include <math.h>

enum {
    VECTOR_BYTES = 16,
    COLUMN_BYTES = 32, /* of operands that are dense along another axis: a sector of memory */
    MOST_WORK = 400,   /* operators in a thread's code, with all its elements; heavy ones count more */
    ROW_WORDS = 48,    /* registers that hold a thread's elements of a row */
    ROW_UNITS = 8,
    MOST_LANES = 1024,
    NEAR_ROWS = 4,     /* rows between views of one array that a block reads once */
    TILE_BYTES = 1024, /* of a tile's rows, at least */
};

static int64_t stride_of(const gndi_fuse_plan *plan, int k, int axis) {
    return axis < plan->ndim ? plan->stride[k][axis] : 0;
}
static int64_t size_of(const gndi_fuse_plan *plan, int axis) {
    return axis < plan->ndim ? plan->shape[axis] : 1;
}
static int itemsize_of(const gndi_fuse_operand *operand) {
    return gndi_dtype_sizes[operand->dtype];
}

/* ---- the size of a thread's code ------------------------------------------------------------ */

static int work_of(const gndi_fuse_plan *plan) {
    int work = 0;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        const bool computes = c->kind == GNDI_FUSE_OP || c->kind == GNDI_FUSE_UNIFORM || c->kind == GNDI_FUSE_RANGE ||
                              c->kind == GNDI_FUSE_CAST;
        const bool wide = c->loop == GND_FLOAT64 || c->loop >= GND_COMPLEX64;
        if (!computes) continue;
        work += c->kind != GNDI_FUSE_OP || gndi_fused_is_plain(c->op) ? 1 : wide ? 40 : 8;
    }
    return work ? work : 1;
}

/* ---- the axis of vectors --------------------------------------------------------------------- */

/* Whether operand k's elements along an axis can be accessed as vectors of `width`. */
static bool has_vectors(const gndi_fuse_plan *plan, int k, int axis, int width) {
    const gndi_fuse_operand *operand = &plan->operand[k];
    const int itemsize = itemsize_of(operand), bytes = width * itemsize;
    if (stride_of(plan, k, axis) != itemsize) return false;
    uint64_t misaligned = (uint64_t)(uintptr_t)operand->data;
    for (int i = 0; i < plan->ndim; i++)
        if (i != axis && plan->shape[i] > 1) misaligned |= (uint64_t)plan->stride[k][i];
    return (misaligned & (uint64_t)((bytes < VECTOR_BYTES ? bytes : VECTOR_BYTES) - 1)) == 0;
}

/* Bytes of the widest element that is accessed along an axis. */
static int widest_along(const gndi_fuse_plan *plan, int axis) {
    int widest = 1;
    for (int k = 0; k < plan->operands; k++)
        if (plan->operand[k].data && stride_of(plan, k, axis) != 0 && itemsize_of(&plan->operand[k]) > widest)
            widest = itemsize_of(&plan->operand[k]);
    return widest;
}

/* Whether all operands in memory can be vectors along an axis, or are the same all along it. */
static bool all_vectors(const gndi_fuse_plan *plan, int axis, int width) {
    for (int k = 0; k < plan->operands; k++)
        if (plan->operand[k].data && gndi_fused_is_of_elements(plan, k) && !has_vectors(plan, k, axis, width) &&
            (plan->operand[k].store || stride_of(plan, k, axis) != 0))
            return false;
    return true;
}

/* An axis other than the last along which some operand is dense that is not dense along the last: a thread's elements
   are along it, and neighbouring threads along the last one. -1: none. */
static int axis_across(const gndi_fuse_plan *plan, int last) {
    for (int k = 0; k < plan->operands; k++) {
        const int64_t itemsize = itemsize_of(&plan->operand[k]);
        if (!plan->operand[k].data || stride_of(plan, k, last) == itemsize || stride_of(plan, k, last) == 0) continue;
        for (int i = 0; i < last; i++)
            if (plan->stride[k][i] == itemsize && plan->shape[i] >= COLUMN_BYTES / itemsize) return i;
    }
    return -1;
}

static void choose_along(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    const int last = layout->axes - 1;
    const int width = VECTOR_BYTES / widest_along(plan, last);
    layout->along = (uint8_t)last, layout->width = 1;
    if (layout->dense || (size_of(plan, last) >= width && all_vectors(plan, last, width))) {
        layout->width = (uint8_t)(width > 1 ? width : 1);
        return;
    }
    const int across = axis_across(plan, last);
    if (across < 0) return;
    const int columns = COLUMN_BYTES / widest_along(plan, across);
    layout->along = (uint8_t)across;
    layout->width = (uint8_t)(columns > 8 ? 8 : columns);
}

/* ---- vectors of views that begin anywhere ------------------------------------------------------ */

/* Elements by which the start of operand k's rows, all alike, is behind an aligned vector of `width`; -1: they are not
   alike, or not dense. */
static int phase_of(const gndi_fuse_plan *plan, int k, int width) {
    const int last = plan->ndim - 1;
    const int64_t itemsize = itemsize_of(&plan->operand[k]), bytes = width * itemsize;
    const uint64_t start = (uint64_t)(uintptr_t)plan->operand[k].data;
    if (plan->stride[k][last] != itemsize || start % (uint64_t)itemsize != 0) return -1;
    for (int i = 0; i < last; i++)
        if (plan->shape[i] > 1 && plan->stride[k][i] % bytes != 0) return -1;
    return (int)(start % (uint64_t)bytes / (uint64_t)itemsize);
}

/* Vectors along the last axis where rows are long and begin all alike, but not aligned: units begin where vectors of
   the stores do, loads take two vectors and shift them. False if it cannot be. */
static bool choose_shifts(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    const int last = layout->axes - 1, width = VECTOR_BYTES / widest_along(plan, last);
    int before = -1;
    if (plan->ndim == 0 || width < 2 || size_of(plan, last) < 8 * width) return false;
    for (int k = 0; k < plan->operands; k++) {
        const gndi_fuse_operand *operand = &plan->operand[k];
        if (!operand->data || (!operand->store && plan->stride[k][last] == 0)) continue;
        const int phase = phase_of(plan, k, width);
        if (phase < 0 || (operand->store && before >= 0 && phase != before)) return false;
        if (operand->store) before = phase;
    }
    if (before < 0) return false;
    if (before) layout->dense = 0;
    layout->along = (uint8_t)last, layout->width = (uint8_t)width, layout->before = (uint8_t)before;
    return true;
}

static void shift_loads(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    for (int k = 0; k < plan->operands; k++) {
        if (!plan->operand[k].data || layout->access[k] == GNDI_FUSED_SAME) continue;
        const int shift = (phase_of(plan, k, layout->width) - layout->before + layout->width) % layout->width;
        layout->access[k] = (uint8_t)(shift ? GNDI_FUSED_SHIFTED + shift : GNDI_FUSED_VECTOR);
    }
}

/* ---- tiles --------------------------------------------------------------------------------------- */

/* Whether two loads are views of one array that are a few rows apart along axis i, and little else. */
static bool are_rows_apart(const gndi_fuse_plan *plan, int a, int b, int i) {
    const gndi_fuse_operand *x = &plan->operand[a], *y = &plan->operand[b];
    const int64_t row = plan->stride[a][i], itemsize = itemsize_of(x);
    if (!x->data || !y->data || x->store || y->store || x->dtype != y->dtype || row <= 0) return false;
    if (memcmp(plan->stride[a], plan->stride[b], (size_t)plan->ndim * sizeof row) != 0) return false;
    const uintptr_t from = (uintptr_t)x->data, to = (uintptr_t)y->data;
    const uint64_t apart = from < to ? to - from : from - to, rows = (apart + (uint64_t)row / 2) / (uint64_t)row;
    const int64_t rest = (int64_t)(apart - rows * (uint64_t)row);
    return rows >= 1 && rows <= NEAR_ROWS && rest < 64 * itemsize && -rest < 64 * itemsize;
}

/* The axis along which most loads are rows apart; -1: none. */
static int axis_of_tiles(const gndi_fuse_plan *plan, int last) {
    int best = -1, most = 0;
    for (int i = 0; i < last; i++) {
        int pairs = 0;
        for (int a = 0; a < plan->operands; a++)
            for (int b = a + 1; b < plan->operands; b++) pairs += are_rows_apart(plan, a, b, i);
        if (pairs >= most && pairs) best = i, most = pairs;
    }
    return best;
}

/* Whether `n` in pieces of `each` waste at most an eighth. */
static bool divides_well(int64_t n, int64_t each) {
    return (n + each - 1) / each * each <= n + n / 8;
}

static void choose_tiles(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    const int last = layout->axes - 1, down = axis_of_tiles(plan, last);
    if (layout->dense || layout->along != last || down < 0) return;
    const int64_t units = (size_of(plan, last) + layout->before + layout->width - 1) / layout->width;
    int across = TILE_BYTES / (layout->width * widest_along(plan, last));
    if (across > GNDI_FUSED_THREADS / 2) across = GNDI_FUSED_THREADS / 2;
    while (across > 32 && !divides_well(units, across)) across /= 2;
    /* Five points of 32768^2 floats take 2.17 ms with one vector a thread, 2.36 with two, 3.86 with four. */
    const int unroll = layout->width > 1 ? 1 : layout->unroll;
    if (!divides_well(units, across) || !divides_well(plan->shape[down], GNDI_FUSED_THREADS / across * unroll)) return;
    layout->across = (uint8_t)across, layout->down = (uint8_t)down, layout->unroll = (uint8_t)unroll;
}

/* ---- the layout ----------------------------------------------------------------------------- */

static void choose_access(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    for (int k = 0; k < plan->operands; k++) {
        const gndi_fuse_operand *operand = &plan->operand[k];
        for (int i = 0; i < layout->axes; i++)
            if (stride_of(plan, k, i) == 0) layout->same[k] |= (uint8_t)(1u << i);
        if (!operand->data)
            layout->access[k] = GNDI_FUSED_ELEMENTS;
        else if (!operand->store && stride_of(plan, k, layout->along) == 0)
            layout->access[k] = GNDI_FUSED_SAME;
        else if (has_vectors(plan, k, layout->along, layout->width))
            layout->access[k] = GNDI_FUSED_VECTOR;
        else
            layout->access[k] = GNDI_FUSED_ELEMENTS;
    }
}

/* The units of a thread, whose loads are in flight together: at least two vectors of each load, four if there is only
   one load (Gaussian of 10^8 floats: 193 us, with two 198); four of single elements. */
static void choose_unroll(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    int loads = 0;
    for (int k = 0; k < plan->operands; k++)
        loads += plan->operand[k].data && !plan->operand[k].store && layout->access[k] != GNDI_FUSED_SAME;
    int unroll = loads >= 2 ? 1 : loads && layout->dense ? 4 : 2;
    if (layout->width == 1) unroll = loads > 8 ? 2 : 4;
    const int work = work_of(plan);
    while (unroll > 1 && unroll * layout->width * work > MOST_WORK) unroll /= 2;
    layout->unroll = (uint8_t)unroll;
}

static size_t words_of(const gndi_fuse_plan *plan, const gndi_fused_layout *layout) {
    size_t divisions = 0;
    for (int i = 0; i < plan->count; i++) divisions += gndi_fused_divides(plan, i);
    return 5 + (size_t)plan->operands * (1u + layout->axes) + (layout->dense ? 0 : 2u * layout->axes) +
           2u * (size_t)plan->constants + divisions + 4u * (size_t)plan->parameters + 2u * (size_t)plan->reductions;
}

/* Rows with reductions: as few lanes as can hold all elements of a row. */
static bool choose_rows(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    const int words = gndi_fused_row_words(plan);
    if (plan->ndim - plan->kept != 1 || plan->length == 0 || plan->rows > INT32_MAX / 2) return false;
    layout->axes = (uint8_t)plan->ndim;
    choose_along(plan, layout);
    if (layout->along != layout->axes - 1) layout->along = (uint8_t)(layout->axes - 1), layout->width = 1;
    const int width = layout->width;
    int units = ROW_WORDS / (words > 0 ? words : 1) / width;
    units = units < 1 ? 1 : units > ROW_UNITS ? ROW_UNITS : units;
    int lanes = 32;
    while (lanes < MOST_LANES && (int64_t)lanes * width * units < plan->length) lanes *= 2;
    if ((int64_t)lanes * width * units < plan->length) return false;
    const int64_t all = (int64_t)lanes * width;
    layout->lanes = (uint16_t)lanes;
    layout->unroll = (uint8_t)((plan->length + all - 1) / all);
    layout->ragged = plan->length != all * layout->unroll;
    choose_access(plan, layout);
    return layout->unroll * width * work_of(plan) <= 4 * MOST_WORK;
}

static void choose_map(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    layout->dense = plan->contiguous && plan->ndim <= 1;
    layout->axes = (uint8_t)(plan->ndim ? plan->ndim : 1);
    choose_along(plan, layout);
    const int work = work_of(plan), last = layout->axes - 1;
    const bool shifts = !all_vectors(plan, last, VECTOR_BYTES / widest_along(plan, last)) &&
                        VECTOR_BYTES / widest_along(plan, last) * work <= MOST_WORK && choose_shifts(plan, layout);
    while (layout->width > 1 && layout->width * work > MOST_WORK) layout->width /= 2;
    layout->ragged = !layout->dense && (size_of(plan, layout->along) + layout->before) % layout->width != 0;
    choose_access(plan, layout);
    if (shifts) shift_loads(plan, layout);
    choose_unroll(plan, layout);
    choose_tiles(plan, layout);
}

/* Whether one step is enough for divisions by c (divided_once in fuse_compiled.cuh): the error of the product of x and
   the reciprocal is half an ulp of rounding plus that of the reciprocal, which may be as large. */
static bool divides_once(float c) {
    return c > 0x1p-30f && c < 0x1p30f && fabsf(fmaf(c, 1 / c, -1)) < 0x1p-25f;
}
static void choose_divisions(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    int number = 0;
    for (int i = 0; i < plan->count && number < 64; i++)
        if (gndi_fused_divides(plan, i) && divides_once(plan->constant[plan->code[plan->code[i].in[1]].at].f32))
            layout->once |= UINT64_C(1) << number++;
        else
            number += gndi_fused_divides(plan, i);
}

bool gndi_fused_layout_of(const gndi_fuse_plan *plan, gndi_fused_layout *layout) {
    memset(layout, 0, sizeof *layout);
    if (plan->size == 0 || plan->ndim > GNDI_FUSED_AXES) return false;
    if (plan->shape_of == GNDI_FUSE_MAP)
        choose_map(plan, layout);
    else if (!choose_rows(plan, layout))
        return false;
    choose_divisions(plan, layout);
    return words_of(plan, layout) <= GNDI_FUSED_WORDS;
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* fused_axis of fuse_compiled.cuh. */
static void write_axis(int64_t size, uint64_t *words) {
    const gndi_cuda_divisor d = gndi_cuda_divide_by(size);
    words[0] = d.size | (uint64_t)d.magic << 32;
    words[1] = d.shift;
}

/* fused_divisor of fuse_compiled.cuh. */
static uint64_t divisor_word(float c) {
    const float magnitude = c < 0 ? -c : c;
    const float numbers[2] = {1 / c, magnitude > 0x1p-30f && magnitude < 0x1p30f ? 0x1p60f : 0};
    uint64_t word;
    memcpy(&word, numbers, sizeof word);
    return word;
}

gndi_fused_box gndi_fused_all(const gndi_fuse_plan *plan, const gndi_fused_layout *layout) {
    gndi_fused_box box = {0};
    for (int i = 0; i < layout->axes; i++) box.shape[i] = size_of(plan, i);
    box.shape[layout->along] += layout->before;
    return box;
}

void gndi_fused_halve(const gndi_fused_layout *layout, gndi_fused_box *first, gndi_fused_box *second) {
    int longest = 0;
    int64_t half = 0; /* a whole number of units */
    for (int i = 0; i < layout->axes; i++) {
        const int64_t unit = i == layout->along ? layout->width : 1;
        if (first->shape[i] / unit / 2 * unit > half) longest = i, half = first->shape[i] / unit / 2 * unit;
    }
    *second = *first;
    second->start[longest] += half, second->shape[longest] -= half;
    first->shape[longest] = half;
}

/* The steps of an axis that a unit's number, or a tile's, counts. */
static int64_t steps_of(const gndi_fused_layout *layout, int axis, int64_t size) {
    int64_t each = axis != layout->along ? 1 : layout->lanes ? size : layout->width;
    if (layout->across && axis == layout->along) each *= layout->across;
    if (layout->across && axis == layout->down) each *= GNDI_FUSED_THREADS / layout->across * layout->unroll;
    return gndi_ceil_div(size, each > 0 ? each : 1);
}

/* Constants, divisors, parameters of operators and of reductions. */
static void write_numbers(const gndi_fuse_plan *plan, uint64_t *at) {
    memcpy(at, plan->constant, (size_t)plan->constants * sizeof *plan->constant);
    at += 2 * plan->constants;
    for (int i = 0; i < plan->count; i++)
        if (gndi_fused_divides(plan, i)) *at++ = divisor_word(plan->constant[plan->code[plan->code[i].in[1]].at].f32);
    memcpy(at, plan->params, (size_t)plan->parameters * sizeof *plan->params);
    at += 4 * plan->parameters;
    for (int i = 0; i < plan->reductions; i++) {
        const double numbers[2] = {plan->reduction[i].divisor, plan->reduction[i].ddof};
        memcpy(at + 2 * i, numbers, sizeof numbers);
    }
}

int64_t gndi_fused_parameters(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const gndi_fused_box *box,
                              uint64_t *words) {
    const int axes = layout->axes, width = layout->width, along = layout->along;
    uint64_t *at = words + 5;
    for (int k = 0; k < plan->operands; k++, at++) {
        *at = (uint64_t)(uintptr_t)plan->operand[k].data - (uint64_t)(layout->before * stride_of(plan, k, along));
        for (int i = 0; i < axes; i++) *at += (uint64_t)(box->start[i] * stride_of(plan, k, i));
    }
    for (int k = 0; k < plan->operands; k++)
        for (int i = 0; i < axes; i++) *at++ = (uint64_t)stride_of(plan, k, i);
    int64_t units = layout->dense ? plan->size : 1;
    for (int i = 0; i < axes && !layout->dense; i++, at += 2) {
        const int64_t size = box->shape[i], steps = steps_of(layout, i, size);
        if (size > INT32_MAX || __builtin_mul_overflow(units, steps, &units) ||
            units > INT32_MAX - GNDI_FUSED_THREADS * 8)
            return 0;
        write_axis(steps, at);
    }
    write_numbers(plan, at);
    words[0] = (uint64_t)units, words[1] = 0, words[2] = (uint64_t)box->shape[along];
    words[3] = box->start[along] == 0 ? layout->before : 0, words[4] = (uint64_t)box->shape[layout->down];
    if (layout->across) return units;
    const int64_t block = (int64_t)GNDI_FUSED_THREADS * layout->unroll * (layout->dense ? width : 1);
    const int64_t rows = layout->lanes < GNDI_FUSED_THREADS && layout->lanes ? GNDI_FUSED_THREADS / layout->lanes : 1;
    return layout->lanes ? (units + rows - 1) / rows : (units + block - 1) / block;
}
