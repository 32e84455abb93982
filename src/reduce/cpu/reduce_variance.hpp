/*
 * reduce_variance.hpp: means and squared deviations of batches of float32 or float64 numbers, and
 * their merging in float64. Within a batch the deviations are taken from its mean, which rounding
 * may have put a little beside the true one: the sum of the deviations says by how much.
 */
#include "reduce/cpu/reduce_vectors.hpp"

namespace gnd {

template <class T> struct variance_loops {
    static constexpr int lanes = GNDI_VECTOR_BYTES / (int)sizeof(T), chains = 4, batch = 4096 / (int)sizeof(T),
                         columns = GNDI_CPU_VARIANCE_COLUMNS;
    typedef typename vector_type<T, lanes>::type V;
    typedef typename vector_type<uint8_t, lanes>::type Bytes;

    static V load(const T *x) {
        V v;
        memcpy(&v, x, sizeof v);
        return v;
    }
    static V weights(const uint8_t *taken) {
        Bytes bytes;
        memcpy(&bytes, taken, sizeof bytes);
        typedef typename vector_type<int16_t, lanes>::type Twos;
        typedef typename vector_type<int32_t, lanes>::type Fours;
        return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(bytes, Twos), Fours), V);
    }
    static double total(const V &v) {
        double sum = 0;
        for (int k = 0; k < lanes; k++) sum += (double)v[k];
        return sum;
    }

    /* The corrected sum of squared deviations; an overflow is no reason for a NaN, and squares that
       were rounded down none for a negative sum. */
    GNDI_FN double m2_of(double squares, double sum, double number) {
        const double correction = sum * sum / number;
        const double m2 = correction <= limits<double>::max() ? squares - correction : squares;
        return m2 < 0 ? 0 : m2;
    }

    /* (number, mean, m2) joins another such triple; Chan et al. */
    GNDI_FN void merge_one(double n, double mean, double m2, double *to_n, double *to_mean, double *to_m2) {
        const double before = *to_n, both = before + n, share = both > 0 ? n / both : 0;
        const double delta = mean - *to_mean, factor = before * share;
        *to_n = both;
        *to_mean += n > 0 ? delta * share : 0;
        *to_m2 += m2 + (factor > 0 ? delta * delta * factor : 0);
    }
    static void merge(const double *n, const double *mean, const double *m2, int64_t count, double *to_n,
                      double *to_mean, double *to_m2) {
        for (int64_t i = 0; i < count; i++) merge_one(n[i], mean[i], m2[i], to_n + i, to_mean + i, to_m2 + i);
    }

    template <bool All>
    static void one_batch(const T *x, const uint8_t *taken, int64_t n, double *number, double *mean, double *m2) {
        const int64_t whole = n / (chains * lanes) * (chains * lanes);
        V sum[chains] = {}, squares[chains] = {};
        double count = (double)n, total_sum = 0, total_squares = 0;
        if (!All) {
            int64_t some = 0;
            for (int64_t i = 0; i < n; i++) some += taken[i];
            if (some == 0) return;
            count = (double)some;
        }
        for (int64_t i = 0; i < whole; i += chains * lanes)
            for (int k = 0; k < chains; k++) sum[k] += load(x + i + k * lanes);
        for (int64_t i = whole; i < n; i++) total_sum += (double)x[i];
        total_sum += total(sum[0] + sum[1] + (sum[2] + sum[3]));
        const T middle = (T)(total_sum / count);
        for (int k = 0; k < chains; k++) sum[k] = V{};
        for (int64_t i = 0; i < whole; i += chains * lanes)
            for (int k = 0; k < chains; k++) {
                V d = load(x + i + k * lanes) - middle;
                if (!All) d = d * weights(taken + i + k * lanes);
                sum[k] += d, squares[k] += d * d;
            }
        total_sum = total(sum[0] + sum[1] + (sum[2] + sum[3]));
        total_squares = total(squares[0] + squares[1] + (squares[2] + squares[3]));
        for (int64_t i = whole; i < n; i++) {
            T d = x[i] - middle;
            if (!All) d = taken[i] ? d : 0;
            total_sum += (double)d, total_squares += (double)(d * d);
        }
        merge_one(count, (double)middle + total_sum / count, m2_of(total_squares, total_sum, count), number, mean, m2);
    }

    static void run(const char *x, const uint8_t *taken, int64_t n, double *number, double *mean, double *m2) {
        for (int64_t i = 0; i < n; i += batch) {
            const int64_t some = n - i < batch ? n - i : batch;
            if (taken)
                one_batch<false>((const T *)x + i, taken + i, some, number, mean, m2);
            else
                one_batch<true>((const T *)x + i, nullptr, some, number, mean, m2);
        }
    }

    /* sum[j] and squares[j] join the deviations d of a row from `middle`. */
    template <bool All> GNDI_FN void deviations(const T *__restrict x, const uint8_t *__restrict taken, int64_t n,
                                                const T *__restrict middle, T *__restrict sum, T *__restrict squares) {
        for (int64_t j = 0; j < n; j++) {
            T d = x[j] - middle[j];
            if (!All) d = taken[j] ? d : 0;
            sum[j] += d, squares[j] += d * d;
        }
    }

    template <bool All> static void some_rows(const char *x, int64_t step, const uint8_t *taken, int64_t taken_step,
                                              int64_t rows, int64_t n, double *number, double *mean, double *m2) {
        T middle[columns], sum[columns], squares[columns];
        double count[columns];
        for (int64_t j = 0; j < n; j++) middle[j] = sum[j] = squares[j] = 0;
        for (int64_t j = 0; j < n; j++) count[j] = All ? (double)rows : 0;
        for (int64_t r = 0; r < rows; r++) {
            const T *__restrict row = (const T *)(x + r * step);
            for (int64_t j = 0; j < n; j++) middle[j] += row[j];
            if (!All)
                for (int64_t j = 0; j < n; j++) count[j] += taken[r * taken_step + j];
        }
        for (int64_t j = 0; j < n; j++) middle[j] = count[j] > 0 ? (T)((double)middle[j] / count[j]) : 0;
        for (int64_t r = 0; r < rows; r++)
            deviations<All>((const T *)(x + r * step), All ? nullptr : taken + r * taken_step, n, middle, sum, squares);
        for (int64_t j = 0; j < n; j++) {
            const double c = count[j] > 0 ? count[j] : 1;
            merge_one(count[j], (double)middle[j] + (double)sum[j] / c, m2_of((double)squares[j], (double)sum[j], c),
                      number + j, mean + j, m2 + j);
        }
    }
    static void rows(const char *x, int64_t step, const uint8_t *taken, int64_t taken_step, int64_t rows, int64_t n,
                     double *number, double *mean, double *m2) {
        if (taken)
            some_rows<false>(x, step, taken, taken_step, rows, n, number, mean, m2);
        else
            some_rows<true>(x, step, nullptr, 0, rows, n, number, mean, m2);
    }
    static void fill(gndi_cpu_variance *to) { to->run = run, to->rows = rows, to->merge = merge; }
};

} // namespace gnd
