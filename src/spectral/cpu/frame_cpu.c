/*
 * frame_cpu.c: the transform of one frame on the CPU.
 */
#include "spectral/cpu/stft_cpu.h"

enum { ALIGNED = 64 };

bool gndi_frame_new(const gndi_frame_fft *f, gndi_frame *frame) {
    frame->memory = gndi_malloc(NULL, (size_t)(2 * f->bytes + ALIGNED));
    if (!frame->memory) return false;
    frame->in = (char *)frame->memory + (ALIGNED - (uintptr_t)frame->memory % ALIGNED) % ALIGNED;
    frame->out = frame->in + f->bytes;
    return true;
}

gnd_status gndi_frame_fft_begin(gndi_frame_fft *f, gnd_stream *s, bool wide, bool half, bool inverse, int64_t nfft,
                                const char *fn) {
    const int64_t number = wide ? 16 : 8;
    *f = (gndi_frame_fft){.bytes = gndi_ceil_div((nfft + 2) * number, ALIGNED) * ALIGNED};
    f->plan = (gndi_fft_plan){.type = !half     ? GNDI_FFT_C2C
                                      : inverse ? GNDI_FFT_C2R
                                                : GNDI_FFT_R2C,
                              .wide = wide,
                              .inverse = inverse,
                              .spare = true,
                              .axes = 1,
                              .scale = 1};
    f->plan.axis[0] = (gndi_fft_axis){nfft, gndi_fft_in_size(&f->plan), gndi_fft_out_size(&f->plan)};
    gndi_frame frame;
    if (!gndi_frame_new(f, &frame)) return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for a frame");
    f->plan.in = frame.in, f->plan.out = frame.out;
    f->made = gndi_fftw_plan(s->device, &f->plan, 1, fn);
    gndi_free(frame.memory);
    return f->made ? GND_OK : gndi_ew_pending();
}

void gndi_frame_fft_end(gndi_frame_fft *f) {
    gndi_fft_cache_give(f->made);
}

void gndi_frame_run(const gndi_frame_fft *f, const gndi_frame *frame) {
    gndi_fft_plan plan;
    gndi_fft_copy_plan(&plan, &f->plan);
    plan.in = frame->in, plan.out = frame->out;
    gndi_fftw_run(&plan, f->made);
}
