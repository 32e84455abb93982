/*
 * openblas_threads.c: the count of OpenBLAS's threads, set to one while gnd's own threads call it.
 */
#include "kernels/cpu/openblas_threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int callers; /* between the two functions */
static int before;  /* the first of them: OpenBLAS's count, to be restored by the last */

void gndi_openblas_alone(const gndi_openblas *blas) {
    pthread_mutex_lock(&lock);
    if (callers++ == 0) {
        before = blas->openblas_get_num_threads();
        blas->openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void gndi_openblas_together(const gndi_openblas *blas) {
    pthread_mutex_lock(&lock);
    if (--callers == 0) blas->openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}
