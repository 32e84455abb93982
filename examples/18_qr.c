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

/* Whether a = q r, the columns of q are orthonormal, and r is triangular, to float32's accuracy. */
static bool is_right(const gnd_array *a, const gnd_array *q, const gnd_array *r) {
    bool right = false;
    GND_SCOPE {
        gnd_array *unit = gnd_identity(gnd_dim(a, 0), GND_FLOAT32);
        gnd_array *gram = gnd_matmul(gnd_transpose(q), q);
        right = example_difference(gnd_matmul(q, r), a) < 1e-4 && example_difference(gram, unit) < 1e-4 &&
                example_largest(gnd_tril(r, -1)) == 0;
    }
    return right;
}

static void factorise(void *a) {
    gnd_array *q, *r;
    gnd_qr(&q, &r, a, GND_QR_REDUCED);
}

/* Milliseconds that the factors of an n x n matrix take on a device. */
static double qr_takes(gnd_device device, int64_t n) {
    double took = 0;
    gnd_use(device);
    GND_SCOPE {
        gnd_array *a = example_random(GND_SHAPE(n, n), 1), *q, *r;
        gnd_qr(&q, &r, a, GND_QR_REDUCED);
        example_check(is_right(a, q, r), "the factors are not those of the matrix");
        took = example_time(factorise, a);
    }
    gnd_check();
    return took;
}

int main(int argc, char **argv) {
    const int64_t largest = example_size(argc, argv, 2048, 2048);
    int64_t crossover = 0;
    example_title("QR factors of one n x n matrix, float32");
    gnd_device devices[2];
    const bool with_gpu = example_devices(devices) == 2;

    printf("%6s %10s", "n", "CPU ms");
    if (with_gpu) printf(" %10s %14s", "GPU ms", "CPU / GPU");
    printf("\n");
    for (int64_t n = 64; n <= largest; n *= 2) {
        const double cpu = qr_takes(devices[0], n);
        printf("%6lld %10.3f", (long long)n, cpu);
        if (with_gpu) {
            const double gpu = qr_takes(devices[1], n);
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
