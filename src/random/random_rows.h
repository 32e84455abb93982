/*
 * random_rows.h: the rows of random.def as types: the values that a sampler takes, and the type of its
 * elements. Both backends make their loops and kernels from it.
 */
#ifndef GNDI_RANDOM_ROWS_H
#define GNDI_RANDOM_ROWS_H

#include "random/random_samplers.h"

namespace gnd {

template <int Distribution> struct random_row;
#define DISTRIBUTION(family_, name, result_, front, count_, parameters, words32_, words64_, requirement)               \
    template <> struct random_row<GNDI_RANDOM_##name> {                                                                \
        template <class T> using sampler = random_##name<T>;                                                           \
        static constexpr char result = #result_[0];                                                                    \
        static constexpr int count = (int)sizeof(parameters) - 1;                                                      \
        static constexpr char letter(int i) { return parameters[i]; }                                                  \
        static constexpr int words32 = words32_, words64 = words64_;                                                   \
    };
#include "random/random.def"
#undef DISTRIBUTION

constexpr bool same_family(const char *a, const char *b) {
    for (; *a && *a == *b; a++) b++;
    return *a == *b;
}

/* A distribution with results of type T (float or double; int64 and others are made with double). */
template <int Distribution, class T> struct random_maker {
    typedef random_row<Distribution> row;
    typedef typename row::template sampler<T> sampler;
    static constexpr int count = row::count;
    static constexpr bool writes_rows = row::result == 'V' || row::result == 'M';

    template <int K> GNDI_FN auto value(const gndi_random_value *v) {
        constexpr char letter = row::letter(K);
        if constexpr (letter == 'I' || letter == 'i' || letter == 't')
            return v[K].i64;
        else if constexpr (letter == 'T' && is_same<T, float>)
            return v[K].f32;
        else
            return v[K].f64;
    }
    GNDI_FN sampler make(const gndi_random_value *v) {
        if constexpr (count == 0)
            return sampler();
        else if constexpr (count == 1)
            return sampler(value<0>(v));
        else if constexpr (count == 2)
            return sampler(value<0>(v), value<1>(v));
        else if constexpr (count == 3)
            return sampler(value<0>(v), value<1>(v), value<2>(v));
        else
            return sampler(value<0>(v), value<1>(v), value<2>(v), value<3>(v));
    }
    GNDI_FN bool valid(const gndi_random_value *v) {
        if constexpr (count == 0)
            return true;
        else if constexpr (count == 1)
            return sampler::valid(value<0>(v));
        else if constexpr (count == 2)
            return sampler::valid(value<0>(v), value<1>(v));
        else if constexpr (count == 3)
            return sampler::valid(value<0>(v), value<1>(v), value<2>(v));
        else
            return sampler::valid(value<0>(v), value<1>(v), value<2>(v), value<3>(v));
    }

    /* The parameters of all elements, if they are numbers. */
    GNDI_FN void numbers(const gndi_random_plan &p, gndi_random_value *v) {
        for (int k = 0; k < count; k++) v[k] = p.parameter[k].value;
    }
    template <int K> GNDI_FN void load_one(const gndi_random_plan &p, const int64_t *index, gndi_random_value *v) {
        const gndi_random_parameter &from = p.parameter[K];
        if (!from.data) {
            v[K] = from.value;
            return;
        }
        const char *at = from.data;
        for (int axis = 0; axis < p.ndim; axis++) at += index[axis] * from.stride[axis];
        constexpr char letter = row::letter(K);
        if constexpr (letter == 'i' || letter == 't')
            v[K].i64 = (int64_t)(uintptr_t)at;
        else if constexpr (letter == 'I')
            v[K].i64 = *reinterpret_cast<const int64_t *>(at);
        else if constexpr (letter == 'T' && is_same<T, float>)
            v[K].f32 = *reinterpret_cast<const float *>(at);
        else
            v[K].f64 = *reinterpret_cast<const double *>(at);
    }
    /* Those of one element. */
    GNDI_FN void load(const gndi_random_plan &p, int64_t element, gndi_random_value *v) {
        int64_t index[GNDI_RANDOM_AXES];
        index[0] = element;
        for (int axis = p.ndim - 1; axis > 0; axis--) {
            const int64_t outer = element / p.shape[axis];
            index[axis] = element - outer * p.shape[axis];
            element = outer;
            index[0] = element;
        }
        if constexpr (count > 0) load_one<0>(p, index, v);
        if constexpr (count > 1) load_one<1>(p, index, v);
        if constexpr (count > 2) load_one<2>(p, index, v);
        if constexpr (count > 3) load_one<3>(p, index, v);
    }

    /* Draws an element into the result: a number, or a row of them. */
    template <class S, class Sampler, class Source>
    GNDI_FN void put(const gndi_random_plan &p, int64_t e, const Sampler &s, Source &source) {
        S *out = reinterpret_cast<S *>(p.out);
        if constexpr (writes_rows)
            s.draw(source, out + e * p.row);
        else
            out[e] = (S)s.draw(source);
    }
    /* The same for an element whose parameters are refused. */
    template <class S> GNDI_FN void put_refused(const gndi_random_plan &p, int64_t e) {
        S *out = reinterpret_cast<S *>(p.out) + e * p.row;
        for (int64_t j = 0; j < p.row; j++) out[j] = refused<S>();
    }
    /* The value of an element whose parameters are refused. */
    template <class S> GNDI_FN S refused() {
        if constexpr (is_same<S, float> || is_same<S, double>)
            return limits<S>::nan();
        else
            return S(0);
    }
};

} // namespace gnd

#endif
