/*
 * labels_loops.h: components and sums over labels on the CPU.
 */
#ifndef GNDI_LABELS_LOOPS_H
#define GNDI_LABELS_LOOPS_H

#include "labels/labels_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows begin .. end - 1, a band: joins the runs of each row with those before it in the band. */
void gndi_label_band(const struct gndi_label_plan *plan, int64_t begin, int64_t end);
/* Joins them with those before the band. Bands one after the other. */
void gndi_label_across(const struct gndi_label_plan *plan, int64_t begin, int64_t end);
/* Numbers the components that begin in the band from `number` on; gives the number after. With `count` they are only
   counted. */
int64_t gndi_label_number(const struct gndi_label_plan *plan, int64_t begin, int64_t end, int64_t number, bool count);
/* Writes the labels of the band. */
void gndi_label_write(const struct gndi_label_plan *plan, int64_t begin, int64_t end);

/* The sums of parts begin .. end - 1. `table`: as long as gndi_label_table says; made by gndi_label_hash. */
int gndi_label_table_bits(int64_t groups);
void gndi_label_hash(const struct gndi_label_sums_plan *plan, int32_t *table);
bool gndi_label_consecutive(const struct gndi_label_sums_plan *plan);
void gndi_label_sums_parts(const struct gndi_label_sums_plan *plan, const int32_t *table, int64_t begin, int64_t end);
/* Groups begin .. end - 1: the parts' sums together. */
void gndi_label_sums_groups(const struct gndi_label_sums_plan *plan, const int32_t *table, int64_t begin, int64_t end);

/* Elements by groups, in the plan's order or, without it, x in `values` (n elements). `group` has n numbers and `end`
   groups + 1: where the elements of each group end. */
void gndi_label_order(const struct gndi_label_sums_plan *plan, const int32_t *table, int32_t *group, int64_t *end,
                      void *values);
/* The elements in the middle of groups first .. last - 1, whose values change places; then those of groups whose label
   an earlier one has. */
void gndi_label_middles(const struct gndi_label_sums_plan *plan, const int32_t *table, const int64_t *end, void *values,
                        int64_t first, int64_t last);
void gndi_label_copy_middles(const struct gndi_label_sums_plan *plan, const int32_t *table);

/* A group's extremes among some elements, as keys (extremes_ops.h), and where they are first; -1: it has none. */
struct gndi_label_extreme {
    uint64_t low, high;
    int64_t low_at, high_at;
};
/* Those of elements begin .. end - 1, for all groups; then of all parts together, written. */
void gndi_label_extremes_part(const struct gndi_label_extremes_plan *plan, const int32_t *table,
                              struct gndi_label_extreme *found, int64_t begin, int64_t end);
void gndi_label_extremes_join(const struct gndi_label_extremes_plan *plan, const int32_t *table,
                              const struct gndi_label_extreme *found, int64_t parts);

/* Boxes in rows begin .. end - 1, as the plan's `out`; then of all parts together, written. */
void gndi_label_boxes_part(const struct gndi_label_extremes_plan *plan, int64_t *found, int64_t begin, int64_t end);
void gndi_label_boxes_join(const struct gndi_label_extremes_plan *plan, const int64_t *found, int64_t parts);

#ifdef __cplusplus
}
#endif

#endif
