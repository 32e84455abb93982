/*
 * elementwise_tile_cuda.c: plans in which some inputs are contiguous along another axis than the
 * outputs: finds the two axes, and writes the plan as the tile kernel's parameter block.
 */
#include "elementwise/cuda/elementwise_launch.h"

enum {
    WORTHWHILE = 1 << 14, /* elements; less than this the caches hold */
    NARROW = 16,          /* with a shorter x axis the caches hold too */
    SECTOR = 32,          /* bytes memory is read in */
    SHARED_BYTES = 48 << 10,
};

static uint64_t magnitude(int64_t x) {
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

/* The axis along which operand k's elements lie closest; -1 if it doesn't move at all. */
static int fastest_axis(const gndi_ew_plan *plan, int k) {
    int fastest = -1;
    for (int i = plan->ndim - 1; i >= 0; i--)
        if (plan->stride[k][i] != 0 &&
            (fastest < 0 || magnitude(plan->stride[k][i]) < magnitude(plan->stride[k][fastest])))
            fastest = i;
    return fastest;
}

bool gndi_cuda_choose_tile(const gndi_ew_plan *plan, gndi_tile_choice *choice) {
    if (plan->ndim < 2 || plan->size < WORTHWHILE) return false;
    choice->x = plan->ndim - 1;
    choice->y = -1;
    choice->crossed = 0;
    if (plan->shape[choice->x] < NARROW) return false;
    for (int k = plan->nout; k < plan->nout + plan->nin; k++) {
        int fastest = plan->operand[k].immediate ? -1 : fastest_axis(plan, k);
        /* Along x it must leave most of every sector to other threads. */
        if (fastest < 0 || fastest == choice->x || plan->shape[fastest] == 1 ||
            magnitude(plan->stride[k][choice->x]) < SECTOR || magnitude(plan->stride[k][fastest]) >= SECTOR)
            continue;
        if (choice->y < 0) choice->y = fastest;
        if (choice->y == fastest) choice->crossed |= 1u << (k - plan->nout);
    }
    return choice->y >= 0;
}

/* Whether operand k can be accessed in vectors along `axis`. */
static bool has_vectors(const gndi_ew_plan *plan, int k, int axis, int width) {
    int64_t itemsize = gndi_plan_itemsize(plan, k);
    if (plan->stride[k][axis] != itemsize || plan->shape[axis] % width != 0) return false;
    uint64_t misaligned = (uint64_t)(uintptr_t)plan->operand[k].data;
    for (int i = 0; i < plan->ndim; i++)
        if (i != axis) misaligned |= (uint64_t)plan->stride[k][i];
    int64_t bytes = width * itemsize < 16 ? width * itemsize : 16;
    return (misaligned & (uint64_t)(bytes - 1)) == 0;
}

/* How each operand is accessed; returns the bytes of shared memory a block needs. */
static uint32_t write_operands(const gndi_ew_plan *plan, const gndi_tile_choice *choice,
                               const gndi_cuda_kernels *kernels, gndi_tile_params *params) {
    uint32_t shared = 0;
    params->vectors = true;
    for (int k = 0; k < plan->nout + plan->nin; k++) {
        const gndi_ew_operand *operand = &plan->operand[k];
        int input = k - plan->nout;
        params->data[k] = operand->data;
        params->stride_x[k] = plan->stride[k][choice->x];
        params->stride_y[k] = plan->stride[k][choice->y];
        bool crossed =
            input >= 0 && choice->crossed >> input & 1 && shared + kernels->tile_bytes[input] <= SHARED_BYTES;
        if (operand->immediate) {
            params->mode[k] = GNDI_TILE_IMMEDIATE;
            memcpy(&params->value[input], &operand->value, sizeof params->value[0]);
        } else if (crossed) {
            bool vectors = has_vectors(plan, k, choice->y, kernels->tile_width);
            params->mode[k] = vectors ? GNDI_TILE_STAGED_VECTOR : GNDI_TILE_STAGED;
            params->shared[input] = shared;
            shared += kernels->tile_bytes[input];
        } else {
            params->mode[k] = GNDI_TILE_VECTOR;
            params->vectors &= has_vectors(plan, k, choice->x, kernels->tile_width);
        }
    }
    for (int k = 0; k < plan->nout + plan->nin && !params->vectors; k++)
        if (params->mode[k] == GNDI_TILE_VECTOR) params->mode[k] = GNDI_TILE_DIRECT;
    return shared;
}

gnd_status gndi_cuda_launch_tile(gnd_stream *s, const gndi_ew_plan *plan, const gndi_tile_choice *choice,
                                 const char *fn) {
    const gndi_cuda_kernels *kernels = gndi_cuda_kernels_of(plan);
    gndi_tile_params params;
    uint32_t shared = write_operands(plan, choice, kernels, &params);
    int64_t x = plan->shape[choice->x], y = plan->shape[choice->y];
    int64_t tiles_x = (x + kernels->tile_x - 1) / kernels->tile_x;
    int64_t tiles_y = (y + kernels->tile_y - 1) / kernels->tile_y;
    params.x = (uint32_t)x;
    params.y = (uint32_t)y;
    int64_t band = tiles_y < GNDI_TUNE_TILE_BAND ? tiles_y : GNDI_TUNE_TILE_BAND;
    int64_t bands = (tiles_y + band - 1) / band;
    params.tiles_band = gndi_cuda_divide_by(band);
    params.tiles_x = gndi_cuda_divide_by(tiles_x);
    params.bands = gndi_cuda_divide_by(bands);
    params.batch_axes = 0;
    for (int i = plan->ndim - 1; i >= 0; i--) {
        if (i == choice->x || i == choice->y) continue;
        params.batch[params.batch_axes] = gndi_cuda_divide_by(plan->shape[i]);
        for (int k = 0; k < plan->nout + plan->nin; k++) params.batch_stride[params.batch_axes][k] = plan->stride[k][i];
        params.batch_axes++;
    }
    params.fault = gndi_op_fault(s, plan->op);
    memcpy(params.params, plan->params, sizeof params.params);
    int64_t planes = plan->size / (x * y);
    int64_t blocks = band * tiles_x * bands * planes;
    return gndi_cuda_launch(s, kernels->tile, blocks, GNDI_CUDA_TILE_THREADS, shared, &params, fn);
}
