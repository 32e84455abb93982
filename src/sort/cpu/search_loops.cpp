/*
 * search_loops.cpp: searches on the CPU. A binary search without branches takes the same steps for
 * every value, so that several go side by side: while one waits for memory, the others go on.
 */
#include "sort/cpu/search_loops.h"
#include "sort/cpu/sort_keys.hpp"
#include "kernels/cpu/with_storage.hpp"
#include "sort/search_ops.h"

namespace gnd {

enum {
    TOGETHER = 16, /* searches side by side */
    FOLLOWED = 8,  /* indices that a value may be behind the one before */
};

/* A line of elements of storage type S; values are compared as `of` gives them. */
template <class S> struct dense_line {
    const S *data;
    GNDI_FN compute_t<S> of(S x) { return to_compute(x); }
    compute_t<S> operator()(int64_t i) const { return to_compute(data[i]); }
};
template <class S> struct strided_line {
    const char *data;
    int64_t step;
    GNDI_FN compute_t<S> of(S x) { return to_compute(x); }
    compute_t<S> operator()(int64_t i) const { return to_compute(*reinterpret_cast<const S *>(data + i * step)); }
};
/* Of 16-bit numbers, whose bits compare sooner than they are widened. NaN are like each other. */
template <class S> struct half_line {
    typedef choose_t<is_same<S, bfloat16>, bfloat16_code, float16_code> code;
    const S *data;
    GNDI_FN int16_t of(S x) { return code::plain((int16_t)x.bits); }
    int16_t operator()(int64_t i) const { return of(data[i]); }
};
/* A line at any step, or one put in order by positions; one outside of it stands for the first or last element. */
template <class S> struct any_line {
    gndi_cpu_search_job *job;
    GNDI_FN compute_t<S> of(S x) { return to_compute(x); }
    compute_t<S> operator()(int64_t i) const {
        const gndi_search_plan &p = *job->plan;
        int64_t at = p.sorter ? whole_number(p.sorter + i * p.sorter_step, p.sorter_dtype) : i;
        if (at < 0 || at >= p.length) {
            job->is_fault = true, job->fault_value = at;
            at = at < 0 ? 0 : p.length - 1;
        }
        return to_compute(*reinterpret_cast<const S *>(p.sorted + at * p.step));
    }
};

/* Whether a search that has met a goes on behind it. With a b that is no NaN that needs no branch. */
template <bool Right, bool Plain, class T> GNDI_FN bool takes(T a, T b) {
    if constexpr (Plain && is_complex<T>)
        return (a.im == a.im) & ((a.re < b.re) | ((a.re == b.re) & (Right ? a.im <= b.im : a.im < b.im)));
    else if constexpr (Plain)
        return Right ? a <= b : a < b;
    else
        return Right ? !stands_before(b, a) : stands_before(a, b);
}

/* The indices of `count` values. Each step halves what is left: `base` elements count for certain. */
template <bool Right, bool Plain, class Line, class T>
static void find_all(const Line &line, int64_t n, const T *values, int64_t *indices, int count) {
    for (int k = 0; k < TOGETHER; k++) indices[k] = 0;
    if (n == 0) return;
    int64_t left = n;
    while (left > 1) {
        const int64_t half = left / 2;
        for (int k = 0; k < TOGETHER; k++)
            if constexpr (is_complex<T>) /* where compilers would branch */
                indices[k] += half & -(int64_t)takes<Right, Plain>(line(indices[k] + half - 1), values[k]);
            else
                indices[k] += takes<Right, Plain>(line(indices[k] + half - 1), values[k]) ? half : 0;
        left -= half;
    }
    for (int k = 0; k < count; k++) indices[k] += takes<Right, Plain>(line(indices[k]), values[k]);
}

/* The indices of values that each belong where the one before did, or little further: as in a line of
   values that is in order itself. False at the first that does not. */
template <bool Right, bool Plain, class Line, class T>
static bool follow(const Line &line, int64_t n, const T *values, int64_t *indices, int count, int64_t index) {
    for (int k = 0; k < count; k++) {
        const int64_t begin = index;
        if (index > 0 && !takes<Right, Plain>(line(index - 1), values[k])) return false;
        while (index < n && takes<Right, Plain>(line(index), values[k]))
            if (++index - begin > FOLLOWED) return false;
        indices[k] = index;
    }
    return true;
}

template <bool Right, bool Plain, class Line, class T>
static void find_values(const Line &line, int64_t n, const T *values, int64_t *indices, int count, int64_t last) {
    if (!follow<Right, Plain>(line, n, values, indices, count, last))
        find_all<Right, Plain>(line, n, values, indices, count);
}

/* `last`: the index of the value before these; becomes that of the last of them. */
template <bool Right, class Line, class T>
static void find(const Line &line, int64_t n, const T *values, int64_t *indices, int count, int64_t *last) {
    bool nan = false;
    for (int k = 0; k < TOGETHER; k++) nan |= !same_number(values[k], values[k]);
    if (nan)
        find_values<Right, false>(line, n, values, indices, count, *last);
    else
        find_values<Right, true>(line, n, values, indices, count, *last);
    *last = indices[count - 1];
}

template <class Line, class T> static void store(const gndi_cpu_search_job &job, const Line &line, const T *values,
                                                 const int64_t *indices, int64_t first, int count) {
    const gndi_search_plan &p = *job.plan;
    for (int k = 0; k < count; k++) {
        if (p.found)
            reinterpret_cast<bool *>(p.out)[first + k] =
                indices[k] < p.length && same_number(line(indices[k]), values[k]);
        else
            reinterpret_cast<int64_t *>(p.out)[first + k] = job.reversed ? p.length - indices[k] : indices[k];
    }
}

template <class S, class Line>
static void search_line(gndi_cpu_search_job *job, const Line &line, int64_t begin, int64_t end) {
    const gndi_search_plan &p = *job->plan;
    decltype(Line::of(S())) values[TOGETHER];
    int64_t indices[TOGETHER], last = 0;
    for (int64_t i = begin; i < end; i += TOGETHER) {
        const int count = end - i < TOGETHER ? (int)(end - i) : (int)TOGETHER;
        for (int k = 0; k < TOGETHER; k++) {
            const int64_t at = i + (k < count ? k : 0);
            values[k] = Line::of(*reinterpret_cast<const S *>(p.value + at * p.value_step));
        }
        if (p.right)
            find<true>(line, p.length, values, indices, count, &last);
        else
            find<false>(line, p.length, values, indices, count, &last);
        store(*job, line, values, indices, i, count);
    }
}

template <class S> static void search_values(gndi_cpu_search_job *job, int64_t begin, int64_t end) {
    const gndi_search_plan &p = *job->plan;
    if constexpr (is_half<S>)
        if (!p.sorter && !p.found && p.step == (int64_t)sizeof(S))
            return search_line<S>(job, half_line<S>{reinterpret_cast<const S *>(p.sorted)}, begin, end);
    if (!p.sorter && p.step == (int64_t)sizeof(S))
        search_line<S>(job, dense_line<S>{reinterpret_cast<const S *>(p.sorted)}, begin, end);
    else
        search_line<S>(job, any_line<S>{job}, begin, end);
}

/* ---- curves --------------------------------------------------------------------------------- */

template <class Line> static void evaluate(const gndi_search_plan &p, const Line &line, int64_t begin, int64_t end) {
    double values[TOGETHER], *out = reinterpret_cast<double *>(p.out);
    int64_t indices[TOGETHER], last = 0;
    const int parts = p.interp->is_complex ? 2 : 1;
    for (int64_t i = begin; i < end; i += TOGETHER) {
        const int count = end - i < TOGETHER ? (int)(end - i) : (int)TOGETHER;
        for (int k = 0; k < TOGETHER; k++)
            values[k] = real_number(p.value + (i + (k < count ? k : 0)) * p.value_step, p.dtype);
        find<true>(line, p.length, values, indices, count, &last);
        for (int k = 0; k < count; k++)
            for (int part = 0; part < parts; part++)
                out[(i + k) * parts + part] = interp_part(*p.interp, line, p.length, indices[k], values[k], part);
    }
}

static void interpolate(const gndi_search_plan &p, int64_t begin, int64_t end) {
    if (p.step == (int64_t)sizeof(double))
        evaluate(p, dense_line<double>{reinterpret_cast<const double *>(p.sorted)}, begin, end);
    else
        evaluate(p, strided_line<double>{p.sorted, p.step}, begin, end);
}

/* ---- lines in either order ------------------------------------------------------------------- */

template <class S> static bool direction(const gndi_search_plan &p, bool *broken) {
    const strided_line<S> line{p.sorted, p.step};
    const int64_t n = p.length;
    const bool down = goes_down<compute_t<S>>(line, n);
    bool wrong = false;
    for (int64_t i = 1; i < n; i++)
        wrong |= down ? breaks_order(line(i), line(i - 1)) : breaks_order(line(i - 1), line(i));
    *broken = wrong;
    return down;
}

} // namespace gnd

extern "C" void gndi_cpu_search_values(gndi_cpu_search_job *job, int64_t begin, int64_t end) {
    if (job->plan->interp) return gnd::interpolate(*job->plan, begin, end);
    gnd::with_storage(job->plan->dtype, [=](auto s) { gnd::search_values<decltype(s)>(job, begin, end); });
}

extern "C" bool gndi_cpu_search_goes_down(const gndi_search_plan *plan, bool *broken) {
    bool down = false;
    gnd::with_storage(plan->dtype, [&](auto s) { down = gnd::direction<decltype(s)>(*plan, broken); });
    return down;
}
