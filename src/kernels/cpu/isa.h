/*
 * isa.h: inner loops of the CPU backend are compiled once for each instruction set (meson.build); a topic gets
 * its table for the best set that this CPU has.
 */
#ifndef GNDI_CPU_ISA_H
#define GNDI_CPU_ISA_H

#include "core/lock.h"
#include "kernels/cpu/cpu_parts.h"

typedef enum gndi_cpu_isa_level { GNDI_CPU_BASELINE, GNDI_CPU_V3, GNDI_CPU_V4 } gndi_cpu_isa_level;

/* The instruction set of this CPU's kernels, and its name. Thread-safe. */
gndi_cpu_isa_level gndi_cpu_isa_chosen(void);
const char *gndi_cpu_isa(void);

#ifdef GNDI_CPU_DISPATCH
#    define GNDI_CPU_EACH_ISA(X, fill, type) X(baseline, fill, type) X(v3, fill, type) X(v4, fill, type)
#else
#    define GNDI_CPU_EACH_ISA(X, fill, type) X(baseline, fill, type)
#endif
#define GNDI_CPU_DECLARE(isa, fill, type) void gndi_cpu_##isa##_##fill(type *table);
#define GNDI_CPU_NAME(isa, fill, type) gndi_cpu_##isa##_##fill,

/*
 * Defines `const type *get(void)`: a table that is filled at the first call, by gndi_cpu_ISA_fill(table)
 * of the chosen set. Thread-safe.
 */
#define GNDI_CPU_TABLE(type, get, fill)                                                                                \
    GNDI_CPU_EACH_ISA(GNDI_CPU_DECLARE, fill, type)                                                                    \
    static type get##_table;                                                                                           \
    static void get##_choose(void) {                                                                                   \
        static void (*const fills[])(type *) = {GNDI_CPU_EACH_ISA(GNDI_CPU_NAME, fill, type)};                         \
        fills[gndi_cpu_isa_chosen()](&get##_table);                                                                    \
    }                                                                                                                  \
    const type *get(void);                                                                                             \
    const type *get(void) {                                                                                            \
        static gndi_once once;                                                                                         \
        gndi_once_do(&once, get##_choose);                                                                             \
        return &get##_table;                                                                                           \
    }

#endif
