/*
 * 25_resample_wav.c: a WAV file at other sampling rates.
 *
 *     25_resample_wav [SECONDS [FOLDER]]
 *
 * The program writes a sound at 44,100 samples a second, as CDs have it: on the left a sweep from 100 to 20,000 Hz, on
 * the right a tone of 1000 Hz. It reads it back, and writes it at 48,000, as video has it, which is 160 samples for
 * each 147; and at 8,000, as telephones have it, where frequencies above 4,000 Hz have no place: the filter takes them
 * away. To take a sample here and there would fold them back into what is heard. Without FOLDER nothing stays on disk.
 */
#define _POSIX_C_SOURCE 200809L /* getpid, mkdir */
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RATE = 44100, VIDEO = 48000, TELEPHONE = 8000, TONE = 1000, LOWEST = 100, HIGHEST = 20000 };
static const double pi = 3.14159265358979, loudness = 0.5;

static gnd_array *times(int64_t n, int rate) {
    return gnd_divide(gnd_arange(0, n, 1, GND_FLOAT64), rate);
}
static gnd_array *tone(int64_t n, int rate) {
    return gnd_multiply(gnd_sin(gnd_multiply(times(n, rate), 2 * pi * TONE)), loudness);
}
/* The sweep's frequency grows evenly, and its phase is the integral of that. */
static gnd_array *sweep(int64_t n) {
    gnd_array *t = times(n, RATE);
    const double growth = (double)(HIGHEST - LOWEST) * RATE / (double)n;
    gnd_array *turns = gnd_add(gnd_multiply(t, LOWEST), gnd_multiply(gnd_square(t), growth / 2));
    return gnd_multiply(gnd_sin(gnd_multiply(turns, 2 * pi)), loudness);
}

/* Between -1 and 1, and as the integers of 16 bits that WAV files mostly have. */
static gnd_array *to_integers(const gnd_array *sound) {
    return gnd_astype(gnd_rint(gnd_clip(gnd_multiply(sound, 32768), -32768, 32767)), GND_INT16);
}
static gnd_array *to_floats(const gnd_array *sound) {
    return gnd_divide(gnd_astype(sound, GND_FLOAT32), 32768.0f);
}

static const char *path_in(const char *folder, int rate) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/sound_%d.wav", folder, rate);
    return path;
}

/* ---- what it should be ---- */

static double loudest(const gnd_array *x, int64_t from, int64_t to, int channel) {
    return example_largest(gnd_slice(x, "%lld:%lld, %d", (long long)from, (long long)to, channel));
}

/* The tone goes on as if it had been recorded at the new rate; its ends, where the filter sees zeros, are left out. */
static double error_of_tone(const gnd_array *sound, int rate) {
    const int64_t n = gnd_dim(sound, 0);
    gnd_array *wrong = gnd_subtract(gnd_slice(sound, ":, 1"), tone(n, rate));
    return example_largest(gnd_slice(wrong, "%lld:%lld", (long long)n / 10, (long long)(n - n / 10)));
}

/* ---- how long it takes ---- */

enum { TO_VIDEO, TO_TELEPHONE, FOURIER, LINES };
static const char *const names[LINES] = {"to 48,000 a second (160 / 147)", "to 8,000 a second (80 / 441)",
                                         "to 48,000 by Fourier transforms"};
static void to_video(void *sound) {
    gnd_resample_poly(sound, VIDEO, RATE, 0, NULL);
}
static void to_telephone(void *sound) {
    gnd_resample_poly(sound, TELEPHONE, RATE, 0, NULL);
}
static void by_fourier(void *sound) {
    gnd_resample(sound, gnd_dim(sound, 0) * 160 / 147, 0, NULL);
}

static void convert(const char *folder, int64_t n, double ms[LINES]) {
    GND_SCOPE {
        const gnd_array *channels[] = {sweep(n), tone(n, RATE)};
        gnd_array *made = to_integers(gnd_stack(2, channels, 1));
        gnd_save_wav(path_in(folder, RATE), made, RATE, 0);
        int rate = 0;
        gnd_array *read = gnd_load_wav(path_in(folder, RATE), &rate);
        gnd_check();
        example_check(rate == RATE && gnd_item_bool(gnd_all(gnd_equal(read, made), GND_ALL)),
                      "the file is not the sound");

        gnd_array *sound = to_floats(read);
        gnd_array *video = gnd_resample_poly(sound, VIDEO, RATE, 0, NULL);
        gnd_array *telephone = gnd_resample_poly(sound, TELEPHONE, RATE, 0, NULL);
        gnd_save_wav(path_in(folder, VIDEO), to_integers(video), VIDEO, 0);
        gnd_save_wav(path_in(folder, TELEPHONE), to_integers(telephone), TELEPHONE, 0);

        const int64_t m = gnd_dim(telephone, 0);
        gnd_array *picked = gnd_slice(sound, "::%d", RATE / TELEPHONE); /* 8,820 a second */
        const double error = error_of_tone(video, VIDEO), passed = loudest(telephone, m / 20, m / 10, 0);
        const double stopped = loudest(telephone, m / 2, m - m / 20, 0);
        const double folded = loudest(picked, gnd_dim(picked, 0) / 2, gnd_dim(picked, 0), 0);
        printf("%s: %lld samples became %lld and %lld\n", gnd_current_device().kind == GND_GPU ? "GPU" : "CPU",
               (long long)n, (long long)gnd_dim(video, 0), (long long)m);
        printf("  48,000: the tone is wrong by %.1e at most\n", error);
        printf("   8,000: of the sweep %.4f is left below 4,000 Hz, %.4f above; picked samples have %.4f there\n",
               passed, stopped, folded);
        example_check(gnd_dim(video, 0) == (n * 160 + 146) / 147 && m == (n * 80 + 440) / 441,
                      "too many samples, or few");
        example_check(error < 2e-3 && fabs(passed - loudness) < 0.02 && stopped < 0.005, "the sound has changed");

        ms[TO_VIDEO] = example_time(to_video, sound);
        ms[TO_TELEPHONE] = example_time(to_telephone, sound);
        ms[FOURIER] = example_time(by_fourier, sound);
    }
    gnd_check();
}

int main(int argc, char **argv) {
    const int64_t seconds = example_size(argc, argv, 120, 10);
    char own[64];
    snprintf(own, sizeof own, "/tmp/gnd_sound_%ld", (long)getpid());
    const char *given = example_file(argc, argv), *folder = given ? given : own;
    example_check(given || mkdir(own, 0700) == 0, "there is no folder for the files");
    example_title("A sound at other rates");
    double ms[2][LINES];
    gnd_device devices[2];
    const int with = example_devices(devices);
    for (int d = 0; d < with; d++) gnd_use(devices[d]), convert(folder, seconds * RATE, ms[d]);
    const int rates[] = {RATE, VIDEO, TELEPHONE};
    for (int i = 0; i < 3 && !given; i++) remove(path_in(folder, rates[i]));
    if (!given) rmdir(folder);
    printf("\n");
    example_table(LINES, names, ms[0]);
    printf("\nLook at the line of 8,000: what cannot be at that rate is gone, where picked samples\n"
           "have it at a frequency that was never there.\n");
    return 0;
}
