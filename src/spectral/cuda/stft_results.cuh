// stft_results.cuh: what is written of a bin.
#ifndef GNDI_STFT_RESULTS_CUH
#define GNDI_STFT_RESULTS_CUH

#include "fft/cuda/fft_registers.cuh"
#include "spectral/cuda/stft_device.cuh"

namespace gnd {

// The result of a bin, times a factor, to element number `at` of `to`.
template <class R>
GNDI_FN void store_result(const gndi_stft_plan &q, char *to, int64_t at, R factor, number<R> z, number<R> y) {
    R *const real = reinterpret_cast<R *>(to);
    number<R> *const whole = reinterpret_cast<number<R> *>(to);
    switch (q.result) {
    case GNDI_STFT_POWERS: real[at] = (z.re * z.re + z.im * z.im) * factor; break;
    case GNDI_STFT_MAGNITUDES: real[at] = hypot(z.re, z.im) * factor; break;
    case GNDI_STFT_ANGLES: real[at] = atan2(z.im, z.re); break;
    case GNDI_STFT_PRODUCTS: z = conj(z) * y; [[fallthrough]];
    default: whole[at] = {z.re * factor, z.im * factor};
    }
}

// The same of spectra and powers alone.
template <class R> GNDI_FN void store_bin(bool powers, char *to, int64_t at, R factor, number<R> z) {
    if (powers)
        reinterpret_cast<R *>(to)[at] = (z.re * z.re + z.im * z.im) * factor;
    else
        reinterpret_cast<number<R> *>(to)[at] = {z.re * factor, z.im * factor};
}

} // namespace gnd

#endif
