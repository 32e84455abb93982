/*
 * index_limits.h: constants that the fronts and both backends of indexing share. C and C++, host and
 * device.
 */
#ifndef GNDI_INDEX_LIMITS_H
#define GNDI_INDEX_LIMITS_H

#include <stdint.h>

/* Index arrays of a plan, at most; if there are more, the front combines several first. */
enum { GNDI_INDEX_LISTS = 32 };
/* An offset that marks an index out of range: as an index it is out of range, too, for any axis and in every mode
   that checks. */
#define GNDI_INDEX_OUTSIDE (INT64_MIN / 2)

#endif
