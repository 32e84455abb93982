/*
 * random_cpu.c: random numbers on the CPU. Philox numbers are split among the threads by element, since an
 * element's index determines its words; for other generators each thread takes a range of states.
 */
#include "kernels/cpu/isa.h"
#include "random/cpu/random_loops.h"
#include "kernels/cpu/indices.h"
#include "random/cpu/random_families.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_random_vectors, gndi_cpu_random_vectors_get, random)

enum { GRAIN = 1 << 13, STATES_GRAIN = 64 };

#define FAMILY(family) void gndi_cpu_random_##family(gndi_cpu_sampler(*table)[GNDI_RANDOM_RESULTS]);
GNDI_RANDOM_FAMILIES
#undef FAMILY

static gndi_cpu_sampler samplers[GNDI_RANDOM_COUNT][GNDI_RANDOM_RESULTS];
static gndi_once filled;

static void fill(void) {
#define FAMILY(family) gndi_cpu_random_##family(samplers);
    GNDI_RANDOM_FAMILIES
#undef FAMILY
}

/* What a draw's threads share. */
typedef struct draw {
    const gndi_random_plan *plan;
    const gndi_cpu_random_vectors *vectors;
    gndi_cpu_draw body;
    gndi_cpu_transform transform; /* of chunks; NULL: integers */
    gndi_random_value values[GNDI_RANDOM_PARAMETERS];
    int64_t item;
    _Atomic int64_t refused;
} draw;

static int log_size(int64_t bytes) {
    return __builtin_ctzll((unsigned long long)bytes);
}

static void run(void *context, int64_t begin, int64_t end) {
    draw *d = context;
    gndi_cpu_random_job job = {.plan = d->plan, .philox = d->vectors->philox, .refused = -1};
    d->body(&job, begin, end);
    if (job.refused >= 0) atomic_store_explicit(&d->refused, job.refused, memory_order_relaxed);
}

/* Integers from chunks of words; one by one if a word has to be rejected to avoid a bias. */
static bool run_integers(const draw *d, const uint32_t *words, int64_t n, void *out) {
    const uint64_t low = (uint64_t)d->values[0].i64, high = (uint64_t)d->values[1].i64;
    const uint64_t range = high - low - (d->values[2].i64 & GNDI_INTEGERS_CLOSED ? 0 : 1);
    return d->vectors->integers[log_size(d->item)](words, n, low, (uint32_t)range, out);
}

/* Draws chunks of words and transforms them: always in whole vectors, even at the ends, so that an element is the
   same in every draw. */
static void run_chunks(void *context, int64_t begin, int64_t end) {
    draw *d = context;
    const gndi_random_plan *p = d->plan;
    const gndi_random_state *state = &p->engine.state;
    const uint64_t first = gndi_aligned_position(state->position, p->words);
    const int64_t each = GNDI_RANDOM_CHUNK / p->words; /* elements */
    _Alignas(64) uint32_t words[GNDI_RANDOM_CHUNK];
    _Alignas(64) char results[GNDI_RANDOM_CHUNK * 8];
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const uint64_t position = first / 4 * 4 + (uint64_t)chunk * GNDI_RANDOM_CHUNK;
        /* The index of the chunk's first element; negative if the chunk begins before the draw. */
        const int64_t at = chunk * each - (int64_t)(first % 4) / p->words;
        const int64_t low = at < 0 ? 0 : at, high = at + each < p->size ? at + each : p->size;
        if (high <= low) continue;
        const int64_t count = ((high - at) * p->words + GNDI_RANDOM_STEP - 1) / GNDI_RANDOM_STEP * GNDI_RANDOM_STEP;
        const int64_t n = count / p->words;
        d->vectors->philox(state->key, position / 4, state->stream, words, count);
        const bool whole = high - low == n;
        char *to = p->out + low * d->item, *made = whole ? to : results;
        if (d->transform) {
            d->transform(words, n, d->values, made);
        } else if (!run_integers(d, words, n, made)) {
            run(d, low, high);
            continue;
        }
        if (!whole) memcpy(to, results + (low - at) * d->item, (size_t)((high - low) * d->item));
    }
}

static const gndi_cpu_sampler *sampler_of(int distribution, int dtype) {
    gndi_once_do(&filled, fill);
    const bool by_size = gndi_distributions[distribution].result == 'D';
    return &samplers[distribution][by_size ? log_size(gndi_dtype_sizes[dtype]) : dtype != GND_FLOAT32];
}

bool gndi_random_takes(int distribution, int dtype, const gndi_random_value *values) {
    return sampler_of(distribution, dtype)->valid(values);
}

static void draw_plan(gnd_stream *s, const gndi_random_plan *plan) {
    const int wide = plan->dtype != GND_FLOAT32;
    draw d = {.plan = plan, .vectors = gndi_cpu_random_vectors_get(), .refused = -1};
    d.item = gndi_dtype_sizes[plan->dtype];
    const gndi_cpu_sampler *sampler = sampler_of(plan->distribution, plan->dtype);
    for (int k = 0; k < GNDI_RANDOM_PARAMETERS; k++) d.values[k] = plan->parameter[k].value;
    d.body = sampler->philox;
    if (plan->engine.state.kind == GNDI_PHILOX) {
        const bool integers = plan->distribution == GNDI_RANDOM_integers && plan->words == 1;
        if (plan->uniform && plan->distribution < GNDI_RANDOM_TRANSFORMS)
            d.transform = d.vectors->transform[plan->distribution][wide];
        if (d.transform || (plan->uniform && integers)) {
            const int64_t each = GNDI_RANDOM_CHUNK / plan->words;
            gndi_parallel_for((plan->size + 3) / each + 1, GRAIN / each, run_chunks, &d);
        } else {
            gndi_parallel_for(plan->size, GRAIN, run, &d);
        }
    } else if (plan->engine.state.kind == GNDI_SOBOL) {
        d.body = sampler->sobol;
        gndi_parallel_for(plan->size, GRAIN, run, &d);
    } else {
        d.body = sampler->states;
        const int64_t rows = plan->size / GNDI_RANDOM_STATES + 1;
        gndi_parallel_for(GNDI_RANDOM_STATES, rows < GRAIN / STATES_GRAIN ? GRAIN / rows : STATES_GRAIN, run, &d);
    }
    if (gndi_unlikely(d.refused >= 0))
        gndi_report_fault(s, GNDI_FAULT_RANDOM, d.refused, plan->distribution, plan->size);
}

/* Of a generator in a graph the cell has the position, less the plan's. */
static void place(gndi_random_engine *e, const gndi_random_state *cell) {
    const uint64_t offset = e->state.position;
    e->state = *cell;
    e->state.position += offset;
}

gnd_status gndi_cpu_random(gnd_stream *s, const gndi_random_plan *plan, const char *fn) {
    (void)fn;
    gndi_random_state *cell = plan->engine.cell;
    if (gndi_likely(!cell)) {
        draw_plan(s, plan);
        return GND_OK;
    }
    gndi_random_plan placed = *plan;
    place(&placed.engine, cell);
    draw_plan(s, &placed);
    const uint64_t words = cell->kind == GNDI_PHILOX ? plan->words : 1;
    cell->position = gndi_aligned_position(placed.engine.state.position, words) + words * (uint64_t)plan->size -
                     plan->engine.state.position;
    return GND_OK;
}

gnd_status gndi_cpu_random_set(gnd_stream *s, const gndi_random_cell *plan, const char *fn) {
    (void)s, (void)fn;
    *plan->cell = plan->state;
    return GND_OK;
}

gnd_status gndi_cpu_random_ties(gnd_stream *s, const gndi_random_ties *ties, const char *fn) {
    (void)s, (void)fn;
    gndi_random_ties own = *ties;
    if (own.engine.cell) place(&own.engine, own.engine.cell);
    gndi_parallel_for(own.rows * own.length, GRAIN, gndi_cpu_break_ties, &own);
    return GND_OK;
}
