/*
 * 14_primes.c: all primes below a number: a kernel with a loop says which numbers are, a mask picks them.
 *
 *     14_primes [LIMIT]
 *
 * Elements may loop and return as they like; each is a thread's work, and they need not take equally
 * long. What operators on whole arrays can't say is where kernels of one's own are for.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

/* A number is prime if it is 2 or 3, or if no 6 k - 1 or 6 k + 1 up to its square root divides it. */
static const char *const body = "prime = n == 2 || n == 3;\n"
                                "if (n < 5 || n % 2 == 0 || n % 3 == 0) return;\n"
                                "for (int k = 5; (long long)k * k <= n; k += 6)\n"
                                "    if (n % k == 0 || n % (k + 2) == 0) return;\n"
                                "prime = true;";

/* How many primes there are below, by Eratosthenes's sieve on the host, to compare with. */
static int64_t sieve(int64_t limit) {
    int64_t count = 0;
    GND_SCOPE {
        gnd_array *crossed = gnd_to_device(gnd_zeros(GND_SHAPE(limit), GND_UINT8), gnd_cpu());
        unsigned char *out = gnd_data(crossed);
        for (int64_t n = 2; n < limit; n++) {
            if (out[n]) continue;
            count++;
            for (int64_t k = n * n; k < limit; k += n) out[k] = 1;
        }
    }
    return count;
}

enum { KERNEL, SIEVE, LINES };
static const char *const names[LINES] = {"all numbers asked, by the kernel", "Eratosthenes's sieve, one thread"};

typedef struct job {
    gnd_kernel *is_prime;
    gnd_array *numbers;
} job;
static void ask_all(void *context) {
    const job *j = context;
    gnd_kernel_call(j->is_prime, GND_ARGS(j->numbers));
}

/* How many primes the current device finds. */
static int64_t find(gnd_kernel *is_prime, int64_t limit, double ms[LINES], bool shown) {
    int64_t found = 0;
    GND_SCOPE {
        job j = {is_prime, gnd_arange(0, limit, 1, GND_INT32)};
        gnd_array *mask = gnd_kernel_call(is_prime, GND_ARGS(j.numbers));
        gnd_array *primes = gnd_get(j.numbers, GND_INDICES(mask)); /* numbers[mask] */
        found = gnd_size(primes);
        ms[KERNEL] = example_time(ask_all, &j);
        if (shown) {
            printf("The first and the last ones:\n");
            gnd_print(gnd_slice(primes, ":10"));
            gnd_print(gnd_slice(primes, "-5:"));
            printf("\n");
        }
    }
    gnd_check();
    return found;
}

int main(int argc, char **argv) {
    const int64_t limit = example_size(argc, argv, 10000000, 500000);
    example_check(limit > 30 && limit < INT32_MAX, "the limit must fit an int32");
    example_title("Prime numbers");
    gnd_kernel *is_prime = gnd_kernel_elementwise("int32 n", "bool prime", body, "is_prime", NULL);
    double ms[2][LINES];
    const double start = example_clock();
    const int64_t expected = sieve(limit);
    ms[0][SIEVE] = example_clock() - start, ms[1][SIEVE] = NAN;

    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        const int64_t found = find(is_prime, limit, ms[d], d == 0);
        printf("%lld of the numbers below %lld are prime, says the %s\n", (long long)found, (long long)limit,
               d ? "GPU" : "CPU");
        example_check(found == expected, "a sieve finds another number of them");
    }
    gnd_kernel_release(is_prime);
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the sieve: it crosses out instead of dividing, and needs far fewer steps. A\n"
           "better algorithm on one thread comes near many threads with a worse one.\n");
    return 0;
}
