/*
 * 23_digits.c: a neural network that reads handwritten digits, trained from scratch: random numbers for its
 * weights and its order of examples, products of matrices for its layers, fusion for everything between.
 *
 *     23_digits [EPOCHS [DIGITS.npy]]
 *
 * 1797 digits of 8 x 8 pixels (E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI
 * Machine Learning Repository, 1998; CC BY 4.0), 1437 to learn from and 360 to be tested on. There is one hidden
 * layer; the gradient of the cross-entropy goes back through it by hand, and momentum carries the steps.
 */
#include "example.h"

#include <math.h>
#include <stdio.h>

enum { PIXELS = 64, HIDDEN = 96, DIGITS = 10, BATCH = 32, FOR_TESTS = 360 };
static const double rate = 0.05, momentum = 0.9;

/* A layer: out = in weights + bias; and the steps that both took last. */
typedef struct layer {
    gnd_array *weights, *bias, *weights_step, *bias_step;
} layer;

static layer new_layer(gnd_random *g, int64_t in, int64_t out) {
    return (layer){gnd_random_normal(g, 0, sqrt(2.0 / (double)in), GND_SHAPE(in, out), GND_FLOAT32),
                   gnd_zeros(GND_SHAPE(out), GND_FLOAT32), gnd_zeros(GND_SHAPE(in, out), GND_FLOAT32),
                   gnd_zeros(GND_SHAPE(out), GND_FLOAT32)};
}

/* What the hidden layer says: what is above 0 of it. */
static gnd_array *hidden_of(const layer *l, const gnd_array *x) {
    return gnd_maximum(gnd_add(gnd_matmul(x, l->weights), l->bias), 0);
}

/* The chance of each digit: softmax, with the largest score taken away so that no power overflows. */
static gnd_array *chances_of(const layer *l, const gnd_array *hidden) {
    gnd_array *scores = gnd_add(gnd_matmul(hidden, l->weights), l->bias);
    gnd_array *powers = gnd_exp(gnd_subtract(scores, gnd_max(scores, GND_AXES_KEEP(1))));
    return gnd_divide(powers, gnd_sum(powers, GND_AXES_KEEP(1)));
}

/* One step of a layer against the gradient `d` of its output, whose input was `in`. */
static void descend(layer *l, const gnd_array *in, const gnd_array *d) {
    gnd_array *gradient = gnd_matmul(gnd_transpose(in), d);
    GND_FUSE {
        gnd_array *bias_gradient = gnd_sum(d, GND_AXES(0));
        gnd_subtract_into(l->weights_step, gnd_multiply(l->weights_step, momentum), gnd_multiply(gradient, rate));
        gnd_subtract_into(l->bias_step, gnd_multiply(l->bias_step, momentum), gnd_multiply(bias_gradient, rate));
        gnd_add_into(l->weights, l->weights, l->weights_step);
        gnd_add_into(l->bias, l->bias, l->bias_step);
    }
}

/* Learns from a batch: pixels and, a row for each, a 1 at the digit that it is. */
static void learn(layer *first, layer *second, const gnd_array *x, const gnd_array *wanted) {
    gnd_array *hidden = NULL, *error = NULL, *back = NULL;
    GND_FUSE hidden = gnd_keep(hidden_of(first, x));
    GND_FUSE {
        /* The cross-entropy's gradient by the scores: the chances, less 1 at the right digit. */
        gnd_array *wrong = gnd_subtract(chances_of(second, hidden), wanted);
        error = gnd_keep(gnd_divide(wrong, (double)gnd_dim(x, 0)));
    }
    gnd_array *through = gnd_matmul(error, gnd_transpose(second->weights));
    GND_FUSE back = gnd_keep(gnd_where(gnd_greater(hidden, 0), through, 0));
    descend(second, hidden, error);
    descend(first, x, back);
}

/* The share of digits that are read right. */
static double accuracy(const layer *first, const layer *second, const gnd_array *x, const gnd_array *labels) {
    double share = 0;
    GND_SCOPE {
        gnd_array *read = gnd_argmax(chances_of(second, hidden_of(first, x)), GND_AXES(1));
        share = gnd_item_double(gnd_mean(gnd_equal(read, labels), GND_ALL));
    }
    return share;
}

/* Trains on the current device; gives the share of the test's digits that are read right. */
static double train(const char *path, int64_t epochs, double *ms) {
    gnd_random *g = gnd_random_new(GND_PHILOX, 1);
    double share = 0;
    GND_SCOPE {
        gnd_array *table = gnd_load(path); /* a digit a row: 64 pixels from 0 to 16, and which it is */
        gnd_random_shuffle(g, table, 0);
        gnd_array *x = gnd_divide(gnd_astype(gnd_slice(table, ":, :-1"), GND_FLOAT32), 16);
        gnd_array *labels = gnd_astype(gnd_slice(table, ":, -1"), GND_INT64);
        gnd_array *column = gnd_expand_dims(labels, GND_AXES(1));
        gnd_array *wanted = gnd_equal(column, gnd_arange(0, DIGITS, 1, GND_INT64));
        gnd_array *test_x = gnd_slice(x, ":%d", FOR_TESTS);
        gnd_array *test_labels = gnd_slice(labels, ":%d", FOR_TESTS);
        layer first = new_layer(g, PIXELS, HIDDEN), second = new_layer(g, HIDDEN, DIGITS);
        gnd_check();

        const int64_t count = gnd_dim(x, 0) - FOR_TESTS;
        const double start = example_clock();
        for (int64_t epoch = 1; epoch <= epochs; epoch++) {
            GND_SCOPE {
                gnd_array *order = gnd_add(gnd_random_permutation(g, count, 0), FOR_TESTS);
                gnd_array *xs = gnd_take(x, order, GND_AXES(0), GND_RAISE);
                gnd_array *ys = gnd_take(wanted, order, GND_AXES(0), GND_RAISE);
                for (int64_t at = 0; at + BATCH <= count; at += BATCH)
                    GND_SCOPE
                        learn(&first, &second, gnd_slice(xs, "%lld:%lld", (long long)at, (long long)(at + BATCH)),
                              gnd_slice(ys, "%lld:%lld", (long long)at, (long long)(at + BATCH)));
            }
            if (epoch == epochs) *ms = example_clock() - start;
            if (epoch == 1 || epoch % 10 == 0 || epoch == epochs)
                printf("%8lld %16.2f\n", (long long)epoch, 100 * accuracy(&first, &second, test_x, test_labels));
        }
        share = accuracy(&first, &second, test_x, test_labels);
    }
    gnd_random_release(g);
    gnd_check();
    return share;
}

int main(int argc, char **argv) {
    const int64_t epochs = example_size(argc, argv, 30, 30);
    const char *path = example_data(argc, argv, "digits.npy");
    example_title("Handwritten digits, read by a network trained from scratch");
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) {
        double ms = 0;
        gnd_use(devices[d]);
        printf("%8s %16s\n", "epoch", "% read right");
        const double share = train(path, epochs, &ms);
        printf("test accuracy on the %s: %.2f%% of %d digits, after %.2f s\n\n", d ? "GPU" : "CPU", 100 * share,
               FOR_TESTS, 1e-3 * ms);
    }
    printf("Look at the last accuracy: these digits were not among those it learnt from.\n");
    if (with == 2) printf("And at the times: each step is small, and waits for the one before it.\n");
    return 0;
}
