/*
 * solve_cusolvermp.c: cuSOLVERMp, on meshes over NCCL: opened at its first use. The prototypes are those of 0.7 and
 * later, which take an ncclComm_t; nothing of its header is needed. It is not asked for least squares: Gels of 0.7.0
 * says that something internal failed (status 7), for what its documentation allows.
 */
#include "dist/linalg/solve.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the library ------------------------------------------------------------------------------------------------- */

enum { ROW_MAJOR = 1, NO_TRANSPOSE = 0, LOWER = 0, OLDEST = 700 }; /* of its enums; and 0.7.0 */
typedef struct handle *handle_t;
typedef struct grid *grid_t;
typedef struct description *description_t;

/* A matrix from its first element on. */
#define MATRIX const void *, int64_t, int64_t, description_t
#define SIZES size_t *device, size_t *host
#define AREAS void *device, size_t device_bytes, void *host, size_t host_bytes, int *info

/* In the order of the names below. */
typedef struct table {
    int (*Create)(handle_t *handle, int device, void *stream);
    int (*Destroy)(handle_t handle);
    int (*GetVersion)(handle_t handle, int *version);
    int (*CreateDeviceGrid)(handle_t handle, grid_t *grid, void *comm, int32_t rows, int32_t columns, int mapping);
    int (*DestroyGrid)(grid_t grid);
    int (*CreateMatrixDesc)(description_t *out, grid_t grid, int type, int64_t m, int64_t n, int64_t mb, int64_t nb,
                            uint32_t row, uint32_t column, int64_t leading);
    int (*DestroyMatrixDesc)(description_t description);
    int (*Getrf_bufferSize)(handle_t, int64_t m, int64_t n, MATRIX, int64_t *pivots, int type, SIZES);
    int (*Getrf)(handle_t, int64_t m, int64_t n, MATRIX, int64_t *pivots, int type, AREAS);
    int (*Getrs_bufferSize)(handle_t, int trans, int64_t n, int64_t columns, MATRIX, const int64_t *pivots, MATRIX,
                            int type, SIZES);
    int (*Getrs)(handle_t, int trans, int64_t n, int64_t columns, MATRIX, const int64_t *pivots, MATRIX, int type,
                 AREAS);
    int (*Potrf_bufferSize)(handle_t, int uplo, int64_t n, MATRIX, int type, SIZES);
    int (*Potrf)(handle_t, int uplo, int64_t n, MATRIX, int type, AREAS);
    int (*Potrs_bufferSize)(handle_t, int uplo, int64_t n, int64_t columns, MATRIX, MATRIX, int type, SIZES);
    int (*Potrs)(handle_t, int uplo, int64_t n, int64_t columns, MATRIX, MATRIX, int type, AREAS);
} table;
static const char *const names[] = {"Create",
                                    "Destroy",
                                    "GetVersion",
                                    "CreateDeviceGrid",
                                    "DestroyGrid",
                                    "CreateMatrixDesc",
                                    "DestroyMatrixDesc",
                                    "Getrf_bufferSize",
                                    "Getrf",
                                    "Getrs_bufferSize",
                                    "Getrs",
                                    "Potrf_bufferSize",
                                    "Potrf",
                                    "Potrs_bufferSize",
                                    "Potrs"};
enum { NAMES = sizeof names / sizeof *names };
_Static_assert(sizeof(table) == NAMES * sizeof(void *), "a name for each function");

typedef struct library {
    union {
        table call;
        void *address[NAMES];
    };
    char problem[256];
} library;
/* Whoever comes first publishes it; it stays for ever. */
static library *_Atomic loaded;
#define mp (*atomic_load_explicit(&loaded, memory_order_acquire))

static void load(library *lib) {
    const char *places[] = {getenv("GND_CUSOLVERMP"), "libcusolverMp.so.0", "/usr/local/cuda/lib64/libcusolverMp.so.0"};
    void *opened = NULL;
    char name[64];
    for (size_t i = 0; i < sizeof places / sizeof *places && !opened; i++)
        opened = places[i] && *places[i] ? dlopen(places[i], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!opened)
        snprintf(lib->problem, sizeof lib->problem,
                 "libcusolverMp.so.0, or a library that it needs, cannot be loaded (GND_CUSOLVERMP may hold its path)");
    for (int i = 0; opened && i < NAMES; i++) {
        snprintf(name, sizeof name, "cusolverMp%s", names[i]);
        if (!(lib->address[i] = dlsym(opened, name)))
            snprintf(lib->problem, sizeof lib->problem, "libcusolverMp.so.0 has no function %s; it may be too old",
                     name);
    }
}

static gnd_status missing(const char *fn, const char *problem) {
    return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn,
                           "this needs cuSOLVERMp, which is missing: %s; it comes with the package "
                           "nvidia-cusolvermp-cu13 of PyPI",
                           problem);
}

static gnd_status check(int result, const char *what, const char *fn) {
    if (result == 0) return GND_OK;
    return gndi_dist_raise(GND_ERROR_DEVICE, fn, "cuSOLVERMp's %s failed: status %d", what, result);
}

/* ---- what a mesh keeps ------------------------------------------------------------------------------------------- */

/* A process has one handle a GPU. */
typedef struct kept {
    handle_t handle;
    grid_t grid;
    void *stream;
    int rows, columns;
} kept;

static void close_kept(void *solver) {
    kept *k = solver;
    if (k->grid) mp.call.DestroyGrid(k->grid);
    if (k->handle) mp.call.Destroy(k->handle);
    free(k);
}

/* The grid of the mesh for the current stream, of an earlier call or a new one. */
static gnd_status keep(gnd_mesh *mesh, const char *fn) {
    gndi_link *link = mesh->link;
    const gnd_mesh *grid = gndi_cyclic_grid(mesh);
    void *stream = gnd_stream_native(NULL);
    kept *k = link->solver;
    if (k && k->stream == stream && k->rows == grid->grid[0] && k->columns == grid->grid[1]) return GND_OK;
    if (k) close_kept(k);
    link->solver = k = gndi_dist_calloc(fn, sizeof *k);
    link->solver_close = close_kept;
    if (!k) return GND_ERROR_MEMORY;
    k->stream = stream, k->rows = grid->grid[0], k->columns = grid->grid[1];
    int version = 0;
    gnd_status status = check(mp.call.Create(&k->handle, gnd_current_device().index, stream), "Create", fn);
    if (!status) status = check(mp.call.GetVersion(k->handle, &version), "GetVersion", fn);
    return !status && version < OLDEST ? missing(fn, "this one is older than 0.7, and knows no NCCL") : status;
}

static gnd_status make_grid(gnd_mesh *mesh, void *comm, const char *fn) {
    kept *k = mesh->link->solver;
    if (k->grid) return GND_OK;
    return check(mp.call.CreateDeviceGrid(k->handle, &k->grid, comm, k->rows, k->columns, ROW_MAJOR),
                 "CreateDeviceGrid", fn);
}

gnd_status gndi_cusolvermp_ready(gnd_mesh *mesh, const char *fn) {
    if (!mesh->link->transport.native)
        return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn,
                               "split matrices on GPUs are solved by cuSOLVERMp, which needs a mesh over NCCL");
    if (!atomic_load_explicit(&loaded, memory_order_acquire)) {
        library *own = gndi_dist_calloc(fn, sizeof *own), *none = NULL;
        if (!own) return GND_ERROR_MEMORY;
        load(own);
        if (!atomic_compare_exchange_strong(&loaded, &none, own)) free(own);
    }
    return mp.problem[0] ? missing(fn, mp.problem) : keep(mesh, fn);
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

typedef struct matrix {
    int64_t m, n;
    void *data;
    description_t description;
} matrix;

/* Two calls, of which the second is left out where the first has done everything. */
typedef struct job {
    gndi_solver how;
    handle_t handle;
    int type;
    matrix a, b;
    int64_t *pivots;
    size_t device_bytes, host_bytes;
    void *device, *host;
    int *info; /* one for each call */
} job;

static gnd_status describe(matrix *x, const gndi_cyclic *c, const kept *k, int type, const char *fn) {
    const int64_t rows = gndi_cyclic_rows(c);
    x->m = c->m, x->n = c->n, x->data = gnd_data(c->store);
    return check(mp.call.CreateMatrixDesc(&x->description, k->grid, type, c->m, c->n, c->block, c->block, 0, 0, rows),
                 "CreateMatrixDesc", fn);
}

#define OF(x) (x).data, 1, 1, (x).description

static gnd_status sizes(job *j, const char *fn) {
    size_t device[2] = {0, 0}, host[2] = {0, 0};
    const table *f = &mp.call;
    int result = 0;
    if (j->how == GNDI_LU) {
        result = f->Getrf_bufferSize(j->handle, j->a.m, j->a.n, OF(j->a), j->pivots, j->type, &device[0], &host[0]);
        if (!result)
            result = f->Getrs_bufferSize(j->handle, NO_TRANSPOSE, j->a.n, j->b.n, OF(j->a), j->pivots, OF(j->b),
                                         j->type, &device[1], &host[1]);
    } else {
        result = f->Potrf_bufferSize(j->handle, LOWER, j->a.n, OF(j->a), j->type, &device[0], &host[0]);
        if (!result && j->b.data)
            result = f->Potrs_bufferSize(j->handle, LOWER, j->a.n, j->b.n, OF(j->a), OF(j->b), j->type, &device[1],
                                         &host[1]);
    }
    j->device_bytes = device[0] > device[1] ? device[0] : device[1];
    j->host_bytes = host[0] > host[1] ? host[0] : host[1];
    return check(result, "bufferSize", fn);
}

#define WORK(j, i) (j)->device, (j)->device_bytes, (j)->host, (j)->host_bytes, (j)->info + (i)

static gnd_status call(const job *j, const char *fn) {
    const table *f = &mp.call;
    int result = 0;
    if (j->how == GNDI_LU) {
        result = f->Getrf(j->handle, j->a.m, j->a.n, OF(j->a), j->pivots, j->type, WORK(j, 0));
        if (!result)
            result =
                f->Getrs(j->handle, NO_TRANSPOSE, j->a.n, j->b.n, OF(j->a), j->pivots, OF(j->b), j->type, WORK(j, 1));
    } else {
        result = f->Potrf(j->handle, LOWER, j->a.n, OF(j->a), j->type, WORK(j, 0));
        if (!result && j->b.data)
            result = f->Potrs(j->handle, LOWER, j->a.n, j->b.n, OF(j->a), OF(j->b), j->type, WORK(j, 1));
    }
    return check(result, j->how == GNDI_LU ? "Getrf" : "Potrf", fn);
}

/* Between what gnd does with the arrays before and after. */
static gnd_status queue(const job *j, int count, gnd_array *const *arrays, const char *fn) {
    const gnd_status begun = gnd_foreign_begin(NULL, 0, NULL, count, arrays);
    const gnd_status done = begun ? begun : call(j, fn), ended = gnd_foreign_end(NULL);
    return done ? done : ended;
}

gnd_status gndi_cusolvermp_solve(gndi_solver how, gndi_cyclic *a, gndi_cyclic *b, int *info, const char *fn) {
    const kept *k = a->grid->link->solver;
    const gnd_dtype t = gnd_dtype_of(a->store);
    job j = {.how = how,
             .handle = k->handle,
             .type = t == GND_FLOAT32     ? 0
                     : t == GND_FLOAT64   ? 1
                     : t == GND_COMPLEX64 ? 4
                                          : 5};
    void *comm = gnd_mesh_native(a->grid);
    gnd_array *pivots = gnd_empty(GND_SHAPE(gndi_cyclic_rows(a) + a->block), GND_INT64);
    gnd_array *codes = gnd_zeros(GND_SHAPE(2), GND_INT32), *work = NULL;
    int32_t said[2] = {0, 0};
    gnd_status status = comm && pivots && codes ? make_grid(a->grid, comm, fn) : gndi_dist_status(fn);
    if (!status) j.pivots = gnd_data(pivots), j.info = gnd_data(codes);
    if (!status) status = describe(&j.a, a, k, j.type, fn);
    if (!status && b) status = describe(&j.b, b, k, j.type, fn);
    if (!status) status = sizes(&j, fn);
    if (!status && !(work = gnd_empty(GND_SHAPE((int64_t)j.device_bytes), GND_UINT8))) status = gndi_dist_status(fn);
    if (!status && !(j.host = gndi_dist_calloc(fn, j.host_bytes))) status = GND_ERROR_MEMORY;
    if (!status) j.device = gnd_data(work);
    /* From here on the library waits for all ranks. */
    status = gndi_mesh_agree_on(a->grid, fn, status ? gnd_error() : NULL);
    gnd_array *const arrays[] = {a->store, pivots, codes, work, b ? b->store : a->store};
    if (!status) status = queue(&j, b ? 5 : 4, arrays, fn);
    if (!status) status = gnd_to_host(codes, said, sizeof said);
    *info = said[0] ? said[0] : said[1];
    if (!status && *info < 0)
        status = gndi_dist_raise(GND_ERROR_INVALID, fn, "cuSOLVERMp does not take argument %d", -*info);
    if (status) gnd_sync();
    free(j.host);
    if (j.a.description) mp.call.DestroyMatrixDesc(j.a.description);
    if (j.b.description) mp.call.DestroyMatrixDesc(j.b.description);
    return status;
}
