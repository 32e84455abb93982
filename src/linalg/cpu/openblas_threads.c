/*
 * openblas_threads.c: the count of OpenBLAS's threads, set to one while gnd's own threads call it.
 */
#include "core/lock.h"
#include "linalg/cpu/openblas_threads.h"

static gndi_lock lock;
static int callers; /* threads between the two functions */
static int before;  /* OpenBLAS's count as the first of them found it, to be restored by the last */

void gndi_openblas_alone(const gndi_openblas *blas) {
    gndi_lock_take(&lock);
    if (callers++ == 0) {
        before = blas->openblas_get_num_threads();
        blas->openblas_set_num_threads(1);
    }
    gndi_lock_give(&lock);
}

void gndi_openblas_together(const gndi_openblas *blas) {
    gndi_lock_take(&lock);
    if (--callers == 0) blas->openblas_set_num_threads(before);
    gndi_lock_give(&lock);
}
