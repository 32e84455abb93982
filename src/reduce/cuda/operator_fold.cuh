/*
 * operator_fold.cuh: the kernel of folds, for one operator and loop; operator_params.h says what a
 * fold is. Everything is combined in an order that the geometry alone decides.
 */
#ifndef GNDI_OPERATOR_FOLD_CUH
#define GNDI_OPERATOR_FOLD_CUH

#include "kernels/cuda/digits.cuh"
#include "elementwise/cuda/elementwise_operator.cuh"
#include "reduce/cuda/operator_params.h"

/* A function of a class, where GNDI_FN's `static` has another meaning. */
#define GNDI_FOLD_FN __device__ __forceinline__

namespace gnd {

/* ---- memory of any dtype -------------------------------------------------------------------- */

#define GNDI_EACH_STORAGE(CASE)                                                                                        \
    CASE(1)                                                                                                            \
    CASE(2)                                                                                                            \
    CASE(3)                                                                                                            \
    CASE(4)                                                                                                            \
    CASE(5)                                                                                                            \
    CASE(6)                                                                                                            \
    CASE(7)                                                                                                            \
    CASE(8)                                                                                                            \
    CASE(9)                                                                                                            \
    CASE(10)                                                                                                           \
    CASE(11)                                                                                                           \
    CASE(12)                                                                                                           \
    CASE(13)                                                                                                           \
    CASE(14)                                                                                                           \
    CASE(15)

template <class S> GNDI_FN_HEAVY S load_any(const char *p, int dtype) {
    switch (dtype) {
#define CASE(number)                                                                                                   \
case number: return cast<S>(*(const storage_of<number> *)p);
        GNDI_EACH_STORAGE(CASE)
#undef CASE
    }
    return S();
}
template <class S> GNDI_FN_HEAVY void store_any(char *p, S x, int dtype) {
    switch (dtype) {
#define CASE(number)                                                                                                   \
case number: *(storage_of<number> *)p = cast<storage_of<number>>(x); break;
        GNDI_EACH_STORAGE(CASE)
#undef CASE
    }
}
/* x as it comes back from memory of another dtype. */
template <class S, class R> GNDI_FN_HEAVY S recast(R x, int dtype) {
    switch (dtype) {
#define CASE(number)                                                                                                   \
case number: return cast<S>(cast<storage_of<number>>(x));
        GNDI_EACH_STORAGE(CASE)
#undef CASE
    }
    return S();
}

GNDI_FN_HEAVY int64_t load_narrow_integer(const char *p, int dtype) {
    switch (dtype) {
    case 2: return *(const int8_t *)p;
    case 4: return *(const int16_t *)p;
    case 5: return *(const uint16_t *)p;
    case 6: return *(const int32_t *)p;
    case 7: return *(const uint32_t *)p;
    default: return *(const uint8_t *)p; /* bool and uint8 */
    }
}
GNDI_FN int64_t load_integer(const char *p, int dtype) {
    return dtype == dtype_of<int64_t> ? *(const int64_t *)p : load_narrow_integer(p, dtype);
}

GNDI_FN_HEAVY int64_t offset_on_many(int64_t index, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
#pragma unroll 1
    for (int a = ndim - 1; a > 0; a--) offset += take_digit(index, shape[a]) * stride[a];
    return offset + index * stride[0];
}

GNDI_FN int64_t offset_on(int64_t index, int ndim, const int64_t *shape, const int64_t *stride) {
    if (ndim <= 1) return ndim ? index * stride[0] : 0;
    return offset_on_many(index, ndim, shape, stride);
}
/* By one of p's rows of strides: along the columns' axes, along the inner ones. */
GNDI_FN int64_t column_offset(const gndi_fold_params &p, int64_t column, const int64_t *stride) {
    return offset_on(column, p.column_ndim, p.shape, stride);
}
GNDI_FN int64_t inner_offset(const gndi_fold_params &p, int64_t j, const int64_t *stride) {
    return offset_on(j, p.inner_ndim, p.shape + p.column_ndim, stride + p.column_ndim);
}

GNDI_FN uint64_t load_word_of(const void *words, int64_t i, int bytes) {
    return bytes == 4 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}
/* The first of the sorted keys that is not below `key`, from begin .. end. */
GNDI_FN_HEAVY int64_t lower_bound(const gndi_fold_params &p, uint64_t key, int64_t begin, int64_t end) {
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (load_word_of(p.keys, middle, p.key_bytes) < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}
/* The end of the run of equal keys that begins at `begin`. */
GNDI_FN_HEAVY int64_t end_of_run(const gndi_fold_params &p, uint64_t key, int64_t begin) {
    int64_t step = 1;
    while (begin + step < p.length && load_word_of(p.keys, begin + step, p.key_bytes) == key) step *= 2;
    const int64_t end = begin + step < p.length ? begin + step : p.length;
    return lower_bound(p, key + 1, begin + step / 2, end);
}

GNDI_FN_HEAVY void report_index(const gndi_fold_params &p, int64_t value) {
    if (atomicCAS(&p.fault->code, 0, (int)GNDI_FAULT_INDEX) == 0)
        p.fault->value = value, p.fault->axis = p.axis, p.fault->size = p.length;
}

/* ---- one operator in one loop --------------------------------------------------------------- */

template <class A> struct partial {
    A value;
    bool has;
};

template <class A> GNDI_FN A lane_below(A x, int distance) {
    constexpr int words = (sizeof(A) + 3) / 4;
    uint32_t w[words] = {};
    memcpy(w, &x, sizeof x);
#pragma unroll
    for (int i = 0; i < words; i++) w[i] = __shfl_down_sync(0xffffffffu, w[i], distance);
    memcpy(&x, w, sizeof x);
    return x;
}

template <int Op, class S> struct folder {
    typedef functor<Op, S> F;
    typedef typename F::template in<0> first;
    typedef typename F::template in<(F::nin > 1)> second; /* of a unary operator: the first */
    typedef typename F::template out<0> result;
    typedef compute_t<first> A;
    static constexpr bool unary = F::nin == 1;
    static constexpr bool closed = is_same<first, result>;
    static constexpr bool folds = closed && !unary && is_same<first, second>;
    static constexpr bool regroups = folds && op_traits<Op>::associative;
    static constexpr bool mends = Op == op_multiply && is_complex<S>;
    static constexpr bool exact_compare = op_traits<Op>::template letter<0> == 'I';
    /* Elements that are on their way at a time: few where each step is long, as it is with a cast behind it. */
    static constexpr int in_flight = operation<Op, S>::cheap && closed ? (sizeof(second) <= 8 ? 8 : 4) : 2;

    const gndi_fold_params &p;
    A acc;
    result last; /* what the last step gave, before it went through the targets' dtype */
    bool has, rounds;
    int lane, lanes;

    GNDI_FOLD_FN explicit folder(const gndi_fold_params &params) : p(params) {
        has = false, rounds = p.rounds;
        lanes = regroups ? 1 << p.log_lanes : 1;
        lane = (int)(threadIdx.x & (unsigned)(lanes - 1));
        memset(&acc, 0, sizeof acc);
        memset(&last, 0, sizeof last);
    }

    GNDI_FOLD_FN void check(const A &a, const second &x) const {
        if constexpr (F::checked)
            if (F().faults(operand_of<F>(from_compute<first>(a)), operand_of<F>(x)))
                atomicCAS(&p.fault->code, 0, Op + 1);
    }
    GNDI_FOLD_FN result apply(const A &a, const second &x) const {
        if constexpr (unary) {
            return result_of<F, result>(F().apply(operand_of<F>(from_compute<first>(a))));
        } else if constexpr (exact_compare) { /* 64 bits, whatever they are called */
            return p.swapped ? F().apply((int64_t)x, (uint64_t)a) : F().apply(a, x);
        } else {
            check(a, x);
            return result_of<F, result>(F().apply(operand_of<F>(from_compute<first>(a)), operand_of<F>(x)));
        }
    }
    /* `recasts`: the result goes through the targets' dtype, as it always does where it has another
       type than the first input. */
    GNDI_FOLD_FN void step(const second &x, bool recasts) {
        if constexpr (regroups && is_half<first>) {
            acc = F().apply(acc, to_compute(x));
            if (rounds) acc = rounded<first>(acc);
            if (!recasts) return;
            last = from_compute<first>(acc);
        } else {
            last = apply(acc, x);
            if constexpr (closed) acc = to_compute(last);
            if (closed && !recasts) return;
        }
        acc = to_compute(recast<first, result>(last, p.out_dtype));
    }
    GNDI_FOLD_FN void take(second x, bool recasts) {
        if constexpr (mends)
            if (p.skip_nan && (x.re != x.re || x.im != x.im)) x = second{1, 0};
        if (folds && !has) {
            if constexpr (folds) acc = to_compute(x);
            has = true;
        } else {
            step(x, recasts);
        }
    }
    GNDI_FOLD_FN void join(const A &value, bool with) {
        if constexpr (regroups) {
            if (has && with)
                acc = F().apply(acc, value);
            else if (with)
                acc = value;
            if (rounds) acc = rounded<first>(acc);
            has |= with;
        }
    }

    /* ---- elements ---- */

    GNDI_FOLD_FN second value_at(const char *at) const {
        if (p.in_dtype == dtype_of<second>) return *(const second *)at;
        return load_any<second>(at, p.in_dtype);
    }
    GNDI_FOLD_FN const char *address(const char *base, int64_t from_step, int64_t j) const {
        if (p.positions)
            j = (int64_t)load_word_of(p.positions, j, p.position_bytes);
        else if (p.by_element)
            return base + inner_offset(p, j, p.in_stride);
        return base + j * from_step;
    }
    /* Elements that lie in memory as the operator takes them: several are on their way at a time,
       so their addresses must not hang on each other. */
    GNDI_FOLD_FN void take_many(const char *base, int64_t from_step, int64_t j, int64_t end) {
        const char *at = base + j * from_step;
        const int64_t stride = from_step * lanes;
#pragma unroll 1
        for (; j < end; j += (int64_t)in_flight * lanes, at += in_flight * stride) {
            second x[in_flight];
#pragma unroll
            for (int u = 0; u < in_flight; u++)
                if (j + (int64_t)u * lanes < end) x[u] = *(const second *)(at + u * stride);
#pragma unroll
            for (int u = 0; u < in_flight; u++)
                if (j + (int64_t)u * lanes < end) take(x[u], false);
        }
    }
    /* The same of elements whose targets are in p.positions. */
    GNDI_FOLD_FN void take_scattered(const char *base, int64_t from_step, int64_t j, int64_t end) {
        constexpr int many = in_flight < 4 ? in_flight : 4;
#pragma unroll 1
        for (; j < end; j += (int64_t)many * lanes) {
            int64_t position[many];
            second x[many];
#pragma unroll
            for (int u = 0; u < many; u++) {
                const int64_t at = j + (int64_t)u * lanes;
                position[u] = (int64_t)load_word_of(p.positions, at < end ? at : j, p.position_bytes);
            }
#pragma unroll
            for (int u = 0; u < many; u++) x[u] = *(const second *)(base + position[u] * from_step);
#pragma unroll
            for (int u = 0; u < many; u++)
                if (j + (int64_t)u * lanes < end) take(x[u], false);
        }
    }
    /* The elements begin .. end - 1 of a run, every `lanes`-th from this lane's. */
    GNDI_FOLD_FN void take_run(const char *base, int64_t from_step, const char *mask, int64_t mask_step, int64_t begin,
                               int64_t end) {
        int64_t j = begin + lane;
        if constexpr (!unary) {
            const bool plain = p.in && p.in_dtype == dtype_of<second> && !mask && !p.recasts;
            if (plain && !p.by_element) {
                if (p.positions)
                    take_scattered(base, from_step, j, end);
                else
                    take_many(base, from_step, j, end);
                return;
            }
        }
#pragma unroll 1
        for (; j < end; j += lanes) {
            if (mask && !mask[p.by_element ? inner_offset(p, j, p.mask_stride) : j * mask_step]) continue;
            second x;
            if (unary || !p.in)
                memcpy(&x, p.value, sizeof x);
            else
                x = value_at(address(base, from_step, j));
            take(x, p.recasts);
        }
    }
    /* The same of a range of the reduced axes, in C order, run by run; of other modes, one run. */
    GNDI_FOLD_FN void take_elements(const char *base, const char *mask, int64_t begin, int64_t end) {
        const int last = p.column_ndim + p.inner_ndim - 1;
        const bool by_run = p.mode == GNDI_FOLD_REDUCE && p.inner_ndim > 1 && !p.by_element;
        const int64_t run = by_run ? p.shape[last] : 0;
        const bool reduces = p.mode == GNDI_FOLD_REDUCE && p.inner_ndim > 0;
        const int64_t run_step = reduces ? p.in_stride[last] : p.in_step;
        const int64_t run_mask = reduces ? p.mask_stride[last] : 0;
#pragma unroll 1
        while (begin < end) {
            int64_t from = begin, n = end - begin;
            const char *at = base, *mask_at = mask;
            if (by_run) {
                const int64_t in_run = begin % run;
                if (run - in_run < n) n = run - in_run;
                from = 0;
                at += inner_offset(p, begin, p.in_stride);
                if (mask) mask_at += inner_offset(p, begin, p.mask_stride);
            }
            take_run(at, run_step, mask_at, run_mask, from, from + n);
            begin += n;
        }
    }
    GNDI_FOLD_FN void take_partials(const char *from, int64_t column, int64_t begin, int64_t end) {
        if constexpr (regroups) {
            constexpr int many = 4;
            const partial<A> *partials = (const partial<A> *)from + column;
#pragma unroll 1
            for (int64_t j = begin + lane; j < end; j += many * lanes) {
                partial<A> x[many];
#pragma unroll
                for (int u = 0; u < many; u++)
                    if (j + u * lanes < end) x[u] = partials[(j + u * lanes) * p.columns];
#pragma unroll
                for (int u = 0; u < many; u++)
                    if (j + u * lanes < end) join(x[u].value, x[u].has);
            }
        }
    }
    /* A range of the axis, or of sorted updates: whole tiles of the highest level in its middle,
       lower ones and single elements on both sides. */
    GNDI_FOLD_FN void take_span(const char *base, const char *mask, int64_t column, int64_t begin, int64_t end) {
        int64_t low[GNDI_FOLD_LEVELS + 1], high[GNDI_FOLD_LEVELS + 1];
        int top = 0, bottom = 0;
        low[0] = begin, high[0] = end;
        if (p.mode == GNDI_FOLD_JOIN || (p.mode == GNDI_FOLD_TILES && p.level > 0)) {
            top = bottom = p.mode == GNDI_FOLD_JOIN ? 1 : p.level;
        } else if (regroups && p.mode != GNDI_FOLD_TILES) {
            const int64_t size = (int64_t)1 << p.log_tile;
            for (; top < GNDI_FOLD_LEVELS && p.partials[top]; top++) {
                const int64_t a = (low[top] + size - 1) >> p.log_tile;
                const int64_t b = high[top] >> p.log_tile;
                if (a >= b) break;
                low[top + 1] = a, high[top + 1] = b;
            }
        }
        if (p.start == GNDI_FOLD_ELEMENT) {
            if (top > 0) { /* many updates: they may be regrouped */
                rounds = false;
            } else { /* in their order, by one thread */
                if (lane > 0) return;
                lanes = 1;
            }
        }
#pragma unroll 1
        for (int k = bottom; k <= 2 * top - bottom; k++) {
            const int level = k <= top ? k : 2 * top - k;
            int64_t from = begin, to = end;
            if (top > bottom) {
                from = low[level], to = high[level];
                if (k < top) to = low[level + 1] << p.log_tile;
                if (k > top) from = high[level + 1] << p.log_tile;
            }
            if (level == 0)
                take_elements(base, mask, from, to);
            else
                take_partials(p.partials[level - 1], column, from, to);
        }
    }

    /* ---- results ---- */

    /* Joins the lanes of a unit: the first of them gets the result. */
    GNDI_FOLD_FN void join_lanes() {
        if constexpr (regroups) {
            lanes = 1 << p.log_lanes;
#pragma unroll 1
            for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2) {
                const A other = lane_below(acc, d);
                const bool with = lane_below((uint32_t)has, d) != 0;
                if (lane % 32 < d) join(other, with);
            }
            if (lanes <= 32) return;
            __shared__ char memory[GNDI_FOLD_THREADS / 32 * sizeof(partial<A>)] __attribute__((aligned(16)));
            partial<A> *warps = (partial<A> *)memory;
            if (lane % 32 == 0) warps[lane / 32].value = acc, warps[lane / 32].has = has;
            __syncthreads();
            if (lane == 0)
                for (int w = 1; w < lanes / 32; w++) join(warps[w].value, warps[w].has);
        }
    }
    GNDI_FOLD_FN void store(char *out) const {
        if (p.to_partials) {
            partial<A> *to = (partial<A> *)out;
            to->value = acc, to->has = has;
        } else if (p.recasts) {
            store_any<result>(out, last, p.out_dtype);
        } else {
            *(first *)out = from_compute<first>(acc);
        }
    }
    /* Whether a result of `count` factors is to stay. One that is not finite, and of too many, becomes NaN. */
    GNDI_FOLD_FN bool is_settled(char *out, int64_t count) const {
        first &x = *(first *)out;
        if (x.re - x.re == 0 && x.im - x.im == 0) return true;
        if (count <= GNDI_PRODUCT_IN_ORDER) return false;
        x.re = x.im = limits<real_t<first>>::nan();
        return true;
    }
    GNDI_FOLD_FN void begin_with(const char *data) {
        if (lane != 0) return;
        has = p.start != GNDI_FOLD_NOTHING;
        first x;
        if (p.start == GNDI_FOLD_VALUE)
            memcpy(&x, p.start_value, sizeof x);
        else if (p.start == GNDI_FOLD_DATA)
            memcpy(&x, p.start_data, sizeof x);
        else if (p.start == GNDI_FOLD_ELEMENT)
            x = p.out_dtype == dtype_of<first> ? *(const first *)data : load_any<first>(data, p.out_dtype);
        if (has) acc = to_compute(x);
    }
};

/* ---- the kernel ----------------------------------------------------------------------------- */

/* The range of a unit's elements; false if it has nothing to do. */
GNDI_FN bool find_range(const gndi_fold_params &p, int64_t item, bool tells, int64_t &begin, int64_t &end) {
    begin = 0, end = p.length;
    switch (p.mode) {
    case GNDI_FOLD_REDUCE:
        begin = item * p.part;
        end = p.length - begin < p.part ? p.length : begin + p.part;
        return true;
    case GNDI_FOLD_SEGMENTS: {
        begin = load_integer(p.index + item * p.index_step, p.index_dtype);
        if (begin < 0 || begin >= p.length) {
            if (tells) report_index(p, begin);
            return false;
        }
        if (item + 1 < p.items) {
            const int64_t next = load_integer(p.index + (item + 1) * p.index_step, p.index_dtype);
            end = next <= begin ? begin + 1 : next < p.length ? next : p.length;
        }
        return true;
    }
    case GNDI_FOLD_INDICES:
        begin = lower_bound(p, (uint64_t)item, 0, p.length);
        if (begin == p.length || load_word_of(p.keys, begin, p.key_bytes) != (uint64_t)item) return false;
        end = end_of_run(p, (uint64_t)item, begin);
        return true;
    case GNDI_FOLD_HEADS: {
        const uint64_t key = load_word_of(p.keys, item, p.key_bytes);
        if (key >= (uint64_t)p.targets) return false; /* an index was out of range */
        if (item > 0 && load_word_of(p.keys, item - 1, p.key_bytes) == key) return false;
        begin = item, end = end_of_run(p, key, item);
        return true;
    }
    case GNDI_FOLD_TILES: {
        begin = item << p.log_tile, end = begin + ((int64_t)1 << p.log_tile);
        if (!p.checks_keys) return true;
        const int log_size = p.log_tile * (p.level + 1);
        return load_word_of(p.keys, item << log_size, p.key_bytes) ==
               load_word_of(p.keys, ((item + 1) << log_size) - 1, p.key_bytes);
    }
    default: return true;
    }
}

/* Where a unit's result goes. */
GNDI_FN char *result_address(const gndi_fold_params &p, int64_t item, int64_t column, int64_t begin, int size) {
    if (p.to_partials) return p.out + (item * p.columns + column) * size;
    char *out = p.out + column_offset(p, column, p.out_stride);
    if (p.mode != GNDI_FOLD_INDICES && p.mode != GNDI_FOLD_HEADS) return out + item * p.out_step;
    const int64_t key = (int64_t)load_word_of(p.keys, begin, p.key_bytes);
    return out + inner_offset(p, key, p.in_stride);
}

template <int Op, class S> __global__ void __launch_bounds__(GNDI_FOLD_THREADS, 4)
    fold_kernel(const __grid_constant__ gndi_fold_params p) {
    typedef folder<Op, S> fold;
    const int64_t thread = (int64_t)blockIdx.x * GNDI_FOLD_THREADS + threadIdx.x;
    fold f(p);
    int64_t item = fold::regroups ? thread >> p.log_lanes : thread, column = 0;
    bool works = item < p.items * p.columns;
    if (p.columns == 1) {
    } else if (p.columns_first) {
        column = take_digit(item, p.columns); /* the rest stays in `item` */
    } else {
        column = item;
        item = take_digit(column, p.items);
    }
    int64_t begin, end;
    works = works && find_range(p, item, column == 0 && f.lane == 0, begin, end);
    if (!works && f.lanes == 1) return; /* others have to meet their neighbours */
    char *out = nullptr;
    if (works) {
        out = result_address(p, item, column, begin, (int)sizeof(partial<typename fold::A>));
        if constexpr (fold::mends)
            if (p.mends && f.is_settled(out, end - begin)) return;
        f.begin_with(out);
        const char *base = p.in + column_offset(p, column, p.in_stride);
        const char *mask = p.mask ? p.mask + column_offset(p, column, p.mask_stride) : nullptr;
        f.take_span(base, mask, column, begin, end);
    }
    f.join_lanes();
    if (works && f.lane == 0) f.store(out);
}

} // namespace gnd

#endif
