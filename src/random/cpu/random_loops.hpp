/*
 * random_loops.hpp: the loops of one distribution for any generator and parameters. Included by
 * random_family.cpp.in.
 */
#ifndef GNDI_CPU_RANDOM_LOOPS_HPP
#define GNDI_CPU_RANDOM_LOOPS_HPP

#include "random/cpu/random_loops.h"
#include "random/random_rows.h"

namespace gnd {

/* A distribution whose sampler computes in T and whose results are stored as S. */
template <int Distribution, class T, class S> struct cpu_draws {
    typedef random_maker<Distribution, T> maker;

    /* Draws one element whose parameters may be arrays. */
    template <class Source> static void put_own(gndi_cpu_random_job *job, int64_t e, Source &source) {
        gndi_random_value values[GNDI_RANDOM_PARAMETERS];
        maker::load(*job->plan, e, values);
        if (maker::valid(values)) {
            maker::template put<S>(*job->plan, e, maker::make(values), source);
            return;
        }
        if (job->refused < 0) job->refused = e;
        maker::template put_refused<S>(*job->plan, e);
    }

    static void philox(gndi_cpu_random_job *job, int64_t begin, int64_t end) {
        const gndi_random_plan &p = *job->plan;
        const gndi_random_state &state = p.engine.state;
        const uint64_t first = gndi_aligned_position(state.position, p.words);
        gndi_random_value values[GNDI_RANDOM_PARAMETERS] = {};
        if (p.uniform) maker::numbers(p, values);
        const auto sampler = maker::make(values);
        uint32_t words[GNDI_RANDOM_CHUNK];
        uint64_t block = 0, known = 0; /* the first of the blocks in `words`, and their number */
        for (int64_t e = begin; e < end; e++) {
            const uint64_t position = first + (uint64_t)gndi_random_index(&p, e) * p.words, at = position >> 2;
            if (at - block >= known) {
                /* Words that remain, in whole blocks; of a part, at most those of a run. */
                const int64_t run = p.axes ? p.count[p.axes - 1] : end - e;
                const int64_t left = (run < end - e ? run : end - e) * p.words + 3;
                const int64_t count = left < GNDI_RANDOM_CHUNK ? (left + GNDI_RANDOM_STEP - 1) & -GNDI_RANDOM_STEP
                                                               : (int64_t)GNDI_RANDOM_CHUNK;
                block = at, known = (uint64_t)count / 4;
                job->philox(state.key, block, state.stream, words, count);
            }
            philox_block b;
            memcpy(&b, words + 4 * (at - block), sizeof b);
            philox_source source(state, position, p.words, b);
            if (p.uniform)
                maker::template put<S>(p, e, sampler, source);
            else
                put_own(job, e, source);
        }
    }

    static void sobol(gndi_cpu_random_job *job, int64_t begin, int64_t end) {
        const gndi_random_plan &p = *job->plan;
        other_source source(p.engine, p.words);
        for (int64_t e = begin; e < end; e++) {
            source.begin(p.engine, p.engine.state.position + (uint64_t)gndi_random_index(&p, e));
            put_own(job, e, source);
        }
    }

    /* A few states at a time: element e of the result is from state e modulo their number, so they go row by row. */
    static void states(gndi_cpu_random_job *job, int64_t begin, int64_t end) {
        enum { TOGETHER = 64 };
        const gndi_random_plan &p = *job->plan;
        const uint64_t mask = GNDI_RANDOM_STATES - 1;
        for (int64_t first = begin; first < end; first += TOGETHER) {
            const int count = end - first < TOGETHER ? (int)(end - first) : (int)TOGETHER;
            other_source source[TOGETHER];
            int64_t at[TOGETHER]; /* each state's next element */
            for (int i = 0; i < count; i++) {
                source[i] = other_source(p.engine, p.words);
                source[i].load(p.engine.states, first + i);
                at[i] = (int64_t)(((uint64_t)(first + i) - p.engine.state.position) & mask);
            }
            for (bool more = true; more;) {
                more = false;
                for (int i = 0; i < count; i++) {
                    if (at[i] >= p.size) continue;
                    put_own(job, at[i], source[i]);
                    at[i] += GNDI_RANDOM_STATES, more = true;
                }
            }
            for (int i = 0; i < count; i++) source[i].store(p.engine.states, first + i);
        }
    }

    static bool valid(const gndi_random_value *values) { return maker::valid(values); }

    static void fill(gndi_cpu_sampler *s) {
        s->philox = philox, s->sobol = sobol, s->states = states, s->valid = valid;
    }
};

template <bool Mine, int Distribution> void fill_row(gndi_cpu_sampler *results) {
    if constexpr (Mine) {
        constexpr char result = random_row<Distribution>::result;
        if constexpr (result == 'F' || result == 'V') {
            cpu_draws<Distribution, float, float>::fill(&results[GNDI_RANDOM_FLOAT]);
            cpu_draws<Distribution, double, double>::fill(&results[GNDI_RANDOM_WIDE]);
        } else if constexpr (result == 'I' || result == 'M') {
            cpu_draws<Distribution, double, int64_t>::fill(&results[GNDI_RANDOM_WIDE]);
        } else {
            cpu_draws<Distribution, double, uint8_t>::fill(&results[0]);
            cpu_draws<Distribution, double, uint16_t>::fill(&results[1]);
            cpu_draws<Distribution, double, uint32_t>::fill(&results[2]);
            cpu_draws<Distribution, double, uint64_t>::fill(&results[3]);
        }
    }
}

} // namespace gnd

#endif
