/*
 * elementwise_family.cuh: kernels of one family of ops.def. A translation unit made from elementwise_family.cu.in
 * says which: GNDI_FAMILY, GNDI_LOOPS (a bit for each dtype) and GNDI_KERNELS, the kinds. Its one function,
 * GNDI_FILL, puts the kernels' addresses in the launcher's table.
 */
#include "elementwise/cuda/elementwise_dense.cuh"
#include "elementwise/cuda/elementwise_rows.cuh"
#include "elementwise/cuda/elementwise_tile.cuh"

namespace gnd {

#define GNDI_TEXT(x) #x
#define GNDI_TEXT_OF(x) GNDI_TEXT(x)

enum { GNDI_DENSE_KERNELS = 1, GNDI_ROWS_KERNELS = 2, GNDI_MIXED_KERNELS = 4, GNDI_TILE_KERNELS = 8 };

template <class O> static void fill_tile(gndi_cuda_kernels &k) {
    typedef tile_shape<O> shape;
    k.tile = reinterpret_cast<const void *>(&tile_kernel<O>);
    k.tile_width = shape::width;
    k.tile_x = shape::x;
    k.tile_y = shape::y;
    k.tile_bytes[0] = shape::template bytes<typename O::template in<0>>;
    k.tile_bytes[1] = shape::template bytes<typename O::template in<1>>;
    k.tile_bytes[2] = shape::template bytes<typename O::template in<2>>;
}

template <class O, int V, int U, bool Mixed, bool Deep> static const void *rows_address() {
    return reinterpret_cast<const void *>(&rows_kernel<O, V, U, Mixed, Deep>);
}
/* Those that cast; copies have no others. */
template <class O> static void fill_mixed(gndi_cuda_kernels &k) {
    typedef rows_shape<O> shape;
    k.mixed_width = shape::mixed_width;
    k.mixed_unroll = shape::mixed_unroll;
    k.mixed = rows_address<O, shape::mixed_width, shape::mixed_unroll, true, false>();
    if constexpr (shape::copies) {
        k.rows_width = k.mixed_width;
        k.rows_unroll = k.mixed_unroll;
        k.rows = k.mixed;
        k.deep = rows_address<O, 1, 1, true, true>();
    }
}
/* Uniform: the operation for operands of the loop's dtype. */
template <class O, class Uniform> static void fill_rows(gndi_cuda_kernels &k) {
    typedef rows_shape<O> shape;
    if constexpr (!shape::copies) {
        k.rows_width = shape::width;
        k.rows_unroll = shape::unroll;
        k.rows = rows_address<Uniform, shape::width, shape::unroll, false, false>();
    }
}

template <class O> static void fill_dense(gndi_cuda_kernels &k) {
    typedef dense_shape<O> shape;
    k.dense = reinterpret_cast<const void *>(&dense_kernel<O, shape::width, shape::unroll>);
    k.dense_width = shape::width;
    k.dense_unroll = shape::unroll;
}

template <int Op, int Loop> static void fill_loop(gndi_cuda_table &table) {
    if constexpr (has_loop(Op, Loop) && (GNDI_LOOPS >> Loop & 1)) {
        typedef storage_of<Loop> S;
        constexpr int alike = alike_operator<Op, S>();
        typedef operation<alike, S> O;
        typedef operation<alike, alike_storage<Op, S>> uniform;
        gndi_cuda_kernels &k = table[Op][Loop];
        if constexpr (GNDI_KERNELS & GNDI_DENSE_KERNELS) fill_dense<uniform>(k);
        if constexpr (GNDI_KERNELS & GNDI_ROWS_KERNELS) fill_rows<O, uniform>(k);
        if constexpr (GNDI_KERNELS & GNDI_MIXED_KERNELS) fill_mixed<O>(k);
        if constexpr ((GNDI_KERNELS & GNDI_TILE_KERNELS) && tile_shape<O>::built) fill_tile<uniform>(k);
    }
}

template <int Op> static void fill_operator(gndi_cuda_table &table) {
    if constexpr (same_text(table_rows[Op].family, GNDI_TEXT_OF(GNDI_FAMILY))) {
#define GNDI_CASE(number) fill_loop<Op, number>(table);
        GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
    }
}

} // namespace gnd

extern "C" void GNDI_FILL(gndi_cuda_table *table) {
#define OP(family, name, signature, loops, identity, flags) gnd::fill_operator<GNDI_OP_##name>(*table);
#include "kernels/ops/ops.def"
#undef OP
}
