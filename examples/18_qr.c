/*
 * 18_qr.c: from which size on is a GPU worth it? QR factors of n x n matrices, n from 64 to 2048, on
 * the CPU and, where there is one, on the GPU.
 *
 *     18_qr [LARGEST]
 *
 * A factorisation goes column by column, and each column waits for the one before it. A GPU has
 * thousands of multipliers and needs work for all of them at once, so small matrices leave it idle.
 */
#include "example.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 5 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether a = q r, the columns of q are orthonormal, and r is triangular, to float32's accuracy. */
static bool is_right(const gnd_array *a, const gnd_array *q, const gnd_array *r) {
    bool right = false;
    GND_SCOPE {
        gnd_array *unit = gnd_identity(gnd_dim(a, 0), GND_FLOAT32);
        gnd_array *gram = gnd_matmul(gnd_transpose(q), q);
        right = example_difference(gnd_matmul(q, r), a) < 1e-4 &&
                example_difference(gram, unit) < 1e-4 && example_largest(gnd_tril(r, -1)) == 0;
    }
    return right;
}

/* Milliseconds that the factors of an n x n matrix take on a device: the median, after one call to
   warm up. */
static double qr_takes(gnd_device device, int64_t n) {
    double times[RUNS];
    gnd_use(device);
    GND_SCOPE {
        gnd_array *a = example_random(GND_SHAPE(n, n), 1);
        for (int run = -1; run < RUNS; run++) {
            gnd_array *q, *r;
            const double start = example_clock();
            gnd_qr(&q, &r, a, GND_QR_REDUCED);
            const double took = example_clock() - start;
            if (run >= 0)
                times[run] = took;
            else
                example_check(is_right(a, q, r), "the factors are not those of the matrix");
            gnd_release(q), gnd_release(r);
        }
    }
    gnd_check();
    qsort(times, RUNS, sizeof *times, by_value);
    return times[RUNS / 2];
}

int main(int argc, char **argv) {
    const gnd_device best = gnd_current_device();
    const bool with_gpu = example_on_gpu();
    const int64_t largest = example_size(argc, argv, 2048, 2048);
    int64_t crossover = 0;
    example_title("QR factors of one n x n matrix, float32");

    printf("%6s %10s", "n", "CPU ms");
    if (with_gpu) printf(" %10s %14s", "GPU ms", "CPU / GPU");
    printf("\n");
    for (int64_t n = 64; n <= largest; n *= 2) {
        const double cpu = qr_takes(gnd_cpu(), n);
        printf("%6lld %10.3f", (long long)n, cpu);
        if (with_gpu) {
            const double gpu = qr_takes(best, n);
            printf(" %10.3f %14.2f", gpu, cpu / gpu);
            if (!crossover && gpu < cpu) crossover = n;
        }
        printf("\n");
    }

    printf("\nEach a = q r was checked: q's columns are orthonormal, r is triangular.\n");
    if (with_gpu && crossover)
        printf("Look at the last column: below n = %lld the CPU wins.\n", (long long)crossover);
    else if (with_gpu)
        printf("Look at the last column: up to this size the CPU wins.\n");
    printf("Look at how a column grows: the work grows 8 times from one row to the next. As long\n"
           "as the time grows less than that, the processor had not had enough to do before.\n");
    return 0;
}
