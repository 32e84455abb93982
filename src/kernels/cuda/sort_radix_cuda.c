/*
 * sort_radix_cuda.c: launches the radix passes over rows of any length (sort_radix.cuh). Besides its
 * input and output a sort of numbers needs their memory once more at most: passes go to and fro
 * between one buffer and the output, where that is dense.
 */
#include "kernels/cuda/sort_launch.h"
#include "runtime/runtime_cuda.h"

enum {
    PORTION = 1 << 29,      /* elements of a row in a launch: tiles tell their counts in 30 bits */
    MOST_SCRATCH = 1 << 27, /* elements, if there are several rows */
    COUNT_BLOCKS = 3,       /* on a multiprocessor */
    ALIGNMENT = 256,
};

static const gndi_sort_radix_kernels *const kernels[GNDI_SORT_CLASSES] = {
    &gndi_sort_radix_1, &gndi_sort_radix_2,  &gndi_sort_radix_4,
    &gndi_sort_radix_8, &gndi_sort_radix_c8, &gndi_sort_radix_c16};

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static int64_t quotient_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}
static size_t aligned(int64_t bytes) {
    return (size_t)(quotient_up(bytes, ALIGNMENT) * ALIGNMENT);
}

/* Whether an operand's rows lie one after the other. */
static bool rows_dense(const gndi_sort_plan *plan, const struct gndi_sort_operand *operand,
                       int64_t size) {
    return operand->data && operand->step == size && plan->ndim <= 1 &&
           (plan->ndim == 0 || operand->stride[0] == plan->length * size);
}

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct memory {
    gndi_buffer *scratch, *state;
    size_t cleared; /* of the state, before anything else */
    int64_t portions, words;
    uint32_t *counters, *looks[2];
} memory;

static void give_back(memory *m) {
    if (m->scratch) gndi_buffer_release(m->scratch);
    if (m->state) gndi_buffer_release(m->state);
}

/* The second scratch is memory of the operands where they are dense: what is missing gets NULL. */
static void borrow_scratch(gndi_sort_radix *p, int key_bytes, bool places) {
    gndi_sort_scratch *second = &p->scratch[1];
    const gndi_sort_plan *plan = &p->plan;
    const bool lends = places && !plan->start.data && rows_dense(plan, &plan->places, 8);
    char *from = lends ? plan->places.data + p->first_row * plan->length * 8 : NULL;
    second->keys = second->positions = NULL;
    if (rows_dense(plan, &plan->out, key_bytes)) {
        second->keys = plan->out.data + p->first_row * plan->length * key_bytes;
        second->key_step = plan->length * key_bytes;
    } else if (lends && key_bytes <= 4) {
        second->keys = from + plan->length * 4, second->key_step = plan->length * 8;
    } else if (lends && key_bytes == 8) {
        second->keys = from, second->key_step = plan->length * 8;
        from = NULL;
    }
    if (lends && from) second->positions = from, second->position_step = plan->length * 8;
}

/* Lays out the scratch for `rows` rows: what is missing of it at `base`. Returns how many bytes that
   takes. */
static size_t lay_out_scratch(gndi_sort_radix *p, int64_t rows, int key_bytes, bool places,
                              char *base) {
    const int64_t keys = p->plan.length * key_bytes, positions = p->plan.length * 4;
    size_t used = 0;
    p->even = false;
    if (p->passes == 1) return 0;
    for (int i = 0; i < (p->passes == 2 ? 1 : 2); i++) {
        gndi_sort_scratch *scratch = &p->scratch[i];
        memset(scratch, 0, sizeof *scratch);
        if (i == 1) borrow_scratch(p, key_bytes, places);
        if (i == 1) p->even = p->in_place && (scratch->keys || scratch->positions);
        if (!scratch->keys) {
            scratch->keys = base + used, scratch->key_step = keys;
            used += aligned(rows * keys);
        }
        if (places && !scratch->positions) {
            scratch->positions = base + used, scratch->position_step = positions;
            used += aligned(rows * positions);
        }
    }
    return used;
}

static gnd_status make_state(gnd_stream *s, gndi_sort_radix *p, memory *m, int64_t rows, int tile,
                             const char *fn) {
    const int64_t portion = PORTION / tile * tile;
    m->portions = quotient_up(p->plan.length, portion);
    m->words = quotient_up(smaller(p->plan.length, portion), tile) * rows * GNDI_SORT_DIGITS;
    const size_t counters = aligned((rows + p->passes * m->portions) * 4),
                 looks = aligned(m->words * 4);
    const size_t bins = aligned(rows * p->passes * GNDI_SORT_DIGITS * 8);
    const size_t roles = aligned(rows * GNDI_SORT_MOST_PASSES);
    m->cleared = counters + bins + looks;
    m->state = gndi_buffer_new(fn, s, m->cleared + looks + roles + (m->portions > 1 ? bins : 0));
    if (!m->state) return GND_ERROR_MEMORY;
    char *at = m->state->base;
    p->counted = (uint32_t *)at, m->counters = p->counted + rows;
    p->bins = (unsigned long long *)(at += counters);
    m->looks[0] = (uint32_t *)(at += bins);
    m->looks[1] = (uint32_t *)(at += looks);
    p->role = (uint8_t *)(at += looks);
    p->bins_after = (unsigned long long *)(at + roles);
    return GND_OK;
}

/* ---- launches ------------------------------------------------------------------------------- */

static gnd_status run_passes(gnd_stream *s, gndi_sort_radix *p, const memory *m,
                             const gndi_sort_radix_kernels *k, bool places, const char *fn) {
    const int tile = k->tile[places];
    const int64_t portion = PORTION / tile * tile;
    unsigned long long *bins[2] = {p->bins, p->bins_after};
    gnd_status status = GND_OK;
    int launch = 0;
    for (p->pass = 0; p->pass < p->passes && !status; p->pass++) {
        for (int64_t i = 0; i < m->portions && !status; i++, launch++) {
            p->first = i * portion, p->count = smaller(portion, p->plan.length - p->first);
            p->row_tiles = (uint32_t)quotient_up(p->count, tile);
            p->more = i + 1 < m->portions;
            p->bins = bins[i % 2], p->bins_after = bins[(i + 1) % 2];
            p->counter = m->counters + launch;
            p->looks = m->looks[launch % 2], p->next_looks = m->looks[(launch + 1) % 2];
            p->next_words = launch + 1 < p->passes * m->portions ? m->words : 0;
            status = gndi_cuda_launch(s, k->pass[places], p->row_tiles * p->plan.rows,
                                      k->threads[places], 0, p, fn);
        }
    }
    p->bins = bins[0], p->bins_after = bins[1];
    return status;
}

static gnd_status sort_rows(gnd_stream *s, gndi_sort_radix *p, const memory *m,
                            const gndi_sort_radix_kernels *k, bool places, const char *fn) {
    const int64_t tiles =
        quotient_up(p->plan.length, GNDI_SORT_COUNT_THREADS * GNDI_SORT_COUNT_EACH);
    const int64_t blocks = (int64_t)s->device->processors * COUNT_BLOCKS;
    gnd_status status = gndi_cuda_check(
        (int)cudaMemsetAsync(m->state->base, 0, m->cleared, s->native), fn, "clearing counts");
    p->parts = (int32_t)larger(1, smaller(tiles, quotient_up(blocks, p->plan.rows)));
    if (!status)
        status = gndi_cuda_launch(s, k->count[places], p->parts * p->plan.rows,
                                  GNDI_SORT_COUNT_THREADS, 0, p, fn);
    if (!status) status = run_passes(s, p, m, k, places, fn);
    return status;
}

gnd_status gndi_sort_by_radix(gnd_stream *s, const gndi_sort_plan *plan, bool gathers,
                              const char *fn) {
    const int class = gndi_sort_class(plan->dtype);
    const gndi_sort_radix_kernels *k = kernels[class];
    const bool places = plan->places.data != NULL;
    gndi_sort_radix p;
    memory m = {0};
    if (places && plan->length > UINT32_MAX)
        return gndi_raise(GND_ERROR_UNAVAILABLE, fn,
                          "cannot tell the places of %lld elements in a row on a GPU, only of "
                          "fewer than 2^32; sort the values alone, or on the CPU",
                          (long long)plan->length);
    memset(&p, 0, sizeof p);
    p.plan = *plan, p.rule = gndi_sort_rule_of(plan->dtype, plan->descending);
    p.gathers = gathers && plan->start.data;
    p.in_place = plan->in.data == plan->out.data ||
                 (plan->start.data && plan->start.data == plan->places.data);
    p.passes = k->key_bytes == 1 && p.in_place ? 2 : k->key_bytes;
    const int64_t chunk = smaller(plan->rows, larger(1, MOST_SCRATCH / plan->length));
    const size_t bytes = lay_out_scratch(&p, chunk, k->key_bytes, places, NULL);
    gnd_status status = make_state(s, &p, &m, chunk, k->tile[places], fn);
    if (!status && bytes && !(m.scratch = gndi_buffer_new(fn, s, bytes))) status = GND_ERROR_MEMORY;
    for (; !status && p.first_row < plan->rows; p.first_row += chunk) {
        p.plan.rows = smaller(chunk, plan->rows - p.first_row);
        lay_out_scratch(&p, chunk, k->key_bytes, places, m.scratch ? m.scratch->base : NULL);
        status = sort_rows(s, &p, &m, k, places, fn);
    }
    give_back(&m);
    return status;
}
