/*
 * cpu_tables.c: calls one function of gnd n times and says how long that took, in the thread's own time. It is
 * compiled by cpu_tables.py, which hands it addresses from libgnd.so: calls through ctypes would cost more than the
 * functions.
 */
#define _POSIX_C_SOURCE 200809L
#include <gnd.h>
#include <time.h>

/* How a function is called: the kinds of cpu_tables.py, in this order. */
enum { AXES, AXES_NUMBER, NAMED, DTYPE, SORT, PARTITION, UNARY, BINARY, TERNARY, NORM, PAIR, PAIR_AXIS, TWO, SEARCH };

typedef struct call {
    void (*function)(void);
    void (*release)(gnd_array *);
    const gnd_array *x, *y, *z;
    const char *name;
    gnd_axes axes;
    double number;
    int64_t kth;
    int kind, dtype;
} call;

#define AS(result, ...) ((result(*)(__VA_ARGS__))c->function)

static bool call_once(const call *c) {
    gnd_array *out = NULL, *second = NULL;
    const gnd_arg x = gnd_arg_array(c->x), y = gnd_arg_array(c->y), z = gnd_arg_array(c->z);
    switch (c->kind) {
    case AXES: out = AS(gnd_array *, const gnd_array *, gnd_axes)(c->x, c->axes); break;
    case AXES_NUMBER: out = AS(gnd_array *, const gnd_array *, gnd_axes, double)(c->x, c->axes, c->number); break;
    case NAMED: out = AS(gnd_array *, const char *, const gnd_array *, gnd_axes)(c->name, c->x, c->axes); break;
    case DTYPE: out = AS(gnd_array *, const gnd_array *, gnd_dtype)(c->x, (gnd_dtype)c->dtype); break;
    case SORT: out = AS(gnd_array *, const gnd_array *, gnd_axes, gnd_direction)(c->x, c->axes, GND_ASCENDING); break;
    case PARTITION:
        out = AS(gnd_array *, const gnd_array *, int, const int64_t *, gnd_axes)(c->x, 1, &c->kth, c->axes);
        break;
    case UNARY: out = AS(gnd_array *, gnd_arg)(x); break;
    case BINARY: out = AS(gnd_array *, gnd_arg, gnd_arg)(x, y); break;
    case TERNARY: out = AS(gnd_array *, gnd_arg, gnd_arg, gnd_arg)(x, y, z); break;
    case NORM: out = AS(gnd_array *, const gnd_array *, double, gnd_axes)(c->x, c->number, c->axes); break;
    case PAIR: out = AS(gnd_array *, const gnd_array *, const gnd_array *)(c->x, c->y); break;
    case PAIR_AXIS:
        out = AS(gnd_array *, const gnd_array *, const gnd_array *, int)(c->x, c->y, c->axes.axis[0]);
        break;
    case SEARCH:
        out = AS(gnd_array *, const gnd_array *, gnd_arg, gnd_side, gnd_arg)(c->x, y, GND_LEFT, GND_ARG(GND_NONE));
        break;
    case TWO:
        if (c->y)
            AS(gnd_status, gnd_array **, gnd_array **, gnd_arg, gnd_arg)(&out, &second, x, y);
        else
            AS(gnd_status, gnd_array **, gnd_array **, gnd_arg)(&out, &second, x);
        if (second) c->release(second);
    }
    if (out) c->release(out);
    return out != NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds for n calls; negative if one of them failed. */
double cpu_tables_time(const call *c, long n) {
    const double begin = now();
    for (long i = 0; i < n; i++)
        if (!call_once(c)) return -1;
    return now() - begin;
}
