/*
 * channelize_loops.h: one frame of a polyphase channelizer, as the driver (channelize_cpu.c) sees it.
 */
#ifndef GNDI_CPU_CHANNELIZE_LOOPS_H
#define GNDI_CPU_CHANNELIZE_LOOPS_H

#include <stdint.h>

/* All numbers are float32 or float64; a complex one is two of them. */
typedef struct gndi_cpu_channelizer {
    /* branch_taps rows of `channels` taps, the last branch first. Of complex x with real taps, each tap twice. */
    const void *taps;
    const void *wave; /* exp(2 pi i k / channels) */
    const int *factor;
    int factors; /* 0 with more than one channel: frames are not transformed */
    bool complex_x, complex_taps;
    int64_t channels, hop, branch_taps;
    const void *x; /* a line, elements x_first to x_first + length - 1 */
    int64_t length, x_first;
    int64_t frame; /* which one */
    void *out;     /* `channels` complex numbers */
    void *space;   /* three times as many */
} gndi_cpu_channelizer;

typedef struct gndi_cpu_channelize_loops {
    void (*frame[2])(const gndi_cpu_channelizer *c); /* float32, float64 */
} gndi_cpu_channelize_loops;

#endif
