/*
 * scan_family.cuh: the scan kernels of one family of ops.def. A translation unit made from
 * scan_family.cu.in defines GNDI_FAMILY, GNDI_LOOPS, a bit for each dtype that it is for,
 * GNDI_OPERATORS, which of them (an expression of Op), and GNDI_FILL, the name of its one function,
 * which puts the kernels' addresses in the launcher's table.
 */
#include "elementwise/cuda/elementwise_operator.cuh"
#include "scan/cuda/scan_columns.cuh"
#include "scan/cuda/scan_flat.cuh"
#include "scan/cuda/scan_narrow.cuh"
#include "scan/cuda/scan_serial.cuh"

namespace gnd {

#define GNDI_TEXT(x) #x
#define GNDI_TEXT_OF(x) GNDI_TEXT(x)

/* How much a thread holds, by the size of a value. */
template <int Op, class O> struct scan_shape {
    typedef typename O::element S;
    static constexpr int value = sizeof(typename O::value);
    static constexpr int vector = scan_vector<S>;
    /* Vectors of a thread: what five blocks have room for in shared memory; an odd number. */
    static constexpr int depth = 11;
    static constexpr int rows = value > 8 || !scan_is_cheap<Op> ? 8 : value > 4 ? 16 : 32;
    static constexpr int flat_resident = value > 8 ? 4 : 5;
    static constexpr int columns_resident = 3;
};

/* The operators that matter most have all kernels. */
template <int Op> constexpr bool scan_is_common =
    Op == op_add || Op == op_multiply || Op == op_maximum || Op == op_minimum;

/* Operators that do the same to the bits of several dtypes share their kernels. */
template <int Op, class S> struct scan_alike {
    static constexpr bool modular =
        Op == op_add || Op == op_multiply || Op == op_bitwise_and || Op == op_bitwise_or || Op == op_bitwise_xor;
    static constexpr bool ordering = Op == op_maximum || Op == op_minimum;
    static constexpr int op = alike_operator<Op, S>();
    typedef choose_t<(modular && is_int<S>) || (ordering && is_bool<S>), bits_t<S>, S> type;
};

template <class O, class From> static void fill_source(gndi_scan_kernels &k, int dtype) {
    typedef scan_shape<O::op, O> shape;
    k.flat[dtype] = (const void *)&scan_flat_kernel<O, strided_lines<O, From>, shape::depth, shape::flat_resident>;
    k.columns[dtype] = (const void *)&scan_columns_kernel<O, From, shape::rows, shape::columns_resident>;
}
template <class O, class From> static void fill_cast(gndi_scan_kernels &k) {
    fill_source<O, From>(k, dtype_of<From>);
}

/* Sums and products of small integers and halves are wider than what they are of. */
template <class O> static void fill_casts(gndi_scan_kernels &k) {
    typedef typename O::element S;
    if constexpr (is_same<S, uint64_t>) {
        fill_cast<O, bool>(k);
        fill_cast<O, int8_t>(k), fill_cast<O, uint8_t>(k);
        fill_cast<O, int16_t>(k), fill_cast<O, uint16_t>(k);
        fill_cast<O, int32_t>(k), fill_cast<O, uint32_t>(k);
        fill_source<O, uint64_t>(k, dtype_of<int64_t>);
        fill_source<O, uint64_t>(k, dtype_of<uint64_t>);
    } else if constexpr (is_same<S, float>) {
        fill_cast<O, float16>(k), fill_cast<O, bfloat16>(k);
    } else if constexpr (is_same<S, double>) {
        fill_cast<O, float>(k);
    }
}

/* For dtype `loop`, whose elements the kernels see as S. */
template <int Op, class S> static void fill_associative(gndi_scan_kernels &k, int loop) {
    typedef scan_operator<Op, S> O;
    typedef scan_shape<O::op, O> shape;
    k.words = scan_words<typename O::value>;
    k.rows = shape::rows;
    k.depth = shape::depth, k.vector = shape::vector;
    fill_source<O, S>(k, loop);
    if constexpr (scan_is_common<Op>) {
        k.dense = (const void *)&scan_flat_kernel<O, dense_lines<O>, shape::depth, shape::flat_resident>;
        k.narrow = (const void *)&scan_narrow_kernel<O>;
    }
    if constexpr (Op == op_add || Op == op_multiply) fill_casts<O>(k);
}

/* Binary operators that give back their loop's dtype. */
template <int Op, class S> constexpr bool scan_takes() {
    typedef op_traits<Op> row;
    if constexpr (row::nin == 2 && row::nout == 1) {
        typedef functor<Op, S> F;
        return !row::has_params && is_same<typename F::template in<0>, S> && is_same<typename F::template in<1>, S> &&
               is_same<typename F::template out<0>, S>;
    } else {
        return false;
    }
}

template <int Op, int Loop> static void fill_loop(gndi_scan_table &table) {
    if constexpr (has_loop(Op, Loop) && (GNDI_LOOPS >> Loop & 1)) {
        typedef storage_of<Loop> S;
        if constexpr (scan_takes<Op, S>()) {
            gndi_scan_kernels &k = table[Op][Loop];
            typedef scan_alike<Op, S> alike;
            if constexpr (op_traits<Op>::associative)
                fill_associative<alike::op, typename alike::type>(k, Loop);
            else
                k.serial = (const void *)&scan_serial_kernel<scan_step<Op, S>>;
        }
    }
}

template <int Op> static void fill_operator(gndi_scan_table &table) {
    if constexpr (same_text(table_rows[Op].family, GNDI_TEXT_OF(GNDI_FAMILY)) && (GNDI_OPERATORS)) {
        fill_loop<Op, 1>(table), fill_loop<Op, 2>(table), fill_loop<Op, 3>(table);
        fill_loop<Op, 4>(table), fill_loop<Op, 5>(table), fill_loop<Op, 6>(table);
        fill_loop<Op, 7>(table), fill_loop<Op, 8>(table), fill_loop<Op, 9>(table);
        fill_loop<Op, 10>(table), fill_loop<Op, 11>(table), fill_loop<Op, 12>(table);
        fill_loop<Op, 13>(table), fill_loop<Op, 14>(table), fill_loop<Op, 15>(table);
    }
}

} // namespace gnd

extern "C" void GNDI_FILL(gndi_scan_table *table) {
#define OP(family, name, signature, loops, identity, flags) gnd::fill_operator<GNDI_OP_##name>(*table);
#include "kernels/ops/ops.def"
#undef OP
}
