// fft_callbacks.cu: store callbacks for cuFFT's kernels, which multiply a result by a factor and store it. Compiled to
// LTO-IR, which cuFFT links into its kernels when a plan is made. The factor is a double, passed in the bits of the
// pointer that cuFFT hands to callbacks. cuFFT finds them by name, as functions of C++, not of C.

#define FACTOR(info) __longlong_as_double(reinterpret_cast<long long>(info))

__device__ void gndi_store_complex64(void *out, unsigned long long at, float2 x, void *info, void *) {
    const float factor = static_cast<float>(FACTOR(info));
    static_cast<float2 *>(out)[at] = make_float2(x.x * factor, x.y * factor);
}

__device__ void gndi_store_complex128(void *out, unsigned long long at, double2 x, void *info, void *) {
    const double factor = FACTOR(info);
    static_cast<double2 *>(out)[at] = make_double2(x.x * factor, x.y * factor);
}

__device__ void gndi_store_float32(void *out, unsigned long long at, float x, void *info, void *) {
    static_cast<float *>(out)[at] = x * static_cast<float>(FACTOR(info));
}

__device__ void gndi_store_float64(void *out, unsigned long long at, double x, void *info, void *) {
    static_cast<double *>(out)[at] = x * FACTOR(info);
}
