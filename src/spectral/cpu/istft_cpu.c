/*
 * istft_cpu.c: inverse short-time Fourier transforms on the CPU. Threads share stretches of samples. A thread
 * transforms the frames that reach into its stretch, those at its ends as its neighbours do, and adds them up in the
 * order of their numbers.
 */
#include "spectral/cpu/stft_cpu.h"
#include "runtime/hooks.h"

enum { FRAMES = 32 /* that a stretch is long, at least */, SAMPLES = 1 << 13 };
#define LEAST_SQUARES 1e-10

typedef struct work {
    const gndi_istft_plan *plan;
    gndi_frame_fft fft;
    int parts;               /* real numbers of a sample of out */
    int64_t stretch, pieces; /* samples; how many of a line */
    void *periodic;          /* sums of squares of samples that all frames reach, `hop` of them */
    atomic_bool failed;
} work;

#define DEFINE_LOOPS(T)                                                                                                \
    static void load_##T(const work *w, const char *z, T *to) {                                                        \
        const gndi_istft_plan *p = w->plan;                                                                            \
        const int64_t bins = gndi_stft_bins(p->nfft, p->half), there = gndi_min(bins, p->bins);                        \
        const T *response = (const T *)(const void *)p->response;                                                      \
        for (int64_t at = 0; at < there; at++, z += p->bin_step) {                                                     \
            const T *from = (const T *)(const void *)z;                                                                \
            const int64_t k = gndi_stft_bin_at(at, p->nfft, p->centered);                                              \
            to[2 * k] = from[0], to[2 * k + 1] = from[1];                                                              \
        }                                                                                                              \
        memset(to + 2 * there, 0, (size_t)(bins - there) * 2 * sizeof *to);                                            \
        for (int64_t k = 0; response && k < there; k++) {                                                              \
            const T re = to[2 * k], im = to[2 * k + 1], a = response[2 * k], b = response[2 * k + 1];                  \
            to[2 * k] = re * a - im * b, to[2 * k + 1] = re * b + im * a;                                              \
        }                                                                                                              \
        if (!p->half) return;                                                                                          \
        if (p->inner != 1)                                                                                             \
            for (int64_t k = 2; k < 2 * ((p->nfft + 1) / 2); k++) to[k] /= (T)p->inner;                                \
        to[1] = 0;                                                                                                     \
        if (p->nfft % 2 == 0) to[2 * bins - 1] = 0;                                                                    \
    }                                                                                                                  \
    /* Samples first .. last - 1 of frame f, which begins at 0, added to those of the stretch. */                      \
    static void add_##T(const work *w, const T *frame, int64_t first, int64_t last, T *to) {                           \
        const T *window = (const T *)(const void *)w->plan->window;                                                    \
        const int64_t n = last - first, at = first - w->plan->roll;                                                    \
        if (first < w->plan->roll && last > w->plan->roll) {                                                           \
            add_##T(w, frame, first, w->plan->roll, to);                                                               \
            add_##T(w, frame, w->plan->roll, last, to + (w->plan->roll - first) * w->parts);                           \
            return;                                                                                                    \
        }                                                                                                              \
        frame += (at < 0 ? at + w->plan->nfft : at) * w->parts;                                                        \
        if (!window)                                                                                                   \
            for (int64_t i = 0; i < n * w->parts; i++) to[i] += frame[i];                                              \
        else if (w->parts == 1)                                                                                        \
            for (int64_t i = 0; i < n; i++) to[i] += frame[i] * window[first + i];                                     \
        else                                                                                                           \
            for (int64_t i = 0; i < 2 * n; i++) to[i] += frame[i] * window[first + i / 2];                             \
    }                                                                                                                  \
    static T squares_##T(const gndi_istft_plan *p, int64_t t) {                                                        \
        const T *squares = (const T *)(const void *)p->squares;                                                        \
        int64_t from, to;                                                                                              \
        T sum = 0;                                                                                                     \
        gndi_istft_frames(p, t, t, &from, &to);                                                                        \
        for (int64_t f = from; f < to; f++) sum += squares[t - f * p->hop];                                            \
        return (double)sum > LEAST_SQUARES ? sum : 1;                                                                  \
    }                                                                                                                  \
    static void divide_##T(const work *w, int64_t t, int64_t n, T *to) {                                               \
        const gndi_istft_plan *p = w->plan;                                                                            \
        const T *periodic = (const T *)w->periodic;                                                                    \
        /* The samples that all frames reach. */                                                                       \
        const int64_t begin = p->nperseg - p->hop, after = (p->frame_first + p->frames) * p->hop;                      \
        int64_t phase = t % p->hop;                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T sum = t + i >= begin && t + i < after ? periodic[phase] : squares_##T(p, t + i);                   \
            for (int part = 0; part < w->parts; part++) to[i * w->parts + part] /= sum;                                \
            if (++phase == p->hop) phase = 0;                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void stretch_##T(const work *w, const char *z, int64_t t, int64_t n, char *out, const gndi_frame *frame) {  \
        const gndi_istft_plan *p = w->plan;                                                                            \
        T *to = (T *)(void *)out;                                                                                      \
        int64_t from, end;                                                                                             \
        memset(to, 0, (size_t)(n * w->parts) * sizeof *to);                                                            \
        gndi_istft_frames(p, t, t + n - 1, &from, &end);                                                               \
        for (int64_t f = from; f < end; f++) {                                                                         \
            const int64_t begin = f * p->hop, first = gndi_max(p->skip, t - begin);                                    \
            const int64_t last = gndi_min(p->nperseg, t + n - begin);                                                  \
            if (last <= first) continue;                                                                               \
            load_##T(w, z + (f - p->frame_first) * p->frame_step, (T *)(void *)frame->in);                             \
            gndi_frame_run(&w->fft, frame);                                                                            \
            add_##T(w, (const T *)(const void *)frame->out, first, last, to + (begin + first - t) * w->parts);         \
        }                                                                                                              \
        if (p->squares) divide_##T(w, t, n, to);                                                                       \
    }                                                                                                                  \
    static void fill_periodic_##T(const work *w) {                                                                     \
        const gndi_istft_plan *p = w->plan;                                                                            \
        const T *squares = (const T *)(const void *)p->squares;                                                        \
        for (int64_t i = 0; i < p->hop; i++) {                                                                         \
            T sum = 0;                                                                                                 \
            for (int64_t at = (p->nperseg - 1 - i) / p->hop * p->hop + i; at >= 0; at -= p->hop)                       \
                if (at < p->nperseg) sum += squares[at];                                                               \
            ((T *)w->periodic)[i] = (double)sum > LEAST_SQUARES ? sum : 1;                                             \
        }                                                                                                              \
    }
DEFINE_LOOPS(float)
DEFINE_LOOPS(double)
#undef DEFINE_LOOPS

static void run_stretches(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const gndi_istft_plan *p = w->plan;
    const int64_t number = (p->wide ? 8 : 4) * w->parts;
    gndi_frame frame;
    if (!gndi_frame_new(&w->fft, &frame)) {
        atomic_store(&w->failed, true);
        return;
    }
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t line = unit / w->pieces, at = unit % w->pieces * w->stretch;
        const int64_t n = gndi_min(w->stretch, p->count - at);
        const char *z = p->z + gndi_line_of_x(&p->grid, line);
        char *out = p->out + (line * p->count + at) * number;
        if (p->wide)
            stretch_double(w, z, p->out_first + at, n, out, &frame);
        else
            stretch_float(w, z, p->out_first + at, n, out, &frame);
    }
    gndi_free(frame.memory);
}

gnd_status gndi_cpu_istft(gnd_stream *s, const gndi_istft_plan *p, const char *fn) {
    work w = {.plan = p, .parts = p->half ? 1 : 2};
    gndi_buffer *memory = gndi_buffer_new(fn, s, p->squares ? (size_t)p->hop * (p->wide ? 8 : 4) : 0);
    if (!memory) return GND_ERROR_MEMORY;
    const gnd_status status = gndi_frame_fft_begin(&w.fft, s, p->wide, p->half, true, p->nfft, fn);
    if (!status) {
        w.periodic = memory->base;
        if (p->squares && p->wide) fill_periodic_double(&w);
        if (p->squares && !p->wide) fill_periodic_float(&w);
        w.stretch = gndi_max(SAMPLES, FRAMES * p->nperseg);
        w.pieces = gndi_ceil_div(p->count, w.stretch);
        gndi_parallel_for(p->grid.lines * w.pieces, 1, run_stretches, &w);
        gndi_frame_fft_end(&w.fft);
    }
    gndi_buffer_release(memory);
    if (status || !atomic_load(&w.failed)) return status;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for frames of %lld samples", (long long)p->nfft);
}
