/*
 * elementwise_family.cuh: all kernels of one family of ops.def. A translation unit made from
 * elementwise_family.cu.in defines GNDI_FAMILY and includes this; its one function puts the
 * kernels' addresses in the launcher's table.
 */
#include "elementwise/cuda/elementwise_dense.cuh"
#include "elementwise/cuda/elementwise_rows.cuh"
#include "elementwise/cuda/elementwise_tile.cuh"

namespace gnd {

#define GNDI_TEXT(x) #x
#define GNDI_TEXT_OF(x) GNDI_TEXT(x)
#define GNDI_JOIN(a, b) a##b
#define GNDI_JOIN_OF(a, b) GNDI_JOIN(a, b)

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
template <class O> static void fill_rows(gndi_cuda_kernels &k) {
    typedef rows_shape<O> shape;
    k.mixed_width = shape::mixed_width;
    k.mixed_unroll = shape::mixed_unroll;
    k.mixed = rows_address<O, shape::mixed_width, shape::mixed_unroll, true, false>();
    if constexpr (shape::copies) { /* which has no body: casts are all there is */
        k.rows_width = k.mixed_width;
        k.rows_unroll = k.mixed_unroll;
        k.rows = k.mixed;
        k.deep = rows_address<O, 1, 1, true, true>();
    } else {
        k.rows_width = shape::width;
        k.rows_unroll = shape::unroll;
        k.rows = rows_address<O, shape::width, shape::unroll, false, false>();
    }
}

template <int Op, int Loop> static void fill_loop(gndi_cuda_table &table) {
    if constexpr (has_loop(Op, Loop)) {
        typedef operation<Op, storage_of<Loop>> O;
        typedef dense_shape<O> dense;
        gndi_cuda_kernels &k = table[Op][Loop];
        k.dense = reinterpret_cast<const void *>(&dense_kernel<O, dense::width, dense::unroll>);
        k.dense_width = dense::width;
        k.dense_unroll = dense::unroll;
        fill_rows<O>(k);
        if constexpr (tile_shape<O>::built) fill_tile<O>(k);
    }
}

template <int Op> static void fill_operator(gndi_cuda_table &table) {
    if constexpr (same_text(table_rows[Op].family, GNDI_TEXT_OF(GNDI_FAMILY))) {
#define GNDI_FILL(number) fill_loop<Op, number>(table);
        GNDI_EACH_DTYPE(GNDI_FILL)
#undef GNDI_FILL
    }
}

} // namespace gnd

extern "C" void GNDI_JOIN_OF(gndi_cuda_fill_, GNDI_FAMILY)(gndi_cuda_table *table) {
#define OP(family, name, signature, loops, identity, flags) gnd::fill_operator<GNDI_OP_##name>(*table);
#include "kernels/ops/ops.def"
#undef OP
}
