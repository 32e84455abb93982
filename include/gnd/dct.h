/*
 * gnd/dct.h: discrete cosine and sine transforms of types 1 to 4, as scipy.fft has them.
 *
 * Of n elements x[0] .. x[n-1], without a factor:
 *
 *     DCT-1  y[k] = x[0] + (-1)^k x[n-1] + 2 sum over 0 < j < n-1 of x[j] cos(pi j k / (n - 1))
 *     DCT-2  y[k] = 2 sum over j of x[j] cos(pi k (2 j + 1) / (2 n))
 *     DCT-3  y[k] = x[0] + 2 sum over j > 0 of x[j] cos(pi j (2 k + 1) / (2 n))
 *     DCT-4  y[k] = 2 sum over j of x[j] cos(pi (2 j + 1)(2 k + 1) / (4 n))
 *     DST-1  y[k] = 2 sum over j of x[j] sin(pi (j + 1)(k + 1) / (n + 1))
 *     DST-2  y[k] = 2 sum over j of x[j] sin(pi (k + 1)(2 j + 1) / (2 n))
 *     DST-3  y[k] = (-1)^k x[n-1] + 2 sum over j < n-1 of x[j] sin(pi (j + 1)(2 k + 1) / (2 n))
 *     DST-4  y[k] = 2 sum over j of x[j] sin(pi (2 j + 1)(2 k + 1) / (4 n))
 *
 * Up to a factor 1 / N, types 1 and 4 are their own inverses, and types 2 and 3 are each other's. N is 2 n,
 * except 2 (n - 1) for DCT-1 and 2 (n + 1) for DST-1. With the norm GND_FFT_BACKWARD the inverse has the
 * factor, with GND_FFT_FORWARD the transform has it, and with GND_FFT_ORTHO both have 1 / sqrt(N).
 *
 * Rules for all of them: `n`, `s`, `axes`, errors and the `_into` forms are as in gnd/fft.h, but no axis may
 * be named twice. float32, float16 and bfloat16 are computed in single precision and give float32; float64,
 * integers and bool are computed in double precision. Of complex numbers both parts are transformed.
 * (`orthogonalize` applies to them too; SciPy 1.17 ignores it.)
 *
 * On the CPU FFTW does the work. On a GPU a cuFFT transform runs between two kernels: of n real numbers for
 * types 2 and 3 (Makhoul, "A Fast Cosine Transform in One and Two Dimensions", 1980), of 2 (n - 1) or 2 (n +
 * 1) real numbers for type 1, and for type 4 of n / 2 complex numbers if n is even, of 2 n if it is odd.
 */
#ifndef GND_DCT_H
#define GND_DCT_H

#include <gnd/base.h>
#include <gnd/fft.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * Whether the transform's matrix is made orthogonal, up to a factor. DCT-1: x[0] and x[n-1] are multiplied by
 * sqrt(2), y[0] and y[n-1] divided by it. DCT-2: y[0] is divided. DCT-3: x[0] is multiplied. DST-2: y[n-1] is
 * divided. DST-3: x[n-1] is multiplied. The other types are orthogonal already.
 */
typedef enum gnd_orthogonalize {
    GND_ORTHOGONALIZE_BY_NORM = 0, /**< only with GND_FFT_ORTHO (SciPy's default) */
    GND_ORTHOGONALIZE_ALWAYS,
    GND_ORTHOGONALIZE_NEVER,
} gnd_orthogonalize;

/** The cosine transform of a type along an axis (scipy.fft.dct, whose default type is 2). There is no
    DCT-1 of one element (GND_ERROR_VALUE); a type that is not 1 to 4 is GND_ERROR_INVALID. */
GND_API gnd_array *gnd_dct(const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                           gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_dct_into(gnd_array *out, const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                                gnd_orthogonalize orthogonalize);
/** The inverse of the cosine transform of a type (scipy.fft.idct). */
GND_API gnd_array *gnd_idct(const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                            gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_idct_into(gnd_array *out, const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                                 gnd_orthogonalize orthogonalize);
/** The sine transform of a type along an axis (scipy.fft.dst, whose default type is 2). */
GND_API gnd_array *gnd_dst(const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                           gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_dst_into(gnd_array *out, const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                                gnd_orthogonalize orthogonalize);
/** The inverse of the sine transform of a type (scipy.fft.idst). */
GND_API gnd_array *gnd_idst(const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                            gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_idst_into(gnd_array *out, const gnd_array *x, int type, int64_t n, int axis, gnd_fft_norm norm,
                                 gnd_orthogonalize orthogonalize);

/** The cosine transform along several axes (scipy.fft.dctn). */
GND_API gnd_array *gnd_dctn(const gnd_array *x, int type, gnd_shape s, gnd_axes axes, gnd_fft_norm norm,
                            gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_dctn_into(gnd_array *out, const gnd_array *x, int type, gnd_shape s, gnd_axes axes,
                                 gnd_fft_norm norm, gnd_orthogonalize orthogonalize);
/** Its inverse (scipy.fft.idctn). */
GND_API gnd_array *gnd_idctn(const gnd_array *x, int type, gnd_shape s, gnd_axes axes, gnd_fft_norm norm,
                             gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_idctn_into(gnd_array *out, const gnd_array *x, int type, gnd_shape s, gnd_axes axes,
                                  gnd_fft_norm norm, gnd_orthogonalize orthogonalize);
/** The sine transform along several axes (scipy.fft.dstn). */
GND_API gnd_array *gnd_dstn(const gnd_array *x, int type, gnd_shape s, gnd_axes axes, gnd_fft_norm norm,
                            gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_dstn_into(gnd_array *out, const gnd_array *x, int type, gnd_shape s, gnd_axes axes,
                                 gnd_fft_norm norm, gnd_orthogonalize orthogonalize);
/** Its inverse (scipy.fft.idstn). */
GND_API gnd_array *gnd_idstn(const gnd_array *x, int type, gnd_shape s, gnd_axes axes, gnd_fft_norm norm,
                             gnd_orthogonalize orthogonalize);
/** The same into `out`. */
GND_API gnd_status gnd_idstn_into(gnd_array *out, const gnd_array *x, int type, gnd_shape s, gnd_axes axes,
                                  gnd_fft_norm norm, gnd_orthogonalize orthogonalize);

GND_END

#endif
