/*
 * operator_family.cuh: the fold kernels of one family of ops.def. A translation unit made from operator_family.cu.in
 * defines GNDI_FAMILY, GNDI_LOOPS (a bit for each dtype that it is for) and GNDI_FILL, the name of its one function,
 * which puts the kernels' addresses in the launchers' table.
 */
#include "reduce/cuda/operator_fold.cuh"

namespace gnd {

#define GNDI_TEXT(x) #x
#define GNDI_TEXT_OF(x) GNDI_TEXT(x)

template <int Op, int Loop> static void fill_fold(gndi_fold_table &table) {
    if constexpr (has_loop(Op, Loop) && (GNDI_LOOPS >> Loop & 1)) {
        typedef storage_of<Loop> S;
        constexpr int alike = alike_operator<Op, S>();
        typedef folder<alike, S> fold;
        gndi_fold_kernel &k = table[Op][Loop];
        k.kernel = reinterpret_cast<const void *>(&fold_kernel<alike, S>);
        k.accumulator = (uint8_t)sizeof(partial<typename fold::A>);
        k.closed = fold::closed;
        k.associative = fold::regroups;
    }
}

/* Operators that have a name, and the comparisons of int64 with uint64. */
template <int Op, int Flags> static void fill_operator(gndi_fold_table &table) {
    typedef op_traits<Op> traits;
    constexpr bool is_mine = same_text(table_rows[Op].family, GNDI_TEXT_OF(GNDI_FAMILY));
    constexpr bool is_public = (Flags & INTERNAL) == 0 || traits::template letter<0> == 'I';
    if constexpr (is_mine && is_public && traits::nin <= 2 && traits::nout == 1 && !traits::has_params) {
#define CASE(number) fill_fold<Op, number>(table);
        GNDI_EACH_STORAGE(CASE)
#undef CASE
    }
}

} // namespace gnd

extern "C" void GNDI_FILL(gndi_fold_table *table) {
#define OP(family, name, signature, loops, identity, flags) gnd::fill_operator<GNDI_OP_##name, (flags)>(*table);
#include "kernels/ops/ops.def"
#undef OP
}
