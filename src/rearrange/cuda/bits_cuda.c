/*
 * bits_cuda.c: bits and bytes on CUDA: how the work lies in memory, and the launch.
 */
#include "rearrange/bits_plan.h"
#include "rearrange/cuda/bits_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_bits_kernel(int how, int unpack); /* bits_kernels.cu */

/* Whether all words of eight elements lie on multiples of 8 bytes. */
static bool dense_words(const gndi_bits_plan *plan) {
    if (plan->itemsize != 1 || plan->element.step != 1) return false;
    if ((uintptr_t)plan->element.data % 8 != 0) return false;
    for (int i = 0; i < plan->ndim; i++)
        if (plan->element.stride[i] % 8 != 0) return false;
    return true;
}

static gndi_bits_params describe(const gndi_bits_plan *plan) {
    const int64_t each = plan->unpack ? (plan->elements + 7) / 8 : plan->bytes;
    gndi_bits_params p = {.element = plan->element.data,
                          .byte = plan->byte.data,
                          .element_step = plan->element.step,
                          .byte_step = plan->byte.step,
                          .elements = plan->elements,
                          .bytes = plan->bytes,
                          .work = plan->lines * each,
                          .each = each,
                          .lines = plan->lines,
                          .ndim = plan->ndim,
                          .itemsize = plan->itemsize,
                          .little = plan->little,
                          .unpack = plan->unpack,
                          .words = dense_words(plan)};
    /* The fastest axis of the lines is the last one. */
    if (plan->ndim > 0)
        p.lines_first = gndi_magnitude(plan->element.stride[plan->ndim - 1]) < gndi_magnitude(plan->element.step);
    for (int i = 0; i < plan->ndim; i++) {
        p.shape[i] = plan->shape[i];
        p.element_stride[i] = plan->element.stride[i];
        p.byte_stride[i] = plan->byte.stride[i];
    }
    return p;
}

/* Whether bytes and elements of all lines are one dense line of whole bytes, in pairs. */
static bool is_line(const gndi_bits_plan *plan) {
    const bool whole = plan->elements == 8 * plan->bytes;
    if (plan->itemsize != 1 || plan->element.step != 1 || plan->byte.step != 1 || !whole) return false;
    if (plan->lines > 1 &&
        (plan->ndim != 1 || plan->element.stride[0] != plan->elements || plan->byte.stride[0] != plan->bytes))
        return false;
    return plan->lines * plan->bytes % 2 == 0 && (uintptr_t)plan->element.data % 16 == 0 &&
           (uintptr_t)plan->byte.data % 2 == 0;
}

static bool in_words(const struct gndi_bits_operand *o, int ndim) {
    if ((uintptr_t)o->data % 8 != 0 || o->step % 8 != 0 || o->stride[ndim - 1] != 1) return false;
    for (int i = 0; i + 1 < ndim; i++)
        if (o->stride[i] % 8 != 0) return false;
    return true;
}

/* Whether lines lie side by side, by eights. */
static bool is_across(const gndi_bits_plan *plan) {
    return plan->itemsize == 1 && plan->ndim > 0 && plan->shape[plan->ndim - 1] % 8 == 0 &&
           in_words(&plan->element, plan->ndim) && in_words(&plan->byte, plan->ndim);
}

gnd_status gndi_cuda_bits(gnd_stream *s, const gndi_bits_plan *plan, const char *fn) {
    gndi_bits_params p = describe(plan);
    int how = GNDI_BITS_ANY, a_thread = GNDI_BITS_EACH;
    if (is_line(plan)) {
        how = GNDI_BITS_LINE, p.work /= 2;
    } else if (is_across(plan)) {
        const int last = plan->ndim - 1;
        how = GNDI_BITS_ACROSS, a_thread = 1;
        p.lines /= 8, p.work /= 8, p.shape[last] /= 8;
        p.element_stride[last] = p.byte_stride[last] = 8;
    }
    const int64_t a_block = (int64_t)GNDI_BITS_THREADS * a_thread;
    return gndi_cuda_launch(s, gndi_cuda_bits_kernel(how, plan->unpack), (p.work + a_block - 1) / a_block,
                            GNDI_BITS_THREADS, 0, &p, fn);
}
