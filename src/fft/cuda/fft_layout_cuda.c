/*
 * fft_layout_cuda.c: which strides cuFFT's advanced layouts can describe: up to three axes, each with a stride
 * that is a multiple of the next one's, and one axis of a batch.
 */
#include "core/axes.h"
#include "fft/cuda/fft_cuda.h"

/* A plan is run once for each index of the other axes of a batch if there are few, or if each run is long
   enough to hide its launch (about 3 us). Else the operand is copied. Estimates, not measured. */
enum {
    FEW_RUNS = 4,
    LONG_RUN_BYTES = 2 << 20,
};

/* ---- the batch -------------------------------------------------------------------------------- */

void gndi_fft_merge_batch(gndi_fft_plan *p, bool by_input) {
    int64_t shape[GNDI_FFT_AXES], in[GNDI_FFT_AXES], out[GNDI_FFT_AXES], offset[2] = {0};
    int64_t *const stride[] = {by_input ? in : out, by_input ? out : in};
    gndi_walk w = {.operands = 2, .leaders = 1, .shape = shape, .stride = stride, .offset = offset};
    for (int i = 0; i < p->batches; i++) {
        const gndi_fft_axis *b = &p->batch[i];
        gndi_walk_add(&w, b->n, (int64_t[]){by_input ? b->in : b->out, by_input ? b->out : b->in});
    }
    gndi_walk_flip(&w);
    gndi_walk_collapse(&w, 0, w.ndim);
    p->in += offset[!by_input], p->out += offset[by_input], p->batches = w.ndim;
    for (int i = 0; i < w.ndim; i++) p->batch[i] = (gndi_fft_axis){shape[i], in[i], out[i]};
}

/* ---- axes ------------------------------------------------------------------------------------- */

static bool multiples(int64_t outer, int64_t inner, int64_t count) {
    return inner > 0 && outer > 0 && outer % inner == 0 && outer / inner >= count;
}

bool gndi_fft_nests(const gndi_fft_plan *p, int outer, int inner) {
    return multiples(p->axis[outer].in, p->axis[inner].in, gndi_fft_in_count(p, inner)) &&
           multiples(p->axis[outer].out, p->axis[inner].out, gndi_fft_out_count(p, inner));
}

static void describe_side(const gndi_fft_plan *p, bool output, gndi_cufft_side *side) {
    const int last = p->axes - 1;
    const int64_t size = output ? gndi_fft_out_size(p) : gndi_fft_in_size(p);
    for (int i = 0; i < p->axes; i++) {
        const gndi_fft_axis *axis = &p->axis[i];
        const int64_t stride = output ? axis->out : axis->in;
        /* The outermost entry is not used, but must not be less than the axis. */
        side->embed[i] = i == 0 ? (output ? gndi_fft_out_count(p, 0) : gndi_fft_in_count(p, 0))
                                : (output ? p->axis[i - 1].out : p->axis[i - 1].in) / stride;
    }
    side->stride = (output ? p->axis[last].out : p->axis[last].in) / size;
    /* Without a batch the distance is ignored; it is then that of a dense block. */
    const gndi_fft_axis *outer = p->batches ? &p->batch[p->batches - 1] : &p->axis[0];
    side->distance = (output ? outer->out : outer->in) / size * (p->batches ? 1 : side->embed[0]);
}

/* Moves the longest batch axis that a plan can have to the end; false if there is none. */
static bool choose_batch(gndi_fft_plan *p) {
    int best = -1;
    for (int i = 0; i < p->batches; i++)
        if (p->batch[i].in > 0 && p->batch[i].out > 0 && (best < 0 || p->batch[i].n > p->batch[best].n)) best = i;
    if (best < 0) return p->batches == 0;
    const gndi_fft_axis axis = p->batch[best], last = p->batch[p->batches - 1];
    p->batch[best] = last, p->batch[p->batches - 1] = axis;
    return true;
}

static bool worth_its_runs(const gndi_fft_plan *p) {
    int64_t runs = 1, bytes = gndi_fft_out_size(p);
    for (int i = 0; i < p->axes; i++) bytes *= p->axis[i].n;
    for (int i = 0; i < p->batches; i++) *(i < p->batches - 1 ? &runs : &bytes) *= p->batch[i].n;
    return runs <= FEW_RUNS || bytes >= LONG_RUN_BYTES;
}

/* cuFFT wants the real arrays of R2C and C2R aligned like complex ones, in each of its runs. */
static bool has_complex_alignment(const gndi_fft_plan *p) {
    const int64_t pair = p->wide ? 16 : 8;
    const bool input = p->type == GNDI_FFT_R2C;
    if (p->type == GNDI_FFT_C2C) return true;
    bool even = (uintptr_t)(input ? p->in : p->out) % (uintptr_t)pair == 0;
    for (int i = 0; i < p->batches - 1; i++) even = even && (input ? p->batch[i].in : p->batch[i].out) % pair == 0;
    return even;
}

bool gndi_cufft_describe(gndi_fft_plan *p, gndi_cufft_layout *layout) {
    if (p->axes > GNDI_CUFFT_RANK || p->axis[p->axes - 1].in <= 0 || p->axis[p->axes - 1].out <= 0) return false;
    for (int i = 1; i < p->axes; i++)
        if (!gndi_fft_nests(p, i - 1, i)) return false;
    if (!choose_batch(p) || !worth_its_runs(p) || !has_complex_alignment(p)) return false;
    memset(layout, 0, sizeof *layout);
    layout->type = p->type, layout->wide = p->wide, layout->rank = p->axes;
    for (int i = 0; i < p->axes; i++) layout->n[i] = p->axis[i].n;
    layout->batch = p->batches ? p->batch[p->batches - 1].n : 1;
    describe_side(p, false, &layout->in);
    describe_side(p, true, &layout->out);
    return true;
}

int64_t gndi_fft_make_dense(gndi_fft_plan *p, bool output) {
    int64_t step = output ? gndi_fft_out_size(p) : gndi_fft_in_size(p);
    for (int i = p->axes - 1; i >= 0; i--) {
        *(output ? &p->axis[i].out : &p->axis[i].in) = step;
        step *= output ? gndi_fft_out_count(p, i) : gndi_fft_in_count(p, i);
    }
    for (int i = p->batches - 1; i >= 0; i--) {
        *(output ? &p->batch[i].out : &p->batch[i].in) = step;
        step *= p->batch[i].n;
    }
    return step;
}
