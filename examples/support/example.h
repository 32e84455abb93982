/*
 * example.h: what the numbered examples share: a clock, random numbers, and the size of the work.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <gnd.h>

/* Milliseconds, after everything that was queued on the device is done. */
double example_clock(void);

/* `count` random numbers in [-1, 1), the same in every run; another `seed`, other numbers. */
void example_fill(float *numbers, int64_t count, unsigned seed);
/* A new array of them, float32, on the current device. */
gnd_array *example_random(gnd_shape shape, unsigned seed);

/* The size of the work: the program's first argument, or else what suits the device. */
int64_t example_size(int argc, char **argv, int64_t on_gpu, int64_t on_cpu);
/* Whether the current device is a GPU. */
bool example_on_gpu(void);
/* Prints the program's name and the device it runs on. */
void example_title(const char *title);

/* The largest |x|, and the largest |x - y| as a part of the largest |y|, computed in float64. */
double example_largest(const gnd_array *x);
double example_difference(const gnd_array *x, const gnd_array *y);

/* Ends the program with a sentence if what it computed is not right. */
void example_check(bool right, const char *sentence);

#endif
