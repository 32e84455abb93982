/*
 * index_limits.h: numbers that the front ends and both backends of elements by index agree on. C and
 * C++, host and device.
 */
#ifndef GNDI_INDEX_LIMITS_H
#define GNDI_INDEX_LIMITS_H

#include <stdint.h>

/* Index arrays of a plan, at most; of more, the front end adds up several first. */
enum { GNDI_INDEX_LISTS = 32 };
/* An offset for what is out of range: as an index it is out of range, too, of any axis and in every mode
   that looks. */
#define GNDI_INDEX_OUTSIDE (INT64_MIN / 2)

#endif
