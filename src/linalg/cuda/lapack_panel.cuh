// lapack_panel.cuh: what the kernels of LU and QR share that factor a panel of a few columns in registers, a row or a
// few to a thread.
#ifndef GNDI_LAPACK_PANEL_CUH
#define GNDI_LAPACK_PANEL_CUH

#include "linalg/cuda/lapack_numbers.cuh"

namespace gnd {
namespace la {

extern __shared__ __align__(16) unsigned char memory_of_block[];

constexpr int AT_ONCE = 8; // steps of a loop in which each works on the same number of columns

template <class T> GNDI_FN T *matrix_of(const gndi_matrices &of, int64_t i) {
    return reinterpret_cast<T *>(of.data + i * of.step);
}

// ---- 16 bytes at a time, of rows in shared memory --------------------------------------------------

template <class T> constexpr int a_pack = 16 / (int)sizeof(T);

GNDI_FN void unpack(const float *from, float *to) {
    const float4 q = *reinterpret_cast<const float4 *>(from);
    to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
}
GNDI_FN void unpack(const double *from, double *to) {
    const double2 q = *reinterpret_cast<const double2 *>(from);
    to[0] = q.x, to[1] = q.y;
}
GNDI_FN void unpack(const complex<float> *from, complex<float> *to) {
    const float4 q = *reinterpret_cast<const float4 *>(from);
    to[0] = complex<float>{q.x, q.y}, to[1] = complex<float>{q.z, q.w};
}
GNDI_FN void unpack(const complex<double> *from, complex<double> *to) {
    const double2 q = *reinterpret_cast<const double2 *>(from);
    to[0] = complex<double>{q.x, q.y};
}

GNDI_FN void pack(const float *from, float *to) {
    float4 q;
    q.x = from[0], q.y = from[1], q.z = from[2], q.w = from[3];
    *reinterpret_cast<float4 *>(to) = q;
}
GNDI_FN void pack(const double *from, double *to) {
    double2 q;
    q.x = from[0], q.y = from[1];
    *reinterpret_cast<double2 *>(to) = q;
}
GNDI_FN void pack(const complex<float> *from, complex<float> *to) {
    float4 q;
    q.x = from[0].re, q.y = from[0].im, q.z = from[1].re, q.w = from[1].im;
    *reinterpret_cast<float4 *>(to) = q;
}
GNDI_FN void pack(const complex<double> *from, complex<double> *to) {
    double2 q;
    q.x = from[0].re, q.y = from[0].im;
    *reinterpret_cast<double2 *>(to) = q;
}

} // namespace la
} // namespace gnd

#endif
