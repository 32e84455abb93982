/*
 * solve_scalapack.c: ScaLAPACK, on meshes over MPI: opened at its first use, in the build for the MPI that the program
 * has. The matrices are in the memory of the host.
 */
#define _GNU_SOURCE
#include "dist/linalg/solve.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the library ------------------------------------------------------------------------------------------------- */

/* Fortran's arguments are addresses; behind them come the lengths of texts. */
typedef struct routines {
    void (*getrf)(const int *m, const int *n, void *a, const int *ia, const int *ja, const int *desca, int *pivots,
                  int *info);
    void (*getrs)(const char *trans, const int *n, const int *columns, const void *a, const int *ia, const int *ja,
                  const int *desca, const int *pivots, void *b, const int *ib, const int *jb, const int *descb,
                  int *info, size_t length);
    void (*potrf)(const char *uplo, const int *n, void *a, const int *ia, const int *ja, const int *desca, int *info,
                  size_t length);
    void (*potrs)(const char *uplo, const int *n, const int *columns, const void *a, const int *ia, const int *ja,
                  const int *desca, void *b, const int *ib, const int *jb, const int *descb, int *info, size_t length);
    void (*gels)(const char *trans, const int *m, const int *n, const int *columns, void *a, const int *ia,
                 const int *ja, const int *desca, void *b, const int *ib, const int *jb, const int *descb, void *work,
                 const int *elements, int *info, size_t length);
} routines;
static const char *const routine_names[] = {"getrf", "getrs", "potrf", "potrs", "gels"};
static const char letters[] = "sdcz"; /* float32, float64, complex64, complex128 */

typedef struct grids {
    int (*handle)(void *comm);
    void (*free_handle)(int handle);
    void (*begin)(int *context, const char *order, int rows, int columns);
    void (*end)(int context);
} grids;
static const char *const grid_names[] = {"Csys2blacs_handle", "Cfree_blacs_system_handle", "Cblacs_gridinit",
                                         "Cblacs_gridexit"};
enum { ROUTINES = 5, GRIDS = 4 };
_Static_assert(sizeof(routines) == ROUTINES * sizeof(void *) && sizeof(grids) == GRIDS * sizeof(void *), "names");

typedef struct library {
    union {
        routines call[4];
        void *address[4][ROUTINES];
    };
    union {
        grids grid;
        void *grid_address[GRIDS];
    };
    char problem[256];
} library;
/* Whoever comes first publishes it; it stays for ever. */
static library *_Atomic loaded;

static void *open_library(char *problem, size_t capacity) {
    const bool open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL;
    const char *places[] = {getenv("GND_SCALAPACK"),
                            open_mpi ? "libscalapack-openmpi.so.2.2" : "libscalapack-mpich.so.2.2",
                            open_mpi ? "libscalapack-openmpi.so" : "libscalapack-mpich.so"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        void *handle = places[i] && *places[i] ? dlopen(places[i], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (handle) return handle;
    }
    snprintf(problem, capacity, "%s cannot be loaded (GND_SCALAPACK may hold its path)", places[1]);
    return NULL;
}

static void *find(library *lib, void *handle, const char *name) {
    void *address = dlsym(handle, name);
    if (!address) snprintf(lib->problem, sizeof lib->problem, "the library has no function %s", name);
    return address;
}

static void load(library *lib) {
    void *handle = open_library(lib->problem, sizeof lib->problem);
    char name[32];
    for (int t = 0; handle && t < 4; t++)
        for (int i = 0; i < ROUTINES; i++) {
            snprintf(name, sizeof name, "p%c%s_", letters[t], routine_names[i]);
            lib->address[t][i] = find(lib, handle, name);
        }
    for (int i = 0; handle && i < GRIDS; i++) lib->grid_address[i] = find(lib, handle, grid_names[i]);
}

gnd_status gndi_scalapack_ready(gnd_mesh *mesh, const char *fn) {
    if (!mesh->link->transport.native)
        return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn,
                               "split matrices in the host's memory are solved by ScaLAPACK, which needs a mesh over "
                               "MPI: gnd_mesh_from_mpi()");
    if (!atomic_load_explicit(&loaded, memory_order_acquire)) {
        library *own = gndi_dist_calloc(fn, sizeof *own), *none = NULL;
        if (!own) return GND_ERROR_MEMORY;
        load(own);
        if (!atomic_compare_exchange_strong(&loaded, &none, own)) free(own);
    }
    const library *lib = atomic_load_explicit(&loaded, memory_order_acquire);
    if (!lib->problem[0]) return GND_OK;
    return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn,
                           "this needs ScaLAPACK, which is missing: %s; it comes with the package "
                           "libscalapack-openmpi2.2",
                           lib->problem);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

/* A matrix as the library takes it. */
typedef struct matrix {
    int m, n, description[9];
    gnd_array *host;
    void *data;
} matrix;

static matrix matrix_of(const gndi_cyclic *c, int context) {
    const int rows = (int)gndi_cyclic_rows(c), block = (int)c->block;
    matrix a = {.m = (int)c->m,
                .n = (int)c->n,
                .description = {1, context, (int)c->m, (int)c->n, block, block, 0, 0, rows > 0 ? rows : 1}};
    a.host = gnd_device_of(c->store).kind == GND_CPU ? c->store : gnd_to_device(c->store, gnd_cpu());
    a.data = a.host ? gnd_data(a.host) : NULL;
    return a;
}

static const int one = 1;

static int by_lu(const routines *f, matrix *a, matrix *b, int *pivots) {
    int info;
    f->getrf(&a->m, &a->n, a->data, &one, &one, a->description, pivots, &info);
    if (info) return info;
    f->getrs("N", &a->n, &b->n, a->data, &one, &one, a->description, pivots, b->data, &one, &one, b->description, &info,
             1);
    return info;
}

static int by_cholesky(const routines *f, matrix *a, matrix *b) {
    int info;
    f->potrf("L", &a->n, a->data, &one, &one, a->description, &info, 1);
    if (info || !b) return info;
    f->potrs("L", &a->n, &b->n, a->data, &one, &one, a->description, b->data, &one, &one, b->description, &info, 1);
    return info;
}

static int by_qr(const routines *f, matrix *a, matrix *b, void *work, int length) {
    int info;
    f->gels("N", &a->m, &a->n, &b->n, a->data, &one, &one, a->description, b->data, &one, &one, b->description, work,
            &length, &info, 1);
    return info;
}

/* Elements of the work area of least squares: the library says it as a number of the matrix' dtype. */
static int work_length(const routines *f, int type, matrix *a, matrix *b) {
    union {
        float narrow[2];
        double wide[2];
    } said = {.wide = {0, 0}};
    by_qr(f, a, b, &said, -1);
    return (int)(type % 2 ? said.wide[0] : (double)said.narrow[0]) + 1;
}

/* Work areas first, on all ranks: after that the library waits for all of them. */
static gnd_status run(const library *lib, gndi_solver how, gndi_cyclic *a, gndi_cyclic *b, int context, int *info,
                      const char *fn) {
    const gnd_dtype dtype = gnd_dtype_of(a->store);
    const int type = dtype == GND_FLOAT32 ? 0 : dtype == GND_FLOAT64 ? 1 : dtype == GND_COMPLEX64 ? 2 : 3;
    const routines *f = &lib->call[type];
    matrix left = matrix_of(a, context), right = {0};
    if (b) right = matrix_of(b, context);
    size_t bytes = ((size_t)gndi_cyclic_rows(a) + (size_t)a->block) * sizeof(int);
    int length = 0;
    if (how == GNDI_QR) length = work_length(f, type, &left, &right), bytes = (size_t)length * gnd_dtype_size(dtype);
    void *work = gndi_dist_calloc(fn, bytes);
    const bool good = work && left.data && (!b || right.data);
    gnd_status status = gndi_mesh_agree_on(a->grid, fn, good ? NULL : gnd_error());
    if (!status) {
        *info = how == GNDI_LU         ? by_lu(f, &left, &right, work)
                : how == GNDI_CHOLESKY ? by_cholesky(f, &left, b ? &right : NULL)
                                       : by_qr(f, &left, &right, work, length);
        if (*info < 0) status = gndi_dist_raise(GND_ERROR_INVALID, fn, "ScaLAPACK does not take argument %d", -*info);
        gnd_array *const results[2] = {left.host, right.host}, *const stores[2] = {a->store, b ? b->store : NULL};
        for (int i = 0; i < 2 && !status; i++)
            if (results[i] != stores[i]) status = gnd_transfer(stores[i], results[i]);
    }
    free(work);
    return status;
}

gnd_status gndi_scalapack_solve(gndi_solver how, gndi_cyclic *a, gndi_cyclic *b, int *info, const char *fn) {
    const library *lib = atomic_load_explicit(&loaded, memory_order_acquire);
    const int handle = lib->grid.handle(a->grid->link->transport.native);
    int context = handle;
    lib->grid.begin(&context, "Row", a->grid->grid[0], a->grid->grid[1]);
    const gnd_status status = run(lib, how, a, b, context, info, fn);
    lib->grid.end(context);
    lib->grid.free_handle(handle);
    return status;
}
