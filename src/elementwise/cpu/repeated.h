/*
 * repeated.h: the parameters that the driver hands to a loop whose inputs after the first are numbers, repeated: such a
 * loop may look at one of them alone. Operators with parameters of their own are not told.
 */
#ifndef GNDI_CPU_REPEATED_H
#define GNDI_CPU_REPEATED_H

#ifdef __cplusplus
extern "C" {
#endif

extern const double gndi_cpu_repeated[4];

#ifdef __cplusplus
}
#endif

#endif
