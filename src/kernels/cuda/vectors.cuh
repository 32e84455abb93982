/*
 * vectors.cuh: loads and stores of neighbouring elements in words of up to 16 bytes. NVRTC compiles it,
 * too.
 */
#ifndef GNDI_VECTORS_CUH
#define GNDI_VECTORS_CUH

#include "kernels/scalar/scalar_types.h"

namespace gnd {

/* The widest access for a vector of this many bytes; wider vectors take several of 16. */
template <int Bytes> struct access {
    typedef uint4 type;
    static constexpr int count = Bytes / 16;
};
template <> struct access<1> {
    typedef uint8_t type;
    static constexpr int count = 1;
};
template <> struct access<2> {
    typedef uint16_t type;
    static constexpr int count = 1;
};
template <> struct access<4> {
    typedef uint32_t type;
    static constexpr int count = 1;
};
template <> struct access<8> {
    typedef uint2 type;
    static constexpr int count = 1;
};

template <class W> GNDI_FN W load_word(const W *p) {
    return *p;
}
template <class W> GNDI_FN void store_word(W *p, W word) {
    *p = word;
}

/* p must be aligned to the vector's bytes, or 16. */
template <class S, int V> GNDI_FN void load_vector(const void *p, S (&x)[V]) {
    typedef access<(int)sizeof(S) * V> A;
    typename A::type word[A::count];
#pragma unroll
    for (int i = 0; i < A::count; i++) word[i] = load_word(static_cast<const typename A::type *>(p) + i);
    memcpy(x, word, sizeof word);
}
template <class S, int V> GNDI_FN void store_vector(void *p, const S (&x)[V]) {
    typedef access<(int)sizeof(S) * V> A;
    typename A::type word[A::count];
    memcpy(word, x, sizeof word);
#pragma unroll
    for (int i = 0; i < A::count; i++) store_word(static_cast<typename A::type *>(p) + i, word[i]);
}

} // namespace gnd

#endif
