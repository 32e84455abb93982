/*
 * fft_cuda.c: Fourier transforms on CUDA, by cuFFT. A transform is divided into passes: the first goes from the
 * input to the output, along up to three axes, the others within the output (gnd's own kernels do some of complex64,
 * fft_columns_cuda.c). An operand of a pass that cuFFT cannot describe (fft_layout_cuda.c) is copied to a layout that
 * it can. The factor is applied by a copy if there is one, else by a pass over the result.
 */
#include "fft/cuda/fft_cuda.h"
#include "elementwise/cuda/copy_launch.h"
#include "runtime/cuda/runtime_cuda.h"

/* ---- copies ----------------------------------------------------------------------------------- */

/* The operand of a copy or a factor: an array in the strides of a plan's side. */
typedef struct operand {
    const gndi_fft_plan *plan;
    bool output; /* the side */
    char *data;
} operand;

static int64_t stride_of(const operand *o, const gndi_fft_axis *axis) {
    return o->output ? axis->out : axis->in;
}

static int64_t count_of(const operand *o, int axis) {
    return o->output ? gndi_fft_out_count(o->plan, axis) : gndi_fft_in_count(o->plan, axis);
}

static int dtype_of(const operand *o) {
    const int64_t size = o->output ? gndi_fft_out_size(o->plan) : gndi_fft_in_size(o->plan);
    if (!o->plan->wide) return size == 4 ? GND_FLOAT32 : GND_COMPLEX64;
    return size == 8 ? GND_FLOAT64 : GND_COMPLEX128;
}

/* Whether some axis is dense on both sides: then complex numbers are treated as pairs of real ones, which are copied in
   the same vectors and multiplied with half the work. */
static bool has_dense_axis(const operand *to, const operand *from, int64_t size) {
    bool dense = false;
    for (int i = 0; i < to->plan->axes; i++)
        dense = dense || (stride_of(to, &to->plan->axis[i]) == size && stride_of(from, &from->plan->axis[i]) == size);
    for (int i = 0; i < to->plan->batches; i++)
        dense = dense || (stride_of(to, &to->plan->batch[i]) == size && stride_of(from, &from->plan->batch[i]) == size);
    return dense;
}

/* to = from * factor; both are of plans with the same axes in the same order. */
static gnd_status copy(gndi_cuda_run *run, const operand *to, const operand *from, double factor) {
    if (run->measures) return GND_OK;
    int dtype = dtype_of(to), from_dtype = dtype_of(from);
    const bool pairs = factor != 1 && gndi_dtype_is_complex(dtype) && from_dtype == dtype &&
                       to->plan->axes + to->plan->batches < GND_MAX_DIMS &&
                       has_dense_axis(to, from, gndi_dtype_sizes[dtype]);
    if (pairs) dtype = from_dtype = to->plan->wide ? GND_FLOAT64 : GND_FLOAT32;
    gndi_cuda_copy c = gndi_cuda_copy_new(to->data, (uint8_t)dtype, from->data, (uint8_t)from_dtype);
    if (pairs) {
        const int64_t part = gndi_dtype_sizes[dtype];
        gndi_cuda_copy_axis(&c, 2, part, part);
    }
    for (int i = 0; i < to->plan->axes; i++)
        gndi_cuda_copy_axis(&c, count_of(to, i), stride_of(to, &to->plan->axis[i]),
                            stride_of(from, &from->plan->axis[i]));
    for (int i = 0; i < to->plan->batches; i++)
        gndi_cuda_copy_axis(&c, to->plan->batch[i].n, stride_of(to, &to->plan->batch[i]),
                            stride_of(from, &from->plan->batch[i]));
    if (factor != 1) gndi_cuda_copy_scale(&c, factor);
    return gndi_cuda_copy_run(run->stream, &c, run->fn);
}

/* ---- one pass --------------------------------------------------------------------------------- */

/* How a pass is done: which operands are copied, and to which layout. The three plans have the same batch, divided
   alike, except that the last one may merge more axes. */
typedef struct way {
    bool copies_in, copies_out;
    gndi_fft_plan given;  /* the operands */
    gndi_fft_plan copies; /* those of them that are copied, in the copies' strides */
    gndi_fft_plan pass;   /* the same as cuFFT runs it */
    gndi_cufft_layout layout;
    int64_t in_bytes, out_bytes; /* of memory for copies */
} way;

/* Makes the copy of complex input in the output, if the output is not copied, too. */
static void copy_to_output(gndi_fft_plan *p) {
    for (int i = 0; i < p->axes; i++) p->axis[i].in = p->axis[i].out;
    for (int i = 0; i < p->batches; i++) p->batch[i].in = p->batch[i].out;
    p->in = p->out;
}

static bool try_way(const gndi_fft_plan *p, bool copies_in, bool copies_out, way *w) {
    const bool by_input = copies_out && !copies_in, to_output = p->type == GNDI_FFT_C2C;
    w->copies_in = copies_in, w->copies_out = copies_out;
    w->in_bytes = w->out_bytes = 0;
    gndi_fft_copy_plan(&w->given, p);
    gndi_fft_merge_batch(&w->given, by_input);
    gndi_fft_copy_plan(&w->copies, &w->given);
    if (copies_out) w->out_bytes = gndi_fft_make_dense(&w->copies, true);
    if (copies_in && to_output && !copies_out)
        copy_to_output(&w->copies);
    else if (copies_in)
        w->in_bytes = gndi_fft_make_dense(&w->copies, false);
    if (copies_in && to_output && copies_out) w->out_bytes = 0; /* in place */
    if (w->in_bytes) w->copies.in = NULL;                       /* memory of its own, which is aligned */
    if (copies_out) w->copies.out = NULL;
    gndi_fft_copy_plan(&w->pass, &w->copies);
    gndi_fft_merge_batch(&w->pass, by_input);
    return gndi_cufft_describe(&w->pass, &w->layout);
}

/* Whether cuFFT is slower with the lines of an operand, whose elements are far from each other, than a copy and cuFFT
   on dense lines: long ones, of arrays that the L2 cache does not hold. */
static bool has_far_lines(const gndi_fft_plan *p, bool output) {
    enum { LONG = 8192, LARGE = 64 << 20 };
    const gndi_fft_axis *axis = &p->axis[0];
    const int64_t size = output ? gndi_fft_out_size(p) : gndi_fft_in_size(p);
    return p->axes == 1 && p->type != GNDI_FFT_C2R && axis->n >= LONG && (output ? axis->out : axis->in) != size &&
           gndi_cuda_fft_bytes(p) >= LARGE;
}

/* Chooses the way with the fewest copies, unless they are worth their time. Copying both operands always works. */
static bool choose_way(const gndi_fft_plan *p, way *w) {
    const bool far_in = has_far_lines(p, false), far_out = has_far_lines(p, true);
    if ((far_in || far_out) && (p->in != p->out || (far_in && far_out)) && try_way(p, far_in, far_out, w)) return true;
    const bool overwritten = p->type == GNDI_FFT_C2R && !p->spare; /* cuFFT does that */
    const bool in_place = p->in == p->out;
    return (!overwritten && try_way(p, false, false, w)) || (!in_place && try_way(p, true, false, w)) ||
           (!in_place && !overwritten && try_way(p, false, true, w)) || try_way(p, true, true, w);
}

gnd_status gndi_cuda_fft_pass(gndi_cuda_run *run, gndi_cuda_fft_job *job, const gndi_fft_plan *p) {
    if (gndi_cuda_fft_shares(p)) return gndi_cuda_fft_odd(run, job, p);
    way w;
    if (!choose_way(p, &w)) return gndi_raise(GND_ERROR_DEVICE, run->fn, "cuFFT has no layout for this transform");
    const size_t used = run->used;
    double factor = p->scale;
    gnd_status status = GND_OK;
    if (w.in_bytes) w.copies.in = gndi_cuda_take(run, w.in_bytes);
    if (w.copies_out) w.copies.out = w.out_bytes ? gndi_cuda_take(run, w.out_bytes) : w.copies.in;
    if (w.copies_in || w.copies_out) w.pass.in = w.copies.in, w.pass.out = w.copies.out;
    const operand in = {&w.given, false, w.given.in}, in_copy = {&w.copies, false, w.copies.in};
    const operand out = {&w.given, true, w.given.out}, out_copy = {&w.copies, true, w.copies.out};
    if (w.copies_in) {
        status = copy(run, &in_copy, &in, factor);
        factor = 1;
    }
    double none = 1; /* a copy of the result applies the factor */
    if (!status) status = gndi_cufft_run(run, job, &w.pass, &w.layout, w.copies_out ? &none : &factor);
    if (!status && (w.copies_out || factor != 1)) status = copy(run, &out, w.copies_out ? &out_copy : &out, factor);
    run->used = used;
    return status;
}

/* ---- passes ----------------------------------------------------------------------------------- */

/* Sorts axes by their strides, the smallest last; the halved one stays at the end. */
static void sort_axes(gndi_fft_plan *p) {
    const int count = p->axes - (p->type != GNDI_FFT_C2C);
    for (int i = 1; i < count; i++) {
        const gndi_fft_axis axis = p->axis[i];
        int at = i;
        for (; at > 0 && gndi_magnitude(p->axis[at - 1].in) < gndi_magnitude(axis.in); at--)
            p->axis[at] = p->axis[at - 1];
        p->axis[at] = axis;
    }
}

/* Moves the axes of the next pass from `rest` to `pass`: the last one, and those before it that nest with it, if cuFFT
   does not transform its lines two at a time. The other axes are a batch of this pass, and stay in `rest`. */
static void next_pass(gndi_fft_plan *rest, gndi_fft_plan *pass) {
    gndi_fft_plan later;
    int taken[GNDI_CUFFT_RANK], count = 1;
    const int most = gndi_cuda_fft_shares(rest) ? 1 : GNDI_CUFFT_RANK;
    taken[0] = rest->axes - 1;
    for (int i = rest->axes - 2; i >= 0 && count < most; i--)
        if (gndi_fft_nests(rest, i, taken[count - 1])) taken[count++] = i;
    gndi_fft_copy_plan(pass, rest);
    gndi_fft_copy_plan(&later, rest);
    pass->axes = later.axes = 0;
    for (int i = 0, k = count - 1; i < rest->axes; i++) {
        if (k >= 0 && taken[k] == i)
            pass->axis[pass->axes++] = rest->axis[i], k--;
        else
            later.axis[later.axes++] = pass->batch[pass->batches++] = rest->axis[i];
    }
    /* The following passes are complex, and within the output; there the halved axis is half as long. */
    for (int i = 0; i < pass->axes; i++)
        later.batch[later.batches++] =
            (gndi_fft_axis){gndi_fft_out_count(pass, i), pass->axis[i].out, pass->axis[i].out};
    for (int i = 0; i < rest->batches; i++) later.batch[i].in = later.batch[i].out;
    for (int i = 0; i < later.axes; i++) later.axis[i].in = later.axis[i].out;
    later.type = GNDI_FFT_C2C, later.in = later.out, later.spare = true;
    gndi_fft_copy_plan(rest, &later);
}

/* Drops axes of one element; a transform without others is a copy. */
static bool drop_single(gndi_fft_plan *p) {
    int kept = 0;
    for (int i = 0; i < p->axes; i++)
        if (p->axis[i].n > 1 || (p->type != GNDI_FFT_C2C && i == p->axes - 1)) p->axis[kept++] = p->axis[i];
    p->axes = kept;
    return kept == 0 || (kept == 1 && p->axis[0].n == 1);
}

/* Real numbers whose halved axis has one element are converted to complex ones, which the other axes transform. */
static gnd_status widen(gndi_cuda_run *run, gndi_fft_plan *p) {
    const operand to = {p, true, p->out}, from = {p, false, p->in};
    gnd_status status = copy(run, &to, &from, 1);
    p->axes--;
    p->type = GNDI_FFT_C2C, p->spare = true;
    copy_to_output(p);
    return status;
}

gnd_status gndi_cuda_fft_copy(gndi_cuda_run *run, const gndi_fft_plan *to, bool to_output, const gndi_fft_plan *from,
                              bool from_output, double factor) {
    const operand target = {to, to_output, to_output ? to->out : to->in};
    const operand source = {from, from_output, from_output ? from->out : from->in};
    return copy(run, &target, &source, factor);
}

static gnd_status work(gndi_cuda_run *run, const void *context) {
    gndi_cuda_fft_job *job = *(gndi_cuda_fft_job *const *)context;
    gndi_fft_plan rest, pass, columns;
    gnd_status status = GND_OK;
    gndi_fft_copy_plan(&rest, job->plan);
    if (rest.type == GNDI_FFT_R2R) return gndi_cuda_fft_dct(run, job);
    if (drop_single(&rest)) {
        const operand to = {&rest, true, rest.out}, from = {&rest, false, rest.in};
        const bool nothing = rest.in == rest.out && rest.scale == 1;
        return nothing ? GND_OK : copy(run, &to, &from, rest.scale);
    }
    if (rest.type == GNDI_FFT_R2C && rest.axis[rest.axes - 1].n == 1) status = widen(run, &rest);
    sort_axes(&rest);
    if (!status && gndi_cuda_takes_matrix(&rest, run->stream->device)) return gndi_cuda_matrix(run, &rest);
    const bool splits = gndi_cuda_split_columns(&rest, &columns, run->stream->device);
    if (!status && gndi_cuda_takes_lines(&rest, run->stream->device)) {
        status = gndi_cuda_fft_lines(run, &rest);
        rest.axes = 0;
    }
    while (!status && rest.axes) {
        next_pass(&rest, &pass);
        if (rest.axes) pass.scale = 1; /* the last pass applies the factor */
        status = gndi_cuda_fft_pass(run, job, &pass);
    }
    if (splits && !status) status = gndi_cuda_columns(run, &columns, true);
    return status;
}

bool gndi_cuda_fft_gathers(const gndi_fft_plan *plan) {
    gndi_fft_plan rest, pass, columns;
    gndi_fft_copy_plan(&rest, plan);
    /* Any two different addresses will do that are aligned for complex numbers. */
    rest.in = NULL, rest.out = (char *)(uintptr_t)256;
    if (plan->batches < 2 || drop_single(&rest)) return false;
    sort_axes(&rest);
    gndi_cuda_split_columns(&rest, &columns, NULL);
    if (!rest.axes || gndi_cuda_takes_lines(&rest, NULL)) return false;
    way w;
    next_pass(&rest, &pass);
    return choose_way(&pass, &w) && w.copies_in && w.copies_out;
}

gnd_status gndi_cuda_fft(gnd_stream *s, const gndi_fft_plan *plan, const char *fn) {
    gndi_cuda_fft_job job = {.plan = plan, .cufft = gndi_cufft_get(fn)}, *context = &job;
    if (!job.cufft) return GND_ERROR_UNAVAILABLE;
    gnd_status status;
    if (plan->pins) {
        gndi_cuda_run measure = {.stream = s, .fn = fn, .measures = true};
        status = work(&measure, &context);
        while (!status && job.found) status = gndi_fft_cache_pin(plan->pins, job.entry[--job.found], fn);
    } else {
        status = gndi_cuda_carry_out(s, fn, work, &context);
    }
    while (job.found) gndi_fft_cache_give(job.entry[--job.found]);
    return status;
}
