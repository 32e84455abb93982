/*
 * bare_fft.c: see bare_cuda.h. cuFFT is opened at run time, as gnd opens it, and its prototypes and
 * constants are written out here (from cufft.h).
 */
#include "bare_cuda.h"

#include <stddef.h>

enum { R2C = 0x2a, C2C = 0x29, FORWARD = -1 }; /* cufftType, the direction */

static struct {
    int (*create)(int *plan);
    int (*destroy)(int plan);
    int (*set_stream)(int plan, void *stream);
    int (*make)(int plan, int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance,
                long long *out_embed, long long out_stride, long long out_distance, int type, long long batch,
                size_t *work);
    int (*c2c)(int plan, void *in, void *out, int direction);
    int (*r2c)(int plan, void *in, void *out);
    int plan;
    bool loaded, made, real;
    void *stream;
} fft;

int gndb_load_cufft(void) {
    if (fft.loaded) return 0;
    void *library = gndb_open_library((const char *const[]){"libcufft.so.12", "libcufft.so.11", NULL});
    if (!library) return -1;
    gndb_find(library, "cufftCreate", &fft.create);
    gndb_find(library, "cufftDestroy", &fft.destroy);
    gndb_find(library, "cufftSetStream", &fft.set_stream);
    gndb_find(library, "cufftMakePlanMany64", &fft.make);
    gndb_find(library, "cufftExecC2C", &fft.c2c);
    gndb_find(library, "cufftExecR2C", &fft.r2c);
    fft.loaded = true;
    return 0;
}

int gndb_cufft_plan(const gndb_transform *t) {
    long long n[3], out[3];
    int code = gndb_load_cufft();
    if (code) return code;
    if (fft.made) fft.destroy(fft.plan);
    fft.made = false;
    code = fft.create(&fft.plan);
    if (code) return code;
    for (int i = 0; i < t->rank; i++) n[i] = out[i] = t->n[i];
    if (t->real) out[t->rank - 1] = n[t->rank - 1] / 2 + 1;
    size_t work;
    fft.made = true, fft.real = t->real, fft.stream = NULL;
    return fft.make(fft.plan, t->rank, n, n, t->stride, t->apart, out, t->stride, t->real ? out[0] : t->apart,
                    t->real ? R2C : C2C, t->batch, &work);
}

int gndb_cufft_run(const void *in, void *out, void *stream) {
    int code = stream == fft.stream ? 0 : fft.set_stream(fft.plan, stream);
    if (code) return code;
    fft.stream = stream;
    void *from = (void *)(uintptr_t)in;
    return fft.real ? fft.r2c(fft.plan, from, out) : fft.c2c(fft.plan, from, out, FORWARD);
}
