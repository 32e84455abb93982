/*
 * fuse_cuda.c: fused programs on a GPU: by a kernel compiled for the program, if there is one, else by the
 * interpreter of its loop.
 */
#include "jit/text.h"
#include "fuse/cuda/fuse_compiled.h"
#include "fuse/cuda/fuse_launch.h"
#include "reduce/cuda/reduce_layout.h"
#include "runtime/cuda/runtime_cuda.h"

/* ---- launching ------------------------------------------------------------------------------ */

/* CUDA loads a kernel at its first use and stalls the GPU while loading, which doubled the time of a process's first
   fused call (0.3 ms). So the kernels of first calls are loaded before the first allocation from the driver's pool,
   which takes 10 ms. */
void gndi_cuda_fuse_load(void) {
    struct cudaFuncAttributes unused;
    for (int k = 0; k < 4; k++) {
        const void *kernel = gndi_cuda_fuse_line_kernel(k & 1, k >> 1);
        gndi_cuda_use(kernel);
        if (cudaFuncGetAttributes(&unused, kernel)) cudaGetLastError(); /* the launch will report it */
    }
}

static gnd_dtype prepare(gndi_fuse_launch *l, const gnd_stream *s, const gndi_fuse_plan *plan) {
    return gndi_cuda_fuse_prepare(l, plan, s->device->processors, (size_t)s->device->shared_bytes);
}

/* Allocates the partial results of blocks that share rows, and finds the counters of arrived blocks. */
static gnd_status find_partials(gnd_stream *s, size_t bytes, gndi_buffer **partials, unsigned **tickets,
                                const char *fn) {
    *partials = NULL;
    if (!bytes) return GND_OK;
    const gnd_status status = gndi_reduce_find_tickets(s, tickets, fn);
    if (status) return status;
    *partials = gndi_buffer_new(fn, s, bytes);
    return *partials ? GND_OK : GND_ERROR_MEMORY;
}

static gnd_status launch_line(gnd_stream *s, gndi_line_launch *l, const char *fn) {
    gndi_buffer *partials;
    gnd_status status = find_partials(s, l->partial_bytes, &partials, &l->params.tickets, fn);
    if (status) return status;
    if (partials) l->params.partials = partials->base;
    const void *kernel = gndi_cuda_fuse_line_kernel(l->of_double, l->params.results > 0);
    status = gndi_cuda_launch_early(s, kernel, l->blocks, l->threads, l->shared_bytes, &l->params, fn);
    if (partials) gndi_buffer_release(partials);
    return status;
}

static gnd_status launch(gnd_stream *s, gndi_fuse_launch *l, const gndi_fuse_plan *plan, const char *fn) {
    gndi_line_launch line;
    if (l->blocks == 0) return GND_OK;
    if (gndi_cuda_fuse_line(l, plan, s->device->processors, &line)) {
        gndi_cuda_fuse_line_keep(s->device, plan, &line);
        return launch_line(s, &line, fn);
    }
    gndi_fuse_head *h = &l->params.head;
    gndi_buffer *partials;
    gnd_status status = find_partials(s, l->partial_bytes, &partials, &h->tickets, fn);
    if (status) return status;
    if (partials) h->partials = partials->base;
    status = gndi_cuda_launch_early(s, l->kernel, l->blocks, l->threads, l->shared_bytes, &l->params, fn);
    if (partials) gndi_buffer_release(partials);
    return status;
}

/* The first or second half of a plan, along its longest axis that is not reduced; false if there is none. */
static bool halve(gndi_fuse_plan *half, const gndi_fuse_plan *plan, bool second) {
    const int axes = plan->shape_of == GNDI_FUSE_MAP ? plan->ndim : plan->kept;
    int longest = 0;
    for (int a = 1; a < axes; a++)
        if (plan->shape[a] > plan->shape[longest]) longest = a;
    if (axes == 0 || plan->shape[longest] < 2) return false;
    const int64_t first = plan->shape[longest] / 2 / 64 * 64; /* so that vectors stay aligned */
    const int64_t at = first ? first : plan->shape[longest] / 2;
    *half = *plan;
    half->shape[longest] = second ? plan->shape[longest] - at : at;
    half->size = plan->size / plan->shape[longest] * half->shape[longest];
    half->rows = plan->rows / plan->shape[longest] * half->shape[longest];
    for (int k = 0; second && k < plan->operands; k++) /* for a sequence: its first number */
        half->operand[k].data = (char *)((uintptr_t)half->operand[k].data + (uintptr_t)(plan->stride[k][longest] * at));
    return true;
}

enum { LARGE = 1 << 29 }; /* elements from which a plan is worth dividing */

static const char general[] = "interpreter", of_lines[] = "line interpreter";

/* The interpreter that can run a plan; NULL if neither can. */
static const char *interpreter_of(const gnd_stream *s, const gndi_fuse_plan *plan) {
    gndi_fuse_launch l;
    gndi_line_launch line;
    if (plan->size == 0 && (plan->shape_of == GNDI_FUSE_MAP || plan->length)) return general;
    if (prepare(&l, s, plan)) return gndi_cuda_fuse_line(&l, plan, s->device->processors, &line) ? of_lines : general;
    gndi_fuse_plan half;
    return plan->size > LARGE && halve(&half, plan, true) ? interpreter_of(s, &half) : NULL;
}

static gnd_status carry_out(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn) {
    gndi_fuse_launch l;
    gndi_line_launch *again = gndi_cuda_fuse_line_again(s->device, plan);
    if (again) return launch_line(s, again, fn);
    if (plan->size == 0 && (plan->shape_of == GNDI_FUSE_MAP || plan->length)) return GND_OK; /* no rows */
    if (gndi_likely(prepare(&l, s, plan))) return launch(s, &l, plan, fn);
    gndi_fuse_plan half;
    if (plan->size <= LARGE || !halve(&half, plan, false))
        return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "no launch carries this program out");
    const gnd_status status = carry_out(s, &half, fn);
    if (status || !halve(&half, plan, true)) return status;
    return carry_out(s, &half, fn);
}

/* ---- the hooks ------------------------------------------------------------------------------ */

/* The line interpreter has space for these, and for values derived from them. */
enum { FEW_CONSTANTS = GNDI_LINE_SPLATS / 2 };

/* A hash of what the answer depends on: the program, its shape and strides, the alignment of addresses; of many
   constants, which are equal. */
static uint64_t question_of(const gndi_fuse_plan *plan) {
    const size_t bytes = (size_t)plan->ndim * sizeof *plan->shape;
    uint64_t hash = gndi_hash(plan->shape, bytes, plan->key + (uint64_t)plan->kept);
    uintptr_t aligned = 0;
    for (int k = 0; k < plan->operands; k++) {
        hash = gndi_hash(plan->stride[k], bytes, hash);
        aligned = aligned * 31 + ((uintptr_t)plan->operand[k].data & 15);
    }
    if (plan->constants > FEW_CONSTANTS)
        hash = gndi_hash(plan->constant, (size_t)plan->constants * sizeof *plan->constant, hash);
    return hash ^ aligned << 32;
}

/* The question is often repeated, for the same program with other addresses and constants: the last answer is
   cached. */
static const char *interpreter_again(const gnd_stream *s, const gndi_fuse_plan *plan) {
    static _Thread_local struct {
        uint64_t question;
        const gndi_device *device;
        const char *answer;
    } last;
    if (gndi_cuda_fuse_line_again(s->device, plan)) return of_lines;
    const uint64_t question = question_of(plan);
    if (last.device != s->device || last.question != question) {
        last.answer = interpreter_of(s, plan);
        last.question = question, last.device = s->device;
    }
    return last.answer;
}

const char *gndi_cuda_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan) {
    if (gndi_cuda_compiled_ready(s, plan)) return "compiled";
    return interpreter_again(s, plan);
}

gnd_status gndi_cuda_fuse(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn) {
    bool done = false;
    const gnd_status status = gndi_cuda_compiled_run(s, plan, fn, &done);
    return status || done ? status : carry_out(s, plan, fn);
}
