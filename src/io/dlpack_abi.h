/*
 * dlpack_abi.h: DLPack's structs and numbers, written out from its specification (version 1.0, and the form
 * before it), so that gnd builds without its header.
 */
#ifndef GNDI_IO_DLPACK_ABI_H
#define GNDI_IO_DLPACK_ABI_H

#include <stdint.h>

typedef struct gndi_dl_version {
    uint32_t major, minor;
} gndi_dl_version;

typedef struct gndi_dl_device {
    int32_t type, index;
} gndi_dl_device;

typedef struct gndi_dl_dtype {
    uint8_t code, bits;
    uint16_t lanes; /* of a vector; 1: a number */
} gndi_dl_dtype;

typedef struct gndi_dl_tensor {
    void *data;
    gndi_dl_device device;
    int32_t ndim;
    gndi_dl_dtype dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: dense, in C order */
    uint64_t byte_offset;
} gndi_dl_tensor;

/* Before version 1.0. */
struct DLManagedTensor {
    gndi_dl_tensor tensor;
    void *context;
    void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
    gndi_dl_version version; /* the struct is another one if the major version is */
    void *context;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    gndi_dl_tensor tensor;
};

enum { GNDI_DL_READ_ONLY = 1, GNDI_DL_COPIED = 2 };
enum { GNDI_DL_CPU = 1, GNDI_DL_CUDA = 2, GNDI_DL_CUDA_HOST = 3, GNDI_DL_CUDA_MANAGED = 13 };
enum {
    GNDI_DL_INT,
    GNDI_DL_UINT,
    GNDI_DL_FLOAT,
    GNDI_DL_OPAQUE,
    GNDI_DL_BFLOAT,
    GNDI_DL_COMPLEX,
    GNDI_DL_BOOL,
};

#endif
