/*
 * example.h: what the numbered examples share: the devices they run on, a clock, random numbers, the size
 * of the work, and tables of times.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <gnd.h>

/* ---- what to run, and where ----------------------------------------------------------------- */

/* Prints the program's title and the devices it runs on: the CPU, and the GPU if that is the current
   device (GND_DEVICE=cpu leaves it out). */
void example_title(const char *title);
/* These devices, the CPU first, and how many they are: 1 or 2. */
int example_devices(gnd_device devices[2]);
/* Whether one of them is a GPU. */
bool example_with_gpu(void);

/* The size of the work: the program's first argument, or else what suits the best of the devices.
   Ends the program with a sentence if that is no size. */
int64_t example_size(int argc, char **argv, int64_t on_gpu, int64_t on_cpu);
/* The program's second argument, a file's name; NULL if it has none. */
const char *example_file(int argc, char **argv);
/* The same; without it the file of that name in examples/data, as seen from the project's folder or from
   examples. */
const char *example_data(int argc, char **argv, const char *name);

/* ---- time ----------------------------------------------------------------------------------- */

/* Milliseconds on a clock, after everything that was queued on the current device is done. */
double example_clock(void);
/* Milliseconds that a call of run(context) takes, by gnd_benchmark: the shortest of several repetitions, after
   one call to warm up. A repetition is several calls if they are short, and waits for the device at its end. */
double example_time(void (*run)(void *context), void *context);
/* A table of milliseconds: a line for each name, a column for each device, and how many times as fast
   the second device is. The times of a device follow each other; those of the CPU come first; NAN leaves a
   place empty. */
void example_table(int lines, const char *const names[], const double *milliseconds);

/* ---- numbers -------------------------------------------------------------------------------- */

/* A new array of random numbers in [-1, 1), float32, on the current device: the same on every device and in
   every run; another `seed`, other numbers. */
gnd_array *example_random(gnd_shape shape, unsigned seed);

/* The largest |x|, and the largest |x - y| as a part of the largest |y|, computed in float64. */
double example_largest(const gnd_array *x);
double example_difference(const gnd_array *x, const gnd_array *y);

/* Ends the program with a sentence if what it computed is not right. */
void example_check(bool right, const char *sentence);

#endif
