/*
 * 30_signal_classifier.c: how many carriers are in a signal? From samples that are made on the device, by a change of
 * the sampling rate and a spectrum, to a network that is trained, saved, loaded and asked.
 *
 *     30_signal_classifier [SAMPLES [FOLDER]]
 *
 * The tutorial "GPU accelerated signal processing" (A. Thompson and others, ICASSP 2021, AI training): 2000 signals of
 * 32,768 samples at 10 MHz, each the sum of 1 to 4 carriers of 1 to 9 MHz. Whole MHz above 5 look like those below.
 * FOLDER keeps the network (network.npz) and what the page's picture shows (history.npz).
 */
#define _POSIX_C_SOURCE 200809L /* getpid */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALS = 2000, TO_LEARN = 1800, MOST = 4, BATCH = 10, EPOCHS = 75, LAYERS = 3, CLASSES = 10, FULL = 32768 };
static const double pi = 3.14159265358979, fs = 10e6, rate = 0.01, momentum = 0.5;

/* Sums of `counts` of the carriers in the row of each signal, n samples, in one launch. */
static gnd_array *make_signals(const gnd_array *megahertz, const gnd_array *counts, int64_t n) {
    gnd_array *t = gnd_linspace(0, (double)n / fs, n, true, GND_FLOAT64), *sum = NULL;
    gnd_array *frequency = gnd_multiply(megahertz, 2e6 * pi), *count = gnd_astype(counts, GND_FLOAT64);
    GND_FUSE {
        for (int k = 0; k < gnd_dim(megahertz, 1); k++) {
            gnd_array *phase = gnd_multiply(gnd_slice(frequency, ":, %d:%d", k, k + 1), t);
            gnd_array *carrier = gnd_where(gnd_greater(count, k), gnd_cos(phase), 0);
            sum = k ? gnd_add(sum, carrier) : carrier;
        }
        gnd_keep(sum);
    }
    return sum;
}

/* Twice the sampling rate; then the power at each frequency, a row each: of a sine its amplitude's square, halved. */
static gnd_array *features_of(const gnd_array *signals) {
    const gnd_window flattop = {.name = "flattop"};
    gnd_array *fine = gnd_resample_poly(signals, 2, 1, 1, &(gnd_resample_poly_options){.window = flattop});
    const gnd_spectra_options options = {.window = &flattop, .scaling = GND_SPECTRA_SPECTRUM};
    return gnd_astype(gnd_periodogram(fine, 1, &options, NULL), GND_FLOAT32);
}

/* Each carrier alone has its top at these bins of 32,769 and with these values, by SciPy in float64. 5 MHz is half of
   the sampling rate, where the filter lets little through. */
static void check_peaks(void) {
    static const int bins[] = {3277, 6554, 9831, 13108, 16382, 13107, 9830, 6553, 3276};
    static const double tops[] = {.50007, .50021, .49944, .39974, .0255, .39981, .49944, .50021, .50007};
    GND_SCOPE {
        gnd_array *one = gnd_ones(GND_SHAPE(9, 1), GND_INT64), *each = gnd_arange(1, 10, 1, GND_INT64);
        gnd_array *found = features_of(make_signals(gnd_expand_dims(each, GND_AXES(1)), one, FULL));
        gnd_array *bin = gnd_argmax(found, GND_AXES(1)), *top = gnd_max(found, GND_AXES(1));
        for (int k = 0; k < 9; k++) {
            printf("%d MHz alone: top at bin %lld, %.5f\n", k + 1, (long long)gnd_at_int(bin, k),
                   gnd_at_double(top, k));
            example_check(gnd_at_int(bin, k) == bins[k] && fabs(gnd_at_double(top, k) - tops[k]) < 6e-5,
                          "a carrier's top is not where SciPy has it");
        }
    }
}

/* ---- the network ---- */

/* A layer: out = in weights + bias; and the steps that both took last. */
typedef struct layer {
    gnd_array *weights, *bias, *weights_step, *bias_step;
} layer;

static layer new_layer(gnd_random *g, int64_t in, int64_t out) {
    const double most = 1 / sqrt((double)in); /* PyTorch's */
    return (layer){gnd_random_uniform(g, -most, most, GND_SHAPE(in, out), GND_FLOAT32),
                   gnd_random_uniform(g, -most, most, GND_SHAPE(out), GND_FLOAT32),
                   gnd_zeros(GND_SHAPE(in, out), GND_FLOAT32), gnd_zeros(GND_SHAPE(out), GND_FLOAT32)};
}

/* in[l + 1] = the output of layer l for in[l]; the last one's are the scores of the classes. */
static gnd_array *forward(const layer net[], const gnd_array *in[]) {
    gnd_array *out = NULL;
    for (int l = 0; l < LAYERS; in[++l] = out) {
        gnd_array *sum = gnd_matmul(in[l], net[l].weights);
        GND_FUSE {
            out = gnd_add(sum, net[l].bias);
            out = gnd_keep(l < LAYERS - 1 ? gnd_maximum(out, 0) : out);
        }
    }
    return out;
}
static gnd_array *classes_of(const layer net[], const gnd_array *x) {
    return gnd_argmax(forward(net, (const gnd_array * [LAYERS + 1]){x}), GND_AXES(1));
}

/* One step of a layer against the gradient `d` of its output. The product adds up on what is left of the last step. */
static void descend(layer *l, const gnd_array *in, const gnd_array *d) {
    gnd_matmul_into(l->weights_step, gnd_transpose(in), d, 1, momentum);
    GND_FUSE {
        gnd_add_into(l->bias_step, gnd_multiply(l->bias_step, momentum), gnd_sum(d, GND_AXES(0)));
        gnd_subtract_into(l->weights, l->weights, gnd_multiply(l->weights_step, rate));
        gnd_subtract_into(l->bias, l->bias, gnd_multiply(l->bias_step, rate));
    }
}

/* Learns from a batch; `wanted` is true at the class of each row. Gives the batch's loss before. */
static gnd_array *learn(layer net[], const gnd_array *x, const gnd_array *wanted) {
    const gnd_array *in[LAYERS + 1] = {x};
    gnd_array *scores = forward(net, in), *loss = NULL, *d = NULL;
    GND_FUSE { /* log_softmax, the negative log-likelihood, and its gradient by the scores */
        gnd_array *less = gnd_subtract(scores, gnd_max(scores, GND_AXES_KEEP(1)));
        gnd_array *log_chances = gnd_subtract(less, gnd_log(gnd_sum(gnd_exp(less), GND_AXES_KEEP(1))));
        loss = gnd_keep(gnd_divide(gnd_sum(gnd_where(wanted, log_chances, 0), GND_ALL), -BATCH));
        d = gnd_keep(gnd_divide(gnd_subtract(gnd_exp(log_chances), wanted), BATCH));
    }
    for (int l = LAYERS - 1; l >= 0; l--) {
        gnd_array *through = l ? gnd_matmul(d, gnd_transpose(net[l].weights)) : NULL, *back = NULL;
        if (l) GND_FUSE back = gnd_keep(gnd_where(gnd_greater(in[l], 0), through, 0));
        descend(&net[l], in[l], d);
        d = back;
    }
    return loss;
}

/* ---- files ---- */

/* The arrays of a network by their names in a file: weights_0, bias_0, weights_1 ... */
static const char *name_of(int l, bool bias) {
    static char names[LAYERS][2][16];
    snprintf(names[l][bias], sizeof names[0][0], "%s_%d", bias ? "bias" : "weights", l);
    return names[l][bias];
}
static void save(const char *path, const layer net[]) {
    gnd_named all[2 * LAYERS];
    for (int l = 0; l < LAYERS; l++) {
        all[2 * l] = (gnd_named){name_of(l, false), net[l].weights};
        all[2 * l + 1] = (gnd_named){name_of(l, true), net[l].bias};
    }
    gnd_savez(path, 2 * LAYERS, all);
}
static void load(const char *path, layer net[]) {
    gnd_npz *file = gnd_npz_open(path);
    gnd_check();
    for (int l = 0; l < LAYERS; l++)
        net[l] = (layer){gnd_npz_get(file, name_of(l, false)), gnd_npz_get(file, name_of(l, true)), NULL, NULL};
    gnd_npz_close(file);
    gnd_check();
}

/* ---- the whole ---- */

static void train(layer net[], const gnd_array *x, const gnd_array *labels, double losses[EPOCHS]) {
    gnd_array *column = gnd_expand_dims(labels, GND_AXES(1));
    gnd_array *wanted = gnd_equal(column, gnd_arange(0, CLASSES, 1, GND_INT64));
    for (int epoch = 0; epoch < EPOCHS; epoch++)
        for (int at = 0; at < TO_LEARN; at += BATCH) {
            GND_SCOPE_HERE;
            gnd_array *loss =
                learn(net, gnd_slice(x, "%d:%d", at, at + BATCH), gnd_slice(wanted, "%d:%d", at, at + BATCH));
            if (at + BATCH == TO_LEARN) losses[epoch] = gnd_item_double(loss); /* waits, once an epoch */
        }
}

static void classify(int64_t n, const char *folder, bool kept) {
    const char *device = gnd_current_device().kind == GND_GPU ? "GPU" : "CPU";
    char path[4096], history[4096];
    snprintf(path, sizeof path, "%s/network.npz", folder), snprintf(history, sizeof history, "%s/history.npz", folder);
    gnd_random *g = gnd_random_new(GND_PHILOX, 30);
    GND_SCOPE {
        const double start = example_clock();
        gnd_array *megahertz = gnd_random_integers(g, 1, 10, GND_SHAPE(SIGNALS, MOST), GND_INT64, false);
        gnd_array *counts = gnd_random_integers(g, 1, MOST + 1, GND_SHAPE(SIGNALS, 1), GND_INT64, false);
        gnd_array *signals = make_signals(megahertz, counts, n);
        const double made = example_clock();
        gnd_array *x = features_of(signals), *labels = gnd_reshape(counts, GND_SHAPE(-1));
        const double known = example_clock();
        const int64_t bins = gnd_dim(x, 1), wide = bins / 2 < 1500 ? bins / 2 : 1500;
        layer net[LAYERS] = {new_layer(g, bins, wide), new_layer(g, wide, wide / 2), new_layer(g, wide / 2, CLASSES)};
        double losses[EPOCHS] = {0};
        train(net, x, labels, losses);
        const double trained = example_clock();
        printf("%s: %d signals of %lld samples in %.1f ms, features in %.1f ms; %lld-%lld-%lld-%d in %.2f s\n", device,
               SIGNALS, (long long)n, made - start, known - made, (long long)bins, (long long)wide, (long long)wide / 2,
               CLASSES, 1e-3 * (trained - known));
        printf("%8s %16s\n", "epoch", "loss");
        for (int epoch = 4; epoch < EPOCHS; epoch += 5) printf("%8d %16.4f\n", epoch + 1, losses[epoch]);

        gnd_array *unseen = gnd_slice(x, "%d:", TO_LEARN), *right = gnd_slice(labels, "%d:", TO_LEARN);
        gnd_array *said = classes_of(net, unseen);
        const double share = gnd_item_double(gnd_mean(gnd_equal(said, right), GND_ALL));
        printf("%.1f%% of %d signals that it never saw are counted right\n", 100 * share, SIGNALS - TO_LEARN);
        example_check(share >= 0.85, "fewer than 85%");

        gnd_check();
        const bool with_files = gnd_library_load("libzip") == GND_OK;
        if (!with_files) gnd_error_clear();
        layer again[LAYERS];
        memcpy(again, net, sizeof again);
        if (with_files) save(path, net), load(path, again);
        example_check(gnd_array_equal(classes_of(again, unseen), said, false), "the loaded network says other things");
        const int64_t carriers[] = {2, 4};
        gnd_array *pair = gnd_from_host(carriers, GND_SHAPE(1, 2), GND_INT64);
        gnd_array *spectrum = features_of(make_signals(pair, gnd_full(GND_SHAPE(1, 1), 2, GND_INT64), n));
        const int64_t count = gnd_item_int(classes_of(again, spectrum));
        printf("%s, it says of a new signal of 2 and 4 MHz: %lld carriers\n\n",
               with_files ? "loaded from a file" : "not saved, for want of libzip", (long long)count);
        example_check(count == 2, "the new signal has two carriers");
        gnd_array *loss = gnd_from_host(losses, GND_SHAPE(EPOCHS), GND_FLOAT64);
        if (kept && with_files) gnd_savez(history, GND_NAMED({"loss", loss}, {"spectrum", spectrum}));
    }
    gnd_random_release(g);
    gnd_check();
    if (!kept) remove(path);
}

int main(int argc, char **argv) {
    const int64_t n = example_size(argc, argv, FULL, 256);
    example_title("How many carriers are in a signal?");
    example_check(n >= 128 && n % 2 == 0, "the samples must be an even number, 128 or more");
    gnd_device devices[2];
    const int with = example_devices(devices);
    const char *folder = example_file(argc, argv);
    for (int d = 0; d < with; d++) {
        gnd_use(devices[d]);
        if (d == 0) check_peaks(), printf("\n");
        classify(d == 0 && with == 2 ? n / 64 < 128 ? 128 : n / 64 : n, folder ? folder : "/tmp", folder != NULL);
    }
    printf("Look at the loss: for a third of the epochs it hardly falls, as if there were nothing to learn.\n");
    return 0;
}
