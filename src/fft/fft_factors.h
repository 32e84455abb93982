/*
 * fft_factors.h: the radices of transforms that gnd's own kernels do in passes. C and CUDA.
 */
#ifndef GNDI_FFT_FACTORS_H
#define GNDI_FFT_FACTORS_H

enum { GNDI_FFT_FACTORS = 11 /* of up to 2048 elements */ };

/* The radices of a transform of n elements, 4 first and then primes; how many. */
static inline int gndi_fft_factors(long long n, int factors[GNDI_FFT_FACTORS]) {
    int count = 0;
    for (; n % 4 == 0; n /= 4) factors[count++] = 4;
    for (int p = 2; n > 1; p++)
        for (; n % p == 0; n /= p) factors[count++] = p;
    return count;
}

#endif
