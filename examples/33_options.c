/*
 * 33_options.c: prices of options: by the formula of Black and Scholes, for millions of them in one launch, and by
 * Monte Carlo, for one of them from millions of paths.
 *
 *     33_options [PATHS [PATHS.npy]]
 *
 * A European call is the right to buy a share at a fixed price at a fixed time. NumbaPro's two examples: 4e6 options
 * (blackscholes), and 3e6 paths of 100 steps (monte_carlo_pricer), whose published result is a price of 22.640 in the
 * mean and an option worth 1.049. The file gets some paths, for a picture.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 100, SHOWN = 40 };
static const double share = 20.83, strike = 21.50, volatility = 0.021, interest = 0.20, maturity = 5.0 / 12;

/* ---- the formula ---- */

/* How much of a normal distribution lies below x. */
static gnd_array *normal_below(const gnd_array *x) {
    return gnd_multiply(gnd_erfc(gnd_multiply(x, -sqrt(0.5))), 0.5);
}

typedef struct options {
    gnd_array *price, *strike, *years; /* of each */
    double interest, volatility;
    gnd_array *call, *put; /* what they are worth */
} options;

static void black_scholes(void *context) {
    const options *o = context;
    const double drift = o->interest + o->volatility * o->volatility / 2;
    GND_FUSE {
        gnd_array *root = gnd_multiply(gnd_sqrt(o->years), o->volatility);
        gnd_array *logs = gnd_add(gnd_log(gnd_divide(o->price, o->strike)), gnd_multiply(o->years, drift));
        gnd_array *d1 = gnd_divide(logs, root), *d2 = gnd_subtract(d1, root);
        gnd_array *later = gnd_multiply(o->strike, gnd_exp(gnd_multiply(o->years, -o->interest)));
        gnd_subtract_into(o->call, gnd_multiply(o->price, normal_below(d1)), gnd_multiply(later, normal_below(d2)));
        gnd_subtract_into(o->put, gnd_multiply(later, normal_below(gnd_negative(d2))),
                          gnd_multiply(o->price, normal_below(gnd_negative(d1))));
    }
}

/* n options of all sorts: NumbaPro's ranges. */
static options new_options(gnd_random *g, int64_t n) {
    const gnd_shape shape = GND_SHAPE(n);
    return (options){gnd_random_uniform(g, 5, 30, shape, GND_FLOAT64),
                     gnd_random_uniform(g, 1, 100, shape, GND_FLOAT64),
                     gnd_random_uniform(g, 0.25, 10, shape, GND_FLOAT64),
                     0.02,
                     0.30,
                     gnd_empty(shape, GND_FLOAT64),
                     gnd_empty(shape, GND_FLOAT64)};
}

/* A call and a put at the same price are together a purchase at that price: no formula is needed for that. */
static double parity_error(const options *o) {
    gnd_array *later = gnd_multiply(o->strike, gnd_exp(gnd_multiply(o->years, -o->interest)));
    return example_largest(gnd_subtract(gnd_subtract(o->call, o->put), gnd_subtract(o->price, later)));
}

/* The one option of the pricer by the formula. */
static double exact(void) {
    double value = 0;
    GND_SCOPE {
        const gnd_shape one = GND_SHAPE(1);
        options o = {gnd_full(one, share, GND_FLOAT64),
                     gnd_full(one, strike, GND_FLOAT64),
                     gnd_full(one, maturity, GND_FLOAT64),
                     interest,
                     volatility,
                     gnd_empty(one, GND_FLOAT64),
                     gnd_empty(one, GND_FLOAT64)};
        black_scholes(&o);
        value = gnd_item_double(o.call);
    }
    return value;
}

/* ---- the pricer ---- */

typedef struct pricer {
    gnd_random *generator;
    gnd_array *price;  /* of each path */
    gnd_array *record; /* of some paths, a row for each step; NULL: not wanted */
} pricer;

/* Each step multiplies each price by exp(a normal number). Nothing of a step stays in memory but the prices. */
static void run_paths(void *context) {
    const pricer *p = context;
    const double dt = maturity / STEPS, drift = (interest - volatility * volatility / 2) * dt;
    gnd_fill(p->price, share);
    for (int step = 0; step <= STEPS; step++) {
        GND_SCOPE_HERE;
        if (p->record) gnd_copyto(gnd_slice(p->record, "%d", step), gnd_slice(p->price, ":%d", SHOWN));
        if (step == STEPS) break;
        const gnd_shape shape = gnd_shape_of(p->price);
        gnd_array *normal = gnd_random_normal(p->generator, drift, volatility * sqrt(dt), shape, GND_FLOAT64);
        GND_FUSE gnd_multiply_into(p->price, p->price, gnd_exp(normal));
    }
}

/* The mean price at the end, and what the option is worth; both with what is to be expected of their errors. */
static void evaluate(const gnd_array *price, const char *device, double by_formula) {
    gnd_array *paid = gnd_multiply(gnd_maximum(gnd_subtract(price, strike), 0), exp(-interest * maturity));
    const double n = (double)gnd_size(price), mean = gnd_item_double(gnd_mean(price, GND_ALL));
    const double error = gnd_item_double(gnd_std(price, GND_ALL, 0)) / sqrt(n);
    const double option = gnd_item_double(gnd_mean(paid, GND_ALL));
    const double option_error = gnd_item_double(gnd_std(paid, GND_ALL, 0)) / sqrt(n);
    printf("%s: %.0f paths: price %.4f +- %.4f, option %.4f +- %.4f; by the formula %.4f\n", device, n, mean, error,
           option, option_error, by_formula);
    example_check(fabs(mean - share * exp(interest * maturity)) < 5 * error, "the mean price is wrong");
    example_check(fabs(option - by_formula) < 5 * option_error, "the option's price is wrong");
}

/* ---- how long it takes ---- */

enum { FORMULA, PATHS, LINES };

static void measure(int64_t paths, double ms[LINES], const char *record) {
    const char *device = gnd_current_device().kind == GND_GPU ? "GPU" : "CPU";
    gnd_random *g = gnd_random_new(GND_PHILOX, 33);
    GND_SCOPE {
        options o = new_options(g, paths * 4 / 3);
        ms[FORMULA] = example_time(black_scholes, &o);
        printf("%s: %lld options; a call less a put is wrong by %.1e at most\n", device, (long long)paths * 4 / 3,
               parity_error(&o));
        example_check(parity_error(&o) < 1e-11, "calls and puts do not fit together");

        pricer p = {g, gnd_empty(GND_SHAPE(paths), GND_FLOAT64),
                    record ? gnd_empty(GND_SHAPE(STEPS + 1, SHOWN), GND_FLOAT64) : NULL};
        run_paths(&p);
        evaluate(p.price, device, exact());
        if (record) gnd_save(record, p.record);
        p.record = NULL;
        ms[PATHS] = example_time(run_paths, &p);
    }
    gnd_random_release(g);
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t paths = example_size(argc, argv, 3000000, 50000);
    example_check(paths >= 1000, "there must be 1000 paths or more");
    example_title("Prices of options, by a formula and by Monte Carlo");
    const char *const names[LINES] = {"the formula, each option", "the paths, 100 steps each"};
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        measure(paths, ms[d], d == 0 ? example_file(argc, argv) : NULL);
    }
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nPublished, 3e6 paths on a GTX 970: 1230 ms, 243 million steps a second; NumPy 16 million.\n"
           "Here: %.0f million. Look at the prices: the error falls with the root of the paths.\n",
           1e-3 * STEPS * (double)paths / ms[with - 1][PATHS]);
    return 0;
}
