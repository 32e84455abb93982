/*
 * bits_cuda.c: bits and bytes on CUDA: how the work lies in memory, and the launch.
 */
#include "kernels/bits_plan.h"
#include "kernels/cuda/bits_params.h"
#include "runtime/runtime_cuda.h"

const void *gndi_cuda_bits_kernel(void); /* bits_kernels.cu */

static int64_t magnitude(int64_t n) {
    return n < 0 ? -n : n;
}

/* Whether all words of eight elements lie on multiples of 8 bytes. */
static bool dense_words(const gndi_bits_plan *plan) {
    if (plan->itemsize != 1 || plan->element.step != 1) return false;
    if ((uintptr_t)plan->element.data % 8 != 0) return false;
    for (int i = 0; i < plan->ndim; i++)
        if (plan->element.stride[i] % 8 != 0) return false;
    return true;
}

gnd_status gndi_cuda_bits(gnd_stream *s, const gndi_bits_plan *plan, const char *fn) {
    const int64_t each = plan->unpack ? (plan->elements + 7) / 8 : plan->bytes;
    const int64_t a_block = GNDI_BITS_THREADS * GNDI_BITS_EACH;
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
        p.lines_first =
            magnitude(plan->element.stride[plan->ndim - 1]) < magnitude(plan->element.step);
    for (int i = 0; i < plan->ndim; i++) {
        p.shape[i] = plan->shape[i];
        p.element_stride[i] = plan->element.stride[i];
        p.byte_stride[i] = plan->byte.stride[i];
    }
    void *argument = &p;
    const cudaError_t error = cudaLaunchKernel(
        gndi_cuda_bits_kernel(), (dim3){(unsigned)((p.work + a_block - 1) / a_block), 1, 1},
        (dim3){GNDI_BITS_THREADS, 1, 1}, &argument, 0, (cudaStream_t)s->native);
    if (error) cudaGetLastError(); /* told here, and not again */
    return gndi_cuda_check((int)error, fn, "starting a kernel of bits");
}
