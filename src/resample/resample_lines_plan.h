/*
 * resample_lines_plan.h: gnd_resample of long dense lines of float32, on GPUs (resample_lines_kernels.cu).
 */
#ifndef GNDI_RESAMPLE_LINES_PLAN_H
#define GNDI_RESAMPLE_LINES_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GNDI_RESAMPLE_LEAST = 1 << 16, /* elements of a line, before or behind */
    GNDI_RESAMPLE_THREADS = 512,   /* of a block that transforms rows, 2 r elements each in a pass of radix r */
    GNDI_RESAMPLE_RADICES = 8,
};

/* Lines of rows * from elements become lines of rows * to. Rows are 1000 or 512, and the row's lengths products of
   GNDI_RESAMPLE_RADICES radices at most. */
struct gndi_resample_lines_plan {
    const float *x; /* at a multiple of 16 bytes, as out */
    float *out;
    int64_t lines;
    int rows, from, to;
};

/* The radices of a row's transform, even ones first; 0 if it has none. n over each of them is even, so that a thread
   has two neighbours, and at most twice a block's threads, which then take a row at once. */
static inline int gndi_resample_radices(int64_t n, int *radix) {
    static const int all[] = {10, 8, 6, 4, 5, 3}, factors[] = {2, 3, 5};
    int power[3] = {0}, times[6] = {0}, count = 0;
    if (n < 1 || n > 20 * GNDI_RESAMPLE_THREADS) return 0;
    int64_t rest = n;
    for (int i = 0; i < 3; i++)
        for (; rest % factors[i] == 0; rest /= factors[i]) power[i]++;
    int twos = power[0];
    times[0] = power[2] < twos ? power[2] : twos, twos -= times[0];
    times[2] = power[1] < twos ? power[1] : twos, twos -= times[2];
    if (twos == 1 && times[2] > 0)
        times[2]--, twos++;
    else if (twos == 1 && times[0] > 0)
        times[0]--, twos++;
    times[3] = twos % 3 == 2 ? 1 : twos % 3 == 1 ? 2 : 0;
    times[1] = (twos - 2 * times[3]) / 3;
    times[4] = power[2] - times[0], times[5] = power[1] - times[2];
    if (rest != 1 || twos == 1 || times[0] + times[1] + times[2] + times[3] == 0) return 0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < times[i]; k++) {
            if (count == GNDI_RESAMPLE_RADICES || n / all[i] % 2 != 0 || n > 2 * all[i] * GNDI_RESAMPLE_THREADS)
                return 0;
            radix[count++] = all[i];
        }
    return count < 2 ? 0 : count;
}

/* Divides lines of n elements that become lines of num; false if there are no kernels for them. */
static inline bool gndi_resample_divide(int64_t n, int64_t num, struct gndi_resample_lines_plan *p) {
    static const int rows[] = {1000, 512};
    int radix[GNDI_RESAMPLE_RADICES];
    if (n < GNDI_RESAMPLE_LEAST && num < GNDI_RESAMPLE_LEAST) return false;
    for (int i = 0; i < 2; i++) {
        if (n % rows[i] || num % rows[i]) continue;
        if (!gndi_resample_radices(n / rows[i], radix) || !gndi_resample_radices(num / rows[i], radix)) continue;
        p->rows = rows[i], p->from = (int)(n / rows[i]), p->to = (int)(num / rows[i]);
        return true;
    }
    return false;
}

#endif
